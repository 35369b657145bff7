"""A callee that returns a container which stands in something that it was given."""

import dataclasses

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([1.3, 0.7])


class Model:
    def __init__(self, x):
        self.items = [x[0], x[1] * 2.0]
        self.table = {"a": x[0] * x[1], "b": x[1]}

    def get(self):
        return self.items

    @property
    def by_property(self):
        return self.items

    def __iter__(self):
        return iter(self.items)

    def both(self):
        return self.items, self.table

    def either(self, first):
        return self.items if first else [1.0, 2.0]

    def inner(self):
        return self.get()


@dataclasses.dataclass
class Layer:
    w: float
    b: list


class Net:
    def __init__(self, x):
        self.layers = [Layer(x[0], [x[1], x[0]]), Layer(x[1], [x[0] * x[1], 1.0])]

    def layer(self, i):
        return self.layers[i]

    def last(self):
        return self.layers[-1].b


def by_method(x):
    items = Model(x).get()
    return items[0] * items[1]


def in_a_loop(x):
    y = 1.0
    for v in Model(x).get():
        y = y * v
    return y


def by_iter(x):
    y = 1.0
    for v in Model(x):
        y = y * v
    return y


def by_list(x):
    items = list(Model(x))
    return items[0] * items[1]


def by_unpacking(x):
    a, b = Model(x)
    return a * b * b


def by_spread(x):
    def product(a, b):
        return a * b * b

    return product(*Model(x))


def by_property(x):
    t = Model(x)
    return t.by_property[0] * t.by_property[1]


def by_tuple(x):
    items, table = Model(x).both()
    return items[0] * table["a"] + items[1]


def by_branch(x):
    t = Model(x)
    items = t.either(x[0] > 0.0)
    return items[0] * items[1]


def through_two(x):
    t = Model(x)
    return t.inner()[0] * t.items[1]


def used_twice(x):
    t = Model(x)
    first, again = t.get(), t.get()
    return first[0] * again[1] + t.items[0]


def of_objects(x):
    net = Net(x)
    y = x[0]
    for i in range(2):
        layer = net.layer(i)
        y = layer.w * y + layer.b[0]
    return y * net.last()[0]


def get(t):
    return t["q"]


def put(t, x):
    t["q"] = [x[0], x[1] * 2.0]


def made_by_another(x):
    t = {}
    put(t, x)
    items = get(t)
    return items[0] * items[1]


def of_an_argument(t):
    items = get(t)
    return items[0] * items[1]


def stored_into(t):
    items = get(t)
    items[0] = items[0] * items[1]
    return items[0] * t["q"][1]


def nested(t):
    row = get({"q": t["p"]})[1]
    return row[0] * row[1] + t["p"][1][0]


MADE = [
    by_method, in_a_loop, by_iter, by_list, by_unpacking, by_spread, by_property, by_tuple, by_branch,
    through_two, used_twice, of_objects, made_by_another,
]  # fmt: skip


@pytest.mark.parametrize("f", MADE)
def test_what_is_made_inside(f):
    laws.check_function(f, (X.copy(),), smooth=True)


@pytest.mark.parametrize("f", [of_an_argument, stored_into])
def test_what_is_an_argument(f):
    laws.check_function(f, ({"q": [1.3, 0.7]},), smooth=True)


def test_what_an_argument_holds_deeper():
    laws.check_function(nested, ({"p": [[1.0], [1.3, 0.7]]},), smooth=True)


def test_an_object_that_is_given():
    g = tl.grad(lambda m: m.get()[0] * m.get()[1] + m.both()[1]["a"])(Model(X))
    np.testing.assert_allclose(g.items, [1.4, 1.3])
    assert (g.table["a"], g.table["b"]) == (1.0, 0.0)


def test_a_list_that_holds_itself():
    def f(x):
        items = [x[0]]
        items.append(items)
        return items[1][0] * items[0] * x[1]

    try:
        found = tl.grad(f)(X)
    except tl.TapelessError as refusal:
        assert refusal.filename == __file__
    else:
        np.testing.assert_allclose(found, [2.0 * 1.3 * 0.7, 1.3**2])

    def plain(x):
        items = [x[0]]
        items.append(items)
        return items[0] * 2.0

    np.testing.assert_allclose(tl.grad(plain)(X), [2.0, 0.0])
