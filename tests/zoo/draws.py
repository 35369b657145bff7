"""Random draws whose location and scale carry derivatives, from streams made in the function."""

import random

import numpy as np

X = np.array([0.5, 1.5, -0.7])


def noise_and_location(x):
    rng = np.random.default_rng(3)
    return np.sum(x * rng.normal(size=3)) + rng.normal(x[0], 1.0)


def sizes_and_keywords(x):
    rng = np.random.default_rng(3)
    y = rng.normal(x, np.exp(x))
    z = rng.normal(loc=x[0], scale=np.exp(x[1]), size=(4,))
    w = rng.normal(scale=x[1] ** 2, size=3)
    v = rng.normal(size=3, scale=x[1], loc=x)
    return np.sum(y**2) + np.sum(z**2) + np.sum(w * y * v)


def global_generators(x):
    np.random.seed(0)
    random.seed(1)
    s = np.random.normal(x[0], x[1]) ** 2 + random.gauss(x[1], x[0]) ** 2
    s += random.uniform(x[2], x[0]) ** 2
    u = np.random.uniform(x[2], x[1], size=2)
    s += np.random.randn() * x[0]
    return s + np.sum(u**3)


def draws_in_a_loop(x):
    rng = np.random.RandomState(3)
    s = 0.0
    for v in x:
        s += rng.uniform(v, v + 2.0 * x[1]) ** 2 + rng.exponential(v * v) * v
        s += rng.laplace(v, 2.0)
    return s


def draw_that_decides(x):
    np.random.seed(0)
    s = 0.0
    while np.random.normal(x[0], 1.0) < 1.0:
        s += x[1] ** 2
    return s


def sample(rng, mean, spread):
    return rng.normal(mean, spread)


def drawn_by_a_helper(x):
    rng = np.random.default_rng(5)
    return sum(sample(rng, v, np.exp(v)) ** 2 for v in x)


def keywords_of_a_partial(x):
    return pow(exp=x[1], base=x[0]) * pow(x[1], exp=2)


CASES = [
    (function.__name__, function, (X,))
    for function in (
        noise_and_location,
        sizes_and_keywords,
        global_generators,
        draws_in_a_loop,
        draw_that_decides,
        drawn_by_a_helper,
        keywords_of_a_partial,
    )
]
