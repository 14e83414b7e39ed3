"""The lists of public names, from the package."""

import re
from collections.abc import Sequence
from types import ModuleType
from typing import Final

import sedcalc
from sedcalc import equations

_INTRO: Final = """\
# API

Every public name, with shapes, units, ranges, what is raised, and an example whose number has an origin. Symbols and
units are those of the [nomenclature](../reference/nomenclature.md).

"""

_GROUPS: Final = {
    "From a site to a ruling": [
        "read_site", "Site", "sediment_load", "SedimentLoad", "check_compliance", "Ruling", "write_report",
        "write_site_workbook",
    ],
    "Submissions": ["verify", "Verification", "verify_batch", "replay", "read_overrides", "RulingOverride"],
    "Factors": [
        "soil_loss", "ls_grid", "erosivity_from_rain", "soil_loss_of_rasters", "RasterLoss", "kls_table", "KLSTable",
    ],
    "Ordinances and tables": ["load_ordinance", "ordinance_names", "table", "table_names", "example"],
    "What went wrong": ["Finding", "InputError"],
}  # fmt: skip

_MODULES: Final = {
    "erosivity": "Erosivity R",
    "rain_amounts": "Erosivity R",
    "energy": "Erosivity R",
    "erodibility": "Erodibility K",
    "soil_properties": "Erodibility K",
    "topography": "Slope length and steepness LS",
    "cell_topography": "Slope length and steepness LS",
    "cover": "Cover management C",
    "support": "Support practice P",
    "rusle": "Soil loss A",
    "delivery": "Delivery and trapping",
    "trapping": "Delivery and trapping",
    "sediment": "Delivery and trapping",
    "runoff": "Runoff and single storms",
}

_RESULTS: Final = (
    "sedcalc.load.load_table.Totals",
    "sedcalc.load.windows.Windows",
    "sedcalc.load.credit.ScheduleCredit",
    "sedcalc.compliance.ruling.Governing",
    "sedcalc.compliance.checks.Checks",
    "sedcalc.compliance.ordinance.Ordinance",
    "sedcalc.compliance.comparison.ValueCheck",
    "sedcalc.compliance.attribution.Attribution",
    "sedcalc.terrain.ls_raster.LSResult",
    "sedcalc.terrain.ls_raster.LSSummary",
    "sedcalc.factors.topography.SlopeLS",
    "sedcalc.factors.topography.SegmentedLS",
    "sedcalc.rain.result.ErosivityRecord",
    "sedcalc.rain.storms.StormRule",
    "sedcalc.rain.storms.Storms",
    "sedcalc.tables.Table",
)


def api() -> str:
    """Return the page of the public names: a new one appears without being listed here."""
    public = [n for n in sedcalc.__all__ if n != "__version__"]
    modules = {n: value for n in public if isinstance(value := getattr(sedcalc, n), ModuleType)}
    grouped = {n for names in _GROUPS.values() for n in names}
    text = _INTRO
    for title, names in {**_GROUPS, "More": [n for n in public if n not in grouped and n not in modules]}.items():
        text += _summary(title, [f"sedcalc.{n}" for n in names if n in public])
    for name, module in modules.items():
        text += f"## `sedcalc.{name}`\n\n{_described(module)}\n\n"
        if module is equations:
            for title, functions in _equations().items():
                text += _summary(title, functions, "###")
        else:
            functions = [n for n in module.__all__ if callable(getattr(module, n)) and n[0].islower()]
            text += _summary("", [f"{module.__name__}.{n}" for n in functions])
    return text + _summary("What comes out", _RESULTS)


def _equations() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {title: [] for title in _MODULES.values()}
    for name, value in vars(equations).items():
        module = getattr(value, "__module__", "") if callable(value) else ""
        if not name.startswith("_") and module.startswith(("sedcalc.factors.", "sedcalc.rain.energy")):
            found[_MODULES[module.rpartition(".")[2]]].append(f"sedcalc.equations.{name}")
    return found


def _described(module: ModuleType) -> str:
    """Return the text of a module's docstring without its examples; roles and literals become code."""
    return re.sub(r"``?([^`]+)``?", r"`\1`", (module.__doc__ or "").partition(">>>")[0].strip())


def _summary(title: str, names: Sequence[str], level: str = "##") -> str:
    if not names:
        return ""
    listed = "\n".join(f"   {n}" for n in names)
    heading = f"{level} {title}\n\n" if title else ""
    return f"{heading}```{{eval-rst}}\n.. autosummary::\n   :toctree: api\n   :nosignatures:\n\n{listed}\n```\n\n"
