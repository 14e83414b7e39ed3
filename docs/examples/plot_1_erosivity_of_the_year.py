"""
When the rain erodes
====================

Cumulative share of the annual erosivity over the year, for four EI zones of EPA Fact Sheet 3.1. A schedule that keeps
ground covered where the curve is steep saves more soil than one that is merely short.
"""

import datetime as dt

import matplotlib.pyplot as plt
import numpy as np

import sedcalc as sc

ZONES = {
    101: "Milwaukee, Wisconsin",
    84: "Denver, Colorado",
    111: "Pittsburgh, Pennsylvania",
    23: "Sacramento, California",
}

days = np.arange(np.datetime64("2027-01-01"), np.datetime64("2028-01-01"))
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (zone, place), line in zip(ZONES.items(), ("-", "--", "-.", ":"), strict=True):
    row = sc.table("ei_distribution").row(zone)
    percents = [value for name, value in row.items() if name.startswith("d")]
    ax.plot(days, 100 * sc.equations.cumulative_ei(days, percents), line, label=f"zone {zone}, {place}")
ax.set(ylabel="% of the annual erosivity", xlim=(dt.date(2027, 1, 1), dt.date(2027, 12, 31)), ylim=(0, 100))
ax.xaxis.set_major_formatter(plt.matplotlib.dates.DateFormatter("%b"))
ax.legend(frameon=False)
ax.set_title("Erosivity over the year", loc="left")

# %%
# The share between two days is the difference of the curve. Three summer months in Milwaukee:

milwaukee = [v for n, v in sc.table("ei_distribution").row(101).items() if n.startswith("d")]
print(round(sc.equations.ei_fraction(dt.date(2027, 6, 1), dt.date(2027, 8, 31), milwaukee), 4))
