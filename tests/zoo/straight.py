"""Straight lines: formulas, unpacking, several names for one thing, augmented assignment."""

import math
from math import exp as e_to
from math import sqrt

import numpy as np
import numpy.linalg as la

A = np.array([0.3, -1.2, 0.8, 2.1])
B = np.array([1.4, 0.6, -0.7, 0.2])
M = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.6], [0.2, -0.3, 1.1]])
POSITIVE = np.array([0.4, 1.3, 2.2])
LIMIT = 3.0


def black_scholes(spot, strike, rate, sigma, years):
    root = sigma * sqrt(years)
    d1 = (math.log(spot / strike) + (rate + 0.5 * sigma**2) * years) / root
    d2 = d1 - root
    n1 = 0.5 * (1.0 + math.tanh(0.8 * d1))
    n2 = 0.5 * (1.0 + math.tanh(0.8 * d2))
    return spot * n1 - strike * e_to(-rate * years) * n2


def spherical(r: float, theta: float, phi: float):
    x = r * np.sin(theta) * np.cos(phi)
    y = r * np.sin(theta) * np.sin(phi)
    z = r * np.cos(theta)
    return np.array([x, y, z])


def unpack_and_swap(p):
    a, b, (c, d) = p[0], p[1], (p[2], p[3])
    a, b = b, a * c
    c, d = d, c
    return a * b + c**2 * d


def augmented_numbers(x, y):
    t = x
    t += y * x
    t *= t
    t -= 0.5 * y
    t /= 1.0 + x * x
    t **= 2
    return t


def chained(x):
    a = b = np.sin(x)
    b = b * a
    return np.sum(a * b)


def everything_unary(v):
    return np.sum(
        np.exp(-v) * np.expm1(0.1 * v)
        + np.log(v) * np.log1p(v)
        + np.log2(v) / (1.0 + np.log10(1.0 + v))
        + np.sqrt(v) * np.square(v)
        - np.arcsin(v / 4) * np.arccos(v / 5)
        + np.arctan(v)
        + np.sinh(v) / np.cosh(v)
        + np.arcsinh(v) * np.arctanh(v / 3)
    )


def powers(x, y):
    return x**y + 2.0**x + y**3 + np.power(x, 1.5) + x**-1


def remainder(x, y):
    return x % y + (x // y) * x + np.floor(x) * y


def broadcast_all(col, row, c):
    grid = col[:, None] * row + c
    grid = grid / (1.0 + row**2) - col.reshape(3, 1)
    return np.mean(grid**2) + c * np.var(grid)


def quadratic_form(x, m):
    return x @ m @ x + np.trace(m.T @ m) - np.dot(m, x)[0]


def linear_algebra(m, b):
    x = la.solve(m, b)
    sign, logdet = la.slogdet(m)
    return la.norm(x) + sign * logdet + np.sum(la.inv(m) * m.T) + la.det(m)


def log_likelihood(x, mean, chol):
    cov = chol @ chol.T + np.eye(3)
    low = la.cholesky(cov)
    z = la.solve(low, x - mean)
    return -0.5 * np.sum(z**2) - np.sum(np.log(np.diag(low)))


def same_thing_twice(x):
    y = x * x
    z = y + y
    return np.sum(z * y + z)


def unused_and_dead(x, y, unused):
    dead = np.cos(y) / 2.0
    dead = dead * dead
    kept = x * x
    return kept + 0.0 * x


def annotated(x: float, y: float) -> float:
    """Docstrings, annotations and comments say nothing to the derivative."""
    total: float = x * y  # a comment
    half: float
    half = total / 2
    return half * total; total = 3.0  # noqa


def names_that_look_generated(x, x_bar, saved):
    x_dot = x * x_bar
    y_bar = x_dot + saved
    saved_1 = y_bar * y_bar
    bars = saved_1 * x
    x_1 = bars + x_bar
    np_ = x_1 * 2.0
    return np_ * saved


def statistics(x):
    centred = x - x.mean()
    spread = x.std() + np.std(x, ddof=1)
    return np.sum(centred**3) / spread**3 + np.prod(x) + x.max() - x.min()


def two_values(x, y):
    r = np.hypot(x, y)
    return r, np.arctan2(y, x) * r


def clipped(x):
    lower = np.maximum(x, -1.0)
    both = np.clip(x * 1.5, -2.0, LIMIT)
    return np.sum(np.minimum(lower, 2.0) * both + np.abs(x) * np.sign(x) * x)


def shapes_there_and_back(x):
    t = x.reshape(2, 6).T
    t = np.expand_dims(t, 0) * 2.0
    t = np.swapaxes(t, 1, 2).squeeze(0)
    return np.einsum("ij,ik->jk", t, np.sin(t)).ravel()


def outer_products(a, b):
    return np.tensordot(np.outer(a, b), np.outer(a + 1.0, b), axes=2) + np.inner(a, a) ** 2


def layer_of_networks(x, w1, b1, w2):
    hidden = np.tanh(x @ w1 + b1)
    scores = hidden @ w2
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    log_z = np.log(np.sum(np.exp(shifted), axis=1))
    return np.mean(log_z - shifted[:, 0])


def laplacian(u):
    padded = np.pad(u, 1, mode="constant")
    inside = padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2]
    periodic = np.roll(u, 1, axis=0) + np.roll(u, -1, axis=1)
    return np.sum((inside - 4.0 * u) ** 2) + np.sum(periodic * u)


def patterns(x, c):
    tiled = np.tile(x, 2) * np.repeat(x, 2)
    wide = np.hstack([tiled, np.full(2, c), np.ones_like(x)])
    gx, gy = np.meshgrid(x, np.atleast_1d(c))
    return np.sum(wide**3) + np.sum(gx * gy) * np.sum(np.copy(np.atleast_2d(x)))


def triangles(m):
    low, up = np.tril(m, -1), np.triu(m)
    both = np.transpose(low) @ up + np.transpose(m, (1, 0)) * np.eye(3)
    return both.sum(axis=0).dot(m.mean(axis=1)) + m.T.copy().reshape(-1).cumsum()[4]


def kernel_matrix(x, y, scale):
    d2 = np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
    k = np.exp(-0.5 * d2 / scale**2)
    return np.linalg.slogdet(k @ k.T + 0.1 * np.eye(len(x)))[1]


CASES = [
    ("black_scholes", black_scholes, (100.0, 95.0, 0.03, 0.2, 1.5)),
    ("spherical", spherical, (1.3, 0.7, 2.1)),
    ("unpack_and_swap", unpack_and_swap, (A,)),
    ("unpack_and_swap_list", unpack_and_swap, ([0.4, -0.8, 1.1, 0.9],)),
    ("augmented_numbers", augmented_numbers, (0.7, -1.1)),
    ("augmented_numbers_numpy", augmented_numbers, (np.float64(0.7), np.float64(-1.1))),
    ("chained", chained, (A,)),
    ("everything_unary", everything_unary, (POSITIVE,)),
    ("powers", powers, (1.3, 0.8)),
    ("remainder", remainder, (5.3, 1.7)),
    ("broadcast_all", broadcast_all, (POSITIVE, A, 0.4)),
    ("quadratic_form", quadratic_form, (POSITIVE, M)),
    ("linear_algebra", linear_algebra, (M, POSITIVE)),
    ("log_likelihood", log_likelihood, (POSITIVE, np.ones(3), M)),
    ("same_thing_twice", same_thing_twice, (A,)),
    ("unused_and_dead", unused_and_dead, (1.2, 0.3, A)),
    ("annotated", annotated, (1.2, 0.3)),
    ("names_that_look_generated", names_that_look_generated, (0.8, 1.7, -0.4)),
    ("statistics", statistics, (A,)),
    ("two_values", two_values, (0.8, 1.7)),
    ("two_values_of_arrays", two_values, (A, B)),
    ("clipped", clipped, (A,)),
    ("shapes_there_and_back", shapes_there_and_back, (np.linspace(0.1, 1.3, 12),)),
    ("outer_products", outer_products, (A, POSITIVE)),
    ("laplacian", laplacian, (np.sin(np.arange(12.0)).reshape(3, 4),)),
    ("patterns", patterns, (POSITIVE, 0.6)),
    ("triangles", triangles, (M,)),
    ("kernel_matrix", kernel_matrix, (M, M[:2] * 0.5, 1.3)),
    (
        "layer_of_networks",
        layer_of_networks,
        (
            np.linspace(-1, 1, 12).reshape(4, 3),
            np.linspace(-1, 2, 15).reshape(3, 5) ** 2,
            np.linspace(0, 1, 5),
            np.cos(np.arange(15.0)).reshape(5, 3),
        ),
    ),
]
