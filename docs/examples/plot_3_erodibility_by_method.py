"""
K of one soil, by each method
=============================

A silt loam of 60 % silt and 15 % clay, as its organic matter goes from stripped subsoil to topsoil. Dg does not see
organic matter at all; the others disagree on how much it matters.
"""

import matplotlib.pyplot as plt
import numpy as np

import sedcalc as sc

organic = np.linspace(0.5, 4.0, 36)
row = sc.table("k_by_texture").row("silt loam")
eq = sc.equations
found = {
    "texture table": eq.texture_k(organic, row["k_om_0_5"], row["k_om_2"], row["k_om_4"]),
    "nomograph, structure 2, permeability 3": eq.nomograph_k(65.0, 20.0, organic, 2, 3),
    "EPIC": eq.epic_k(25.0, 60.0, 15.0, organic_matter_pct=organic),
    "Dg": np.full_like(organic, eq.dg_k(25.0, 60.0, 15.0)),
}
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, k), line in zip(found.items(), ("-", "--", "-.", ":"), strict=True):
    ax.plot(organic, k, line, label=name)
ax.set(xlabel="organic matter, %", ylabel="K, ton ac h/(hundreds of ac ft tonf in)", ylim=(0, 0.6))
ax.legend(frameon=False, loc="lower left")
ax.set_title("Erodibility of a silt loam", loc="left")
