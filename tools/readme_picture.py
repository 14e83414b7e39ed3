"""Draw the picture of the README from the example of the graded pad: soil loss on the map, discharge against the limit.

Usage: python tools/readme_picture.py [FILE]; by default docs/_static/graded_pad.png. Equal bytes on every run.
"""

import io
import sys
from pathlib import Path

from PIL import Image

import sedcalc as sc

DEFAULT = Path(__file__).resolve().parents[1] / "docs" / "_static" / "graded_pad.png"
MAP_DPI, CHART_DPI = 150, 104
GAP = 40  # pixels


def drawn(ax: object, dpi: int) -> Image.Image:
    """Return the figure of axes as a picture, without the white around it."""
    data = io.BytesIO()
    ax.figure.savefig(data, format="png", dpi=dpi, bbox_inches="tight", pad_inches=0.05)  # type: ignore[attr-defined]
    return Image.open(data).convert("RGB")


def main(path: Path) -> None:
    """Draw the map and the charts side by side.

    Parameters
    ----------
    path
        PNG to write.
    """
    ruling = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("graded_pad/site.toml"))))
    left = drawn(sc.maps.soil_loss_map(ruling, "mass grading"), MAP_DPI)
    charts = (sc.charts.load_by_phase, sc.charts.rolling_discharge)
    right = [drawn(chart(ruling, width_in=5.6), CHART_DPI) for chart in charts]
    height = max(left.height, sum(p.height for p in right) + GAP)
    picture = Image.new("RGB", (left.width + GAP + max(p.width for p in right), height), "white")
    picture.paste(left, (0, (height - left.height) // 2))
    top = 0
    for part in right:
        picture.paste(part, (left.width + GAP, top))
        top += part.height + GAP
    picture.save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT)
