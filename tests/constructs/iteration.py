"""Iterators that are bound to names, derivatives inside, views, objects that hold each other."""

import functools
import itertools
import operator

import numpy as np

import tapeless as tl


def items_by_operator(x):
    get = operator.itemgetter(1, 2)
    a, b = get(x)
    return a * b


def sorted_by_operator(x):
    pairs = [(v * v, k) for k, v in enumerate(x)]
    t = 0.0
    for rank, (v, k) in enumerate(sorted(pairs, key=operator.itemgetter(1))):
        t = t + v * (rank + 1) * k
    return t


def attributes_by_operator(x):
    get = operator.attrgetter("v")
    return get(Left(x[0] * x[1])) ** 2


def mapped_to_a_name(x):
    squares = map(lambda v: v * v, x)
    return sum(squares)


def zipped_to_a_name(x):
    pairs = zip(x, x[1:])
    t = 0.0
    for a, b in pairs:
        t = t + a * b
    return t


def combined_and_stored(x):
    bodies = [x[0], x[1], x[2]]
    t = 0.0
    for i, j in itertools.combinations(range(3), 2):
        d = bodies[i] - bodies[j]
        bodies[i] = bodies[i] - 0.1 * d
        t = t + d * d
    return t + bodies[0]


def pairs_of_what_is_stored_into(x):
    bodies = [Left(x[0]), Left(x[1]), Left(x[2])]
    for p, q in itertools.combinations(bodies, 2):
        d = p.v - q.v
        p.v = p.v - 0.1 * d
        q.v = q.v + 0.1 * d
    return sum([b.v**2 for b in bodies])


def growing(x):
    v = x
    while True:
        yield v
        v = v * x


def generator_left_early(x):
    t = 0.0
    for k, v in enumerate(growing(x[0])):
        t = t + v
        if k == 3:
            break
    return t


def vectorized(x):
    f = np.vectorize(lambda v: v * v if v > 0 else -v)
    return np.sum(f(x))


def by_pieces(x):
    return np.sum(np.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v**2]))


def along_an_axis(x):
    a = np.outer(x, x)
    return np.sum(np.apply_along_axis(lambda r: r * r[0], 1, a))


def from_a_function(x):
    f = np.frompyfunc(lambda v: v * v, 1, 1)
    return np.sum(f(x))


def passed_through_inside(x):
    return np.sum(tl.grad_pass_through(raised_by_one)(x) * x)


def cached_inside(x):
    f = functools.lru_cache(lambda k: k + 1)
    return np.sum(x * f(2))


def gradient_with_defaults_inside(x):
    g = tl.grad(lambda v, k=3.0: k * v**3)
    return g(x[0]) * x[1]


def pullback_inside(x):
    _, pull = tl.vjp(lambda v: v**3, 2.0)
    return pull(x[0])[0] * x[1]


def cube(v, k=2.0):
    return k * v**3


def gradient_of_a_partial_inside(x):
    return tl.grad(functools.partial(cube, k=x[1]))(x[0]) * x[2]


def windows(x):
    w = np.lib.stride_tricks.sliding_window_view(x, 2)
    return np.sum(np.prod(w, axis=1))


def strided(x):
    w = np.lib.stride_tricks.as_strided(x, (3, 2), (8, 8))
    return np.sum(w[:, 0] * w[:, 1] ** 2)


def stored_through_ravel(x):
    a = np.asfortranarray(np.outer(x, x))
    a.ravel(order="K")[1] = x[0] ** 2
    return np.sum(a * a)


def windows_in_a_loop(x):
    t = 0.0
    for row in np.lib.stride_tricks.sliding_window_view(x, 3):
        t = t + row[0] * row[2]
    return t


def moving_average(x, n):
    return np.lib.stride_tricks.sliding_window_view(x, n).mean(axis=-1)


def windows_in_a_callee(x):
    return np.sum(moving_average(x * x, 2) ** 2)


class Node:
    def __init__(self, v, parent=None):
        self.v = v
        self.parent = parent
        self.children = []


def tree_with_parents(x):
    root = Node(x[0])
    for v in x[1:]:
        child = Node(v, root)
        root.children.append(child)
    return sum([c.v * c.parent.v for c in root.children])


class Left:
    def __init__(self, v):
        self.v = v
        self.other = None


def two_that_hold_each_other(x):
    a, b = Left(x[0]), Left(x[1])
    a.other, b.other = b, a
    return a.other.v * b.other.v**2


def ring_in_a_loop(x):
    nodes = [Left(v) for v in x]
    for k in range(4):
        nodes[k].other = nodes[(k + 1) % 4]
    return sum([n.v * n.other.v for n in nodes])


class Failed(Exception):
    def __init__(self, value):
        self.value = value


def raises_what_varies(x):
    if x > 0:
        raise Failed(x * x)
    return x


def exception_that_carries(x):
    try:
        return raises_what_varies(x[0])
    except Failed as error:
        return error.value * x[1]


def interrupted_loop(x):
    t = [0.0]
    try:
        for k in range(6):
            t[0] = t[0] + x[k] ** 2
    except IndexError:
        t[0] = t[0] * 2.0
    return t[0]


def raised_by_one(x):
    return x + 1.0


passed = tl.grad_pass_through(raised_by_one)


@functools.lru_cache
def next_whole(k):
    return k + 1


def passed_through_outside(x):
    return np.sum(passed(x) * x)


def cached_outside(x):
    return np.sum(x * next_whole(2))


def slope_in_place_of_a_pullback(x):
    return x[0] * tl.grad(cube)(2.0) * x[1]


def stored_by_its_own_index(x):
    a = np.asfortranarray(np.outer(x, x))
    a[1, 0] = x[0] ** 2
    return np.sum(a * a)


def tree_by_places(x):
    nodes = [Node(x[0])]
    for v in x[1:]:
        nodes.append(Node(v, 0))
    return sum([nodes[k].v * nodes[0].v for k in range(1, 4)])


def value_in_a_variable(x):
    y = x[0] * x[0]
    try:
        if y > 0:
            raise ValueError
    except ValueError:
        return y * x[1]
    return x[0]


def tested_before_it_is_read(x):
    t = [0.0]
    for k in range(6):
        if k < len(x):
            t[0] = t[0] + x[k] ** 2
    t[0] = t[0] * 2.0
    return t[0]


ROWS = {
    "iterators and functional style": (
        items_by_operator,
        sorted_by_operator,
        attributes_by_operator,
        mapped_to_a_name,
        zipped_to_a_name,
        combined_and_stored,
        pairs_of_what_is_stored_into,
        generator_left_early,
        vectorized,
        by_pieces,
        along_an_axis,
        from_a_function,
    ),
    "derivatives inside": (
        passed_through_inside,
        cached_inside,
        gradient_with_defaults_inside,
        pullback_inside,
        gradient_of_a_partial_inside,
    ),
    "views": (
        windows,
        strided,
        stored_through_ravel,
        windows_in_a_loop,
        windows_in_a_callee,
    ),
    "objects that hold each other, exceptions": (
        tree_with_parents,
        two_that_hold_each_other,
        ring_in_a_loop,
        exception_that_carries,
        interrupted_loop,
    ),
}
WAYS_OUT = {
    from_a_function: vectorized,
    passed_through_inside: passed_through_outside,
    cached_inside: cached_outside,
    pullback_inside: slope_in_place_of_a_pullback,
    stored_through_ravel: stored_by_its_own_index,
    tree_with_parents: tree_by_places,
    exception_that_carries: value_in_a_variable,
    interrupted_loop: tested_before_it_is_read,
}
