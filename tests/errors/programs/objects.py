"""Objects and their methods."""

import dataclasses
import functools
import types

import numpy as np

import tapeless as tl
from tests.errors.programs import X, refused


class Settings:
    k = 2.0


@refused(X)
def attribute_of_a_class_found_through_an_object(x):
    Settings.k = x[0]
    return Settings().k * x[1]


module = types.ModuleType("module")
module.k = 1.0


def scaled(x):
    module.k = module.k * 2.0
    return x * module.k


@refused(X)
def attribute_of_a_module(x):
    return np.sum(scaled(x) * scaled(x))


class Hooked:
    def __init__(self, v):
        self.v = v

    def __getattr__(self, name):
        return self.v * 2.0


@refused(X)
def attribute_by_a_hook(x):
    hooked = Hooked(x[0])
    if x[1] > 0.0:
        hooked.twice = x[1]
    return hooked.twice * x[1]


@dataclasses.dataclass(frozen=True)
class Fixed:
    v: float


@refused(X)
def attribute_set_by_a_hook(x):
    c = Fixed(x[1])
    c.v = x[0]
    return c.v * x[1]


class Descriptor:
    def __get__(self, owner, cls):
        return owner.held

    def __set__(self, owner, value):
        owner.held = value


class Described:
    v = Descriptor()


@refused(X)
def attribute_of_a_descriptor(x):
    d = Described()
    d.v = x[0]
    return d.v * x[1]


class Cached:
    def __init__(self, v):
        self.v = v

    square = functools.cached_property(
        float,  # not written in Python
    )


@refused(X)
def cached_property_of_what_varies(x):
    c = Cached(x[0])
    return c.square * c.square


class Plain:
    def __init__(self, v):
        self.v = v

    def get(self):
        return self.v


@refused(X)
def attributes_by_dict(x):
    p = Plain(x[0])
    return max([p.__dict__], key=len)["v"] * x[1]


@refused(X)
def attributes_by_vars(x):
    p = Plain(x[0])
    return max([vars(p)], key=len)["v"] * x[1]


@refused(X)
def attribute_by_an_unknown_name(x):
    p = Plain(x[0])
    key = "v" if x[1] > 0.0 else "w"
    return getattr(p, key) * x[1]


@refused(X)
def attribute_set_by_an_unknown_name(x):
    p = Plain(x[0])
    for key in "vw":
        setattr(p, key, x[1])
    return p.v * x[1]


@refused(X)
def attribute_or_method(x):
    p, q = Plain(x[0]), Plain(x[1])
    q.get = lambda: x[2]
    chosen = p if x[0] > 0.0 else q
    return chosen.get() * x[0]


class Sized:
    def __init__(self, v):
        self.v = v

    def __len__(self):
        return 1

    def __rmul__(self, other):
        return self.v * other


@refused(X)
def numpy_may_take_it_for_an_array(x):
    return np.sum(x * Sized(x[0]))


@refused(X)
def operator_that_is_missing(x):
    return Plain(x[0]) * x[1]


@refused(X)
def item_that_is_missing(x):
    return Plain(x[0])[0] * x[1]


class Stops:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


@refused(X)
def sum_of_objects(x):
    return sum([Plain(v) for v in x], Plain(0.0)).v


@refused(X)
def sorted_objects(x):
    return max(Plain(x[0]), Plain(x[1])).v


@refused(X)
def object_kept_by_its_identity(x):
    p = Plain(x[0])
    table = {p: x[1]}
    return table[p] * x[0]


class Holder:
    pass


@refused(X)
def removed_attribute(x):
    h = Holder()
    h.v = x[0]
    y = h.v * x[1]
    delattr(h, sorted(vars(h))[0])
    return y


class Watched:
    def __init__(self, v):
        self.v = v

    def __delattr__(self, name):
        self.v = 0.0


@refused(X)
def removed_by_code_of_the_class(x):
    w = Watched(x[0])
    y = w.v * x[1]
    del w.v
    return y


class Node:
    def __init__(self, v):
        self.v = v
        self.next = self


@refused(Node(2.0), ask=lambda f, node: tl.grad(f)(node))
def argument_that_holds_itself(node):
    return node.v * node.next.v
