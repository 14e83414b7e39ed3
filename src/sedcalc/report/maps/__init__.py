"""Maps of a gridded site: ``sc.maps.<name>(result)`` draws, ``write_*`` make files for a GIS.

Every map lies on a hillshade with contours and has a legend with areas, a scale bar, a north arrow, grid letters and a
source line. ``sheet="arch-d", feet_per_inch=50`` draws it for a plan set, at that scale.

>>> import sedcalc as sc
>>> load = sc.sediment_load(sc.read_site(sc.example("graded_pad/site.toml")))
>>> sc.maps.slope_map(load).get_title(loc="left")
'Slope classes'
"""

from sedcalc.report.maps.area_maps import drainage_map, phase_map
from sedcalc.report.maps.explorer import explore
from sedcalc.report.maps.files import write_maps
from sedcalc.report.maps.geopackage import write_geopackage
from sedcalc.report.maps.overlay import write_kml
from sedcalc.report.maps.pictures import k_map, ls_map, slope_map, soil_loss_map
from sedcalc.report.maps.rasters_out import write_classed_geotiff, write_soil_loss_geotiffs
from sedcalc.report.maps.themes import erodibility, phase_soil_loss, slope_length_steepness, steepness

__all__ = [
    "drainage_map",
    "erodibility",
    "explore",
    "k_map",
    "ls_map",
    "phase_map",
    "phase_soil_loss",
    "slope_length_steepness",
    "slope_map",
    "soil_loss_map",
    "steepness",
    "write_classed_geotiff",
    "write_geopackage",
    "write_kml",
    "write_maps",
    "write_soil_loss_geotiffs",
]
