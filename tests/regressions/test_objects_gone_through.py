"""Objects that are gone through: by `__iter__`, by their items, or as their own iterators.

Where anything but a loop went through them (`sum`, unpacking, NumPy), or their class had no `__iter__`, they
were refused.
"""

import numpy as np
import pytest

import tapeless as tl


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        yield self.x
        yield self.y


class Items:
    def __init__(self, *c):
        self.c = list(c)

    def __getitem__(self, i):
        return self.c[i]

    def __len__(self):
        return len(self.c)


class Squares:
    def __init__(self, xs):
        self.xs = xs
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i == len(self.xs):
            raise StopIteration
        v = self.xs[self.i]
        self.i += 1
        return v * v


class Powers:
    def __init__(self, n, x):
        self.n, self.x = n, x

    def __iter__(self):
        self.k = 0
        return self

    def __next__(self):
        if self.k >= self.n:
            raise StopIteration
        self.k += 1
        return self.x**self.k


def summed(x):
    return sum(list(Point(x, 2 * x))) + sum(Point(x, x**2))


def summed_by_name(x):
    p = Point(x, x**2)
    return max(p) * sum(p)


def by_their_items(x):
    t = 0.0
    for a in Items(x, x * x, 2.0):
        t += a * a
    return t


def beside_others(x):
    v = Items(x, x * x, 2.0)
    return sum(i * a for i, a in enumerate(v)) + sum(a * b for a, b in zip(v, v))


def backwards(x):
    t = 0.0
    for a in reversed(Items(x, x * x, 2.0)):
        t = t * x + a
    return t


def unpacked(x):
    a, b, c = Items(x, x * x, 2.0)
    return a * b + c * a


def as_arrays(x):
    v = Items(x, x * x, 2.0)
    return np.sum(np.array(v) ** 2) + np.mean(v) * np.max(v) + np.sum(np.array(list(v)))


def in_a_loop_over_objects(x):
    points = [Point(x * k, 1.0) for k in range(3)]
    t = 0.0
    for (a, b), (c, d) in zip(points, points[1:]):
        t += np.hypot(a - c, b + d)
    return t


def own_iterator(x):
    t = 0.0
    for v in Powers(3, x):
        t += v * v
    return t


def own_iterator_in_a_generator(x):
    return sum(v for v in Powers(3, x))


def own_iterator_with_state(x):
    t = 0.0
    for v in Squares([x, 2 * x, x * x]):
        t = t * v + v
    return t


def first_taken_by_hand(x):
    it = Squares([x, 2 * x, x * x])
    first = next(it)
    t = 1.0
    for v in it:
        t = t * v + first
    return t


def left_early(x):
    t = 0.0
    for v in Squares([x, 2 * x, x * x]):
        if v > 1.0:
            break
        t += v
    else:
        t *= 2.0
    return t


def to_its_end(x):
    t = 0.0
    for v in Squares([x, 0.5 * x, x * x]):
        if v < 0.0:
            continue
        t += v
    else:
        t *= 2.0
    return t


def all_at_once(x):
    return max(Squares([x, 2 * x])) + list(Squares([x, 3 * x]))[1]


TWICE = [
    summed, summed_by_name, by_their_items, beside_others, backwards, unpacked, as_arrays,
    in_a_loop_over_objects, own_iterator, own_iterator_in_a_generator,
]  # fmt: skip
ONCE = [own_iterator_with_state, first_taken_by_hand, left_early, to_its_end, all_at_once]


@pytest.mark.parametrize("f", TWICE, ids=lambda f: f.__name__)
def test_in_both_modes_and_twice(f):
    tl.check_grads(f, 0.7, order=2, replay=True)


@pytest.mark.parametrize("f", ONCE, ids=lambda f: f.__name__)
def test_iterators_that_take_from_what_they_are_given(f):
    tl.check_grads(f, 0.7, order=1, replay=True)
