"""Storms in the test suite of the R package hyetor (Vantas): it prints how many there are, and no energy of any."""

import numpy as np
import pytest

from sedcalc.rain import RainRecord, find_storms, rain_record


def rain(minutes: np.ndarray, depths: object, step: float) -> RainRecord:
    times = np.datetime64("2018-06-30T12:00", "ms") + (minutes * 60_000).astype("timedelta64[ms]")
    return rain_record(times, depths, step_minutes=step, absent_rows="dry")


@pytest.mark.parametrize(
    ("step", "dry", "light"), [(5, (9, 82), (109, 182)), (10, (9, 46), (109, 146)), (15, (9, 34), (109, 134))]
)
def test_light_rain_divides_storms_where_any_step_may_end_one(
    step: int, dry: tuple[int, int], light: tuple[int, int]
) -> None:
    """Three series of the test suite of hyetor, each with 6 h without rain and 6 h of 0.01 mm a row: three storms."""
    depths = np.full(190, 5.0)
    depths[dry[0] : dry[1]] = 0.0
    depths[light[0] : light[1]] = 0.01
    record = rain(np.arange(190) * float(step), depths, float(step))
    assert find_storms(record, rule="sliding-6h-any-step")[0].erosive.sum() == 3
    # our rule does not divide rain without a pause, and E times the largest I30 is more for one storm than for two
    ours, _, _ = find_storms(record)
    assert ours.erosive.sum() == 2
    apart, _, _ = find_storms(record, rule="sliding-6h-any-step")
    assert ours.ei30.sum() > apart.ei30.sum()
