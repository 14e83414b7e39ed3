"""From the load with no controls to the discharge: what each kind of control takes off, in a fixed order."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sedcalc.load.ground import Floats
from sedcalc.load.load_table import SedimentLoad

StepKind = Literal[
    "uncontrolled", "shorter duration", "slope breaks", "cover", "surface condition", "practice", "discharge"
]


@dataclass(frozen=True, slots=True)
class ReductionStep:
    """One step of the way from the load with no controls to the discharge.

    Parameters
    ----------
    kind
        What takes it off; ``uncontrolled`` and ``discharge`` are the ends.
    name
        In words; of a practice its id.
    saved_tons
        What the step takes off, short tons over the project, negative where it adds; None at the ends.
    left_tons
        What is left after it, short tons over the project.
    """

    kind: StepKind
    name: str
    saved_tons: float | None
    left_tons: float


def reduction_steps(load: SedimentLoad) -> tuple[ReductionStep, ...]:
    """Return the steps from the load with no controls to the discharge, of the whole site over the whole project.

    Parameters
    ----------
    load
        From `sedcalc.sediment_load`.

    Notes
    -----
    The order decides how much each step is credited; only the sum does not depend on it:

    - no controls: the baseline of the percent reduction (C = P = 1, no slope breaks, no practices, every unit open from
      its own first disturbance to the site's final stabilization);
    - shorter duration: what units no longer lose from their own final stabilization on, before practices;
    - slope breaks (gridded sites with barriers), cover (C), surface condition (P): on the days before. Where C or P
      comes from a raster the three are one step, cover;
    - practices: what each traps.
    """
    left = load.totals.baseline
    steps = [ReductionStep("uncontrolled", "no controls", None, left)]
    taken: list[tuple[StepKind, str, float]] = [(kind, kind, tons) for kind, tons in _on_the_ground(load).items()]
    taken += [("practice", name, tons) for name, tons in load.totals.trapped.items()]
    for kind, name, saved in taken:
        left -= saved
        steps.append(ReductionStep(kind, name, saved, left))
    return (*steps, ReductionStep("discharge", "discharge", None, load.totals.discharged))


def _on_the_ground(load: SedimentLoad) -> dict[StepKind, float]:
    """Return what duration, slope breaks, cover and surface condition save before the practices, tons."""
    rows, spans = load.ground.rows, load.schedule.spans
    ratio = load.site.delivery.ratio if load.site.delivery else 1.0
    fraction: Floats = np.array(load.columns["ei_fraction"])
    state = np.array(load.columns["state"])
    delivered: Floats = np.array(load.columns["delivered_tons"])
    bare = rows.bare_tons_per_year * fraction * ratio
    late, open_ = state == "stabilized", np.isin(state, ("phase", "between"))
    saved: dict[StepKind, float] = {"shorter duration": float((bare - delivered)[late].sum())}
    whole = float((bare - delivered)[open_].sum())
    rasters = load.ground.rasters
    if rasters is not None:
        varying = [not (isinstance(rasters.C[s], float) and isinstance(rasters.P[s], float)) for s in range(len(spans))]
        one_number = not np.array(varying)[rows.span][open_].any()
    else:
        one_number = True
    both = rows.C * rows.P
    if not one_number or (both[open_] == 0.0).any():
        return saved | {"cover": whole}
    # With one C and P on all cells of a row, what they multiply is the soil loss over their product.
    with_ls = np.divide(delivered, both, out=np.zeros_like(delivered), where=open_)
    breaks = float((bare - with_ls)[open_].sum())
    cover = float((with_ls * (1.0 - rows.C))[open_].sum())
    if load.site.grid is not None and load.site.grid.barriers is not None:
        saved["slope breaks"] = breaks
    saved["cover"] = cover
    if (rows.P[open_] != 1.0).any():
        saved["surface condition"] = float((with_ls * rows.C * (1.0 - rows.P))[open_].sum())
    return saved
