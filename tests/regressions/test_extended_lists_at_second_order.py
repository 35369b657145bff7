"""Second derivatives of functions that extend lists: the first one shortens them again."""

import math

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.7, -0.4, 1.3, 0.2])


class Box:
    pass


def by_a_list(x):
    items = [x[0] * x[1]]
    items.extend([x[2], x[3]])
    items += [x[0] ** 2]
    return math.prod(items)


def by_itself_and_a_generator(x):
    items = [x[0]]
    items.extend(v * v for v in x)
    items.extend(items)
    return sum(v**3 * i for i, v in enumerate(items))


def while_it_is_emptied(x):
    stack = list(x)
    total = 0.0
    while stack:
        v = stack.pop()
        total += v**2
        if v > 1.0:
            stack.extend((v * 0.5, v * 0.25))
    return total


def by_a_callee(x):
    def grow(items):
        items += [x[0] * items[-1]]

    items = list(x)
    grow(items)
    grow(items)
    del items[1:3]
    return math.prod(items)


def of_rows_in_a_dict(x):
    rows = {"a": []}
    for v in x:
        rows["a"] += [v * x, x[:2]]
        rows.setdefault("b", []).extend([v])
    return np.sum(np.concatenate(rows["a"]) ** 2) * math.prod(rows["b"])


def of_an_attribute_with_two_names(x):
    box = Box()
    box.items = [1.0]
    other = box.items
    box.items += [x[0]]
    return sum(box.items) * len(other) * x[1]


PROGRAMS = [
    by_a_list,
    by_itself_and_a_generator,
    while_it_is_emptied,
    by_a_callee,
    of_rows_in_a_dict,
    of_an_attribute_with_two_names,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    tl.check_grads(f, X, order=2, replay=True)
