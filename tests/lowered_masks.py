"""Programs that select by masks; run as loops, too."""

import numpy as np
from lowered_programs import x1, x2


def sums_of_selected(x, y):
    m = x > 0.0
    return np.sum(x[m] * y[m]) + np.sum(y[~m] ** 2) + x[m] @ x[m]


def mean_of_selected(x):
    return np.mean(x[x > np.mean(x)])


def cut_in_place(x):
    y = x.copy()
    y[y < 0.0] = 0.0
    y[y > 0.8] = 0.8 + 0.1 * (y[y > 0.8] - 0.8)
    y[(y > 0.1) & (y < 0.5)] *= 2.0
    return np.sum(y**2)


def stored_after_it_was_read(x):
    m = x > 0.0
    s = x[m]
    y = x * 1.0
    y[m] = 5.0 * s
    s += 1.0
    return np.sum(s * np.sin(y[m])) + np.sum(y)


def how_many(x):
    n = np.sum(x > 0.0)
    m = (x < 0.0).sum()
    k = np.count_nonzero(x > 0.3)
    return np.sum(x) * n - m * np.max(x) + np.sum(x) / max(k, 1) + np.mean(x > 0.0)


def rows_of_classes(x, labels):
    total = 0.0
    for c in range(4):
        rows = x[labels == c]
        if len(rows) == 0:
            continue
        mean = rows.mean(axis=0)
        total += np.sum((rows - mean) ** 2) + np.sum(rows[:, 1])
    return total


def extrema_of_selected(x):
    a = np.outer(x, x)
    m = a > 0.3
    return np.max(a[m]) - a[~m].min() + np.sum(np.where(a[m] > 0.5, a[m], 0.0))


def thresholds(x):
    total = 0.0
    for i in range(3):
        m = x > 0.2 * i - 0.3
        total += np.sum(x[m]) / m.sum()
    return total


def nothing_selected(x):
    m = x > 100.0
    return np.sum(x[m]) + np.sum(x)


MASKS = [
    (sums_of_selected, lambda: (x1(), np.cos(x1()))),
    (mean_of_selected, lambda: (x1(),)),
    (cut_in_place, lambda: (x1(),)),
    (stored_after_it_was_read, lambda: (x1(),)),
    (how_many, lambda: (x1(),)),
    (rows_of_classes, lambda: (x2(6, 3), np.array([0, 2, 0, 2, 3, 2]))),
    (extrema_of_selected, lambda: (x1(),)),
    (thresholds, lambda: (x1(),)),
    (nothing_selected, lambda: (x1(),)),
]
