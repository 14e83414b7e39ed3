"""Show one case again: ``python tests/fuzz/one.py FORMAT SEED``, with the traceback."""

import os
import random
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from fuzz.formats import FORMATS
    from sedcalc.cli import main

    os.environ["SEDCALC_DEBUG"] = "1"
    form, dice = FORMATS[sys.argv[1]], random.Random(f"{sys.argv[1]} {sys.argv[2]}")
    folder = Path(tempfile.mkdtemp())
    form.prepare(folder)
    os.chdir(folder)
    damaged = dice.choice(form.changes)((folder / form.name).read_bytes(), dice)
    argv = dice.choice(form.commands)
    (folder / form.name).write_bytes(damaged)
    print(folder / form.name, argv)
    print("exit code", main([a.replace("{out}", str(folder)) for a in argv]))
