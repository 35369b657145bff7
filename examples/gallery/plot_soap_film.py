r"""
A soap film by Newton's method
==============================

A soap film between wires takes the shape of least area. On a grid of heights the area is a function
of some 1000 unknowns. Newton's method needs its Hessian, a matrix of a million entries, but only to
solve a linear system. Conjugate gradients solve it from products with vectors alone, and ``tl.hvp``
computes such a product for the price of a few gradients.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

import tapeless as tl

# %%
# The area
# --------
# The heights along the border are given by the wire, those inside are unknown.

N = 34
side = np.linspace(-1.0, 1.0, N)
wire = np.zeros((N, N))
wire[0] = wire[-1] = 0.6 * (1.0 - side**2)
wire[:, 0] = wire[:, -1] = -0.6 * (1.0 - side**2)


def area(inner):
    height = wire.copy()
    height[1:-1, 1:-1] = inner.reshape(N - 2, N - 2)
    cell = side[1] - side[0]
    down = (height[1:, :-1] - height[:-1, :-1]) / cell
    right = (height[:-1, 1:] - height[:-1, :-1]) / cell
    up = (height[1:, 1:] - height[:-1, 1:]) / cell
    left = (height[1:, 1:] - height[1:, :-1]) / cell
    lower = np.sqrt(1.0 + down**2 + right**2)
    upper = np.sqrt(1.0 + up**2 + left**2)
    return 0.5 * cell**2 * np.sum(lower + upper)


# %%
# Newton's method
# ---------------

flat = np.zeros((N - 2) ** 2)
areas = [area(flat)]
film = optimize.minimize(
    tl.value_and_grad(area),
    flat,
    jac=True,
    hessp=tl.hvp(area),
    method="trust-krylov",
    callback=lambda x: areas.append(area(x)),
)
print(f"{film.nit} steps, {film.nhev} products with the Hessian, area {film.fun:.5f}")

# %%

height = wire.copy()
height[1:-1, 1:-1] = film.x.reshape(N - 2, N - 2)
fig = plt.figure(figsize=(9, 3.8), layout="constrained")
picture = fig.add_subplot(1, 2, 1, projection="3d")
picture.plot_surface(*np.meshgrid(side, side), height, cmap="viridis", rcount=N, ccount=N)
picture.set(xticks=[], yticks=[], zticks=[])
curve = fig.add_subplot(1, 2, 2)
curve.semilogy(np.array(areas[:-1]) - film.fun, "o-")
curve.set(xlabel="Newton step", ylabel="area above the least one")
assert film.success
