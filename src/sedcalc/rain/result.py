"""What comes out of a rain record: storms, years, R and its distribution over the year."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors.erosivity import EI_DATES
from sedcalc.findings import Finding
from sedcalc.rain.energy import Energy
from sedcalc.rain.record import Floats, Ints, Times
from sedcalc.rain.storms import PEAK_MINUTES, SnowRule, StormRule, Storms, WetSteps
from sedcalc.units import R_US_SI

if TYPE_CHECKING:
    import pandas as pd

_FEB_28 = 58  # its number in a year that starts with 0


@dataclass(frozen=True, eq=False, slots=True)
class RainYears:
    """Calendar years of a record as columns, shape (n,) each.

    Parameters
    ----------
    year
        The year.
    missing
        Share of the year that was not observed, 0 to 1.
    missing_month
        The same for its worst month, 0 to 1.
    depth_mm
        Rain observed, mm.
    storms
        Number of erosive storms observed.
    ei
        Sum of EI of the erosive storms observed, MJ mm/(ha h). A storm belongs to the year it starts in.
    accepted
        Whether the year is complete enough for `ei` to be its R.
    """

    year: Ints
    missing: Floats
    missing_month: Floats
    depth_mm: Floats
    storms: Ints
    ei: Floats
    accepted: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class ErosivityRecord:
    """Erosivity of a rain record.

    Parameters
    ----------
    R_si, R_us
        Mean R of the accepted years, MJ mm/(ha h yr) and hundreds of ft tonf in/(ac h yr). None: no year is accepted.
    interval_si, interval_us
        Bootstrap confidence interval of the mean, in the same units. None: fewer than two accepted years.
    confidence
        Level of the interval, 0 to 1.
    storms, steps
        The storms, erosive or not, and the wet steps they are made of.
    years
        The calendar years.
    missing
        Share of the record's calendar years that was not observed, 0 to 1.
    daily_percent
        Cumulative percent of the annual EI at the end of each of 365 days, %. None: no EI in accepted years.
    energy, storm_rule, snow
        The equation and the rules.
    period, clock, source
        As in `RainRecord`; the period as ``datetime64[ms]``.
    findings
        What a reader must know.
    """

    R_si: float | None
    R_us: float | None
    interval_si: tuple[float, float] | None
    interval_us: tuple[float, float] | None
    confidence: float
    storms: Storms
    steps: WetSteps
    years: RainYears
    missing: float
    daily_percent: Floats | None
    energy: Energy
    storm_rule: StormRule
    snow: SnowRule
    period: tuple[np.datetime64, np.datetime64]
    clock: str
    source: str
    findings: tuple[Finding, ...]

    @property
    def ei_percent(self) -> dict[str, float] | None:
        """Cumulative percent of the annual EI at the end of each date of the EI table, %, by ``"MM-DD"``.

        `sedcalc.factors.erosivity.ei_difference` compares its values with an EI zone's. None: no EI.
        """
        if self.daily_percent is None:
            return None
        dates = [f"{month:02}-{day:02}" for month, day in EI_DATES]
        days = day_of_year(np.array([f"2001-{d}" for d in dates], dtype="datetime64[D]"))
        return {d: float(self.daily_percent[k]) for d, k in zip(dates, days, strict=True)}

    @property
    def table(self) -> "pd.DataFrame":
        """The storms as a pandas DataFrame; EI and R in SI units as in `Storms`."""
        import pandas as pd

        s = self.storms
        peaks = {f"I{m}_mm_h": s.peak_mm_h[m] for m in PEAK_MINUTES}
        return pd.DataFrame(
            {
                "start": s.start,
                "end": s.end,
                "hours": s.hours,
                "depth_mm": s.depth_mm,
                "E_MJ_ha": s.energy,
                **peaks,
                "EI30_MJ_mm_ha_h": s.ei30,
                "EI30_us": s.ei30 / R_US_SI,
                "erosive": s.erosive,
                "gap": s.gap,
            }
        )

    @property
    def year_table(self) -> "pd.DataFrame":
        """The years as a pandas DataFrame; R is NaN for a year that is not accepted."""
        import pandas as pd

        y = self.years
        r = np.where(y.accepted, y.ei, np.nan)
        return pd.DataFrame(
            {
                "year": y.year,
                "missing": y.missing,
                "missing_month": y.missing_month,
                "depth_mm": y.depth_mm,
                "storms": y.storms,
                "EI_observed": y.ei,
                "accepted": y.accepted,
                "R_si": r,
                "R_us": r / R_US_SI,
            }
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON can hold it: no NaN, times as ISO text, erosive storms only."""
        s, y = self.storms, self.years
        storms = [
            {
                "start": _iso(s.start[k]),
                "end": _iso(s.end[k]),
                "depth_mm": float(s.depth_mm[k]),
                "E_MJ_ha": float(s.energy[k]),
                "I30_mm_h": float(s.peak_mm_h[30][k]),
                "EI30": float(s.ei30[k]),
                "EI30_us": float(s.ei30[k]) / R_US_SI,
                "touches_gap": bool(s.gap[k]),
            }
            for k in np.flatnonzero(s.erosive)
        ]
        years = [
            {
                "year": int(y.year[k]),
                "missing": float(y.missing[k]),
                "missing_month": float(y.missing_month[k]),
                "depth_mm": float(y.depth_mm[k]),
                "storms": int(y.storms[k]),
                "EI_observed": float(y.ei[k]),
                "R": float(y.ei[k]) if y.accepted[k] else None,
                "R_us": float(y.ei[k]) / R_US_SI if y.accepted[k] else None,
            }
            for k in range(len(y.year))
        ]
        return {
            "R": self.R_si,
            "R_us": self.R_us,
            "interval": _pair(self.interval_si),
            "interval_us": _pair(self.interval_us),
            "confidence": self.confidence,
            "units": {
                "R": "MJ mm/(ha h yr)",
                "R_us": "100 ft tonf in/(ac h yr)",
                "EI30": "MJ mm/(ha h)",
                "EI30_us": "100 ft tonf in/(ac h)",
            },
            "missing": self.missing,
            "storms": storms,
            "years": years,
            "ei_percent": self.ei_percent,
            "energy": self.energy,
            "storm_rule": self.storm_rule.name,
            "snow": self.snow,
            "clock": self.clock,
            "source": self.source,
            "findings": [f.as_dict() for f in self.findings],
        }


def day_of_year(dates: Times) -> Ints:
    """Return the day of a 365-day year of each date, 0 to 364; February 29 counts as February 28."""
    days = dates.astype("datetime64[D]")
    new_year = days.astype("datetime64[Y]")
    number = (days - new_year.astype("datetime64[D]")).astype(np.int64)
    next_year = (new_year + np.timedelta64(1, "Y")).astype("datetime64[D]")
    leap = (next_year - new_year.astype("datetime64[D]")).astype(np.int64) == 366
    return np.asarray(number - (leap & (number > _FEB_28)))


def _iso(time: np.datetime64) -> str:
    return str(time.astype("datetime64[s]"))


def _pair(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)
