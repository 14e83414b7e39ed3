"""Erosivity of a rain record: R of each year, their mean and its confidence, and when in the year it falls."""

from typing import TYPE_CHECKING, Final, get_args

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors._arrays import check_name
from sedcalc.findings import Finding, count_of, input_error
from sedcalc.rain.energy import Energy
from sedcalc.rain.record import Floats, RainRecord, Units
from sedcalc.rain.result import ErosivityRecord, RainYears, day_of_year
from sedcalc.rain.steps import rain_record
from sedcalc.rain.storms import SnowRule, StormRule, Storms, WetSteps, find_storms
from sedcalc.rain.storms import storm_rule as named_rule
from sedcalc.units import R_US_SI

if TYPE_CHECKING:
    import pandas as pd

MAX_MISSING_YEAR: Final = 0.05
"""A year with a larger share of its time not observed gets no R. A convention of this project."""

MAX_MISSING_MONTH: Final = 0.20
"""Nor does a year with a month of which a larger share was not observed. A convention of this project."""

_RESAMPLES = 10_000
_SEED = 703
_INTERVAL_YEARS = 5  # fewer years say nothing about their spread; a convention of this project
_LONG_RECORD_YEARS = 22  # length of the station records behind the isoerodent map of Agriculture Handbook 537


def erosivity_from_rain(
    rain: "RainRecord | pd.Series[float]",
    *,
    units: Units = "mm",
    energy: Energy = "ah703",
    storm_rule: str | StormRule = "sliding-6h",
    snow: SnowRule = "none",
    max_missing_year: float = MAX_MISSING_YEAR,
    max_missing_month: float = MAX_MISSING_MONTH,
    confidence: float = 0.95,
    seed: int = _SEED,
) -> ErosivityRecord:
    """Return the rainfall erosivity R of a rain record, with its storms and years.

    Parameters
    ----------
    rain
        A `RainRecord`, or a pandas Series of depths, in `units`, with a DatetimeIndex: a time is the start of its
        step, and the step, absent rows and the period are told from the rows as in `rain_record`, which takes them
        explicitly.
    units
        Unit of a Series' depths, ``"mm"`` or ``"in"``.
    energy
        Unit-energy equation: ``"ah703"``, ``"ah537"``, ``"rusle2"`` or ``"salles"``, as in `unit_energy`.
    storm_rule
        Name in `STORM_RULES` (``"sliding-6h"``, ``"dry-gap-6h"``, or a published rule set), or a rule of one's own.
    snow
        ``"none"``, or ``"freezing-air"`` to leave out what fell at 0 degrees C or less.
    max_missing_year, max_missing_month
        A year is refused when a larger share of it, or of one of its months, was not observed; 0 to 1.
    confidence
        Level of the confidence interval of the mean, a fraction between 0 and 1.
    seed
        Seed of the bootstrap.

    Returns
    -------
    ErosivityRecord
        R in SI and US units, years, storms (``.table``), the distribution of EI over the year, and findings.

    Raises
    ------
    InputError
        When a name is unknown, a limit is outside its range, or the Series is not one of depths over time.

    Notes
    -----
    EI of a storm is its energy times its largest 30-minute intensity; R of a year is the sum over the erosive storms
    that start in it. A refused year gets no R and is never scaled up; without an accepted year R is None. The mean is
    over accepted years; its interval is a percentile bootstrap over years (10,000 resamples, from five years on),
    which says how far the years differ, not how well the gauge measures. The missing-data limits (5 % of a year, 20 %
    of a month) are a convention of this project. Snow, thaw and gauge undercatch are outside the method.

    References
    ----------
    .. [1] Renard, K.G. et al. (1997). Predicting soil erosion by water. USDA Agriculture Handbook 703, Appendix B.
    .. [2] Wischmeier, W.H. and Smith, D.D. (1978). Predicting rainfall erosion losses. USDA Agriculture Handbook 537.
    .. [3] Yin, S. et al. (2007). Estimation of rainfall erosivity using 5- to 60-minute fixed-interval rainfall data
       from China. Catena 70, 306-312.

    Examples
    --------
    A storm of twelve half hours; 11.8 mm/h is twice its largest half hour, and 47.584 its E times that, by hand:

    >>> import pandas as pd
    >>> depths = [1.1, 2.3, 3.2, 1.9, 4.1, 5.9, 2.5, 3.1, 2.9, 1.2, 0.5, 0.2]
    >>> series = pd.Series(depths, pd.date_range("2018-01-01", periods=12, freq="30min"))
    >>> result = erosivity_from_rain(series)
    >>> float(result.storms.peak_mm_h[30][0].round(1)), float(result.storms.ei30[0].round(3))
    (11.8, 47.584)
    >>> result.R_si is None  # a day is not a year
    True
    """
    record = _record(rain, units)
    for name, share in (("max_missing_year", max_missing_year), ("max_missing_month", max_missing_month)):
        if not 0.0 <= share <= 1.0:
            raise input_error("rain-limit", f"{name} is {share}; it is a share from 0 to 1.", name)
    if not 0.0 < confidence < 1.0:
        raise input_error("rain-limit", f"confidence is {confidence}; it lies between 0 and 1.", "confidence")
    rule = named_rule(storm_rule)
    storms, steps, found = find_storms(record, energy=energy, rule=rule, snow=snow)
    years, missing = _years(record, storms, max_missing_year, max_missing_month)
    findings = [*record.findings, *found, *_year_findings(years, max_missing_year, max_missing_month, record.source)]
    totals = years.ei[years.accepted]
    r_si = float(totals.mean()) if totals.size else None
    interval = _bootstrap(totals, confidence, seed) if totals.size >= _INTERVAL_YEARS else None
    return ErosivityRecord(
        R_si=r_si,
        R_us=None if r_si is None else r_si / R_US_SI,
        interval_si=interval,
        interval_us=None if interval is None else (interval[0] / R_US_SI, interval[1] / R_US_SI),
        confidence=confidence,
        storms=storms,
        steps=steps,
        years=years,
        missing=missing,
        daily_percent=_daily_percent(storms, steps, years),
        energy=energy,
        storm_rule=rule,
        snow=snow,
        period=record.period,
        clock=record.clock,
        source=record.source,
        findings=tuple(dict.fromkeys(findings)),
    )


def _record(rain: "RainRecord | pd.Series[float]", units: str) -> RainRecord:
    check_name(units, get_args(Units), "units")
    if isinstance(rain, RainRecord):
        if units != "mm":
            raise input_error("unknown-units", f"a RainRecord is in mm already; units say {units!r}.", "units")
        return rain
    index = getattr(rain, "index", None)
    if getattr(getattr(index, "dtype", None), "kind", "") != "M":
        raise input_error(
            "rain-series",
            f"rain is a {type(rain).__name__}; it must be a RainRecord or a pandas Series of depths with a "
            "DatetimeIndex.",
            "rain",
        )
    name = getattr(rain, "name", None)
    return rain_record(
        index,
        rain.to_numpy(),
        units="in" if units == "in" else "mm",
        source="" if name is None else str(name),
    )


def _years(record: RainRecord, storms: Storms, max_year: float, max_month: float) -> tuple[RainYears, float]:
    begin, finish = record.period
    first = begin.astype("datetime64[Y]")
    last = (finish - np.timedelta64(1, "ms")).astype("datetime64[Y]")
    after = last + np.timedelta64(1, "Y")
    year = np.arange(first, after).astype(np.int64) + 1970
    months = np.arange(first.astype("datetime64[M]"), after.astype("datetime64[M]") + np.timedelta64(1, "M"))
    edges = months.astype("datetime64[ms]").astype(np.int64).astype(np.float64)
    length = np.diff(edges).reshape(-1, 12)
    unseen = length - np.diff(_observed(record, edges)).reshape(-1, 12)
    missing = unseen.sum(axis=1) / length.sum(axis=1)
    worst = (unseen / length).max(axis=1)
    n = year.size

    def per_year(times: NDArray[np.datetime64], weights: Floats | None) -> NDArray[np.float64]:
        place = times.astype("datetime64[Y]").astype(np.int64) + 1970 - year[0]
        return np.bincount(place, weights=weights, minlength=n).astype(np.float64)

    erosive = storms.erosive
    years = RainYears(
        year=year,
        missing=missing,
        missing_month=worst,
        depth_mm=per_year(record.start, record.depth_mm),
        storms=per_year(storms.start[erosive], None).astype(np.int64),
        ei=per_year(storms.start[erosive], storms.ei30[erosive]),
        accepted=(missing <= max_year) & (worst <= max_month),
    )
    return years, float(unseen.sum() / length.sum())


def _observed(record: RainRecord, at: Floats) -> Floats:
    """Return the time observed up to each of `at`, ms."""
    gaps = record.gaps.astype(np.int64)
    begin, finish = (int(t.astype(np.int64)) for t in record.period)
    knots = np.concatenate(([begin], gaps.ravel(), [finish])).astype(np.float64)
    watched = np.diff(knots)
    watched[1::2] = 0.0  # begin-gap, gap, gap-gap, gap, ..., gap-finish: every second stretch is a gap
    return np.interp(at, knots, np.concatenate(([0.0], np.cumsum(watched))))


def _year_findings(years: RainYears, max_year: float, max_month: float, source: str) -> list[Finding]:
    findings = []
    where = source or None
    refused = np.flatnonzero(~years.accepted)
    n = int(years.accepted.sum())
    if refused.size:
        k = refused[0]
        message = (
            f"{refused.size} of {count_of(years.year.size, 'year')} {'is' if refused.size == 1 else 'are'} too "
            f"incomplete for an R, the first {years.year[k]} with "
            f"{years.missing[k]:.1%} of the year and {years.missing_month[k]:.1%} of its worst month not observed "
            f"(limits {max_year:.0%} and {max_month:.0%}). They are left out, not scaled."
        )
        findings.append(Finding("rain-year-refused", "warning", message, where))
    if n == 0:
        message = "no year is complete enough: the record gives storms but no R. Bring at least one whole year."
        findings.append(Finding("rain-no-complete-year", "error", message, where))
    elif n < _LONG_RECORD_YEARS:
        message = (
            f"R rests on {count_of(n, 'year')}; the records behind the R of Agriculture Handbook 537 were "
            f"{_LONG_RECORD_YEARS} years long, and single years differ several-fold."
        )
        findings.append(Finding("rain-short-record", "warning", message, where))
    return findings


def _bootstrap(totals: Floats, confidence: float, seed: int) -> tuple[float, float]:
    draws = np.random.default_rng(seed).integers(0, totals.size, size=(_RESAMPLES, totals.size))
    means = totals[draws].mean(axis=1)
    low, high = np.quantile(means, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])
    return float(low), float(high)


def _daily_percent(storms: Storms, steps: WetSteps, years: RainYears) -> Floats | None:
    """Return the cumulative percent of EI at the end of each of 365 days; a step has its share of its storm's EI."""
    place = storms.start.astype("datetime64[Y]").astype(np.int64) + 1970 - years.year[0]
    counts = storms.erosive & years.accepted[place]
    weight = np.where(counts, storms.peak_mm_h[30], 0.0)[steps.storm] * steps.energy
    by_day = np.cumsum(np.bincount(day_of_year(steps.start), weights=weight, minlength=365))
    return None if by_day[-1] == 0.0 else by_day / by_day[-1] * 100.0
