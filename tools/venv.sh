#!/bin/sh
# Make a virtual environment, or bring it up to date, and install sedcalc into it.
#   venv.sh FOLDER base|demo|test|minimum [WHEEL]
# base has no extras, demo those for PDF sheets and Excel workbooks, test all. Paths are relative to the checkout.
# $PYTHON names the interpreter, else find_python.sh chooses. Exact pins where requirements/ has them for that Python,
# else the bounds in pyproject.toml. Without WHEEL the checkout itself is installed, editable.
set -eu
cd "$(dirname "$0")/.."
here=$(pwd -P)
folder=$1
level=$2
wheel=${3:-}
python=$folder/bin/python

pip_install() { # errors only, and a dot every two seconds
    "$python" -m pip install -qq --no-input --disable-pip-version-check "$@" </dev/null &
    pip=$!
    trap 'kill "$pip" 2>/dev/null; exit 130' HUP INT TERM
    while kill -0 "$pip" 2>/dev/null; do
        printf .
        sleep 2
    done
    trap - HUP INT TERM
    echo
    wait "$pip"
}

extras() { # all in pyproject.toml, as [a,b,c]
    "$python" -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]
print("[" + ",".join(p["optional-dependencies"]) + "]")'
}

if [ -e "$folder" ] && [ ! -e "$folder/pyvenv.cfg" ]; then
    echo "$folder exists and is no virtual environment: move it away" >&2
    exit 1
fi
if [ -e "$folder/.home" ] && [ "$(cat "$folder/.home")" != "$here" ]; then
    echo "$folder was made for $(cat "$folder/.home"): making it anew"
    rm -rf "$folder"
elif [ -e "$folder" ] && ! "$python" -c "" 2>/dev/null; then
    echo "$folder has no working Python any more: making it anew"
    rm -rf "$folder"
fi
if [ ! -e "$folder" ]; then
    base=${PYTHON:-$(sh tools/find_python.sh)}
    if ! "$base" -c "import sys; sys.exit(sys.version_info < (3, 11))"; then
        echo "sedcalc needs Python 3.11 or later; $base is: $("$base" --version 2>&1 || true)" >&2
        exit 1
    fi
    echo "making $folder with $("$base" --version) ($base)"
    "$base" -m venv "$folder" || {
        rm -rf "$folder"
        echo "'$base -m venv' failed: on Debian and Ubuntu it needs the package python3-venv" >&2
        exit 1
    }
fi
"$python" -m pip --version >/dev/null 2>&1 || "$python" -m ensurepip >/dev/null

tag=$("$python" -c 'import sys; print("py%d%d" % sys.version_info[:2])')
case $level in
    base) pins=requirements/$tag-base.txt extras='' ;;
    demo) pins=requirements/$tag-base.txt extras='[pdf,xlsx]' ;;
    test) pins=requirements/$tag.txt extras=$(extras) ;;
    minimum) pins=requirements/minimum.txt extras='' ;;
    *) echo "unknown level: $level" >&2 && exit 2 ;;
esac
if [ -e "$pins" ]; then
    echo "installing $pins into $folder (the first time this takes a minute or two and about 1 GB)"
    pip_install -r "$pins"
    known=--no-deps # all is there already, but for the extras of demo: their versions are among those of all
    [ "$level" != demo ] || known="-c requirements/$tag.txt"
    if [ -n "$wheel" ]; then
        pip_install $known "$wheel$extras"
    else
        pip_install $known --no-build-isolation -e ".$extras"
    fi
else
    echo "there are no exact pins for this Python ($tag): installing what pyproject.toml allows into $folder"
    pip_install -r requirements/build.in
    if [ -n "$wheel" ]; then
        pip_install "$wheel$extras"
    else
        pip_install -e ".$extras"
    fi
fi
"$python" -m pip check >/dev/null || "$python" -m pip check
echo "$here" >"$folder/.home"
