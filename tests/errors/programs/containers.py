"""Lists, dicts and arrays that are stored into in ways that are refused."""

import numpy as np

from tests.errors.programs import X, refused


@refused(X)
def key_that_varies(x):
    table = {}
    table[x[0]] = x[1]
    return table[x[0]]


@refused(X)
def key_of_a_display_that_varies(x):
    table = {x[0]: x[1]}
    return sum(table.values())


@refused(X)
def values_that_are_kept(x):
    table = {"a": x[0], "b": x[1]}
    held = table.values()
    return sum(held) * x[0]


@refused(X)
def step_into_a_list(x):
    items = [x[0], x[1], x[2]]
    items[::2] = reversed([x[1], x[0]])
    return items[0] * items[1]


@refused(X)
def bytes_swapped(x):
    y = x * 1.0
    y.byteswap(inplace=True)
    return np.sum(y)


@refused(X)
def flags_set(x):
    y = x * 1.0
    y.setflags(write=False)
    return np.sum(y)


@refused(X)
def partitioned_in_place_by_a_key(x):
    y = x * 1.0
    y.setfield(2.0, np.float64)
    return np.sum(y)


def grow(items, n):
    return items if n == 0 else grow([items], n - 1)


@refused(X)
def recursion_that_nests(x):
    return len(grow([x[0]], 3)) * x[0]


def first_or_second(a, b, first):
    return a if first else b


@refused(X)
def attribute_of_an_array(x):
    y = x * 1.0
    z = y
    y.shape = (3, 1)
    return np.sum(z * x)


class Table(dict):
    def __getitem__(self, key):
        return 2.0 * dict.__getitem__(self, key)


@refused(X)
def dict_with_an_indexing_of_its_own(x):
    table = Table(a=x[0])
    return table["a"] * x[1]


class Row(list):
    def total(self):
        return sum(self)


@refused(X)
def list_with_methods_of_its_own(x):
    row = Row([x[0], x[1]])
    row.label = x[0]
    return row.label * x[1]


masked = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])


@refused(X)
def meets_a_masked_array(x):
    return np.sum(x * masked)


objects = np.array([1.0, None, 2.0])


@refused(X)
def meets_an_array_of_objects(x):
    return np.sum(x * objects)


@refused(X)
def strided_store(x):
    y = x * 1.0
    v = np.lib.stride_tricks.as_strided(y, (2, 2), (8, 8))
    v[0, 1] = x[0]
    return np.sum(y)
