"""Indices that occur twice, and indices that change later."""

import numpy as np
X = np.array([0.6, -1.4, 2.3, 0.9])

M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])

CONSTANT = np.array([1.5, -0.5, 2.0, 0.3])


def repeated_reads(x):
    i = np.array([0, 1, 1, 3, 3, 3])
    return np.sum(x[i] ** 3) + np.sum(x[[-1, 3]] ** 2)


def repeated_stores_last_wins(x):
    y = np.ones(4)
    y[[1, 1, 2, -2]] = x
    return np.sum(y * CONSTANT)


def repeated_augmented_is_buffered(x):
    y = x * 2.0
    y[np.array([0, 0, 2])] += x[:3] ** 2
    y[[3, 3]] *= x[:2]
    return np.sum(y**2)


def repeated_pairs_of_indices(m):
    a = m * 1.0
    i, j = np.array([0, 0, 2, 0]), np.array([1, 1, 2, 1])
    s = np.sum(a[i, j] ** 2)
    a[i, j] = np.array([s, a[0, 0], a[1, 1], a[2, 1] * 2.0])
    return np.sum(a * m)


def index_that_changes_later(x):
    i = np.array([0, 1])
    a = x[i] * 2.0
    i[0] = 3
    b = x[i] * a
    return np.sum(b)


def index_counter_rebound(x):
    y = x * 1.0
    k = 0
    for v in x:
        y[k] = y[k] * v + y[k - 1]
        k = (k + 2) % 3
    return np.sum(y**2)


CASES = [
    ("repeated_reads", repeated_reads, (X,)),
    ("repeated_stores_last_wins", repeated_stores_last_wins, (X,)),
    ("repeated_augmented_is_buffered", repeated_augmented_is_buffered, (X,)),
    ("repeated_pairs_of_indices", repeated_pairs_of_indices, (M,)),
    ("index_that_changes_later", index_that_changes_later, (X,)),
    ("index_counter_rebound", index_counter_rebound, (X,)),
]
