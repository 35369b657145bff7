"""The energy of smoothed particles from their pairs of neighbours: gathers and scattered sums."""

import numpy as np

WRT = (0, 1)
SIZES = {"test": (5,), "1,000 particles": (1_000,)}


def make_inputs(rng, particles):
    side = 0.1
    x = rng.uniform(0.0, side * np.sqrt(particles), size=(particles, 2))
    distance = np.sqrt(np.sum((x[:, None] - x) ** 2, axis=2))
    first, second = np.nonzero(np.triu(distance < 0.36, 1))
    return x, 0.18, first, second, 1.0, side**2


def kernel(q):
    return np.where(q < 1.0, 1.0 - 1.5 * q**2 + 0.75 * q**3, 0.25 * (2.0 - q) ** 3)


def primal(x, h, first, second, stiffness, mass):
    between = x[first] - x[second]
    q = np.sqrt(np.sum(between**2, axis=1)) / h
    weight = mass * 10.0 / (7.0 * np.pi * h**2)
    w = weight * kernel(q)
    density = np.full(len(x), weight)
    np.add.at(density, first, w)
    np.add.at(density, second, w)
    return 0.5 * stiffness * np.sum((density - 1.0) ** 2)


def hand(x, h, first, second, stiffness, mass):
    between = x[first] - x[second]
    r = np.sqrt(np.einsum("ij,ij->i", between, between))
    q = r / h
    left = 2.0 - q
    near = q < 1.0
    shape = np.where(near, 1.0 - q * q * (1.5 - 0.75 * q), 0.25 * left * left * left)
    weight = mass * 10.0 / (7.0 * np.pi * h**2)
    density = np.bincount(first, shape, minlength=len(x))
    density += np.bincount(second, shape, minlength=len(x))
    density += 1.0
    density_bar = weight * density
    density_bar -= 1.0
    density_bar *= stiffness
    weight_bar = density_bar @ density
    density_bar *= weight
    shape_bar = density_bar[first] + density_bar[second]
    q_bar = np.where(near, q * (2.25 * q - 3.0), -0.75 * left * left)
    q_bar *= shape_bar
    h_bar = -(q_bar @ q + 2.0 * weight_bar * weight) / h
    q_bar /= h * r
    between *= q_bar[:, None]
    x_bar = np.empty_like(x)
    for k in range(2):
        x_bar[:, k] = np.bincount(first, between[:, k], minlength=len(x))
        x_bar[:, k] -= np.bincount(second, between[:, k], minlength=len(x))
    return x_bar, h_bar
