"""Tuples of which items are read: in loops, by unpacking, rebound, captured, handed on."""

import numpy as np

X = np.array([0.6, -1.4, 2.3])


def read_by_number(x, y):
    p = (x * y, x + y, x)
    return p[0] * p[-1] + p[1] ** 2


def polar(x, y):
    return np.hypot(x, y), np.arctan2(y, x)


def read_from_a_call(x, y):
    p = polar(x, y)
    q = polar(p[1], p[0])
    return p[0] * q[1] + q[0]


def of_the_last_round(x):
    total = 0.0
    pair = (x, 1.0)
    for i in range(3):
        total = total + pair[0] * pair[1]
        pair = (x * i, total)
    return total * pair[1]


def of_the_round_before(x, y):
    total = x
    for i in range(4):
        if i > 0:
            total = total + kept[0] * kept[1]  # noqa: F821
        x = x * y
        if i == 2:
            continue
        kept = (x, total)
    return total + kept[0]


def items_rebound(x, y):
    kept = (x, y)
    x = x * y
    y = x + y
    return kept[0] * x + kept[1] * y


def changed_in_place(x):
    y = x * 2.0
    kept = (y, x)
    y[0] = y[1] * y[2]
    y += x
    return np.sum(kept[0] * y) + kept[1][0]


def captured(x, y):
    kept = (x * y, y)

    def area(a):
        return kept[0] * a

    return area(x) + kept[1]


def unpacked_twice(x, y):
    kept = (x * y, x - y)
    a, b = kept
    b, a = kept
    return a * b**2 + kept[0]


def nested_items(x, y):
    p = (x, (y, x * y))
    a, (b, c) = p
    return a * b * c + p[1][0]


def swapped(x, y):
    p = (x, y)
    for _ in range(3):
        q = (p[1], p[0] * p[1])
        p = q
    return p[0] + p[1]


def in_a_branch(x, y):
    if x > 0:
        p = (x, y)
    else:
        p = (y, x, x)
    return p[0] * p[-1] * len(p)


def in_one_branch(x, y):
    s = x
    if x > 0:
        p = (x * x, y)
        s = p[0] * p[1]
    return s * y


def decided_by_an_item(x, y):
    p = (x * y, 2)
    while p[0] > 5.0:
        x = x * 0.5
        p = (x * y, 3)
    t = (x, y, 3)
    if t[0] < t[1] and t[2] == 3:
        return t[0] ** t[2] * p[1]
    return t[1] * p[0]


def rows_of_a_call(x):
    total = 0.0
    for i in range(3):
        p = polar(x[i], i)
        total = total + p[0] * p[1]
    return total


def handed_on(x, y):
    p = (x * y, y)

    def times(pair):
        return pair[0] * pair[1]

    return times(p) + p[0]


def returned(x, y):
    p = (x * y, y)
    q = (p[0], p)
    return q[0] * q[1][1]


CASES = [
    ("read_by_number", read_by_number, (1.1, 0.7)),
    ("read_from_a_call", read_from_a_call, (1.1, 0.7)),
    ("of_the_last_round", of_the_last_round, (1.1,)),
    ("of_the_round_before", of_the_round_before, (1.1, 0.7)),
    ("items_rebound", items_rebound, (1.1, 0.7)),
    ("changed_in_place", changed_in_place, (X,)),
    ("captured", captured, (1.1, 0.7)),
    ("unpacked_twice", unpacked_twice, (1.1, 0.7)),
    ("nested_items", nested_items, (1.1, 0.7)),
    ("swapped", swapped, (1.1, 0.7)),
    ("in_a_branch", in_a_branch, (1.1, 0.7)),
    ("in_one_branch", in_one_branch, (1.1, 0.7)),
    ("decided_by_an_item", decided_by_an_item, (9.3, 2.4)),
    ("rows_of_a_call", rows_of_a_call, (X,)),
    ("handed_on", handed_on, (1.1, 0.7)),
    ("returned", returned, (1.1, 0.7)),
]
