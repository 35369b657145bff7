r"""
Sampling with a gradient
========================

Markov chains draw samples from a distribution of which only the density is known, up to a constant.
A random walk creeps along. Hamiltonian Monte Carlo instead gives a ball a random push and lets it
roll over the landscape :math:`-\log p(x)` for a while. It goes far, and it is nearly always accepted.
The force on the ball is a gradient.
"""

import matplotlib.pyplot as plt
import numpy as np

import tapeless as tl

# %%
# A density with the shape of a ring
# ----------------------------------


def energy(x):
    radius = np.sqrt(x[0] ** 2 + x[1] ** 2)
    ring = ((radius - 2.0) / 0.25) ** 2
    bumps = np.log(np.exp(-0.5 * ((x[0] - 2.0) / 0.6) ** 2) + np.exp(-0.5 * (x[0] + 2.0) ** 2))
    return 0.5 * ring - bumps


force = tl.grad(energy)

# %%
# The sampler
# -----------


def roll(x, push, step=0.08, count=25):
    """Follow the ball by the leapfrog method."""
    push = push - 0.5 * step * force(x)
    for _ in range(count - 1):
        x = x + step * push
        push = push - step * force(x)
    x = x + step * push
    return x, push - 0.5 * step * force(x)


rng = np.random.default_rng(0)
x, samples, accepted = np.array([2.0, 0.0]), [], 0
for _ in range(1500):
    push = rng.normal(size=2)
    there, last_push = roll(x, push)
    gain = energy(x) + 0.5 * push @ push - energy(there) - 0.5 * last_push @ last_push
    if np.log(rng.uniform()) < gain:
        x, accepted = there, accepted + 1
    samples.append(x)
samples = np.array(samples)
print(f"{accepted / len(samples):.0%} accepted")

# %%

axis = np.linspace(-3.2, 3.2, 161)
density = np.array([[np.exp(-energy(np.array([a, b]))) for a in axis] for b in axis])
fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3.8), sharey=True, layout="constrained")
left.contourf(axis, axis, density, levels=15, cmap="Blues")
left.plot(*samples[:12].T, "o-", color="tab:orange", markersize=4, linewidth=1)
left.set(title="the first twelve samples", aspect="equal")
right.contour(axis, axis, density, levels=4, cmap="Blues")
right.plot(*samples.T, ".", color="tab:orange", markersize=2)
right.set(title=f"{len(samples)} samples", aspect="equal")
assert accepted / len(samples) > 0.8
