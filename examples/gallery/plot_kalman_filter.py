r"""
How noisy is the sensor? A Kalman filter that learns
====================================================

A Kalman filter follows a moving object if it is told how much its motion wanders and how noisy the
readings are. Usually nobody knows these two numbers. The filter itself can find them: it computes
how probable the readings are, and the gradient of that likelihood says how to change them.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

import tapeless as tl

# %%
# The object
# ----------
# Position and velocity; the velocity is pushed at random. Some readings are lost.

DT, STEPS = 0.1, 120
F = np.array([[1.0, DT], [0.0, 1.0]])
PUSH = np.array([[DT**3 / 3, DT**2 / 2], [DT**2 / 2, DT]])

rng = np.random.default_rng(7)
wander, noise = 0.5, 0.3  # standard deviations, to be found
state = np.array([0.0, 1.0])
track = np.zeros((STEPS, 2))
for k in range(STEPS):
    state = F @ state + wander * np.linalg.cholesky(PUSH) @ rng.normal(size=2)
    track[k] = state
readings = track[:, 0] + noise * rng.normal(size=STEPS)
readings[60:75] = np.nan

# %%
# The filter
# ----------
# One pass over the readings returns the negative logarithm of their likelihood, and what the
# filter believed on the way. A missing reading is passed over by ``continue``.


def kalman(log_p, readings):
    q, r = np.exp(2.0 * log_p[0]) * PUSH, np.exp(2.0 * log_p[1])
    mean, cov = np.zeros(2), 10.0 * np.eye(2)
    believed, spread = np.zeros(len(readings)), np.zeros(len(readings))
    cost = 0.0
    for k in range(len(readings)):
        mean = F @ mean
        cov = F @ cov @ F.T + q
        if not np.isnan(readings[k]):
            surprise = readings[k] - mean[0]
            variance = cov[0, 0] + r
            gain = cov[:, 0] / variance
            mean = mean + gain * surprise
            cov = cov - np.outer(gain, cov[0])
            cost += 0.5 * (np.log(variance) + surprise**2 / variance)
        believed[k] = mean[0]
        spread[k] = cov[0, 0]
    return cost, (believed, spread)


# %%
# The fit
# -------
# The parameters are logarithms, so that the standard deviations stay positive. With ``has_aux=True``
# the function may return more than the number that is differentiated.

value_and_grad = tl.value_and_grad(kalman, has_aux=True)


def cost_and_slope(log_p):
    (cost, _), slope = value_and_grad(log_p, readings)
    return cost, slope


fit = optimize.minimize(cost_and_slope, np.zeros(2), jac=True, method="BFGS")
found = np.exp(fit.x)
print(f"wander: true {wander}, found {found[0]:.2f}")
print(f"noise:  true {noise}, found {found[1]:.2f}")

# %%

_, (believed, spread) = kalman(fit.x, readings)
times, band = DT * np.arange(STEPS), 2.0 * np.sqrt(spread)
fig, axis = plt.subplots(figsize=(8, 3.6), layout="constrained")
axis.fill_between(times, believed - band, believed + band, alpha=0.25, label="two deviations")
axis.plot(times, believed, label="filter")
axis.plot(times, track[:, 0], "k--", linewidth=1, label="true position")
axis.plot(times, readings, ".", color="tab:red", label="readings")
axis.set(xlabel="time", ylabel="position")
axis.legend(ncols=2)
assert 0.2 < found[0] < 1.0 and 0.2 < found[1] < 0.4
