r"""
The derivative of a solution
============================

Kepler's equation :math:`E - e \sin E = M` has no formula for :math:`E`: it is solved by iteration.
The derivative of the solution does have a formula. By the implicit function theorem

.. math::

   \frac{\partial E}{\partial M} = \frac{1}{1 - e \cos E}, \qquad
   \frac{\partial E}{\partial e} = \frac{\sin E}{1 - e \cos E}.

A custom gradient tells tapeless so. The iteration is then not differentiated, and nothing of it is
kept: it may be as long, and as clever, as it likes.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

import tapeless as tl

# %%
# The solver with its gradient
# ----------------------------


@tl.custom_gradient
def eccentric_anomaly(e, mean):
    angle = mean + e * np.sin(mean)
    while True:
        step = (angle - e * np.sin(angle) - mean) / (1.0 - e * np.cos(angle))
        angle = angle - step
        if np.max(np.abs(step)) < 1e-12:
            break

    def grad(upstream):
        mean_bar = upstream / (1.0 - e * np.cos(angle))
        return np.sum(mean_bar * np.sin(angle)), mean_bar

    return angle, grad


# %%
# A planet from the wobble of its star
# ------------------------------------
# A planet pulls its star to and fro. We see the star's speed along our line of sight, and find the
# period, the eccentricity and the other elements of the orbit.


def star_speed(p, t):
    period, e, height, omega, when = p
    mean = 2.0 * np.pi * (t - when) / period
    angle = eccentric_anomaly(e, mean)
    x, y = np.cos(angle) - e, np.sqrt(1.0 - e**2) * np.sin(angle)
    true_anomaly = np.arctan2(y, x)
    return height * (np.cos(true_anomaly + omega) + e * np.cos(omega))


def misfit(p, t, seen):
    return np.sum((star_speed(p, t) - seen) ** 2)


rng = np.random.default_rng(5)
truth = np.array([3.2, 0.55, 40.0, 0.8, 0.4])
t = np.sort(rng.uniform(0.0, 12.0, size=60))
seen = star_speed(truth, t) + 3.0 * rng.normal(size=60)

fit = optimize.minimize(
    tl.value_and_grad(misfit),
    np.array([3.15, 0.3, 30.0, 0.5, 0.3]),
    args=(t, seen),
    jac=True,
    method="L-BFGS-B",
    bounds=[(2, 5), (0.0, 0.9), (1, 100), (-3, 3), (-2, 2)],
)
names = ("period", "eccentricity", "height", "direction", "moment")
for name, true, value in zip(names, truth, fit.x):
    print(f"{name:12s} true {true:6.2f}, found {value:6.2f}")

# %%

at = np.linspace(0.0, 12.0, 500)
fig, axis = plt.subplots(figsize=(8, 3.2), layout="constrained")
axis.errorbar(t, seen, yerr=3.0, fmt="k.", elinewidth=0.8, label="seen")
axis.plot(at, star_speed(fit.x, at), color="tab:orange", label="fit")
axis.set(xlabel="days", ylabel="speed of the star (m/s)")
axis.legend(loc="upper right")
assert np.allclose(fit.x[:2], truth[:2], atol=0.05)

# %%
# The gradient was checked with central differences before it was used:

tl.check_grads(lambda e, mean: eccentric_anomaly(e, mean), 0.4, np.array([0.3, 2.0]), order=1)
