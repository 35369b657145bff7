"""Programs of functions that are said in terms of others, and of lists as a whole; run as loops, too."""

import math

import numpy as np
from lowered_programs import x1, x2


def variances(x):
    spread = np.var(x) + np.std(x, ddof=1)
    return spread, x.var() * x.std()


def variances_of_rows(x):
    return np.var(x, axis=1), np.std(x, axis=0, ddof=1, keepdims=True), np.mean(x)


def standardized(x):
    return (x - np.mean(x, axis=0)) / (np.std(x, axis=0) + 0.1)


def norms(x):
    distance = np.linalg.norm(x - 0.3) + np.linalg.norm(x, 1)
    return distance, np.linalg.norm(x, np.inf), np.linalg.norm(x, 2)


def norms_of_rows(x):
    return np.linalg.norm(x, axis=1), np.linalg.norm(x, axis=0, keepdims=True), np.linalg.norm(x)


def traces(a):
    return np.trace(a @ a) + a.trace() * np.trace(a.T)


def running(x):
    return np.cumsum(x) * np.cumprod(x)


def running_by_axis(x):
    return np.cumsum(x, axis=0), np.cumsum(x, axis=1)[:, ::-1], x.cumprod(axis=1)


def all_or_any(x):
    if np.any(x > 100.0):
        return np.sum(x)
    if np.all(x > -100.0) and (x < 100.0).all():
        return np.sum(x * x)
    return np.prod(x)


def stable_softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def side_by_side(x, y):
    return np.hstack([x, 2.0 * y]), np.vstack([x, x * x]), np.column_stack([x, np.sin(x)])


def matrices_side_by_side(x):
    return np.hstack([x, x * x]), np.vstack([x, x[0]]), np.column_stack([x, x[:, 0]])


def at_least(x):
    row = np.atleast_2d(x)
    return row.T @ row + np.atleast_1d(x)


def flipped(x):
    return np.flip(x) * x + np.flip(x, 0)


def flipped_matrix(x):
    return np.flip(x, axis=1) * x, np.flip(x)[0] * 2.0


def repeated(x):
    return np.repeat(2.0 * x, 3), np.tile(2.0 * x, 2)


def on_a_line(x):
    t = np.linspace(0.0, 2.0, 5)
    return x[0] * np.exp(-t) + np.linspace(x[1], x[2], 5) * np.arange(5.0)


def on_a_grid(x, y):
    a, b = np.meshgrid(x, y)
    c, d = np.meshgrid(x, y, indexing="ij")
    return np.sum(np.exp(-((a - b) ** 2))) + np.sum(c * d * np.sin(c))


def one_after_the_other(x):
    return np.ravel(x) * x.flatten()


def inner_products(x, y):
    return np.inner(x, y) * x.dot(x)


def in_pairs(x):
    total = 0.0
    for i in range(0, 6, 2):
        total += x[i] * math.sin(x[i + 1])
    for i in range(6, 0, -3):
        total += x[i] ** 2
    return total


def of_two_at_once(x, y):
    total = 0.0
    for row, target in zip(x, y):
        total += (row @ row - target) ** 2
    return total / len(y)


def states(x):
    state = x[0]
    found = []
    for k in range(5):
        state = np.tanh(state * x[1] + 0.1 * k)
        found.append(state)
    return np.array(found) * len(found)


def states_of_arrays(x):
    found = []
    h = x[0]
    for _ in range(4):
        h = np.tanh(x @ h)
        found.append(h)
    return np.stack(found) * 2.0, np.stack(found, axis=1)


def comprehended(x):
    return np.array([np.sin(v) * v for v in x]) + np.asarray([v * v for v in x])


def added_up(x):
    return sum(v * v for v in x) + sum([x[0], x[1] * x[0]]) + sum(x)


def rows_added_up(x):
    return sum(x) * sum([row * row for row in x])


def parts_of_the_argument(x):
    found = []
    for k in range(1, len(x)):
        found.append(x[k] - x[k - 1])
    return np.array(found)


def of_a_list_in_a_loop(x):
    total = 0.0
    for k in range(3):
        items = []
        for v in x:
            items.append(v * k)
        total += np.sum(np.array(items) ** 2)
    return total


def integers_between(x):
    return np.sum(x[np.arange(1, len(x))] * np.arange(7.0)[1:])


def ends_and_all(x):
    found = []
    h = x[0]
    for _ in range(4):
        h = np.tanh(x @ h)
        found.append(h)
    return np.sum(np.stack(found) ** 2) + np.sum(found[-1] * found[0])


def items_of_a_list(x):
    found = []
    state = x[0]
    for k in range(1, len(x)):
        state = state * x[k] + 0.3
        found.append(state)
    total = found[-1] * found[0]
    for k in range(len(found)):
        total += found[k] * math.sin(k)
    return total


def items_far_from_each_other(x):
    found = []
    for v in x:
        found.append(np.exp(-v))
    total = 0.0
    for k in range(2, len(x)):
        total += found[k] * found[k - 2]
    return total + sum(found)


def gone_through(x):
    found = [v * v for v in x]
    total = 0.0
    for k, v in enumerate(found):
        total += k * v
    for a, b in zip(found, x):
        total += a * b
    return total


def until_it_is_small(x):
    n = 0
    z = x
    while np.sum(z * z) > 1e-3 and n < 150:
        z = 0.97 * np.sin(z)
        n += 1
    return np.sum(z * x)


def root_by_newton(x):
    y = 3.0 + x[0]
    while abs(y * y - 2.0 - x[1]) > 1e-10:
        y = y - (y * y - 2.0 - x[1]) / (2.0 * y)
    return y


def while_in_a_loop(x):
    total = 0.0
    for i in range(3):
        v = 1.0 + x[i] * x[i]
        while v < 90.0:
            if v > 2.0:
                v = v * 1.05 + 0.01 * x[0]
            else:
                v = v + 0.1
            total = total + np.sqrt(v)
    return total


def items_read_in_several_loops(x):
    found = []
    for v in x:
        found.append(np.exp(-v))
    total = 0.0
    for k in range(2, len(x)):
        total += found[k] * found[k - 2]
    for k in range(len(found)):
        total += found[k] * found[0]
    return total


def rows_read_in_several_loops(x):
    found = []
    for v in x:
        found.append(v * x)
    total = 0.0
    for k in range(1, len(x)):
        total += found[k] @ found[k - 1]
    for k in range(len(found)):
        total += np.sum(found[k] * found[1])
    return total


def items_read_in_nests(x):
    found = []
    for v in x:
        found.append(v * v)
    total = 0.1
    for j in range(3):
        for k in range(len(x)):
            total += found[k] * math.sin(j + k) * total * 0.1
    return total + found[2]


def steps_until_a_time(x):
    t = 0.0
    s = x[0] * x[0]
    total = 0.0
    while t < 3.0:
        s = s + 0.02 * np.cos(s * x[1])
        if s > 1.0:
            s = s * 0.5
        t = t + 0.02
        total = total + s * s
    return total


def counted_steps(x):
    n = 0
    h = x
    while n < 6:
        h = np.tanh(h * x[1] + 0.1 * n)
        if h[0] > 0.5:
            h = h * 0.9
            n += 1
        n += 1
    return np.sum(h)


trapezoid = getattr(np, "trapezoid", None) or np.trapz  # as NumPy 1 calls it


def areas(x, y):
    return trapezoid(x) * trapezoid(x, np.arange(7.0)) + trapezoid(y, dx=0.1)


FUNCTIONS = [
    (variances, lambda: (x1(),)),
    (variances_of_rows, lambda: (x2(),)),
    (standardized, lambda: (x2(),)),
    (norms, lambda: (x1(),)),
    (norms_of_rows, lambda: (x2(),)),
    (traces, lambda: (x2(4, 4),)),
    (running, lambda: (x1(),)),
    (running_by_axis, lambda: (x2(),)),
    (all_or_any, lambda: (x1(),)),
    (stable_softmax, lambda: (x1(),)),
    (side_by_side, lambda: (x1(), np.cos(x1()))),
    (matrices_side_by_side, lambda: (x2(),)),
    (at_least, lambda: (x1(),)),
    (flipped, lambda: (x1(),)),
    (flipped_matrix, lambda: (x2(),)),
    (repeated, lambda: (x1(),)),
    (on_a_line, lambda: (x1(),)),
    (on_a_grid, lambda: (x1(), np.cos(x1(4)))),
    (one_after_the_other, lambda: (x2(),)),
    (inner_products, lambda: (x1(), np.cos(x1()))),
    (in_pairs, lambda: (x1(),)),
    (of_two_at_once, lambda: (x2(), x1(5))),
    (states, lambda: (x1(),)),
    (states_of_arrays, lambda: (x2(4, 4),)),
    (comprehended, lambda: (x1(),)),
    (added_up, lambda: (x1(),)),
    (rows_added_up, lambda: (x2(),)),
    (parts_of_the_argument, lambda: (x1(),)),
    (of_a_list_in_a_loop, lambda: (x1(),)),
    (ends_and_all, lambda: (x2(4, 4),)),
    (items_of_a_list, lambda: (x1(),)),
    (items_far_from_each_other, lambda: (x1(),)),
    (gone_through, lambda: (x1(),)),
    (until_it_is_small, lambda: (x1(),)),
    (root_by_newton, lambda: (x1(),)),
    (while_in_a_loop, lambda: (x1(),)),
    (items_read_in_several_loops, lambda: (x1(),)),
    (rows_read_in_several_loops, lambda: (x1(),)),
    (items_read_in_nests, lambda: (x1(),)),
    (steps_until_a_time, lambda: (x1(),)),
    (counted_steps, lambda: (x1(),)),
    (areas, lambda: (x1(), np.cos(x1()))),
    (integers_between, lambda: (x1(),)),
]
