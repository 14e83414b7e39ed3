"""Years of rain against the map: nineteen years of a record beside the R of its county."""

import csv
from pathlib import Path

from sedcalc.io.rain_files import read_rain
from sedcalc.rain import erosivity_from_rain


def test_iowa_record_agrees_with_the_county(shared_data: Path, shared_reference: Path) -> None:
    """Nineteen years near Des Moines against R of Polk County, interpolated from USGS GAGES-II basins."""
    result = erosivity_from_rain(read_rain(next((shared_data / "rain/dep_breakpoint").glob("*.cli"))))
    assert result.years.year.tolist() == list(range(2007, 2026))
    assert result.years.accepted.all()
    with (shared_reference / "erosivity/us_county_r_gages2_idw.csv").open(encoding="utf-8") as stream:
        county = next(float(row["R_us_est"]) for row in csv.DictReader(stream) if row["fips"] == "19153")
    assert result.interval_us is not None
    assert result.interval_us[0] < county < result.interval_us[1]
