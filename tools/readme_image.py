"""Draw the picture of the README from the shipped examples: load by phase, and the schedule.

Usage: python tools/readme_image.py [FILE]; by default docs/images/load_by_phase.png. Equal bytes on every run.
"""

import sys
from pathlib import Path
from typing import Any

import sedcalc as sc
from sedcalc.report import style

DEFAULT = Path(__file__).resolve().parents[1] / "docs" / "images" / "load_by_phase.png"
SIZE_IN = (10.5, 4.7)
DPI = 144


def main(path: Path) -> None:
    """Draw the picture.

    Parameters
    ----------
    path
        PNG to write.
    """
    from matplotlib import rc_context

    ruling = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))
    with rc_context(style.settings(SIZE_IN[0])):
        figure = style.new_figure(*SIZE_IN)
        left, right = figure.subplots(1, 2, width_ratios=(1.08, 1.0))
    sc.charts.load_by_phase(ruling, left)
    sc.charts.timeline(ruling, right)
    path.parent.mkdir(parents=True, exist_ok=True)
    unsigned: dict[str, Any] = {"Software": None}
    figure.savefig(path, dpi=DPI, metadata=unsigned)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT)
