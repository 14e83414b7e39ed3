"""The project's own worked example: a storm of twelve steps, its I30 and EI30 by hand from the equations."""

import numpy as np
import pytest

from sedcalc.rain import RainRecord, find_storms, rain_record

TWELVE = [1.1, 2.3, 3.2, 1.9, 4.1, 5.9, 2.5, 3.1, 2.9, 1.2, 0.5, 0.2]


def rain(minutes: np.ndarray, depths: object, step: float) -> RainRecord:
    times = np.datetime64("2018-06-30T12:00", "ms") + (minutes * 60_000).astype("timedelta64[ms]")
    return rain_record(times, depths, step_minutes=step, absent_rows="dry")


@pytest.mark.parametrize(
    ("step", "i30", "expected"),
    [
        # nobody is known to have printed these: I30 is twice the largest half hour, or the largest six of twelve 5-min
        # depths times 2; EI30 is that times the depths times their unit energy, by hand
        (30.0, 11.8, {"ah703": 47.584, "rusle2": 56.811, "ah537": 63.706}),
        (5.0, 41.4, {"ah703": 300.063, "rusle2": 325.377, "ah537": 304.788}),
    ],
)
def test_storm_of_twelve_steps(step: float, i30: float, expected: dict[str, float]) -> None:
    record = rain(np.arange(12) * step, TWELVE, step)
    for energy, ei in expected.items():
        storms, _, _ = find_storms(record, energy=energy)
        assert len(storms) == 1
        assert storms.peak_mm_h[30][0] == pytest.approx(i30, abs=1e-9)
        assert storms.ei30[0] == pytest.approx(ei, abs=5e-4)
        assert storms.erosive[0]


def test_any_step_rule_cuts_the_tail_of_the_twelve_half_hours() -> None:
    # less than 1.27 mm follows the tenth half hour; its ten steps by hand give 46.844
    storms, _, _ = find_storms(rain(np.arange(12) * 30.0, TWELVE, 30.0), rule="sliding-6h-any-step")
    assert storms.ei30[0] == pytest.approx(46.844, abs=5e-4)
    assert storms.depth_mm.tolist() == pytest.approx([28.2, 0.5, 0.2])
