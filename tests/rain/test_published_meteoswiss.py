"""The R package erosivity (Vantas) on the station HER of MeteoSwiss, 2010."""

from pathlib import Path

import numpy as np
import pytest

from sedcalc.io.rain_files import read_rain
from sedcalc.rain import erosivity_from_rain, unit_energy


def test_meteoswiss_2010(shared_data: Path) -> None:
    """409.0 mm, and the storm of 17 January that the R package erosivity tests at 630 MJ mm/(ha h)."""
    record = read_rain(shared_data / "rain/meteoswiss_10min/HER01.txt")
    assert record.total_mm == pytest.approx(409.0, abs=1e-9)
    result = erosivity_from_rain(record)
    # 52,560 steps of 2010, of which 446 are no rows; three rows are off the clock and cover less than ten minutes
    assert result.years.missing[0] == pytest.approx(0.0086, abs=2e-4)
    k = int(np.argmax(result.storms.ei30))
    assert result.storms.start[k] == np.datetime64("2010-01-17T19:10")
    # it counts one more light step of 0.2 mm (1.2 mm/h), which our rule leaves to a storm of its own
    light = 0.2 * unit_energy(1.2) * result.storms.peak_mm_h[30][k]
    assert round(float(result.storms.ei30[k] + light)) == 630
