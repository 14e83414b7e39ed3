"""``python -m sedcalc``: the command line."""

import sys

from sedcalc.cli import main

if __name__ == "__main__":
    sys.exit(main())
