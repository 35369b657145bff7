r"""
Sharpening a blurred picture
============================

A picture was blurred and came with noise. We look for the sharp picture which, blurred in the same
way, explains what was seen. Among the many that do, edges are allowed but unrest is punished: the
penalty is the total variation, the sum of all differences between neighbours.

The picture has 4096 pixels, so the gradient has 4096 entries. It costs as much as a few evaluations
of the objective.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

import tapeless as tl

# %%
# The camera
# ----------
# Blurring is a convolution, done by Fourier transforms; tapeless has their rules.

N = 64
rng = np.random.default_rng(0)
row, column = np.mgrid[:N, :N]
sharp = np.zeros((N, N))
sharp[14:50, 10:26] = 0.9
sharp[(row - 36) ** 2 + (column - 44) ** 2 < 150] = 0.6
sharp[np.abs(row - column) < 3] = 0.3

centre = np.minimum(np.arange(N), N - np.arange(N))
spot = np.exp(-0.5 * (centre[:, None] ** 2 + centre[None, :] ** 2) / 2.0**2)
transfer = np.fft.rfft2(spot / np.sum(spot))


def blurred(picture):
    return np.fft.irfft2(np.fft.rfft2(picture) * transfer, s=(N, N))


seen = blurred(sharp) + 0.01 * rng.normal(size=(N, N))

# %%
# The objective
# -------------
# The small number under the root makes the penalty smooth where two neighbours are equal.


def objective(flat):
    picture = flat.reshape(N, N)
    data = 0.5 * np.sum((blurred(picture) - seen) ** 2)
    down = picture[1:, :-1] - picture[:-1, :-1]
    right = picture[:-1, 1:] - picture[:-1, :-1]
    return data + 2e-3 * np.sum(np.sqrt(down**2 + right**2 + 1e-6))


fit = optimize.minimize(
    tl.value_and_grad(objective),
    seen.ravel(),
    jac=True,
    method="L-BFGS-B",
    options={"maxiter": 120},
)
found = fit.x.reshape(N, N)

# %%

fig, axes = plt.subplots(1, 3, figsize=(9, 3.7), layout="constrained")
for axis, picture, title in zip(axes, (sharp, seen, found), ("true", "seen", "found")):
    error = np.sqrt(np.mean((picture - sharp) ** 2))
    axis.imshow(picture, cmap="gray", vmin=0, vmax=1)
    axis.set(title=title, xticks=[], yticks=[], xlabel=f"error {error:.3f}")
print(f"{fit.nit} iterations, {fit.nfev} gradients")
assert np.std(found - sharp) < 0.7 * np.std(seen - sharp)
