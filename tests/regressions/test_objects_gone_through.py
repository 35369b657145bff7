"""Objects that are gone through: by `__iter__`, by their items, or as their own iterators.

Where anything but a loop went through them (`sum`, unpacking, NumPy), or their class had no `__iter__`, they
were refused.
"""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


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


class Multiples:
    def __init__(self, n, x):
        self.n, self.x, self.i = n, x, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.x * self.i


def numbered(x):
    t = 0.0
    for i, v in enumerate(Multiples(3, x)):
        t = t + i * np.sum(np.sin(v))
    return t


def numbered_in_one_name(x):
    t = 0.0
    for p in enumerate(Multiples(3, x), 2):
        t = t + np.sum(p[1] * p[1]) * p[0]
    return t


def numbered_at_once(x):
    pairs = list(enumerate(Multiples(3, x)))
    a, b, c = enumerate(Multiples(3, x))
    return np.sum(pairs[1][1] * pairs[2][1] * b[1]) + sum(
        i * np.sum(v) for i, v in enumerate(Multiples(3, c[1]))
    )


def asked_before_a_list_that_ends(x):
    it, t = Multiples(5, x), 0.0
    for v, w in zip(it, [1.0, 2.0]):
        t = t + w * np.sum(np.sin(v))
    return t * it.i  # 3 were taken


def asked_behind_a_list_that_ends(x):
    it, t = Multiples(5, x), 0.0
    for w, v in zip([1.0, 2.0], it):
        t = t + w * np.sum(np.sin(v))
    return t * it.i  # 2 were taken


def two_of_unlike_length(x):
    t = 0.0
    for v, w in zip(Multiples(2, x), Multiples(5, x * x)):
        t = t + np.sum(w * np.sin(v))
    else:
        t = t * t
    return t


def around_a_list(x):
    a, b, t = Multiples(5, x), Multiples(5, x * 0.3), 0.0
    for i, (v, w, u) in enumerate(zip(a, [x, x * x, x], b), start=2):
        if i > 8:
            break
        t = t + i * np.sum(w * np.sin(v) * u)
    else:
        t = t * 2.0
    return t + a.i + 10 * b.i


def beside_a_range(x):
    n, t = 3, 0.0
    for i, v, k in zip(range(n), Multiples(5, x), range(1, 9)):
        n = 5
        t = t + i * k * np.sum(v * v)
    return t


def in_a_dict(x):
    d = {k: v * 2.0 for k, v in zip(["a", "b"], Multiples(3, x))}
    return np.sum(d["a"] * d["b"] ** 2)


def one_in_the_other(x):
    t = 0.0
    for i, v in enumerate([x, x * x]):
        for j, w in enumerate(Multiples(i + 1, v)):
            t = t + np.sum(w * v) * (i + j)
    return t


BESIDE_OTHERS = [
    numbered, numbered_in_one_name, numbered_at_once, asked_before_a_list_that_ends,
    asked_behind_a_list_that_ends, two_of_unlike_length, around_a_list, beside_a_range, in_a_dict,
    one_in_the_other,
]  # fmt: skip


@pytest.mark.parametrize("f", BESIDE_OTHERS, ids=lambda f: f.__name__)
def test_own_iterators_beside_other_things(f):
    laws.check_orders(f, np.array([0.3, 0.5, -0.2]))


def beside_the_keys_of_a_dict(x):
    d = {"a": x, "b": x * 2.0}
    t = 0.0
    for k, v in zip(d, Multiples(2, x)):
        t = t + np.sum(v * d[k])
    return t


def test_own_iterators_beside_what_has_no_places():
    with pytest.raises(tl.GradientError, match="cannot be read by index") as caught:
        tl.grad(beside_the_keys_of_a_dict)(np.ones(3))
    assert "zip(d, Multiples(2, x))" in str(caught.value)


class Pair:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __mul__(self, factor):
        return Pair(self.x * factor, self.y * factor)

    def __iter__(self):
        yield self.x
        yield self.y


class Row:
    def __init__(self, items):
        self.items = items

    def __mul__(self, factor):
        return Row([item * factor for item in self.items])

    def __iter__(self):
        return iter(self.items)


def unpacked_out_of_a_list(x):
    pairs = [Pair(x[0], x[1]), Pair(x[1], x[2])]
    a, b = pairs[1]
    return a * b + sum(c * d for c, d in pairs)


def of_two_classes(x):
    first, *others = Row([x[0], x[1], x[2]])
    held = [Pair(x[0], x[2]), Row([x[1], x[0]])]
    return first * sum(others) + sum(a * b for a, b in held)


@pytest.mark.parametrize("f", [unpacked_out_of_a_list, of_two_classes], ids=lambda f: f.__name__)
def test_items_of_objects_that_can_be_multiplied(f):
    laws.check_orders(f, np.array([0.7, 0.5, 1.2]))
