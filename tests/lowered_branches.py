"""Programs that return early, also out of loops, or ask whether something is None; run as loops, too."""

import math

import numpy as np
from lowered_programs import x1, x2


def first_large_one(x, t):
    total = 0.0
    for v in x:
        total += v * v * t
        if total > 0.5:
            return total * t
    return total


def many_ways_out(x, t):
    if len(x) == 0:
        return 0.0 * t
    if np.sum(x) > 2.0:
        return t * np.sum(x)
    if t > 1.0:
        return np.prod(x)
    if t < -3.0:
        return t
    return np.sum(x * x) * t


def clamped(v, low, high):
    if v < low:
        return low
    if v > high:
        return high
    return v


def of_clamped_entries(x, low, high):
    total = 0.0
    for v in x:
        total += clamped(v, low, high) ** 2
    return total


def root_of_square(a, b, c):
    d = b * b - 4.0 * a * c
    if d < 0.0:
        return 0.0
    if abs(a) < 1e-6:
        if abs(b) < 1e-6:
            return 0.0
        return -c / b
    if b > 0.0:
        return (-b - math.sqrt(d)) / (2.0 * a)
    return (-b + math.sqrt(d)) / (2.0 * a)


def roots_of_squares(x, b, c):
    total = 0.0
    for v in x:
        total += root_of_square(float(v), b, c)
    return total


def with_or_without(x, c):
    if c > 0.3:
        return x * 2.0, None
    return x, x * c


def asks_for_none(x, c):
    total = 0.0
    for v in x:
        a, b = with_or_without(v, c + v)
        if b is not None:
            total += a * b
        else:
            total += a
    return total


def direction_or_none(v):
    n = np.sqrt(np.sum(v * v))
    if n < 1e-12:
        return None
    return v / n


def skips_what_has_no_direction(x):
    total = 0.0
    for v in x:
        u = direction_or_none(v)
        if u is None:
            continue
        total += u[0]
    return total


def does_not_ask_for_none(x):
    total = 0.0
    for v in x:
        total += direction_or_none(v)[0]
    return total


def by_bisection(x):
    total = 0.0
    for v in x:
        low, high = 0.0, v * v + 1.0
        for _ in range(30):
            middle = 0.5 * (low + high)
            if middle * middle > v * v:
                high = middle
            else:
                low = middle
            if high - low < 1e-6:
                break
        total += 0.5 * (low + high) * v
    return total


def skips_and_stops(x, t):
    total, n = 0.0, 0
    for v in x:
        if v < -t:
            continue
        if v > 3.0 * t:
            break
        total += np.exp(v * t)
        n += 1
    if n == 0:
        return total
    return total / n


def largest_sum_of_neighbours(x):
    best, current = 0.0, 0.0
    for v in x:
        current = max(v, current + v)
        best = max(best, current)
    return best


def doubled_unless_left(x, c):
    y = x * 1.0
    k = 0
    while k < 4:
        y = np.tanh(y + c)
        k += 1
        if np.sum(y) > 2.5:
            break
    else:
        y = y * 2.0
    return np.sum(y)


def left_in_the_inner_loop(x, t):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            if x[i] * x[j] > t:
                total += x[i]
                break
        else:
            total += t * x[i]
    return total


def eliminated(a):
    a = a.copy()
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            m = a[i, k] / a[k, k]
            a[i, k:] -= m * a[k, k:]
    return np.sum(np.log(np.abs(np.diag(a))))


def rows_by_lists(a):
    places = [0, 2]
    total = np.sum(a[[0, 1]] ** 2) + np.sum(a[places, 1:]) + np.sum(a[[1, 2], [0, 1]])
    for k in range(2):
        total += np.sum(a[[k, k + 1]] * a[0])
    return total


def rows_exchanged(a):
    b = a * 1.0
    for k in range(2):
        b[[k, k + 1]] = b[[k + 1, k]]
    return np.sum(b * np.arange(16.0).reshape(4, 4))


def from_the_end(x):
    return np.sum(np.cumsum(x[:0:-1])) + np.sum(x[4:1:-1] * x[1:4]) + np.sum(x[::-2] ** 2)


BRANCHES = [
    (first_large_one, lambda: (x1(), 0.4)),
    (many_ways_out, lambda: (x1(), 0.4)),
    (of_clamped_entries, lambda: (x1(), -0.5, 0.7)),
    (roots_of_squares, lambda: (x1(), 0.5, 0.7)),
    (asks_for_none, lambda: (x1(), 0.2)),
    (skips_what_has_no_direction, lambda: (x2(),)),
    (does_not_ask_for_none, lambda: (x2(),)),
    (by_bisection, lambda: (x1(),)),
    (skips_and_stops, lambda: (x1(), 0.5)),
    (largest_sum_of_neighbours, lambda: (x1(),)),
    (doubled_unless_left, lambda: (x1(), 0.2)),
    (left_in_the_inner_loop, lambda: (x1(), 0.1)),
    (eliminated, lambda: (x2(4, 4),)),
    (rows_by_lists, lambda: (x2(4, 4),)),
    (rows_exchanged, lambda: (x2(4, 4),)),
    (from_the_end, lambda: (x1(),)),
]
