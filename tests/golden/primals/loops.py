"""for over ranges, arrays, lists, tuples, zip, enumerate, reversed; while; jumps."""

import numpy as np

A = np.array([0.4, 1.1, -0.6])
INPUTS = {
    "over_range": (0.7, 4), "over_array": (A, 0.5), "over_list": ([0.3, 0.8, 1.2], 0.5),
    "over_tuple": ((0.3, 0.8), 0.5), "over_zip": (A, A[::-1].copy()), "over_enumerate": (A,),
    "over_reversed": (A, 0.6), "by_while": (0.3, 8.0), "with_jumps": (A, 0.9),
    "with_else": (A, 0.9), "carried": (0.3, 3), "narrowed": (np.array([0.4, 1.1, -0.6, 0.2, 0.7]), 2),
}


def over_range(x: float, n: int):
    s = 0.0
    for i in range(n):
        s = s + np.sin(i * x)
    return s


def carried(x: float, n: int):
    h = x
    for _ in range(n):
        h = np.tanh(h * x)
    return h


def over_array(xs: "Float[np.ndarray, 'n']", w: float):
    s = 0.0
    for x in xs:
        s = s * w + x * x
    return s


def over_list(xs: "list[float]", w: float):
    s = 0.0
    for x in xs:
        s = s + w * x * x
    return s


def over_tuple(xs: "tuple[float, float]", w: float):
    s = 0.0
    for x in xs:
        s = s + w * x * x
    return s


def over_zip(xs: "Float[np.ndarray, 'n']", ys: "Float[np.ndarray, 'n']"):
    s = 0.0
    for x, y in zip(xs, ys):
        s = s + x * np.exp(y)
    return s


def over_enumerate(xs: "Float[np.ndarray, 'n']"):
    s = 0.0
    for i, x in enumerate(xs):
        s = s + i * x * x
    return s


def over_reversed(cs: "Float[np.ndarray, 'n']", x: float):
    p = 0.0
    for c in reversed(cs):
        p = p * x + c
    return p


def by_while(x: float, limit: float):
    y = x + 1.0
    while y < limit:
        y = y * y + x
    return y


def with_jumps(xs: "Float[np.ndarray, 'n']", w: float):
    s = 1.0
    for x in xs:
        if x < 0:
            continue
        if s > 3.0:
            break
        s = s + w * x * s
    return s


def with_else(xs: "Float[np.ndarray, 'n']", w: float):
    s = 1.0
    for x in xs:
        if s * x > 3.0:
            break
        s = s + w * x
    else:
        s = s * w
    return s


def narrowed(u: "Float[np.ndarray, 'n']", n: int):
    for _ in range(n):
        u = 0.5 * u[1:-1] + 0.25 * (u[:-2] + u[2:])
    return np.sum(u * u)
