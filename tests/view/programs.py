"""Programs whose views are tested."""

import numpy as np

import tapeless as tl


@tl.custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


def loss(w, x, y):
    z = x @ w
    ridge = 1e-3 * np.sum(w**2)
    misfit = np.mean(
        log1pexp(z) - y * z,
    )  # a statement in several lines
    return misfit + ridge


ARGUMENTS = np.ones(2), np.ones((3, 2)), np.ones(3)


def power(x: float, n: int):
    y = 1.0
    for _ in range(n):
        y = y * x
        if y > 100.0:
            break
    return y


def half(x: float):
    return 0.5 * x


def early(x: float):
    if x > 0.0:
        return half(x) ** 2
    return half(x)
