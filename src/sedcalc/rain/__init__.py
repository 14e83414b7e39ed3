"""From gauge records to storms to rainfall erosivity.

`rain_record`, `record_from_breakpoints` and `record_from_tips` bring measured rain into one form, `RainRecord`;
`find_storms` divides it; `erosivity_from_rain` gives R. numpy only; pandas is loaded when a table is asked for or
times carry a zone.
"""

from sedcalc.rain.annual import MAX_MISSING_MONTH, MAX_MISSING_YEAR, erosivity_from_rain
from sedcalc.rain.energy import ENERGY_SOURCES, Energy, unit_energy
from sedcalc.rain.record import MAX_RATE_MM_H, RainRecord, to_standard_time
from sedcalc.rain.result import ErosivityRecord, RainYears
from sedcalc.rain.steps import rain_record, record_from_breakpoints, record_from_tips
from sedcalc.rain.storms import PEAK_MINUTES, STORM_RULES, StormRule, Storms, WetSteps, find_storms

__all__ = [
    "ENERGY_SOURCES",
    "MAX_MISSING_MONTH",
    "MAX_MISSING_YEAR",
    "MAX_RATE_MM_H",
    "PEAK_MINUTES",
    "STORM_RULES",
    "Energy",
    "ErosivityRecord",
    "RainRecord",
    "RainYears",
    "StormRule",
    "Storms",
    "WetSteps",
    "erosivity_from_rain",
    "find_storms",
    "rain_record",
    "record_from_breakpoints",
    "record_from_tips",
    "to_standard_time",
    "unit_energy",
]
