"""Element, slice, mask and integer-array reads and stores, views and in-place updates."""

import numpy as np

A = np.array([0.4, 1.1, -0.6, 2.0])
INPUTS = {
    "elements": (A,), "slices": (A,), "masks": (A,), "places": (A,), "views": (A.reshape(2, 2),),
    "in_place": (A, A[::-1].copy()), "stepped": (A, 0.2, 2),
}


def elements(x: "Float[np.ndarray, 'n']"):
    y = np.zeros(4)
    for i in range(3):
        y[i + 1] = y[i] * x[i] + x[i + 1]
    return y[3]


def slices(x: "Float[np.ndarray, 'n']"):
    y = x.copy()
    y[1:-1] = x[2:] * x[:-2]
    return np.sum(y * y)


def masks(x: "Float[np.ndarray, 'n']"):
    y = x * x
    y[x < 0] = 0.0
    return np.sum(y[x > 1.0]) + np.sum(y)


def places(x: "Float[np.ndarray, 'n']"):
    i = np.array([0, 2, 2])
    return np.sum(x[i] * x[i])


def views(a: "Float[np.ndarray, 'm n']"):
    b = a * 2.0
    row = b[0]
    row *= b[1]
    return np.sum(b)


def in_place(x: "Float[np.ndarray, 'n']", y: "Float[np.ndarray, 'n']"):
    z = x * y
    z += x
    z *= y
    return np.sum(z)


def stepped(start: "Float[np.ndarray, 'n']", rate: float, steps: int):
    u = start.copy()
    for _ in range(steps):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = u[i] + rate * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        new[0] = new[1]
        u = new
    return np.sum(u * u)
