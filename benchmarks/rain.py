"""Thirty years of 5-minute rain to EI30: seconds, and the ratio to the rfactor package on the same record.

    python benchmarks/rain.py [YEARS]

The record is synthetic (seeded): showers of gamma-distributed rain whose number and intensity follow the season. Where
`rfactor` (LGPL-3, see benchmarks/requirements.txt) cannot be imported, only our own time is printed. rfactor takes wet
rows only and one year of one station at a time; it gets the wet rows of the same record, while ours reads all rows. Its
unit energy supposes 10-minute rows, so only the times are compared here, not the results.
"""

import sys
import time

import numpy as np
import pandas as pd

from sedcalc.rain import erosivity_from_rain, find_storms, rain_record

STEP_MIN = 5
START = np.datetime64("1991-01-01T00:00", "ms")


def synthetic_rain(years: int, seed: int = 703) -> pd.Series:
    """Return 5-minute depths, mm, of `years` years from 1991 with about 900 mm a year."""
    rng = np.random.default_rng(seed)
    end = START.astype("datetime64[Y]") + years
    n = int((end.astype("datetime64[ms]") - START) / np.timedelta64(STEP_MIN, "m"))
    depth = np.zeros(n)
    spells = rng.integers(0, n - 400, size=130 * years)
    season = 1.0 + 0.8 * np.cos(2.0 * np.pi * (spells / (n / years) - 0.55))
    for first, factor in zip(spells, season, strict=True):
        rows = int(rng.integers(3, 120))
        depth[first : first + rows] += rng.gamma(0.5, 0.12 * factor * rng.lognormal(0.0, 1.0), rows)
    index = pd.date_range(pd.Timestamp(START), periods=n, freq=f"{STEP_MIN}min")
    return pd.Series(np.round(depth, 1), index)


def best_of(times: int, work: object) -> float:
    """Return the shortest of several timings of a callable, s."""
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        work()  # type: ignore[operator]
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def rfactor_seconds(series: pd.Series) -> float | None:
    """Return the time rfactor takes, s, or None where it cannot be imported."""
    try:
        from rfactor import compute_erosivity, maximum_intensity, rain_energy_brown_and_foster1987
    except ImportError:
        return None
    wet = series[series > 0.0]
    frame = pd.DataFrame({"datetime": wet.index, "rain_mm": wet.to_numpy(), "station": "A"})
    return best_of(1, lambda: compute_erosivity(frame, rain_energy_brown_and_foster1987, maximum_intensity))


def main() -> None:
    years = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    series = synthetic_rain(years)
    record = rain_record(series.index, series.to_numpy())
    ours = best_of(3, lambda: erosivity_from_rain(series))
    core = best_of(3, lambda: find_storms(record))
    result = erosivity_from_rain(record)
    print(f"{len(series):,} rows of {STEP_MIN} min, {years} years, {record.start.size:,} wet steps")
    erosive = int(result.storms.erosive.sum())
    rain = record.total_mm / years
    print(
        f"{rain:.0f} mm a year; {len(result.storms):,} storms, {erosive} erosive; R {result.R_si:.0f} MJ mm/(ha h yr)"
    )
    print(f"series to R {ours:.3f} s; storms and EI of a record {core:.3f} s")
    theirs = rfactor_seconds(series)
    if theirs is None:
        print("rfactor is not installed here: no ratio (pip install -r benchmarks/requirements.txt)")
    else:
        print(f"rfactor on the wet rows {theirs:.3f} s: {theirs / core:.0f} times our time on the same wet rows,")
        print(f"{theirs / ours:.0f} times our time on all rows")


if __name__ == "__main__":
    main()
