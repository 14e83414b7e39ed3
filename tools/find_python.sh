#!/bin/sh
# Print the Python to use: `find_python.sh` for any that will do, `find_python.sh 3.12` for that version.
# An interpreter that has exact pins in requirements/ (3.11, 3.12) goes before a later one.
set -eu
cd "$(dirname "$0")/.."

is() { # is COMMAND CONDITION; a pyenv shim may exist and still not run, so run it
    "$1" -c "import sys; v = sys.version_info[:2]; sys.exit(not ($2))" >/dev/null 2>&1
}

choose() { # choose CONDITION COMMAND...
    condition=$1
    shift
    for python in "$@"; do
        if is "$python" "$condition"; then
            echo "$python"
            exit 0
        fi
    done
}

pyenv=${PYENV_ROOT:-${HOME:-}/.pyenv}/versions
if [ $# -gt 0 ]; then
    minor=${1#3.}
    choose "v == (3, $minor)" .venv/bin/python "python$1" python3 "$pyenv/$1".*/bin/python3
    echo "no working Python $1 on this machine" >&2
    exit 1
fi

choose "v in ((3, 11), (3, 12))" python3 python3.12 python3.11 "$pyenv"/3.12.*/bin/python3 "$pyenv"/3.11.*/bin/python3
choose "v > (3, 12)" python3 python3.13 python3.14
echo "sedcalc needs Python 3.11 or later; python3 here is: $(python3 --version 2>&1 || true)" >&2
echo "Install Python 3.11 or 3.12, or name the one to use: make demo PYTHON=/path/to/python3" >&2
exit 1
