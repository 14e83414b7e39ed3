"""sedcalc: sediment load of construction sites, and the ruling an erosion-control ordinance asks for.

>>> import sedcalc as sc
>>> site = sc.read_site(sc.example("hales_corners_subdivision.toml"))
>>> load = sc.sediment_load(site)
>>> sc.check_compliance(load).status
'meets'

Names are loaded when first used: ``import sedcalc`` itself loads nothing heavy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from sedcalc import equations
    from sedcalc.compliance.inspections import inspection_log
    from sedcalc.compliance.ordinance import load_ordinance
    from sedcalc.compliance.overrides import RulingOverride, read_overrides
    from sedcalc.compliance.ruling import Ruling, check_compliance
    from sedcalc.compliance.verification import Verification, verify
    from sedcalc.equations import soil_loss
    from sedcalc.findings import Finding, InputError
    from sedcalc.io.daily_rain import read_daily_rain
    from sedcalc.io.examples import example
    from sedcalc.io.site_files import read_site
    from sedcalc.io.surfaces import ls_grid
    from sedcalc.load.calculation import sediment_load
    from sedcalc.load.class_table import KLSTable, kls_table
    from sedcalc.load.load_table import SedimentLoad
    from sedcalc.load.raster_loss import RasterLoss, soil_loss_of_rasters
    from sedcalc.rain.annual import erosivity_from_rain
    from sedcalc.report import charts, maps
    from sedcalc.report.batch import verify_batch
    from sedcalc.report.record import replay
    from sedcalc.report.sheet import write_report
    from sedcalc.report.workbook import write_site_workbook
    from sedcalc.site.submission import Site
    from sedcalc.tables import ordinance_names, table, table_names

_HOMES = {
    "Finding": "findings",
    "InputError": "findings",
    "KLSTable": "load.class_table",
    "RasterLoss": "load.raster_loss",
    "Ruling": "compliance.ruling",
    "RulingOverride": "compliance.overrides",
    "Verification": "compliance.verification",
    "SedimentLoad": "load.load_table",
    "Site": "site.submission",
    "check_compliance": "compliance.ruling",
    "erosivity_from_rain": "rain.annual",
    "example": "io.examples",
    "kls_table": "load.class_table",
    "inspection_log": "compliance.inspections",
    "load_ordinance": "compliance.ordinance",
    "ls_grid": "io.surfaces",
    "ordinance_names": "tables",
    "read_daily_rain": "io.daily_rain",
    "read_overrides": "compliance.overrides",
    "read_site": "io.site_files",
    "sediment_load": "load.calculation",
    "replay": "report.record",
    "soil_loss": "equations",
    "soil_loss_of_rasters": "load.raster_loss",
    "table": "tables",
    "table_names": "tables",
    "verify": "compliance.verification",
    "verify_batch": "report.batch",
    "write_report": "report.sheet",
    "write_site_workbook": "report.workbook",
}

_MODULES = {"charts": "report.charts", "equations": "equations", "maps": "report.maps"}

__all__ = ["__version__", *_MODULES, *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{_MODULES[name]}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_MODULES})
