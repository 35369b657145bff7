r"""
Where was the fire?
===================

A rod was heated somewhere, and heat has spread since. We read a few thermometers at a few later
times, and want the temperature at the beginning. Going back in time is not possible, heat only
spreads; but we can ask which beginning would have led to these readings.

The simulation stores into one array, step after step. The reverse sweep puts every overwritten value
back in its place: nothing of the program had to be rewritten.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

import tapeless as tl

# %%
# Heat that spreads
# -----------------

CELLS, STEPS, RATE = 60, 240, 0.4
SENSORS = np.arange(3, CELLS, 6)


def spread(first):
    """Readings of all sensors at every 30th step."""
    t = first.copy()
    readings = []
    for step in range(1, STEPS + 1):
        t[1:-1] += RATE * (t[2:] - 2.0 * t[1:-1] + t[:-2])
        t[0] = t[1]
        t[-1] = t[-2]
        if step % 30 == 0:
            readings.append(t[SENSORS])
    return np.array(readings)


where = np.linspace(0.0, 1.0, CELLS)
truth = 2.0 * np.exp(-(((where - 0.3) / 0.05) ** 2)) + 1.0 * (np.abs(where - 0.72) < 0.07)
rng = np.random.default_rng(2)
measured = spread(truth)
measured = measured + 0.01 * rng.normal(size=measured.shape)

# %%
# The beginning that fits
# -----------------------
# Many beginnings fit the readings. We ask for a smooth one that is nowhere colder than 0.


def misfit(first):
    data = np.sum((spread(first) - measured) ** 2) / 0.01**2
    bends = first[2:] - 2.0 * first[1:-1] + first[:-2]
    return 0.5 * data + 10.0 * np.sum(bends**2)


fit = optimize.minimize(
    tl.value_and_grad(misfit),
    np.full(CELLS, 0.3),
    jac=True,
    method="L-BFGS-B",
    bounds=[(0.0, None)] * CELLS,
    options={"maxiter": 400, "maxfun": 500},
)
print(f"misfit {misfit(np.full(CELLS, 0.3)):.0f} before, {fit.fun:.0f} after")

# %%

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for row, step in zip(measured, range(30, STEPS + 1, 30)):
    colour = plt.get_cmap("plasma")(step / STEPS)
    left.plot(where[SENSORS], row, "o-", color=colour, markersize=3, linewidth=1)
left.set(title="what was measured", xlabel="position", ylabel="temperature")
right.plot(where, truth, "k--", label="true beginning")
right.plot(where, fit.x, color="tab:orange", label="found")
right.set(title="the beginning", xlabel="position")
right.legend()
assert np.argmax(fit.x) in range(14, 22)
