"""Draw the picture of the README from the example of the graded pad: ``python tools/readme_picture.py``."""

from pathlib import Path

import sedcalc as sc

load = sc.sediment_load(sc.read_site(sc.example("graded_pad/site.toml")))
figure = sc.maps.soil_loss_map(load, "mass grading").figure
target = Path(__file__).resolve().parents[1] / "docs" / "_static" / "soil_loss.png"
figure.savefig(target, dpi=110, bbox_inches="tight", metadata={"Software": None})
print(target.name, target.stat().st_size, "bytes")
