"""Bodies that attract each other, all pairs at once, in small steps."""

import numpy as np

WRT = (0, 1, 2)
SIZES = {"test": (3, 2), "30 bodies, 20 steps": (30, 20)}


def make_inputs(rng, bodies, steps):
    masses = rng.uniform(0.5, 1.5, size=bodies)
    x, v, target = rng.normal(size=(3, bodies, 3))
    return x, v, masses, target, 0.01, steps


def acceleration(x, masses):
    between = x[None, :, :] - x[:, None, :]
    squares = np.sum(between**2, axis=2) + 0.01
    return np.sum(between * (masses * squares**-1.5)[:, :, None], axis=1)


def primal(x, v, masses, target, h, steps):
    for _ in range(steps):
        v = v + h * acceleration(x, masses)
        x = x + h * v
    return np.sum((x - target) ** 2)


def hand(x, v, masses, target, h, steps):
    saved = []
    for _ in range(steps):
        between = x - x[:, None, :]
        squares = np.einsum("ijk,ijk->ij", between, between)
        squares += 0.01
        inverse = squares**-1.5
        pull = masses * inverse
        saved.append((between, squares, inverse, pull))
        v = v + h * np.einsum("ij,ijk->ik", pull, between)
        x = x + h * v
    x_bar = 2.0 * (x - target)
    v_bar = np.zeros_like(v)
    masses_bar = np.zeros_like(masses)
    for between, squares, inverse, pull in reversed(saved):
        v_bar += h * x_bar
        a_bar = h * v_bar
        pull_bar = np.einsum("ik,ijk->ij", a_bar, between)
        inverse *= pull_bar
        masses_bar += np.sum(inverse, axis=0)
        inverse *= masses
        inverse *= -3.0
        inverse /= squares
        x_bar += pull.T @ a_bar
        x_bar += np.einsum("ij,ijk->jk", inverse, between)
        x_bar -= np.sum(pull, axis=1)[:, None] * a_bar
        x_bar -= np.einsum("ij,ijk->ik", inverse, between)
    return x_bar, v_bar, masses_bar
