"""
What does a second fence trap?
==============================

Two equal silt fences on a silt loam. Multiplied, as practices in series usually are, the second looks as good as the
first. By particle class it meets the fines that have passed one fence already. (The class efficiencies are made up for
the picture: all sand and large aggregates, some silt, no clay.)
"""

import matplotlib.pyplot as plt
import numpy as np

import sedcalc as sc
from sedcalc.factors.sediment import PARTICLE_CLASSES, sediment_classes
from sedcalc.factors.trapping import class_chain

shares = sediment_classes(20.0, 60.0, 20.0)
by_class = np.array([0.0, 0.1, 0.3, 0.95, 1.0])
trapped, passed = class_chain(shares, np.stack([by_class, by_class]))
one = float(trapped[0].sum())
in_series = sc.equations.series_efficiency([one, one])

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
left = np.zeros(3)
names = ["gives off", "after one fence", "after two"]
for k, hatch in enumerate(("", "////", "....", "xxxx", "----")):
    values = np.array([shares[k], shares[k] - trapped[0, k], passed[k]])
    ax.barh(names, values, left=left, height=0.6, hatch=hatch, edgecolor="white", label=PARTICLE_CLASSES[k])
    left += values
ax.axvline(1 - in_series, color="black", ls="--", lw=1)
ax.annotate(
    "two in series, by 1 - (1 - e)²",
    (1 - in_series, 1.5),
    xytext=(4, 0),
    textcoords="offset points",
    fontsize=8,
    va="center",
)
ax.invert_yaxis()
ax.set(xlabel="share of the sediment that the soil gives off", xlim=(0, 1))
ax.legend(frameon=False, ncols=1, loc="lower right", fontsize=8)
ax.set_title("Sediment by particle class", loc="left")
