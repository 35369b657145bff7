"""What an attribute holds is an object of one of several classes: which of their methods is called.

`h.law(x)` calls the `__call__` of the class that `h.law` has: the text asks for the class before a method is
written in its place. So it is where the class decides what `list(d)` and a loop over `d` go through.
"""

import numpy as np
import pytest

from tests import laws


class Spring:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return 0.5 * self.k * x**2

    def __iter__(self):
        return iter([self.k, 1.0])


class Morse(Spring):
    def __call__(self, x):
        return self.k * (1.0 - np.exp(-x)) ** 2

    def __iter__(self):
        return iter([self.k**2, 2.0, self.k])


class Bond:
    def __init__(self, law):
        self.law = law


def bonds(k):
    return [Bond(Spring(k)), Bond(Morse(2.0 * k))]


def called_through_an_attribute(x, k):
    return sum(b.law(x) for b in bonds(k))


def called_in_a_loop(x, k):
    energy = 0.0
    for b in bonds(k):
        energy += b.law(x)
    return energy


def called_by_number(x, k):
    both = bonds(k)
    return both[0].law(x) * both[1].law(x)


def called_unless_none(x, k):
    energy = 0.0
    for b in [*bonds(k), Bond(None)]:
        if b.law is not None:
            energy += b.law(x)
    return energy


class Law:
    def __call__(self, x):
        return self.energy(x) - self.energy(0.0 * x)


class Cosine(Law):
    def __init__(self, phase):
        self.phase = phase

    def energy(self, x):
        return np.cos(x - self.phase)


class Quartic(Law):
    def __init__(self, scale):
        self.scale = scale

    def energy(self, x):
        return (x / self.scale) ** 4


def called_by_what_they_inherit(x, k):
    return sum(b.law(x) for b in [Bond(Cosine(k)), Bond(Quartic(k))])


def listed(x, k):
    total = 0.0
    for law in [Spring(k), Morse(2.0 * k)]:
        total += np.sum(np.array(list(law))) * x
    return total


def gone_through(x, k):
    total = 0.0
    for b in bonds(k):
        for item in b.law:
            if item > 100.0:
                break
            total += item * x
        else:
            total *= x
    return total


def sorted_and_unpacked(x, k):
    total = 0.0
    for law in [Spring(k), Morse(2.0 * k)]:
        first, *others = law
        total += sorted(law)[0] * x + first * others[0]
    return total


CASES = [
    called_through_an_attribute,
    called_in_a_loop,
    called_by_number,
    called_unless_none,
    called_by_what_they_inherit,
    listed,
    gone_through,
    sorted_and_unpacked,
]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_laws_and_replay(f):
    laws.check_orders(f, 0.6, 1.7)
