r"""
The length and the friction of a pendulum
=========================================

A pendulum swings through large angles and slows down. From noisy readings of its angle we find its
length, the friction and the angle it was let go at. The equation of motion,

.. math:: \ddot\theta = -\frac{g}{\ell} \sin\theta - c\,\dot\theta,

is solved by the classical Runge-Kutta method in a plain loop, and the gradient runs that loop
backwards.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

import tapeless as tl

# %%
# The simulation
# --------------


def acceleration(theta, omega, length, friction):
    return -9.81 / length * np.sin(theta) - friction * omega


def swing(p, steps, dt):
    """Angles at all steps; `p` holds length, friction and first angle."""
    length, friction, theta = p[0], p[1], p[2]
    omega = 0.0
    angles = np.zeros(steps)
    for i in range(steps):
        angles[i] = theta
        k1 = acceleration(theta, omega, length, friction)
        t2, o2 = theta + 0.5 * dt * omega, omega + 0.5 * dt * k1
        k2 = acceleration(t2, o2, length, friction)
        t3, o3 = theta + 0.5 * dt * o2, omega + 0.5 * dt * k2
        k3 = acceleration(t3, o3, length, friction)
        t4, o4 = theta + dt * o3, omega + dt * k3
        k4 = acceleration(t4, o4, length, friction)
        theta = theta + dt / 6 * (omega + 2 * o2 + 2 * o3 + o4)
        omega = omega + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return angles


# %%
# The readings
# ------------
# Every tenth step is read, with an error of about three degrees.

STEPS, DT = 400, 0.02
rng = np.random.default_rng(3)
truth = np.array([1.2, 0.25, 2.4])
times = DT * np.arange(STEPS)
readings = swing(truth, STEPS, DT)[::10] + 0.05 * rng.normal(size=STEPS // 10)


def misfit(p):
    return np.sum((swing(p, STEPS, DT)[::10] - readings) ** 2)


# %%
# The fit
# -------
# ``value_and_grad`` returns what ``scipy.optimize.minimize`` wants with ``jac=True``.

guess = np.array([1.0, 0.1, 2.0])
fit = optimize.minimize(tl.value_and_grad(misfit), guess, jac=True, method="L-BFGS-B")
for name, true, found in zip(("length", "friction", "first angle"), truth, fit.x):
    print(f"{name:12s} true {true:.3f}, found {found:.3f}")

# %%

fig, axis = plt.subplots(figsize=(8, 3.4), layout="constrained")
axis.plot(times[::10], readings, "k.", label="readings")
axis.plot(times, swing(guess, STEPS, DT), "--", color="tab:gray", label="first guess")
axis.plot(times, swing(fit.x, STEPS, DT), color="tab:orange", label="fit")
axis.set(xlabel="time (s)", ylabel="angle (rad)")
axis.legend(ncols=3)
assert np.allclose(fit.x, truth, atol=0.05)
