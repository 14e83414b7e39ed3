"""How many submissions a second are computed anew and compared: in process, and in a batch of worker processes.

Submissions are JSON files made here: one acre-scale site of one phase with ten claims (every tenth is wrong), and the
shipped example with its 71 claims, each with numbers of its own so that nothing can be remembered from one to the
next. Beside them, in the same run, the floor of any program that reads the same files: `json.loads` and one NumPy dot
product over the numbers in them. One file of each batch is poisoned (nested 100,000 deep).

Run it on an otherwise idle machine, from the checkout: ``.venv/bin/python benchmarks/verification.py``.
"""

import argparse
import json
import multiprocessing
import os
import platform
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sedcalc
from sedcalc.report.batch import verify_batch
from sedcalc.site.parsing import parse_site

POISON = "[" * 100_000


def small(chance: random.Random) -> dict[str, Any]:
    """A site of one unit, one phase and one trap, without claims."""
    return {
        "format": "sedcalc.site/1",
        "ordinance": "hales_corners_445",
        "units": "us",
        "project": {"name": f"pad {chance.randrange(10**9)}"},
        "location": {"county": "Milwaukee, WI"},
        "soils": [{"id": "loam", "K": round(chance.uniform(0.2, 0.5), 3), "K_source": "survey", "texture": "loam"}],
        "drainage_areas": [{"id": "A", "outfall": "pond"}],
        "ground_units": [
            {
                "id": "pad",
                "drainage_area": "A",
                "soil": "loam",
                "area": round(chance.uniform(1.0, 5.0), 2),
                "slope_pct": round(chance.uniform(2.0, 12.0), 1),
                "length": chance.randrange(60, 300),
                "stabilized": "2027-10-31",
                "final_cover": {"C": 0.01, "source": "plan"},
            }
        ],
        "phases": [
            {
                "id": "grading",
                "start": f"2027-04-{chance.randrange(1, 30):02}",
                "end": "2027-10-31",
                "units": ["pad"],
                "cover": {"C": 1.0, "source": "bare"},
            }
        ],
        "practices": [
            {
                "id": "trap",
                "drainage_areas": ["A"],
                "start": "2027-03-01",
                "end": "2027-12-31",
                "efficiency": 0.8,
                "source": "plan",
            }
        ],
    }


def large(chance: random.Random) -> dict[str, Any]:
    """The shipped example, its areas changed a little, without claims."""
    site = sedcalc.read_site(sedcalc.example("hales_corners_subdivision.toml"))
    data = json.loads(site.model_dump_json(exclude_defaults=True))
    data["ground_units"][0]["area"] = round(chance.uniform(1.4, 1.6), 4)
    return data  # type: ignore[no-any-return]


def claimed(data: dict[str, Any], names: tuple[str, ...], rows: int, wrong: bool) -> dict[str, Any]:
    """The submission with claims printed from its own calculation; a wrong one has a tenth more of the figure."""
    site, _ = parse_site(data)
    assert site is not None
    ruling = sedcalc.check_compliance(sedcalc.sediment_load(site))
    columns = ruling.load.columns
    figure = (ruling.tons_per_acre_per_year or 0.0) * (1.1 if wrong else 1.0)
    lines = [
        {
            "phase": columns["phase"][i],
            "unit": columns["unit"][i],
            **{n: f"{columns[n][i]:.4g}" for n in names if columns[n][i] is not None},
        }
        for i in range(rows)
    ]
    claims = {
        "tons_per_acre_per_year": f"{figure:.2f}",
        "percent_reduction": f"{ruling.percent_reduction:.1f}",
        "rows": lines,
    }
    return {**data, "claims": claims}


NAMES = ("ei_fraction", "K", "LS", "C", "P", "soil_loss_tons_per_acre", "efficiency", "discharge_tons")
KINDS: dict[str, tuple[Callable[[random.Random], dict[str, Any]], int]] = {
    "small: 1 row, 10 claims": (small, 1),
    "the shipped example: 8 rows, 66 claims": (large, 8),
}


def written(folder: Path, count: int, make: Callable[[random.Random], dict[str, Any]], rows: int) -> list[Path]:
    """Write so many submissions; every tenth is wrong, the middle one is poisoned."""
    chance = random.Random(1)
    paths = []
    for i in range(count):
        path = folder / f"{i:06}.json"
        text = json.dumps(claimed(make(chance), NAMES, rows, i % 10 == 9))
        path.write_text(POISON if i == count // 2 else text, encoding="utf-8")
        paths.append(path)
    return paths


def numbers(value: Any) -> Iterator[float]:
    """All numbers of a JSON value."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from numbers(inner)
    elif isinstance(value, int | float):
        yield float(value)


def ours(paths: list[Path]) -> float:
    """CPU seconds that one of the files takes in this process."""
    began = time.process_time()
    for _ in verify_batch(paths, 0):
        pass
    return (time.process_time() - began) / len(paths)


def floor(paths: list[Path]) -> float:
    """CPU seconds that reading one of the files, and a dot product over its numbers, takes."""
    began = time.process_time()
    for path in paths:
        values = np.array(list(numbers(json.loads(path.read_text(encoding="utf-8")))))
        float(values @ values)
    return (time.process_time() - began) / len(paths)


def children() -> float:
    """CPU seconds of the processes that have ended."""
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_of_workers() -> int:
    """Peak resident size of the largest worker, kB, where /proc says so."""
    sizes = [0]
    for worker in multiprocessing.active_children():
        status = Path(f"/proc/{worker.pid}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        sizes += [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return max(sizes)


def main() -> None:
    parser = argparse.ArgumentParser(description="Submissions verified a second.")
    parser.add_argument("--count", type=int, default=2000, help="submissions of each kind (default 2000)")
    parser.add_argument("--workers", type=int, default=2, help="processes of the batch (default 2)")
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {arguments.count} submissions of each kind\n")
    names = (
        "right, a CPU second",
        "floor",
        "wrong, a CPU second",
        "batch, a CPU second",
        "batch, a second and worker",
        "MB of a worker",
    )
    print(f"| submission | {' | '.join(names)} |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for kind, (make, rows) in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            paths = written(Path(folder), arguments.count, make, rows)
            few = [p for p in paths[: max(100, arguments.count // 10)] if p.read_text(encoding="utf-8") != POISON]
            wrong = [p for i, p in enumerate(few) if i % 10 == 9]
            right = [p for p in few if p not in set(wrong)]
            ours(right[:20])  # tables are read, nothing else is remembered
            rates = [1.0 / ours(right), 1.0 / floor(right), 1.0 / ours(wrong)]
            start, cpu = time.perf_counter(), children()
            done = failed = differ = peak = 0
            for line in verify_batch(paths, arguments.workers):
                done += 1
                failed += line["failed"]
                differ += line["status"] == "not_verified"
                if done % 100 == 0:
                    peak = max(peak, peak_of_workers())
            wall, spent = time.perf_counter() - start, children() - cpu
        if done != arguments.count or failed != 1 or differ < arguments.count // 11:
            raise SystemExit(f"{kind}: {done} results, {failed} failed, {differ} not verified")
        rates += [done / spent, done / wall / arguments.workers, peak / 1e3]
        print(f"| {kind} | {' | '.join(f'{r:,.0f}' for r in rates)} |")


if __name__ == "__main__":
    main()
