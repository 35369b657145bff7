"""Programs of which some statements have loops and others have none, with their arguments."""

from dataclasses import dataclass

import numpy as np

X = np.array([0.6, 1.1, 0.4, 0.9, 0.7])
TABLE = np.linspace(0.0, 1.0, 5)


def view_of_what_is_sorted(x, y):
    v = x * 2.0 + y - 1.0
    w = np.sort(v)
    s = w[1:4]
    z = np.exp(s) * 2.0 + s - 0.3
    s *= 0.5
    z += s
    return np.sum(z) + np.sum(w)


def list_of_what_is_changed_later(x):
    out = []
    y = x * 1.0 + 0.1 - 0.05
    for k in range(3):
        y = np.sin(y) * 0.9 + x * 0.1 - 0.01
        out.append(y)
        y[0] += 0.1 * k
    t = np.sort(y)
    return sum(np.sum(o * o) for o in out) + t[0]


def state_in_a_dict(x):
    state = {"p": x * 1.0, "v": np.zeros(5)}
    for _ in range(4):
        a = -np.sin(state["p"]) - 0.1 * state["v"] * np.abs(state["v"])
        state["v"] = state["v"] + 0.1 * a + 0.01 * x * x
        state["p"] = state["p"] + 0.1 * state["v"] - 0.001 * a * a
    return np.sum(state["p"] ** 2) + state["v"][0]


@dataclass
class Unit:
    a: np.ndarray
    b: float

    def step(self, x):
        t = np.tanh(self.a * x + self.b)
        u = t * t - 0.5 * t + np.cos(t)
        self.a = self.a + 0.1 * u * t - 0.01 * x
        self.b = self.b + 0.01 * np.sum(u)
        return u


def objects(x):
    unit = Unit(x * 0.5, 0.1)
    s = 0.0
    for _ in range(3):
        s = s + np.sum(unit.step(x) * x)
    return s + unit.b


def bound_in_one_branch(x):
    y = x * x - 0.3 * x + 0.1
    if y[0] > 0.1:
        q = np.exp(y) * y - np.sin(y)
        r = np.sort(q)
    else:
        r = y * 2.0
    z = np.cos(r) * r + y * q if y[0] > 0.1 else r
    return np.sum(z)


def not_bound(x):
    y = x * x - 0.3 * x + 0.1
    if y[0] > 100.0:
        q = np.exp(y) * y - np.sin(y)
    w = np.sort(y)
    z = np.cos(w) * w - 0.1 * w + w * w
    return np.sum(z * q)


def attempted(x):
    y = x * x - 0.3 * x + 0.1
    try:
        z = np.linalg.cholesky(np.diag(y) - 10.0 * np.eye(5))
        w = np.sum(z) * 2.0 - 1.0
    except np.linalg.LinAlgError:
        w = np.sum(y * y - np.sin(y) * 0.5)
    return w + np.sort(x)[0]


def divided_by_zero(x):
    y = x * x - 0.3 * x + 0.1
    w = np.sort(y)
    t = 0.0
    for i in range(5):
        t = t + w[i] * x[i] / float(i - 2)
    return t


def arguments_changed(x, y):
    x[1:] += y[:-1] * 0.5 - 0.1 * x[:-1]
    w = np.sort(x)
    y *= w - 0.1 * w * w
    y -= 0.2 * np.cos(y)
    return np.sum(x * y)


def told(x):
    y = x * x - 0.3 * x + 0.1
    print("sum", round(float(np.sum(y)), 6))
    z = np.exp(-y) * y + np.sin(y) * 0.5
    print("first", round(float(z[0]), 6))
    return np.sum(z)


def returned_early(x):
    y = x * x - 0.3 * x + 0.1
    w = np.sort(y)
    if w[0] > 5.0:
        return np.sum(w)
    z = np.exp(-w) * w + np.sin(w) * 0.5
    return np.sum(z)


def exchanged(x, n):
    a = x * 2.0 - 0.1 + x * x
    b = np.sort(x)
    for _ in range(n):
        a, b = b, a
        c = a * b - 0.1 * a + np.sin(b)
        b = np.sort(c)
    return np.sum(a * b)


def views_read_later(x):
    y = x * x - 0.3 * x + 0.1
    h = y[:3]
    t = y[::-1]
    z = h * 2.0 - 0.1 * h * h + np.cos(h)
    y[0] = 5.0
    w = np.sort(z)
    return np.sum(w) + h[0] + t[-1]


def reshaped(x):
    y = np.outer(x, x) - 0.3 * x + 0.1
    r = y.reshape(-1)
    s = np.ravel(y)
    w = np.sort(r)
    y[0, 0] = 3.0
    return np.sum(r * r) + np.sum(s) + w[0]


def recursive(a, x):
    if a < 0.5:
        return np.sum(np.sort(x))
    u = x * 0.9 - 0.1 * x * x + np.sin(x) * a
    return recursive(a - 1.0, u) + np.sum(u) * 0.1


def two_names(v):
    u = v * v - 0.5 * v + np.cos(v)
    return u, u


def one_array_under_two_names(x):
    a, b = two_names(x)
    a[0] = 3.0
    w = np.sort(b)
    return np.sum(w * a)


def with_tables(x):
    g = np.sin(TABLE * 3.0) * 2.0 + 0.1 * TABLE
    y = np.interp(x * 0.5, TABLE, g)
    z = y * y - np.exp(-y) * 0.3 + x
    return np.sum(z)


PROGRAMS = [
    (view_of_what_is_sorted, (X, X * 0.5)), (list_of_what_is_changed_later, (X,)),
    (state_in_a_dict, (X,)), (objects, (X,)), (bound_in_one_branch, (X,)), (not_bound, (X,)),
    (attempted, (X,)), (divided_by_zero, (X,)), (arguments_changed, (X, X * 1.0)), (told, (X,)),
    (returned_early, (X,)), (exchanged, (X, 3)), (views_read_later, (X,)), (reshaped, (X,)),
    (recursive, (2.6, X)), (one_array_under_two_names, (X,)), (with_tables, (X,)),
]  # fmt: skip
