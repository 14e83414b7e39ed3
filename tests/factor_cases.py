"""Arguments on which every public equation is tried: arrays of values spread over its range, and fixed ones.

`CASES` holds, by the name of the equation in `sedcalc.equations`, the arrays, the other arguments, and the bound of the
relative error in float32 that its documentation states.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ZONE_84 = (
    *(0.0, 0.0, 0.1, 0.1, 0.2, 0.3, 0.6, 1.7, 4.9, 9.9, 19.5, 27.2, 38.3, 52.8, 68.8, 83.9, 91.6, 96.4),
    *(98.2, 99.2, 99.6, 99.8, 99.8, 99.9, 100.0),
)
"""EPA 833-F-00-014, Table 1."""

N = 60
"""Values per array; divisible, so that arrays fold into grids."""


@dataclass(frozen=True)
class Case:
    """Arguments of one equation."""

    arrays: Mapping[str, Any]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    float32_error: float = 2e-6
    parts: int = 5
    """Values along the axis that is reduced, where one is."""


def spread(low: float, high: float, seed: int = 0) -> Any:
    """Return N values from `low` to `high`, both included, in an order of their own."""
    return np.random.default_rng(seed).permutation(np.linspace(low, high, N))


_SAND = spread(0.0, 80.0, 1)
_CLAY = (99.0 - _SAND) * spread(0.05, 0.9, 2) + 0.5
_SEPARATES = {"sand_pct": _SAND, "silt_pct": 100.0 - _SAND - _CLAY, "clay_pct": _CLAY}
_DAYS = (np.datetime64("2026-01-01") + 11 * np.arange(N)).astype("datetime64[ns]")  # as xarray has them

CASES: dict[str, Case] = {
    "aggregate_diameters_mm": Case({"clay_pct": spread(0.0, 100.0)}),
    "annual_rain_r": Case({"annual_rain_in": spread(1.0, 71.0)}, float32_error=5e-7),
    "basin_outflow_cfs": Case(
        {"surface_area_ft2": spread(100.0, 2e4), "v_s_ft_s": spread(1e-5, 0.1, 3), "coefficient": spread(1.0, 2.0, 4)}
    ),
    "basin_required_area_ft2": Case(
        {"q_out_cfs": spread(0.01, 20.0), "v_s_ft_s": spread(1e-5, 0.1, 3), "coefficient": spread(1.0, 2.0, 4)}
    ),
    "canopy": Case({"canopy_pct": spread(0.0, 99.0), "fall_height_ft": spread(0.1, 60.0, 3)}),
    "cell_l_desmet_govers": Case(
        {"area_in_m2": spread(0.0, 1e4), "aspect_rad": spread(0.0, 6.28, 3), "m": spread(0.1, 0.8, 4)},
        {"cell_m": 10.0},
    ),
    "cell_ls_isotropic": Case(
        {"area_in_m2": spread(0.0, 1e4), "slope_pct": spread(0.0, 60.0, 3)}, {"cell_m": 10.0, "ratio": "moderate"}
    ),
    "coarse_fragment_factor": Case({"rock_fragments_pct": spread(0.0, 100.0)}),
    "cumulative_ei": Case({"dates": _DAYS}, {"cumulative_pct": ZONE_84}),
    "curve_number_runoff_in": Case({"p_in": spread(0.0, 12.0), "cn": spread(30.0, 98.0, 3)}, float32_error=5e-7),
    "daily_rain_ei": Case({"depth_in": spread(0.0, 8.0)}),
    "delivery_ratio": Case({"ratio": spread(0.0, 1.0)}, {"method": "given"}),
    "design_storm_ei": Case({"depth_in": spread(0.0, 8.0), "duration_h": spread(0.5, 24.0, 3)}, {"storm_type": "II"}),
    "dg_k": Case(_SEPARATES),
    "ei_fraction": Case({"start": _DAYS, "end": _DAYS + np.timedelta64(40, "D")}, {"cumulative_pct": ZONE_84}),
    "epic_k": Case({**_SEPARATES, "organic_carbon_pct": spread(0.1, 6.0, 3)}, float32_error=1e-5),
    "establishing_slr": Case(
        {"day": spread(0.0, 90.0), "slr_sown": spread(0.5, 1.0, 3), "slr_established": spread(0.01, 0.4, 4)},
        {"sown_day": 10.0, "established_day": 70.0, "shape": "logistic", "steepness": 10.0},
        float32_error=2e-5,
    ),
    "geometric_mean_diameter_mm": Case(_SEPARATES),
    "musle_tons": Case(
        {
            "runoff_ac_ft": spread(0.0, 5.0),
            "peak_cfs": spread(0.0, 40.0, 3),
            "K": spread(0.05, 0.6, 4),
            "LS": spread(0.1, 12.0, 5),
            "C": spread(0.01, 1.0, 6),
            "P": spread(0.5, 1.3, 7),
        }
    ),
    "nomograph_k": Case(
        {"silt_vfs_pct": spread(30.0, 65.0), "sand_pct": spread(5.0, 30.0, 3), "om_pct": spread(0.5, 6.0, 4)},
        {"structure": 3, "permeability": 4},
    ),
    "overflow_efficiency": Case(
        {"surface_area": spread(100.0, 2e4), "q_out": spread(0.01, 20.0, 3), "v_s": spread(1e-5, 0.1, 4)},
        {"coefficient": 1.2},
    ),
    "p_by_slope_class": Case(
        {"slope_pct": spread(3.0, 8.0)}, {"class_to_pct": [5, 8], "class_p": [0.5, 0.5], "class_from_pct": 3}
    ),
    "permeability_class": Case({"conductivity_in_h": spread(0.01, 10.0)}),
    "profile_ls": Case({"slope_pct": spread(0.0, 60.0), "length_ft": spread(15.0, 1000.0, 3)}, {"ratio": "low"}),
    "rational_peak_cfs": Case(
        {"c": spread(0.0, 1.0), "intensity_in_h": spread(0.1, 9.0, 3), "acres": spread(0.1, 200.0, 4)}
    ),
    "residue_alpha_ac_lb": Case({"residue_lb_ac": spread(500.0, 8000.0), "cover_pct": spread(5.0, 98.0, 3)}),
    "residue_cover_pct": Case({"residue_lb_ac": spread(0.0, 8000.0), "alpha_ac_lb": spread(1e-4, 1e-3, 3)}),
    "rock_adjusted_conductivity": Case(
        {"conductivity_in_h": spread(0.01, 10.0), "rock_fragments_pct": spread(0.0, 90.0, 3)}
    ),
    "roughness_after_rain": Case(
        {"initial_in": spread(0.25, 6.0), "rain_in": spread(0.0, 20.0, 3), "ei": spread(0.0, 100.0, 4)}
    ),
    "size_rule_efficiency": Case({"actual_area_ft2": spread(100.0, 5e3)}, {"required_area_ft2": 1560.0, "credit": 0.8}),
    "slope_length_exponent": Case({"slope_pct": spread(0.0, 60.0)}),
    "slope_length_factor": Case({"length_ft": spread(1.0, 1000.0), "m": spread(0.0, 1.0, 3)}),
    "slope_limit_pct": Case({"horizontal_per_vertical": spread(1.0, 10.0)}),
    "soil_loss": Case(
        {
            "R": spread(10.0, 400.0),
            "K": spread(0.05, 0.6, 3),
            "LS": spread(0.1, 12.0, 4),
            "C": spread(0.01, 1.0, 5),
            "P": spread(0.5, 1.3, 6),
        },
        float32_error=5e-7,
    ),
    "soil_loss_ratio": Case({"surface": spread(0.0, 1.0), "roughness": spread(0.5, 1.1, 3)}),
    "steepness_factor": Case({"slope_pct": spread(0.0, 60.0)}),
    "stokes_settling_velocity": Case({"diameter_mm": spread(0.001, 2.0), "specific_gravity": spread(1.5, 2.7, 3)}),
    "surface_cover": Case({"cover_pct": spread(0.0, 100.0), "roughness_in": spread(0.1, 6.0, 3)}, float32_error=5e-6),
    "surface_roughness": Case({"roughness_in": spread(0.0, 12.0)}, float32_error=5e-6),
    "texture_class": Case(_SEPARATES),
    "texture_k": Case({"om_pct": spread(0.0, 9.0)}, {"k_om_0_5": 0.48, "k_om_2": 0.42, "k_om_4": 0.33}),
    "trap_drained_acres": Case({"surface_area_ft2": spread(100.0, 2e4)}, {"area_ft2_per_acre": 1560.0}),
    "trap_required_area_ft2": Case({"drained_acres": spread(0.1, 5.0)}, {"area_ft2_per_acre": 1560.0}),
    "two_year_six_hour_r": Case({"depth_in": spread(0.0, 4.0)}),
    "unit_energy": Case({"intensity_mm_h": spread(0.5, 150.0)}),
}

ALONG: dict[str, Case] = {
    "combined_p": Case({"subfactors": spread(0.5, 1.3)}),
    "composite": Case({"values": spread(30.0, 98.0), "areas": spread(0.1, 9.0, 3)}),
    "modified_fournier_index": Case({"monthly_rain": spread(0.0, 3.0)}, parts=12),
    "monthly_rain_r": Case({"monthly_rain_in": spread(0.0, 3.0)}, float32_error=5e-7, parts=12),
    "series_efficiency": Case({"efficiencies": spread(0.0, 0.8)}),
    "single_best": Case({"efficiencies": spread(0.0, 0.8)}),
    "weighted_c": Case({"ei_share": spread(0.0, 0.1), "slr": spread(0.01, 1.0, 3)}),
}
"""Equations that reduce the last axis."""
