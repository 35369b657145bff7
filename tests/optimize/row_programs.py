"""Programs whose loops go through the rows of an array, which may be lists."""

import numpy as np

Y = np.array([[0.3, 0.7], [1.2, -0.4], [0.9, 0.5]])
PLACES = np.array([[0, 1], [2, 0], [-1, 1], [1, 1]])


def repels(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            a, b = x[i] - x[j]
            s += 1.0 / np.sqrt(a * a + b * b)
    return s


def goes_by_places(x, w, places):
    s = 0.0
    for k in range(len(places)):
        i, j = places[k]
        a, b = x[i]
        c, d = x[j]
        s += w[i] * np.sin(a * d - b * c) ** 2
    return s


def reads_rows_past_the_end(x, n):
    s = 0.0
    for i in range(n):
        a, b = x[i]
        s += np.sin(a) * b
    return s


def reads_a_row_whole(x):
    s = 0.0
    for i in range(len(x)):
        a, b = x[i]
        s += np.sin(a) * b
    return s + np.sum(x[0] ** 2)


def stores_rows(x):
    x = x.copy()
    s = 0.0
    for i in range(1, len(x)):
        a, b = x[i]
        x[i - 1] = np.array([np.sin(a), b * s])
        s += a * b
    return s + np.sum(x)


def adds_to_its_own_row(x):
    y = np.ones((len(x), 2))
    s = 0.0
    for i in range(len(x)):
        a, b = x[i]
        y[i] += np.array([y[i, 1] * a, y[i, 0] * b])
        s += np.sin(y[i, 0]) * y[i, 1]
    return s


def adds_rows(x):
    row = np.zeros((len(x), 2))
    s = 0.0
    for i in range(len(x)):
        a, b = x[i]
        row[i] += np.array([np.sin(a), 2])
        row[i - 1] -= np.array([-b, a * b])
    for i in range(len(x)):
        s += row[i, 0] * np.cos(row[i, 1])
    return s


def pulls_along_bonds(x, bonds):
    s = 0.0
    for i, j in bonds:
        d = x[i] - x[j]
        s += np.sum(d**2)
    return s


def changes_its_bonds(x, bonds):
    s = 0.0
    for i, j in bonds:
        s += x[i, 0] * x[j, 1] ** 2
        bonds[-1, 0] = 1
    return s


def counts_by_bonds(x, bonds):
    s = 0.0
    for i, j in bonds:
        s += x[i, 0] ** 2 / (i + 1) + x[j, 1] ** 2 / (i / j)
    return s


def leaves_its_bonds(x, bonds):
    s = 0.0
    for i, j in bonds:
        if x[i, 0] > 1.0:
            break
        s += np.sum(np.sin(x[i]) * x[j])
    return s


def lists_neighbours(x, near):
    s = 0.0
    for k in range(len(near)):
        for i in near[k]:
            s += np.sum((x[i] - x[k]) ** 2)
    return s


ROWS = [
    (pulls_along_bonds, (Y, PLACES)),
    (pulls_along_bonds, (Y, PLACES[:0])),
    (pulls_along_bonds, (Y, PLACES + 2)),
    (pulls_along_bonds, (Y, PLACES[:, :1])),
    (changes_its_bonds, (Y, PLACES)),
    (counts_by_bonds, (Y, PLACES)),
    (leaves_its_bonds, (Y, PLACES)),
    (lists_neighbours, (Y, PLACES[:3])),
    (repels, (Y,)),
    (repels, (np.asfortranarray(Y),)),
    (repels, (np.ones((2, 2)),)),
    (repels, (np.zeros((0, 2)),)),
    (repels, (np.ones((3, 3)),)),
    (goes_by_places, (Y, Y[:, 0], PLACES)),
    (goes_by_places, (Y, Y[:, 0].copy(), PLACES[:0])),
    (goes_by_places, (Y, Y[:, 0].copy(), PLACES + 1)),
    (reads_rows_past_the_end, (Y, 2)),
    (reads_rows_past_the_end, (Y, 4)),
    (reads_a_row_whole, (Y,)),
    (stores_rows, (Y,)),
    (adds_to_its_own_row, (Y,)),
    (adds_rows, (Y,)),
    (adds_rows, (np.zeros((0, 2)),)),
]


def divides_by_entries_of_rows(x):
    s = 0.0
    for i in range(len(x)):
        a, b = x[i]
        s += np.sin(a) / b + np.exp(b) * (b / a)
    return s


def returns_an_entry_of_a_row(x):
    found = 0.0
    for i in range(len(x)):
        a, b = x[i]
        if a * b > 0.3:
            return a
        found = found + np.sin(b) * a * b
    return found


def raises_entries_to_powers(x):
    s = 0.0
    for i in range(len(x)):
        a, b = x[i]
        s += np.cos(a) * a**-2 + b ** (3 * i)
    return s


def unpacks_vectors(x):
    s = 0.0
    for row in x:
        a, b = row
        s += a * np.cos(b) * b
    return s


ROWS += [
    (divides_by_entries_of_rows, (Y,)),
    (divides_by_entries_of_rows, (np.zeros((2, 2)),)),
    (returns_an_entry_of_a_row, (Y,)),
    (returns_an_entry_of_a_row, (0.1 * Y,)),
    (raises_entries_to_powers, (Y,)),
    (raises_entries_to_powers, (np.zeros((2, 2)),)),
    (unpacks_vectors, (Y,)),
    (unpacks_vectors, (np.zeros((0, 2)),)),
]
