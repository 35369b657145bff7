"""Containers in containers, handed to functions, where the text does not tell which one it is."""

import numpy as np

X = np.array([0.3, 0.5, 0.8])


def first(p):
    return p["v"][0] * 2.0


def both(p):
    return first(p) * p["v"][1]


def of_pair(t):
    return t[0][0] * t[1]


def of_keywords(a, **options):
    return a * options["v"][0]


def chosen(x):
    v = [x[1], 2.0]
    if x[0] > 0:
        v = [x[2], x[1]]
    return v


def list_by_keyword(x):
    v = [x[1], 2.0]
    if x[0] > 0:
        v = [x[2], x[1]]
    return of_keywords(x[0], v=v)


def list_by_keyword_of_a_local_function(x):
    def scaled(a, **options):
        v = options["v"]
        return a * v[0]

    return scaled(x[0], v=[x[1], 2.0])


def arrays_by_keyword_of_a_local_function(x):
    w = x * 2

    def scaled(a, **options):
        return a * options["v"][0]

    return np.sum(scaled(x, v=[w]))


def one_of_two_lists_in_a_dict(x):
    v = [x[1], 2.0]
    if x[0] > 0:
        v = [x[2], x[1]]
    p = {"v": v}
    return both(p) * v[0]


def stored_into_before(x):
    v = [x[1], 2.0]
    if x[0] > 0:
        v = [x[2], x[1]]
    v[0] = v[0] * x[0]
    p = {"v": v}
    return both(p) * v[0]


def in_a_loop(x):
    s = 0.0
    for i in range(3):
        v = [x[i], x[0]]
        if x[i] > 0.4:
            v = [x[i] * x[1], x[2]]
        p = {"v": v}
        s = s + both(p) * v[1]
    return s


def twice_in_a_list(x):
    v = [x[1], 2.0]
    if x[0] > 0:
        v = [x[2], x[1]]
    q = [v, v]
    return both({"v": q[0]}) * q[1][1]


def in_a_tuple(x):
    v = [x[1], 2.0]
    if x[0] > 0:
        v = [x[2], x[1]]
    return of_pair((v, x[0]))


def one_of_two_dicts(x):
    table = [{"v": [x[0], x[1]]}, {"v": [x[1], x[2]]}]
    p = table[0]
    s = first(p)
    p = table[1]
    return s * first(p) + first(table[0])


def swapped(x):
    v, w = [x[0], x[1]], [x[2], x[0]]
    for _ in range(3):
        v, w = w, v
        v[0] = v[0] * w[1]
    p = {"v": v}
    return first(p) * w[0]


def made_by_a_callee(x):
    v = chosen(x)
    return first({"v": v}) * v[1]


def through_recursion(x):
    def down(p, n):
        return p["v"][0] * p["v"][1] ** n

    v = [x[0], x[1]]
    if x[0] > 0:
        v = [x[1], x[2]]
    return repeated({"v": v}, 3) * v[0] + down({"v": v}, 2)


def repeated(p, n):
    if n == 0:
        return p["v"][0]
    return repeated({"v": [p["v"][0] * p["v"][1], p["v"][1]]}, n - 1)


def two_levels_deep(x):
    v = [x[0], x[1]]
    d = {"a": {"v": v}}
    if x[0] > 0:
        d = {"a": {"v": [x[1], x[2]]}}
    return first(d["a"]) * v[1]


CASES = [
    (function.__name__, function, (X,))
    for function in (
        list_by_keyword,
        list_by_keyword_of_a_local_function,
        arrays_by_keyword_of_a_local_function,
        one_of_two_lists_in_a_dict,
        stored_into_before,
        in_a_loop,
        twice_in_a_list,
        in_a_tuple,
        one_of_two_dicts,
        swapped,
        made_by_a_callee,
        through_recursion,
        two_levels_deep,
    )
]
