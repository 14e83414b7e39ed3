"""Run every site in a folder through the command line: it must compute, and exit as its status says."""

import json
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

EXIT_CODE = {"meets": 0, "exceeds": 1}


def main(folder: Path) -> int:
    """Print one line per site; 1 if any failed or there was none."""
    sedcalc = Path(sysconfig.get_path("scripts")) / "sedcalc"
    sites = sorted(p for p in folder.rglob("*") if p.suffix in {".toml", ".json"})
    failed = 0
    for site in sites:
        began = time.perf_counter()
        run = subprocess.run(
            [sedcalc, "run", site, "--json"], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8"
        )
        seconds = time.perf_counter() - began
        name = site.relative_to(folder).as_posix()
        try:
            result = json.loads(run.stdout)
            status, figure = result["status"], result["tons_per_acre_per_year"]
        except (ValueError, KeyError, TypeError) as error:
            status, figure = f"no result ({error!r})", None
        good = EXIT_CODE.get(status) == run.returncode and figure is not None
        shown = "" if figure is None else f"{figure:.2f} tons/ac/yr"
        mark = "ok  " if good else "FAIL"
        print(f"{mark} {name}: {status} {shown} (exit {run.returncode}, {seconds:.1f} s)", flush=True)
        if not good:
            failed += 1
            print(run.stdout[-4000:], run.stderr[-4000:], sep="\n")
    if not sites:
        print(f"no example sites in {folder}")
    return int(failed > 0 or not sites)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
