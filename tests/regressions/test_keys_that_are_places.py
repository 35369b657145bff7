"""Keys of dicts by which arrays are indexed: integers and tuples of them, on their way through loops.

It is known of them that they select a number, or a row, in second derivatives, too.
"""

from collections import defaultdict

import numpy as np
import pytest

import tapeless as tl
from tests import laws

U = np.array([[0.1, 0.2, 0.3], [0.4, -0.5, 0.6], [0.3, 0.2, 0.9]])


def neighbours(n):
    found = {}
    for i in range(n):
        for j in range(n):
            found.setdefault((i, j), []).append(((i + 1) % n, j))
            found[i, j].append((i, (j + 1) % n))
    return found


def stored_at_the_keys(u):
    m = u.copy()
    for place, others in neighbours(3).items():
        field = 0.0
        for other in others:
            field += m[other]
        m[place] = np.tanh(0.7 * field)
    return m.sum()


def stored_at_what_varies(u):
    grid = {(i, j): u[i, j] for i in range(3) for j in range(3)}
    new = {}
    for key in grid:
        i, j = key
        new[key] = sum(grid.get((i + d, j - d), 0.0) for d in (-1, 1)) * grid[key]
    out = np.zeros((3, 3))
    for key, value in new.items():
        out[key] = value
    return np.sum(out**2)


def listed_and_sorted(u):
    table = {(i, j): u[i, j] ** 2 for i in range(2) for j in range(2)}
    keys, out = list(table), np.zeros((3, 3))
    for key in reversed(keys):
        out[key] += table[key]
    for n, key in enumerate(sorted(table, reverse=True)):
        out[key] += n * table[key]
    return np.sum(out * u)


def added_and_taken_away(u):
    table = dict(zip([(0, 0), (1, 1), (2, 1)], [u[0, 0], u[1, 1], u[2, 1] ** 2]))
    table.update({(i, 2): u[i, 2] for i in range(3)})
    table.pop((0, 2))
    del table[1, 1]
    out = u.copy()
    for key, value in table.items():
        out[key] = value * out[key]
    return np.sum(out**2)


def made_by_reading(u):
    table = defaultdict(float)
    first = table[0, 1] + u[0, 0]
    out = u.copy()
    for key in table:
        out[key] = out[key] * first
    return np.sum(out**2)


def rows_by_number(u):
    table, out = {i: u[i] * 2.0 for i in range(3)}, np.zeros((3, 3))
    for key in sorted(table):
        table[key] = table[key] * table[(key + 1) % 3]
    for key in table:
        out[key] = table[key]
    return np.sum(out**2)


def tables_in_a_table(u):
    table = defaultdict(lambda: defaultdict(float))
    out = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            if i != j:
                table[i][j] += u[i, j] ** 2
    for i, row in table.items():
        for j, value in row.items():
            out[i, j] = value
    return np.sum(out @ out)


def parts_of_keys(u):
    table = {(0, "a"): u[0], (1, "b"): u[1]}
    out = u.copy()
    for (i, name), row in table.items():
        out[i] = row * (2.0 if name == "a" else 3.0) * out[i]
    return np.sum(out**2)


PROGRAMS = [
    stored_at_the_keys,
    stored_at_what_varies,
    listed_and_sorted,
    added_and_taken_away,
    made_by_reading,
    rows_by_number,
    tables_in_a_table,
    parts_of_keys,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_keys_that_are_places(f):
    laws.check_function(f, (U,))


def by_pairs(couplings, x):
    matrix, energy = np.zeros((3, 3)), 0.0
    for (i, j), c in couplings.items():
        energy += c * x[i] * x[j]
        matrix[i, j] = c
    for key in couplings:
        matrix[key] += couplings[key] ** 2
    return energy + np.trace(matrix @ matrix)


def test_keys_of_an_argument():
    laws.check_function(by_pairs, ({(0, 1): 0.3, (1, 2): 0.5, (2, 0): 0.7}, np.arange(1.0, 4.0)))


def pairs_with_what_varies(u):
    table = {}
    table.update([((0, u[0, 0] * 1.0), 2.0), ((1, u[1, 0] * 1.0), 3.0)])
    return sum(key[1] * value for key, value in table.items())


def test_a_key_that_varies_is_refused():
    with pytest.raises(tl.GradientError, match="the key of a dict carries a derivative"):
        tl.grad(pairs_with_what_varies)(U)


def paths_through_a_grid(x):
    found = {}

    def paths(i, j):
        if (i, j) in found:
            return found[i, j]
        if i == 0 or j == 0:
            n = x[0]
        else:
            n = paths(i - 1, j) * x[i] + paths(i, j - 1) * x[j]
        found[i, j] = n
        return n

    return paths(3, 2)


def test_results_kept_by_two_places():
    tl.check_grads(paths_through_a_grid, np.array([0.4, -0.7, 1.3, 0.9]), order=2, replay=True)
