"""How long sedcalc's commands take to start: all commands in turn, round by round, beside `python -c pass`.

Modules come from byte code, as after `pip install`, whatever PYTHONDONTWRITEBYTECODE says; without it each start
compiles all that it imports, and takes about twice as long.

Run it on an otherwise idle machine, from the checkout: ``.venv/bin/python benchmarks/startup.py``.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SEDCALC = str(Path(sysconfig.get_path("scripts")) / "sedcalc")
SITE = str(ROOT / "examples" / "hales_corners_subdivision.toml")
WORK = tempfile.TemporaryDirectory()  # byte code and results
ENVIRONMENT = {n: v for n, v in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT["PYTHONPYCACHEPREFIX"] = str(Path(WORK.name) / "bytecode")
# Name, command, and the seconds we go for (None: no aim).
COMMANDS: list[tuple[str, list[str], float | None]] = [
    ("python -c pass", [sys.executable, "-c", "pass"], None),
    ("python -c 'import numpy'", [sys.executable, "-c", "import numpy"], None),
    ("python -c 'import matplotlib.pyplot'", [sys.executable, "-c", "import matplotlib.pyplot"], None),
    ("sedcalc --version", [SEDCALC, "--version"], 0.35),
    ("sedcalc --help", [SEDCALC, "--help"], 0.4),
    ("sedcalc ls --slope 33 --length 150", [SEDCALC, "ls", "--slope", "33", "--length", "150"], 0.35),
    ("sedcalc r --county 'Milwaukee, WI'", [SEDCALC, "r", "--county", "Milwaukee, WI"], 0.35),
    ("sedcalc run hales_corners_subdivision.toml --json", [SEDCALC, "run", SITE, "--json"], 0.6),
    ("sedcalc run hales_corners_subdivision.toml --out DIR", [SEDCALC, "run", SITE, "--out", f"{WORK.name}/out"], 2.0),
]


def seconds(command: list[str]) -> float:
    """Wall time of one run; a command that fails is no measurement."""
    began = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=ENVIRONMENT)
    took = time.perf_counter() - began
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr.decode()}")
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description="Start-up times of sedcalc's commands.")
    parser.add_argument("--rounds", type=int, default=15, help="runs of each command (default 15)")
    parser.add_argument("--json", action="store_true", help="print every measurement as one JSON object")
    arguments = parser.parse_args()

    for _, command, _ in COMMANDS:  # warm the disk cache and the byte code
        seconds(command)
    times: dict[str, list[float]] = {name: [] for name, _, _ in COMMANDS}
    for _ in range(arguments.rounds):
        for name, command, _ in COMMANDS:
            times[name].append(seconds(command))

    if arguments.json:
        print(json.dumps({"python": platform.python_version(), "cores": os.cpu_count(), "seconds": times}))
        return
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {arguments.rounds} rounds\n")
    print("| command | median s | fastest s | median / python -c pass | aim s |")
    print("|---|---:|---:|---:|---:|")
    python = statistics.median(times["python -c pass"])
    for name, _, aim in COMMANDS:
        median = statistics.median(times[name])
        aimed = "" if aim is None else f"{aim:.2f}"
        print(f"| `{name}` | {median:.3f} | {min(times[name]):.3f} | {median / python:.1f} | {aimed} |")


if __name__ == "__main__":
    main()
