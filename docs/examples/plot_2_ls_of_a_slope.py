"""
LS of a slope, beside the printed table
=======================================

The equations of Agriculture Handbook 703 (lines) and its Table 4-3 for a high ratio of rill to interrill erosion
(points). Doubling the steepness matters more than doubling the length.
"""

import matplotlib.pyplot as plt
import numpy as np

import sedcalc as sc

rows = sc.table("ls_table_4_3").rows
length = np.geomspace(15, 1000, 200)
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
for slope in (2, 5, 10, 20, 30, 50):
    line = ax.loglog(length, sc.equations.profile_ls(float(slope), length).LS, lw=1)[0]
    printed = [(r["length_ft"], r["ls"]) for r in rows if r["slope_pct"] == slope and r["length_ft"] >= 15]
    if printed:
        ax.plot(*zip(*printed, strict=True), "o", ms=4, color=line.get_color())
    ax.annotate(
        f"{slope} %",
        (1000, sc.equations.profile_ls(float(slope), 1000.0).LS),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize=8,
    )
ax.set(xlabel="horizontal slope length, ft", ylabel="LS", xlim=(15, 1350))
ax.set_xticks([15, 50, 100, 200, 400, 1000], ["15", "50", "100", "200", "400", "1000"])
ax.set_yticks([0.2, 0.5, 1, 2, 5, 10, 20, 50], ["0.2", "0.5", "1", "2", "5", "10", "20", "50"])
ax.minorticks_off()
ax.grid(lw=0.4)
ax.set_title("LS, high ratio of rill to interrill erosion", loc="left")
