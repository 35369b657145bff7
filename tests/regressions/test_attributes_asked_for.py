"""Attributes that `__getattr__` gives: asked for where nothing else has them."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, 1.2, -0.7, 2.1])


class Doubling:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, n):
        return self.x * 2


class Params:
    def __init__(self, x):
        self.values = {"a": x[0], "b": x[1]}

    def __getattr__(self, name):
        if name not in self.values:
            raise AttributeError(name)
        return self.values[name]


class Proxy:
    def __init__(self, inner):
        self.inner = inner
        self.calls = 0

    def __getattr__(self, name):
        return getattr(self.inner, name)


class Model:
    def __init__(self, w):
        self.w = w
        self.n = 0

    def predict(self, x):
        self.n += 1
        return np.tanh(self.w * x) * self.n


class Lazy:
    def __init__(self, x):
        self.x = x
        self.n = 0

    def __getattr__(self, name):
        if name == "sq":
            self.n += 1
            self.sq = self.x**2 * self.n
            return self.sq
        raise AttributeError(name)


class LazyByDict(Lazy):
    def __getattr__(self, name):
        if name == "sq":
            self.n += 1
            self.__dict__["sq"] = self.x**2 * self.n
            return self.__dict__["sq"]
        raise AttributeError(name)


class LazyByName(Lazy):
    def __getattr__(self, name):
        if name == "sq":
            self.n += 1
            setattr(self, name, self.x**2 * self.n)
            return self.__dict__["sq"]
        raise AttributeError(name)


class Computed:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        if name.startswith("power_"):
            return self.x ** int(name.split("_")[1])
        raise AttributeError(name)


class Vec:
    def __init__(self, data):
        self.data = data

    def __getattr__(self, name):
        i = "xyzw".index(name)
        return self.data[i]


def norm2(v):
    return v.x**2 + v.y**2


CONF = Params([2.0, 3.0])


class Wrapped:
    def __init__(self, arr):
        object.__setattr__(self, "arr", arr)

    def __getattr__(self, name):
        return getattr(self.arr, name)

    def __setattr__(self, name, value):
        raise TypeError("frozen")


class Units:
    _table = {"km": 1000.0, "m": 1.0}

    def __init__(self, v):
        self.v = v

    def __getattr__(self, unit):
        return self.v / self._table[unit]


class Base:
    def __init__(self, x):
        self.x = x


class Child(Base):
    def __init__(self, x):
        super().__init__(x)
        self.extra = x * 2

    def __getattr__(self, n):
        return self.extra * self.x


def of_a_table(x):
    p = Params(x)
    return p.a * p.b


def asked_whether_there(x):
    p = Params(x)
    if hasattr(p, "c"):
        return p.c
    return p.a * getattr(p, "c", 2.0) * getattr(p, "b")


def proxy(x):
    p = Proxy(Model(x[0]))
    return np.sum(p.predict(x)) * p.w * np.sum(p.predict(x))


def proxy_of_proxy(x):
    p = Proxy(Proxy(Model(x[0])))
    return np.sum(p.predict(x)) * p.w * p.inner.w


def computed(x):
    c = Computed(x[0])
    return c.power_2 + c.power_3 * x[1]


def in_expression(x):
    c = Computed(x)
    return np.sum(np.sin(c.power_2) * x) if x[0] > 0 else c.power_3[0]


def swizzle(x):
    v = Vec(x)
    return v.x * v.y + v.z * v.w


def swizzle_callee(x):
    return norm2(Vec(x)) * norm2(Vec(2 * x))


def swizzle_loop(x):
    s = 0.0
    for k in range(3):
        v = Vec(x * (k + 1))
        s = s + v.x * v.y
    return s


def config(x):
    return x[0] * CONF.a + x[1] * CONF.b


def missing(x):
    p = Params(x)
    try:
        return p.zz
    except AttributeError:
        return p.a * p.a


def wrapped_array(x):
    w = Wrapped(x)
    return w.sum() * w.T[0] * w.shape[0]


def units(x):
    u = Units(x[0])
    return u.km + u.m


def child(x):
    c = Child(x[0])
    c.x = x[1]
    return c.foo * c.x


def set_on_a_way(x):
    d = Doubling(x[0])
    if x[1] < 0:
        d.a = x[2]
    return d.a * x[0]


def set_on_another_way(x):
    d = Doubling(x[0])
    if x[1] > 0:
        d.a = x[2]
    return d.a * x[0]


def set_in_a_loop(x):
    d = Doubling(x[0])
    s = 0.0
    for k in range(3):
        if k > 0:
            s = s + d.a
        if k > 0:
            d.a = x[2]
    return s


def deleted(x):
    d = Doubling(x[0])
    d.a = x[1]
    del d.a
    return d.a * x[0]


def lazy(x):
    l = Lazy(x[0])
    return l.sq * l.sq * x[1]


def lazy_by_dict(x):
    l = LazyByDict(x[0])
    return l.sq * l.sq * x[1]


def lazy_by_name(x):
    l = LazyByName(x[0])
    return l.sq * l.sq * x[1]


class Cached(Params):
    scale = None
    rate = 2.0


def held_by_the_class(x):
    p = Cached(x)
    s = p.a if p.scale is None else p.b
    p.scale = 3.0
    return s * p.rate * p.scale * p.b


class Slotted:
    __slots__ = ("inner", "v")

    def __init__(self, v):
        self.v = v
        self.inner = {"k": v * 2}

    def __getattr__(self, n):
        return self.inner[n]


def with_slots(x):
    o = Slotted(x[0])
    return o.k * o.v * x[1]


class Chain:
    def __init__(self, x, path=()):
        self.x = x
        self.path = path

    def __getattr__(self, n):
        return Chain(self.x * 2, (*self.path, n))

    def value(self):
        return self.x * len(self.path)


def chained(x):
    return Chain(x[0]).a.b.c.value() * x[1]


class Stack:
    def __init__(self, xs):
        self.items = list(xs)

    def __getattr__(self, n):
        if n == "top":
            return self.items[-1]
        return len(self.items)


def asked_in_a_loop(x):
    s = Stack(x)
    t = 0.0
    while s.size > 1:
        t = t + s.top**2
        s.items.pop()
    return t * s.top


RIGHT = [
    with_slots,
    chained,
    asked_in_a_loop,
    held_by_the_class,
    of_a_table,
    asked_whether_there,
    proxy,
    proxy_of_proxy,
    computed,
    in_expression,
    swizzle,
    swizzle_callee,
    swizzle_loop,
    config,
    missing,
    wrapped_array,
    units,
    child,
]
REFUSED = [
    set_on_a_way,
    set_on_another_way,
    set_in_a_loop,
    deleted,
    lazy,
    lazy_by_dict,
    lazy_by_name,
]


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_what_it_gives_is_differentiated(f):
    tl.check_grads(f, X, order=2, replay=True)


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_is_set_on_some_ways_only_is_refused(f):
    with pytest.raises(tl.GradientError, match="elsewhere `__getattr__` is asked"):
        tl.grad(f)(X)
