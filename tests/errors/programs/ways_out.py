"""Programs that are refused, each with the program that goes the way out which the message tells."""

import itertools

import numpy as np

from tests.errors.programs import X, refused


def parts_of_ones_own(x):
    parts = [part for part in np.split(x, 3)]  # noqa: C416
    parts[0] = parts[1] * 2.0
    return np.sum(parts[0] * parts[2])


@refused(X, way=parts_of_ones_own)
def parts_of_a_library(x):
    parts = np.split(x, 3)
    parts[0] = parts[1] * 2.0
    return np.sum(parts[0] * parts[2])


def doubled(items):
    for item in items:
        try:
            yield 2.0 * item
        finally:
            item = None


def listed_generator(x):
    items, total = [x[0], x[1], x[2]], 0.0
    for v in list(doubled(items)):
        items[2] = v
        total += v * items[2]
    return total


@refused(X, way=listed_generator)
def generator_beside_a_store(x):
    items, total = [x[0], x[1], x[2]], 0.0
    for v in doubled(items):
        items[2] = v
        total += v * items[2]
    return total


def filled_up(values):
    row = np.zeros(3)
    for k in range(3):
        row[k] = values[k] ** 2
        try:
            yield row
        finally:
            k = 0


def copied_on_the_way(values):
    row = np.zeros(3)
    for k in range(3):
        row[k] = values[k] ** 2
        yield row.copy()


def copies_of_what_changes(x):
    total = 0.0
    for row in copied_on_the_way(x):
        total += row.sum() ** 2
    return total


@refused(X, way=copies_of_what_changes)
def yielded_and_changed_later(x):
    total = 0.0
    for row in filled_up(x):
        total += row.sum() ** 2
    return total


def listed_chain(x):
    items, total = [x[0], x[1]], 0.0
    for v in list(itertools.chain(items, [x[2]])):
        items[1] = v
        total += v * v
    return total


@refused(X, way=listed_chain)
def chain_beside_a_store(x):
    items, total = [x[0], x[1]], 0.0
    for v in itertools.chain(items, [x[2]]):
        items[1] = v
        total += v * v
    return total


def listed_sums(x):
    items, total = [x[0], x[1]], 0.0
    for i, v in zip(range(2), list(itertools.accumulate(items)), strict=True):
        items[1] = x[2]
        total += i * v
    return total


@refused(X, way=listed_sums)
def sums_beside_a_store(x):
    items, total = [x[0], x[1]], 0.0
    for i, v in zip(range(2), itertools.accumulate(items), strict=True):
        items[1] = x[2]
        total += i * v
    return total


def kept_list(x):
    both = list(itertools.chain([x[0]], [x[1]]))
    return both[0] * sum(both[1:])


@refused(X, way=kept_list)
def kept_chain(x):
    both = itertools.chain([x[0]], [x[1]])
    first = next(both)
    return first * sum(both)


def array_of_sums(x):
    history = [x[0]]
    for v in x[1:]:
        history.append(history[-1] * v)
    return sum(history)


@refused(X, way=array_of_sums)
def nested_ever_deeper(x):
    history = (x[0], None)
    for v in x[1:]:
        history = (history[0] * v, history)
    return history[0]


def named_values(x):
    y = x * 2.0
    scope = {"y": y}
    return np.sum(scope["y"] ** 2)


@refused(X, way=named_values)
def values_by_text(x):
    y = x * 2.0
    scope = locals()
    return np.sum(scope["y"] ** 2) + np.sum(y)


def numbers_by_index(x):
    row = [x[0], x[1]]
    return row[0] * row[1]


class Row(list):
    total = 0.0


@refused(X, way=numbers_by_index)
def attribute_of_a_list(x):
    row = Row([x[0], x[1]])
    row.total = x[2]
    return row.total * row[0]


def function_of_its_own_name(x):
    def power(v, n):
        return v if n == 1 else v * power(v, n - 1)

    return power(x[0], 3)


@refused(X, way=function_of_its_own_name)
def function_named_twice(x):
    def power(v, n):
        return v if n == 1 else v * power(v, n - 1)

    y = power(x[0], 3)
    power = y * 2.0
    return power


class Counted:
    """Counts how often it is read."""

    def __init__(self, first):
        self.items, self.reads = [first, first], 0.0

    @property
    def last(self):
        self.reads += 1.0
        return self.items[1]

    @last.setter
    def last(self, value):
        self.items[1] = value

    def __getitem__(self, i):
        self.reads += 1.0
        return self.items[i]

    def __setitem__(self, i, value):
        self.items[i] = value


def property_read_first(x):
    counted = Counted(x[0])
    old = counted.last
    counted.last = old + x[2] * counted.reads
    return counted.last * x[1]


@refused(X, way=property_read_first)
def property_updated_by_what_its_reading_stores(x):
    counted = Counted(x[0])
    counted.last += x[2] * counted.reads
    return counted.last * x[1]


def item_read_first(x):
    counted = Counted(x[0])
    old = counted[0]
    counted[0] = old * (x[1] * counted.reads)
    return counted[0] * x[2]


@refused(X, way=item_read_first)
def item_updated_by_what_its_reading_stores(x):
    counted = Counted(x[0])
    counted[0] *= x[1] * counted.reads
    return counted[0] * x[2]
