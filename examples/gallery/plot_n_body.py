r"""
Three bodies that come back
===========================

Three equal masses attract each other. Almost every start ends in chaos, but a few starts lead to a
dance that repeats for ever. We look for one: the bodies begin on a line, and we ask for velocities
and a period after which all of them are where they began.

The simulation moves the bodies in place, in one array. The gradient of how far they miss their
beginning goes back through 200 time steps.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

import tapeless as tl

# %%
# The simulation
# --------------


def pull(x):
    """The acceleration of each body."""
    a = np.zeros_like(x)
    for i in range(3):
        for j in range(i):
            gap = x[j] - x[i]
            force = gap / (gap @ gap) ** 1.5
            a[i] += force
            a[j] -= force
    return a


def simulate(x, v, dt, steps):
    """The leapfrog method; `x` and `v` are changed in place."""
    path = np.zeros((steps + 1, 3, 2))
    path[0] = x
    v += 0.5 * dt * pull(x)
    for k in range(steps):
        x += dt * v
        v += dt * pull(x)
        path[k + 1] = x
    v -= 0.5 * dt * pull(x)
    return path


# %%
# The miss
# --------
# Two numbers give all velocities: the outer bodies move alike, the inner one balances them. The
# third unknown is the period.

STEPS = 200


def start(p):
    x = np.array([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    v = np.zeros((3, 2))
    v[0, 0], v[0, 1] = p[0], p[1]
    v[2] = v[0]
    v[1] = -2.0 * v[0]
    return x, v


def miss(p):
    x, v = start(p)
    simulate(x, v, p[2] / STEPS, STEPS)
    x0, v0 = start(p)
    return np.sum((x - x0) ** 2) + np.sum((v - v0) ** 2)


guess = np.array([0.38, 0.5, 6.2])
fit = optimize.minimize(tl.value_and_grad(miss), guess, jac=True, method="BFGS")
print(f"velocity ({fit.x[0]:.4f}, {fit.x[1]:.4f}), period {fit.x[2]:.3f}, miss {fit.fun:.1e}")

# %%
# It is the figure of eight that Moore found in 1993.

fig, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True, layout="constrained")
for axis, p, title in zip(axes, (guess, fit.x), ("guess", "found")):
    path = simulate(*start(p), p[2] / STEPS, STEPS)
    for body, colour in enumerate(("tab:blue", "tab:orange", "tab:green")):
        axis.plot(*path[:, body].T, color=colour)
        axis.plot(*path[-1, body], "o", color=colour)
    axis.set(title=title, aspect="equal", xlabel="x")
assert fit.fun < 1e-3
