#!/bin/sh
# Compile requirements/*.txt from pyproject.toml with uv. Run it to take up new releases, then `make test check`.
set -eu
cd "$(dirname "$0")/.."
compile() {
    uv pip compile --quiet --upgrade --no-emit-index-url --custom-compile-command "make pins" "$@"
}
use= # the extras of users
for extra in $(python3 -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]
print(*p["optional-dependencies"])'); do
    [ "$extra" = dev ] || [ "$extra" = docs ] || use="$use --extra $extra"
done
for version in 3.11 3.12; do
    all=requirements/py3${version#3.}.txt
    compile --python-version $version --extra dev --extra docs $use pyproject.toml requirements/build.in -o "$all"
    compile --python-version $version -c "$all" pyproject.toml requirements/build.in \
        -o "requirements/py3${version#3.}-base.txt"
done
# The lower bounds of the base dependencies and of the users' extras, with today's test tools.
tools=$(mktemp)
trap 'rm -f "$tools"' EXIT
grep -E '^(pytest|pytest-xdist|pytest-timeout|hypothesis|numpydoc|pypdfium2|hatchling|editables)==' requirements/py311.txt >"$tools"
compile --python-version 3.11 --resolution lowest-direct --no-annotate $use \
    pyproject.toml "$tools" -o requirements/minimum.txt
