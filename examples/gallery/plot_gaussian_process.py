r"""
The length scale of a Gaussian process
======================================

A Gaussian process draws a smooth curve through noisy points, with a band that says how sure it is.
How smooth the curve is, how far it moves up and down, and how noisy the points are: these three
numbers are chosen so that the points are as probable as possible.

The gradient goes through a Cholesky factor. What was factored in the forward sweep is not factored
again in the reverse sweep.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import linalg, optimize

import tapeless as tl

# %%
# The evidence
# ------------


def kernel(a, b, scale, height):
    return height**2 * np.exp(-0.5 * ((a[:, None] - b[None, :]) / scale) ** 2)


def evidence(log_p, x, y):
    """The negative logarithm of the probability of the points, up to a constant."""
    scale, height, noise = np.exp(log_p)
    cov = kernel(x, x, scale, height) + noise**2 * np.eye(len(x))
    factor = linalg.cho_factor(cov, lower=True)
    weights = linalg.cho_solve(factor, y)
    return 0.5 * (y @ weights) + np.sum(np.log(np.diag(factor[0])))


rng = np.random.default_rng(1)
x = np.sort(rng.uniform(0.0, 8.0, size=35))
y = np.sin(1.5 * x) + 0.3 * x * (x > 4) + 0.2 * rng.normal(size=35)

# %%
# Three numbers by gradient
# -------------------------

start = np.log([2.0, 2.0, 1.0])
fit = optimize.minimize(tl.value_and_grad(evidence), start, args=(x, y), jac=True)
names = ("length scale", "height", "noise")
for name, value in zip(names, np.exp(fit.x)):
    print(f"{name:12s} {value:.3f}")

# %%
# Before and after
# ----------------


def posterior(log_p, at):
    scale, height, noise = np.exp(log_p)
    cov = kernel(x, x, scale, height) + noise**2 * np.eye(len(x))
    between = kernel(at, x, scale, height)
    mean = between @ np.linalg.solve(cov, y)
    variance = height**2 - np.sum(between * np.linalg.solve(cov, between.T).T, axis=1)
    return mean, np.sqrt(variance)


at = np.linspace(-0.5, 8.5, 300)
fig, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for axis, log_p, title in zip(axes, (start, fit.x), ("first guess", "most probable")):
    mean, spread = posterior(log_p, at)
    axis.fill_between(at, mean - 2 * spread, mean + 2 * spread, alpha=0.25)
    axis.plot(at, mean)
    axis.plot(x, y, "k.")
    axis.set(title=title, xlabel="x", ylim=(-3, 5))
assert fit.success and 0.1 < np.exp(fit.x[2]) < 0.3
