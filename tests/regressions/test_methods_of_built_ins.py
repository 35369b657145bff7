"""Methods of lists, dicts and texts as values: kept under a name, handed on, or given as a key."""

import operator

import numpy as np
import pytest

from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])


def greatest_key_of_a_dict(x):
    d = {i: v for i, v in enumerate(x)}
    return d[max(d, key=d.get)] ** 2


def keys_sorted_by_value(x):
    d = {"a": x[0], "b": x[1]}
    ks = sorted(d, key=d.get)
    return d[ks[0]] ** 2 * d[ks[1]]


def sorted_by_place_in_a_list(x):
    order = [2.0, 1.0, 0.0, 3.0]
    s = 0.0
    for i, v in enumerate(sorted(order, key=order.index)):
        s = s + v * x[i] ** 2
    return s


def texts_sorted_by_a_method(x):
    names = ["B", "a", "C"]
    names.sort(key=str.lower)
    return x[0] * len(names) * x[1]


def greatest_by_an_item(x):
    rows = [(v, i) for i, v in enumerate(x)]
    best = max(rows, key=operator.itemgetter(0))
    return best[0] ** 2


def sorted_in_place_by_an_item(x):
    rows = [(1.0, x[0]), (0.0, x[1])]
    rows.sort(key=operator.itemgetter(0))
    return rows[0][1] ** 2


def mapped_over_keys(x):
    d = {"a": x[0], "b": x[1]}
    return sum(map(d.get, ["a", "b"])) * x[2]


def method_of_a_dict_bound_to_a_name(x):
    d = {"a": x[0], "b": x[1]}
    get = d.get
    return get("a") * get("c", x[3])


def appended_by_a_name(x):
    out = []
    add = out.append
    for v in x:
        add(v * v)
    return sum(out)


def extended_by_a_name(x):
    out = [x[0]]
    grow = out.extend
    grow([x[1], x[2] * x[2]])
    return sum(out)


def method_called_by_its_class(x):
    out = [x[0], x[1] * x[2]]
    return out.pop() * x[0] + list.index([1, 2], 2) * x[1]


def popped_by_a_name(x):
    out = [x[0], x[1] * x[2]]
    take = out.pop
    return take() * x[3]


class P:
    def __init__(self, v):
        self.v = v


def least_by_an_attribute(x):
    ps = [P(v) for v in x]
    return min(ps, key=operator.attrgetter("v")).v ** 2


def filtered_by_a_method_of_a_text(x):
    ok = filter("ab".__contains__, ["a", "z"])
    return x[0] * len(list(ok)) * x[1]


def mapped_by_a_method_of_a_text(x):
    words = " a b ".split()
    return x[0] ** 2 * len("".join(map(str.strip, words)))


def got_by_its_class(x):
    rows = [[1.0, x[0]], [0.0, x[1]]]
    rows = sorted(rows, key=lambda r: r[0])
    return dict.get({"q": rows}, "q")[0][1] ** 2


def method_of_a_dict_handed_on(x):
    d = {"a": x[0], "b": x[1]}

    def apply(h, k):
        return h(k)

    return apply(d.get, "a") ** 2


def greatest_key_of_constants(x):
    d = {"a": 1.0, "b": 2.0}
    return max(d, key=d.get) == "b" and x[0] ** 2 or x[1]


PROGRAMS = [
    greatest_key_of_a_dict,
    keys_sorted_by_value,
    sorted_by_place_in_a_list,
    texts_sorted_by_a_method,
    greatest_by_an_item,
    sorted_in_place_by_an_item,
    mapped_over_keys,
    method_of_a_dict_bound_to_a_name,
    appended_by_a_name,
    extended_by_a_name,
    method_called_by_its_class,
    popped_by_a_name,
    least_by_an_attribute,
    filtered_by_a_method_of_a_text,
    mapped_by_a_method_of_a_text,
    got_by_its_class,
    method_of_a_dict_handed_on,
    greatest_key_of_constants,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_laws(f):
    laws.check_function(f, (X,))


def in_a_loop(x):
    table = {"a": x[0], "b": x[1]}
    y = 0.0
    for k in ("a", "b"):
        get = table.get
        y = y + get(k) ** 2
    return y


def in_a_branch(x):
    table = {"a": x[0], "b": x[1]}
    get = table.get if x[0] > 0.0 else {"a": x[2]}.get
    return get("a") ** 2 * x[3]


def test_in_a_loop():
    laws.check_function(in_a_loop, (X,))


def test_in_a_branch():
    laws.right_or_refused(in_a_branch, (X,))
