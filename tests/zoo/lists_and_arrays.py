"""Lists where arrays are expected, and arrays in lists and objects that change in place."""

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])
Z = np.array(1.3)


def mean_of_a_comprehension(x):
    return np.mean([v * v for v in x])


def largest_of_a_list(x):
    return np.max([x[1], x[2]])


def dot_of_a_list(x):
    row = [x[0], x[1] * 2.0]
    return np.dot(row, x[:2])


def add_of_a_list(x):
    row = [x[0], x[1] * 2.0]
    return np.add(row, x[:2])[0]


def list_used_twice(x):
    row = [x[0], x[1] * 2.0]
    return np.dot(row, x[:2]) + np.sum(row)


def list_grown_and_stored(x):
    row = []
    for v in x:
        row.append(v * v)
    row[0] = x[1] * 3
    return np.std(row) * np.array(row)[0] + np.sum(row)


def list_of_arrays_joined(x):
    row = [x * 2.0]
    row.append(x * x)
    row[0][1] = 7.0 * x[0]
    return np.sum(np.concatenate(row)) + np.mean(row) + np.stack(row)[1, 0] + np.vstack(row)[0, 1]


def reductions_of_a_tuple(x):
    t = (x[0], x[1])
    return np.mean(t) + np.linalg.norm(t) + np.prod(t) + np.median(t)


def matrix_of_lists(x):
    row = [[x[0], x[1]], [x[2], x[3]]]
    return np.linalg.det(row) + np.trace(row) + np.sum(np.linalg.inv(row))


def interpolated_list(x):
    row = [x[0], x[1]]
    row.append(x[2])
    return np.interp(0.5, [0.0, 1.0, 2.0], row) + np.polyval(row, 2.0)


def where_of_a_list(x):
    row = [x[0], x[1]]
    row.append(x[2])
    return np.where([True, False, True], row, x[:3])


def outer_of_a_list(x):
    row = [x[0], x[1]]
    row.append(x[2])
    return np.outer(row, x) + np.full(4, x[0])


class Box:
    def __init__(self, v):
        self.v = v

    def scale(self, k):
        self.v *= k

    def scale2(self, k):
        self.v *= k
        return self


def attribute_in_place(x):
    b = Box(x * 1.0)
    b.v *= x[0]
    return np.sum(b.v * b.v)


def attribute_in_place_twice(x):
    b = Box(x * 1.0)
    b.v *= x[0]
    b.v *= x[1]
    return np.sum(b.v * b.v)


def method_in_place(x):
    b = Box(x * 1.0)
    b.scale(x[0])
    return np.sum(b.v * b.v)


def method_in_place_twice(x):
    b = Box(x * 1.0)
    b.scale(x[0])
    b.scale(x[1])
    return np.sum(b.v * b.v)


def method_returns_self(x):
    b = Box(x * 1.0)
    c = b.scale2(x[0])
    return np.sum(c.v * c.v)


def methods_chained(x):
    b = Box(x * 1.0)
    c = b.scale2(2.0).scale2(3.0)
    return np.sum(c.v * c.v)


def columns_swapped(m):
    a = m * 1.0
    a[:, [1, 0]] = a[:, [0, 1]]
    return a * m


def slots_of_a_list(x):
    row = [x[0], x[1]]
    row[0] *= row[1]
    row[-1] -= row[0]
    return row[0] * row[1]


def floored_entries(x):
    t = x * 1.0
    t[1] //= 1.0
    t[2] %= 0.7
    return np.sum(t * t)


def list_added_in_place(x):
    row = [x[0], x[1]]
    t = x * 1.0
    t[:2] += row
    return np.sum(t * t)


def attribute_and_list(x):
    o = Box(x[3])
    row = [x[0]]
    o.v **= 2
    row += [x[1]]
    o.v -= row[1]
    return o.v * row[0]


def slot_divided(x):
    d = {"k": x[2]}
    d["k"] /= x[0]
    row = [x[1]]
    row += [d["k"]]
    row += (d["k"],)
    return row[0] * row[1] * row[2]


def list_beside_an_array(x):
    t = x * 1.0
    u = t * [x[0], 1.0, 2.0, x[1]]
    u -= (1.0, x[2], 3.0, x[3])
    return [1.0, x[0], 2.0, 3.0] / u


def functions_of_a_list(x):
    row = [x[0], x[1] * 2.0]
    return (
        np.dot(row, x[:2])
        + np.sum(row)
        + np.max([x[1], x[2]])
        + np.add(row, x[:2])[0]
        + np.mean([v * v for v in x])
    )


def arrays_in_a_list(x):
    row = [x, x * x]
    return np.sum(row) + np.sum(np.array(row)[1] * row[0])


def fancy_beside_a_slice(m):
    a = m * 1.0
    a[[0, 1], :] += a[:, [0, 0]].T[:2]
    a[1:, [2, 0]] = a[:2, [0, 0]]
    return a * m


def added_at_lists(x):
    y = np.zeros(3)
    np.add.at(y, [0, 1, 1, 2], x * x)
    np.add.at(y, [0, 0, 0, 2], x * 0.1)
    return np.sum(y * y)


def added_at_an_argument(x, v):
    np.add.at(x, [0, 1, 1], v)
    return np.sum(x * x)


CASES = [
    ("mean_of_a_comprehension", mean_of_a_comprehension, (X,)),
    ("largest_of_a_list", largest_of_a_list, (X,)),
    ("dot_of_a_list", dot_of_a_list, (X,)),
    ("add_of_a_list", add_of_a_list, (X,)),
    ("list_used_twice", list_used_twice, (X,)),
    ("list_grown_and_stored", list_grown_and_stored, (X,)),
    ("list_of_arrays_joined", list_of_arrays_joined, (X,)),
    ("reductions_of_a_tuple", reductions_of_a_tuple, (X,)),
    ("matrix_of_lists", matrix_of_lists, (X,)),
    ("interpolated_list", interpolated_list, (X,)),
    ("where_of_a_list", where_of_a_list, (X,)),
    ("outer_of_a_list", outer_of_a_list, (X,)),
    ("attribute_in_place", attribute_in_place, (X,)),
    ("attribute_in_place_twice", attribute_in_place_twice, (X,)),
    ("method_in_place", method_in_place, (X,)),
    ("method_in_place_twice", method_in_place_twice, (X,)),
    ("method_returns_self", method_returns_self, (X,)),
    ("methods_chained", methods_chained, (X,)),
    ("columns_swapped", columns_swapped, (M,)),
    ("slots_of_a_list", slots_of_a_list, (X,)),
    ("floored_entries", floored_entries, (X,)),
    ("list_added_in_place", list_added_in_place, (X,)),
    ("attribute_and_list", attribute_and_list, (X,)),
    ("slot_divided", slot_divided, (X,)),
    ("list_beside_an_array", list_beside_an_array, (X,)),
    ("functions_of_a_list", functions_of_a_list, (X,)),
    ("arrays_in_a_list", arrays_in_a_list, (X,)),
    ("fancy_beside_a_slice", fancy_beside_a_slice, (M,)),
    ("added_at_lists", added_at_lists, (X,)),
    ("added_at_an_argument", added_at_an_argument, (X, np.array([0.1, 0.7, -0.3]))),
]
