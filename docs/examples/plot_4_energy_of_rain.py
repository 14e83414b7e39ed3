"""
Energy of rain
==============

Unit energy by the four equations that are here by name. They differ most in light rain, which falls longest: one record
has as many values of R as equations.
"""

import matplotlib.pyplot as plt
import numpy as np

import sedcalc as sc

intensity = np.geomspace(0.5, 150, 300)
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for method, line in (("ah703", "-"), ("rusle2", "--"), ("ah537", "-."), ("salles", ":")):
    ax.semilogx(intensity, sc.equations.unit_energy(intensity, method), line, label=method)
ax.set(xlabel="intensity, mm/h", ylabel="unit energy, MJ/(ha mm)", ylim=(0, None))
ax.set_xticks([0.5, 1, 2, 5, 10, 20, 50, 100], ["0.5", "1", "2", "5", "10", "20", "50", "100"])
ax.minorticks_off()
ax.legend(frameon=False)
ax.set_title("Kinetic energy of rain", loc="left")
