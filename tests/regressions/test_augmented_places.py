"""`place op= value`: owner and index are bound first, then what is there is read, then the value."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([1.3, 0.7, 1.9])


class Thing:
    pass


class P:
    def __init__(self, v):
        self.p = [v]

    def grow(self, v):
        self.p += [v]
        return self


class Q:
    def __init__(self):
        self.d = {}
        self.a = np.zeros(3)
        self.n = 0


def h(it):
    it.append(0)
    return 2.0


def idx(log):
    log.append(1)
    return 0


def get(o, log):
    log.append(1)
    return o


def list_in_an_attribute(x):
    a = Thing()
    a.p = [x[0]]
    a.p += [x[1]]
    return a.p[0] * a.p[1]


def aliased_attribute(x):
    a = Thing()
    a.p = [x[0]]
    q = a.p
    a.p += [x[1]]
    return q[0] * q[1] + len(q)


def list_in_a_dict(x):
    d = {"p": [x[0]]}
    q = d["p"]
    d["p"] += [x[1]]
    return q[0] * q[1] * d["p"][1]


def list_in_a_list(x):
    l = [[x[0]], [x[1]]]
    q = l[0]
    l[0] += [x[1]]
    return q[0] * q[1] + l[1][0] ** 2


def list_of_self(x):
    p = P(x[0])
    p.grow(x[1]).grow(x[2])
    return p.p[0] * p.p[1] * p.p[2]


def repeated_in_an_attribute(x):
    l = [x[0], x[1]]
    o = Thing()
    o.l = l
    o.l *= 2
    return l[2] * l[3] * len(l)


def grown_in_a_loop(x):
    y = 0.0
    o = Thing()
    o.rows = []
    for i in range(3):
        o.rows += [x[i] * x[0]]
    for r in o.rows:
        y += r * r
    return y


def grown_in_a_dict(x):
    d = {}
    for i in range(3):
        d.setdefault(i % 2, [])
        d[i % 2] += [x[i]]
    return d[0][0] * d[0][1] * d[1][0]


def grown_by_itself(x):
    a = [x[0]]
    a += a
    q = Thing()
    q.p = a
    q.p += q.p
    return a[3] * a[1]


def dict_in_an_attribute(x):
    o = Thing()
    o.d = {"a": x[0]}
    q = o.d
    o.d |= {"b": x[1]}
    return q["a"] * q["b"]


def array_in_an_attribute(x):
    o = Q()
    o.a[0] += x[0]
    o.a[0] *= x[1]
    o.a += x
    o.a *= o.a[0]
    return np.sum(o.a * o.a)


def array_in_a_dict(x):
    d = {"a": x * 1.0}
    q = d["a"]
    d["a"] *= x[0]
    return np.sum(q * q)


def index_rebound(x):
    y = x * 1.0
    k = 2
    y[k] += y[1] * (k := 1)
    return y[2] * y[1] * k


def index_read_first(x):
    y = x * 1.0
    it = [0]
    y[len(it)] += x[0] * h(it)
    return y[1] ** 2 + y[2]


def index_of_an_attribute(x):
    o = Q()
    o.n = 1

    def bump():
        o.n += 1
        return 2.0

    y = x * 1.0
    y[o.n] += x[0] * bump()
    return y[1] ** 2 * y[2]


def index_rebound_within(x):
    a = np.outer(x, x)
    i = 0
    a[i, (i := 1)] += x[2]
    a[i] *= x[0]
    return np.sum(a * a)


def name_rebound_by_a_call(x):
    y = x * 1.0
    z = y

    def swap():
        nonlocal y
        y = y * 0.0
        return 3.0

    y[0] += swap()
    return np.sum(z * z) + np.sum(y)


def owner_rebound(x):
    y = x * 1.0
    z = y
    y[0] += (y := x * 2.0)[1]
    return np.sum(z * z) + np.sum(y * y)


def name_rebound(x):
    k = x[0]
    k += (k := x[1]) * 2.0
    return k * k


def index_with_effects(x):
    y = x * 1.0
    log = []
    y[idx(log)] += x[1]
    return y[0] * len(log)


def owner_with_effects(x):
    o = Thing()
    o.v = x[0]
    log = []
    get(o, log).v += x[1] * len(log)
    get(o, log).v *= x[2] * len(log)
    return o.v * len(log)


def item_taken_out_meanwhile(x):
    a = [x[0], x[1]]
    a[0] += a[1] * a.pop(0)
    return a[0] ** 2


def item_stored_meanwhile(x):
    a = np.array([1.0, 2.0, 3.0])

    def sc():
        a[0] = x[1]
        return x[2]

    a[0] += sc()
    return a[0] * a[1]


def in_a_branch(x):
    a = Thing()
    a.p = [x[0]]
    if x[1] > 0.0:
        a.p += [x[1]]
    else:
        a.p += [x[2]]
    return a.p[0] * a.p[1]


def in_a_callee(x):
    def extend(owner, v):
        owner["p"] += [v]

    d = {"p": [x[0]]}
    extend(d, x[1] * x[2])
    return d["p"][0] * d["p"][1]


SLOTS = [
    list_in_an_attribute,
    aliased_attribute,
    list_in_a_dict,
    list_in_a_list,
    list_of_self,
    repeated_in_an_attribute,
    grown_in_a_loop,
    grown_in_a_dict,
    grown_by_itself,
    dict_in_an_attribute,
    array_in_an_attribute,
    array_in_a_dict,
    in_a_branch,
    in_a_callee,
]
ORDERED = [
    index_rebound,
    index_read_first,
    index_of_an_attribute,
    index_rebound_within,
    name_rebound_by_a_call,
    owner_rebound,
    name_rebound,
    index_with_effects,
    owner_with_effects,
    item_taken_out_meanwhile,
    item_stored_meanwhile,
]


@pytest.mark.parametrize("f", SLOTS)
def test_slot_that_holds_what_changes(f):
    laws.check_function(f, (X,), smooth=False)


@pytest.mark.parametrize("f", ORDERED)
def test_order_of_evaluation(f):
    laws.check_function(f, (X,), smooth=False)


def test_second_order_of_a_list_in_an_attribute():
    for f in (list_in_an_attribute, array_in_an_attribute, index_rebound):
        laws.check_function(f, (X,), smooth=True)


def test_argument_keeps_its_list():
    def f(a, x):
        a["p"] += [x * x]
        return a["p"][0] * a["p"][1]

    a = {"p": [2.0]}
    assert tl.grad(f, wrt=1)(a, 3.0) == pytest.approx(12.0)
    assert a == {"p": [2.0]}


def doubled_while_added_to(a, p):
    a += a
    return p


def cubed_while_added_to(a, p):
    for k in range(len(a)):
        a[k] = a[k] ** 3
    return p


def stored_by_the_value(x, y):
    y[0] += doubled_while_added_to(y, x[0])
    return np.sum(y)


def stored_by_the_value_in_a_loop(x, y):
    for k in range(2):
        y[k] += cubed_while_added_to(y, x[k])
    return np.sum(y * y)


def stored_through_a_view(x, y):
    view = y[:2]
    y[0] += doubled_while_added_to(view, x[0])
    return np.sum(y * x)


def stored_by_the_value_in_a_branch(x, y):
    if x[0] > 0.0:
        y[1] -= doubled_while_added_to(y, x[1])
    return np.sum(np.sin(y))


@pytest.mark.parametrize(
    "f",
    [
        stored_by_the_value,
        stored_by_the_value_in_a_loop,
        stored_through_a_view,
        stored_by_the_value_in_a_branch,
    ],
)
def test_place_that_its_new_value_stores_into(f):
    laws.check_function(f, (np.array([0.6, 0.9, 1.3]), np.array([1.4, 1.3, 1.0])))
