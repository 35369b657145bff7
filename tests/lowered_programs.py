"""Programs of numbers and arrays, with arguments, that are run as they are and as loops."""

import math

import numpy as np

SCALE = 1.5
WEIGHTS = (0.25, 0.5, 0.25)


def x1(n=7):
    return np.linspace(-1.3, 2.1, n) ** 2 - 0.7


def x2(n=5, m=4):
    return np.cos(np.arange(float(n * m)).reshape(n, m))


def chain(x):
    y = np.tanh(x) * SCALE
    return np.sum(y * y / (1.0 + np.exp(-y)))


def several_results(x, w):
    h = np.sin(x) * w
    return np.sum(h), np.max(h), h[::-1] * 2.0, np.mean(h)


def along_axes(x):
    top = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - top)
    share = e / np.sum(e, axis=1, keepdims=True)
    return np.sum(share * x, axis=0), np.sum(np.log(np.sum(e, axis=1)))


def sums_of_products(x, y):
    first = np.einsum("ij,ij->j", x, y)
    second = np.einsum("ij,kj->ki", x, y[:2])
    return first, second, np.einsum("ij,k->jki", x, x[0]), np.einsum("ij,j->i", x, first)


def broadcast(x, row, column):
    return (x + row) * column - np.sum(column)


def transposed(x):
    y = x.T * 2.0
    return y[1:, :-1] - x.T[1:, 1:], y[0]


def shifted_store(x):
    y = x * 1.0
    y[1:] = y[:-1]
    y[:-1] += y[1:]
    return y


def reversed_store(x):
    y = x * 1.0
    y[:] = y[::-1]
    y -= 0.5 * y[::-1]
    return y


def view_after_rebinding(x):
    y = x * 2.0
    v = y[:-1]
    y = y * 3.0
    return v + y[1:]


def view_after_store(x):
    y = x * 2.0
    v = y[1:]
    before = v * 1.0
    y[2] = 10.0
    return v - before


def number_after_rebinding(x, n):
    k = n
    row = x[k]
    k = k - 1
    return row * 2.0 + x[k]


def stored_argument(x, y):
    x[1:-1] += y[2:] - y[:-2]
    x *= 2.0
    return np.sum(x)


def loop_over_entries(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += (x[i + 1] - x[i]) ** 2 * np.sqrt(1.0 + x[i] * x[i])
    return total


def recurrence(x, a):
    y = np.zeros(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        if x[i] > 0.0:
            y[i] = a * y[i - 1] + x[i]
        else:
            y[i] = y[i - 1] * x[i]
    for i in range(len(x) - 2, -1, -1):
        y[i] += 0.5 * y[i + 1]
    return y


def wraps_around(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i - 1]
    return total


def wraps_in_views(x, places):
    u, v, w = x[1:], x[::-1], x[:-2]
    total = 0.0
    for i in range(len(w)):
        total += u[i - 1] * v[i - 2] + w[i - 1] * u[places[i % 3]]
    return total + np.sum(v[places]) * np.sum(w[places])


def carried(x, n):
    y, before = x, x * 0.5
    for _ in range(n):
        y, before = y + 0.1 * before, y
        if y[0] > 1.0:
            y = y[::-1]
            continue
        y *= 1.0
        if y[1] > 100.0:
            break
    return y - before


def saved_in_nests(x):
    kept, some = [], []
    total = 0.0
    for i in range(len(x)):
        for j in range(3):
            kept.append((x[i] * j, x[: i + 1]))
        if x[i] > 0.0:
            some.append(x[i])
    for i in reversed(range(len(x))):
        for j in reversed(range(3)):
            number, part = kept.pop()
            total += number * np.sum(part)
        if x[i] > 0.0:
            total -= some.pop()
    return total


def summed_before_a_store(x):
    y = x * 1.0
    before = np.sum(y)
    y[:] = y * np.cos(y)
    return before * np.sum(np.exp(-y))


def pieces(x):
    joined = np.concatenate([x[:2], np.roll(x, 2), np.diff(x)])
    return np.sum(joined * joined[::-1]) + np.sum(np.tril(np.outer(x, x)) * np.eye(len(x)))


def stacked_products(a, b):
    stacks = np.stack([a, 0.5 * a])
    return np.sum(np.tanh(stacks @ b)), np.cross(a[:3, :3], b[:3, :3]), np.argmin(a, axis=1)


def scattered(x, places):
    y = np.zeros_like(x)
    np.add.at(y, places, x[places])
    y[places] = 0.5 * y[places]
    return np.sum(y * x)


def solved(a, v):
    m = a @ a.T + 5.0 * np.eye(len(a))
    return np.sum(np.linalg.solve(m, v)) + np.linalg.det(m[:2, :2]) + np.sum(np.linalg.inv(m))


def while_loop(x, tolerance):
    y = x
    steps = 0
    while abs(y * y - 2.0) > tolerance:
        y = y - (y * y - 2.0) / (2.0 * y)
        steps += 1
        if steps > 50:
            break
    return y


def gather(x, places):
    total = 0.0
    for k in range(len(places)):
        total += x[places[k]] * (k + 1)
    return total


def masks(x):
    inside = (x > 0.0) & (x < 1.0)
    return np.where(inside, np.sqrt(np.abs(x)), x * 0.5), np.where(~inside, 1.0, 0.0)


def matrix_products(a, b, v):
    return a @ b, a @ v, v @ b, np.outer(v, v) @ b, v @ v


def heat(u, steps):
    u = u * 1.0
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def smoothed(x):
    a, b, c = WEIGHTS
    return a * x[:-2] + b * x[1:-1] + c * x[2:]


def norm(v):
    return np.sqrt(np.sum(v * v))


def calls(x):
    y = smoothed(x)
    for k in range(2):
        y[k] = norm(x[k:]) + y[k]
    return norm(y) + norm(x)


def rows(x):
    total = 0.0
    for row in x:
        total += np.sum(row * row[0])
    for i, r in enumerate(x.T):
        total += i * r[1]
    return total


def python_numbers(a, b, n):
    y = a / b + math.exp(a) ** 2
    for k in range(n):
        y = y / (k + 1) + a * k
    return y if y > 0.0 else -y


def powers(x):
    return x**2 + np.abs(x) ** 0.5 + x**3, np.abs(x) ** 1.5


def extrema(x):
    return np.maximum(x, 0.2), np.minimum(x, x[::-1]), np.min(x, axis=0), np.sign(x)


def triangle(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            total += x[i, j] * x[j, i]
        total += np.sum(x[i, : i + 1])
    return total


def given_number_bound_again(x, c):
    before = c
    y = np.zeros_like(x)
    for i in range(len(x)):
        if x[i] > 0.0:
            y[i] = c
        else:
            c = c * 0.9 + x[i]
    return y * before


def in_place(x):
    y = np.ones_like(x)
    y += x
    z = y
    z *= 2.0
    y /= 3.0
    return y + z


PROGRAMS = [
    (chain, lambda: (x1(),)),
    (several_results, lambda: (x1(), x1()[::-1])),
    (along_axes, lambda: (x2(),)),
    (sums_of_products, lambda: (x2(), np.sin(x2()))),
    (broadcast, lambda: (x2(), x2()[0], x2(5, 1))),
    (transposed, lambda: (x2(),)),
    (shifted_store, lambda: (x1(),)),
    (reversed_store, lambda: (x1(),)),
    (view_after_rebinding, lambda: (x1(),)),
    (view_after_store, lambda: (x1(),)),
    (number_after_rebinding, lambda: (x2(), 3)),
    (stored_argument, lambda: (x1(), x1() + 1.0)),
    (loop_over_entries, lambda: (x1(),)),
    (recurrence, lambda: (x1(), 0.7)),
    (wraps_around, lambda: (x1(),)),
    (wraps_in_views, lambda: (x1(), np.array([3, 0, -1]))),
    (carried, lambda: (x1(), 4)),
    (saved_in_nests, lambda: (x1(),)),
    (summed_before_a_store, lambda: (x1(),)),
    (pieces, lambda: (x1(),)),
    (stacked_products, lambda: (x2(4, 4), x2(4, 4))),
    (scattered, lambda: (x1(), np.array([3, 0, -1, 2, 3]))),
    (solved, lambda: (x2(4, 4), x1(4))),
    (while_loop, lambda: (5.0, 1e-12)),
    (gather, lambda: (x1(), np.array([3, 0, -1, 2, 3]))),
    (masks, lambda: (x1(),)),
    (matrix_products, lambda: (x2(4, 4), x2(4, 3), x1(4))),
    (heat, lambda: (x1(12), 4)),
    (smoothed, lambda: (x1(),)),
    (calls, lambda: (x1(),)),
    (rows, lambda: (x2(),)),
    (python_numbers, lambda: (0.3, 1.7, 4)),
    (powers, lambda: (x1(),)),
    (extrema, lambda: (x2(),)),
    (triangle, lambda: (x2(5, 5),)),
    (given_number_bound_again, lambda: (x1(), 0.3)),
    (in_place, lambda: (x1(),)),
]


def outcome(f, arguments):
    """Return what a call returns, or the class of what it raises."""
    try:
        return f(*arguments)
    except Exception as error:
        return type(error)


def same(a, b):
    """Compare results: sums may be added in another order."""
    if isinstance(a, type) or isinstance(b, type):
        assert a is b
    elif isinstance(b, tuple):
        assert len(a) == len(b)
        for p, q in zip(a, b, strict=True):
            same(p, q)
    elif b is None:
        assert a is None
    else:
        assert np.shape(a) == np.shape(b)
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def _each(change):
    return lambda x: change(x) if isinstance(x, np.ndarray) and x.dtype == float else None


SPOILED = {
    "cut to 0": lambda x: x[:0] if isinstance(x, np.ndarray) else None,
    "cut to 1": lambda x: x[:1] if isinstance(x, np.ndarray) else None,
    "cut to 2": lambda x: x[:2] if isinstance(x, np.ndarray) else None,
    "cut to 3": lambda x: x[:3] if isinstance(x, np.ndarray) else None,
    "columns cut to 1": lambda x: x[:, :1] if np.ndim(x) == 2 else None,
    "columns cut to 2": lambda x: x[:, :2] if np.ndim(x) == 2 else None,
    "negative stride": _each(lambda x: x[::-1].copy()[::-1]),
    "every other": _each(lambda x: np.repeat(x, 2, axis=0)[::2]),
    "by columns": _each(np.asfortranarray),
    "big-endian": _each(lambda x: x.astype(">f8")),
    "nan": _each(lambda x: np.where(np.arange(x.size).reshape(x.shape) == 2, np.nan, x)),
    "inf": _each(lambda x: np.where(np.arange(x.size).reshape(x.shape) == 1, -np.inf, x)),
    "zeros": _each(lambda x: x * 0.0),
    "one entry, repeated": _each(lambda x: np.broadcast_to(np.float64(0.5), x.shape)),
    "huge": lambda x: 1e300 if type(x) is float else None,
    "zero": lambda x: type(x)(0) if type(x) in (float, int) else None,
    "negative": lambda x: type(x)(-1) if type(x) in (float, int) else None,
}


def spoiled(how, arguments, place):
    """Return arguments with one changed, None where that makes no sense."""
    changed = SPOILED[how](arguments[place])
    if changed is None:
        return None
    return tuple(changed if i == place else x for i, x in enumerate(arguments))


def overlapping(x):
    """Return two arrays that share most of their memory."""
    memory = np.concatenate([x, x[:1]])
    return memory[:-1], memory[1:]
