"""What is known of names: beside each line stands what holds as control comes to it.

What a loop carries is known at its head for all trips, and what a thing holds for the whole function.
"""

import dataclasses
import pathlib

import numpy as np
import pytest

from tapeless.analysis.facts import Facts
from tapeless.kinds import regions_of
from tests.beside import facts_of, said, values_at

X = np.array([0.5, -1.0, 2.0])
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "explanation" / "facts.md"


def branches(x, k):
    y = 1.0
    z = k * 2.0  # varied: x
    if k > 0.0:
        y = x * k  # varied: x
    w = y + k  # varied: x y
    y = z  # varied: x y w
    return w * y  # varied: x w


def loop(x, n):
    a = x
    b = 1.0
    c = 1.0
    for i in range(n):  # varied: x a b c
        c = b * 2.0  # varied: x a b c
        b = a * 1.0  # varied: x a b c
    return c  # varied: x a b c


def integers_end_it(x):
    n = len(x)
    flag = x[0] > 0.0
    text = str(n)
    y = x[0] if flag else 1.0
    return y  # varied: x y


def views(x):
    a = x * 1.0
    b = x + 1.0
    row = a[1:]
    copy = a[1:].copy()
    picked = a[np.array([0, 1])]
    row[0] = b[0]  # shares a: row
    return np.sum(a)  # stored: a row


def reshaped(x):
    a = x * 1.0
    turned = a.reshape(3, 1)
    flat = np.ravel(turned)
    total = a + 0.0
    return flat  # shares a: turned flat


def fill(u, v):
    u[0] = v[1]


def back(u, v):
    return v


def callees(x):
    a = x * 1.0
    b = x * 2.0
    fill(a, b)
    c = back(a, b)
    return np.sum(a) + np.sum(c)  # shares b: c


def stored_by_callees(x):
    a = x * 1.0
    b = x * 2.0
    fill(a, b)
    return np.sum(a) + np.sum(b)  # stored: a


def one_of_two(x, k):
    a = x * 1.0
    b = x * 2.0
    c = a if k > 0.0 else b
    d = x * 3.0
    c[0] = 1.0  # shares a: c
    return np.sum(a + b + c + d)  # stored: a b c


def held(x):
    a = x * 1.0
    items = [a]
    table = {"k": 1.0}
    other = {"k": 1.0}
    b = items[0]  # varied: x a items table
    other["k"] = len(b)
    table["k"] = b[0]  # shares a: b
    return table["k"]  # stored: table other


class Box:
    def __init__(self, value):
        self.value = value


def objects(x):
    box = Box(1.0)
    other = Box(2.0)
    alias = box
    alias.value = x[0]  # shares box: alias
    y = other.value * 2.0
    return box.value * y  # varied: x box alias


def recursion(x, n):
    if n == 0:
        return x  # varied: x
    y = recursion(x, n - 1)
    return y * 2.0  # varied: x y


def side_by_side(x, weights):
    last = 0.0
    for _, (a, w) in enumerate(zip(x, weights)):  # varied: x last a
        last = a * w  # varied: x last a
        u = w * 2.0  # varied: x last a
    return last + u  # varied: x last a


def entries(p, weights):
    kept = {}
    for (key, value), w in zip(p.items(), weights):
        kept[key] = w  # varied: p value
    return kept["a"] * value  # varied: p value


CASES = [
    (branches, (0.5, 2.0)),
    (loop, (0.5, 3)),
    (integers_end_it, (X,)),
    (views, (X,)),
    (reshaped, (X,)),
    (callees, (X,)),
    (stored_by_callees, (X,)),
    (one_of_two, (X, 1.0)),
    (held, (X,)),
    (objects, (X,)),
    (recursion, (0.5, 3)),
    (side_by_side, (X, [2.0, 3.0, 4.0])),
    (entries, ({"a": 0.5, "b": 1.5}, X)),
]


def names_of(facts, values, word, of):
    if word == "varied":
        return {key for key, value in values.items() if facts.carries_derivative(value)}
    if word == "stored":
        return {key for key, value in values.items() if facts.is_stored(value.kind)}
    assert word == "shares", word
    own = regions_of(values[of].kind)
    return {key for key, value in values.items() if regions_of(value.kind) & own} - {of}


@pytest.mark.parametrize(("function", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_facts(function, args):
    facts = facts_of(function, *args)
    expected = said(function)
    assert expected
    for line, word, of, names in expected:
        assert names_of(facts, values_at(facts, line), word, of) == names, (line, word)


def test_the_page_on_facts_names_each():
    text = PAGE.read_text()
    for field in dataclasses.fields(Facts):
        assert f"`{field.name}`" in text, field.name
