"""A class whose `__iter__` is `return iter(self.parts)`, where the parts are objects that vary."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

Q = np.array([0.3, -0.5, 0.8])


class Spring:
    def __init__(self, stiffness, rest=0.1):
        self.stiffness, self.rest = stiffness, rest

    def energy(self, x):
        return 0.5 * self.stiffness * (x - self.rest) ** 2


class Mesh:
    def __init__(self, parts):
        self.parts = list(parts)

    def __iter__(self):
        return iter(self.parts)

    def __len__(self):
        return len(self.parts)


class Fixed(Mesh):
    def __init__(self, parts):
        self.parts = tuple(parts)


def in_a_sum(q):
    mesh = Mesh([Spring(q[0]), Spring(q[1], 0.3)])
    return sum(s.energy(q[2]) for s in mesh) * len(mesh)


def in_a_loop(q):
    total = 0.0
    for s in Mesh([Spring(v) for v in q]):
        total += s.stiffness**2 * total + s.energy(q[1])
    return total


def beside_an_array(q):
    mesh = Mesh(map(Spring, q))
    return sum(s.energy(x) for s, x in zip(mesh, np.sin(q), strict=True))


def twice_at_once(q):
    mesh = Mesh(Spring(v) for v in q)
    return sum(a.stiffness * b.energy(q[0]) for a in mesh for b in mesh)


def the_largest(q):
    return max(s.stiffness for s in Mesh([Spring(q[0]), Spring(q[2])])) * q[1]


def changed_meanwhile(q):
    mesh = Mesh([Spring(v) for v in q])
    for s in mesh:
        s.rest = s.stiffness * 2.0
    return sum(s.energy(1.0) for s in mesh)


def unpacked(q):
    first, *others = Mesh([Spring(v) for v in q])
    return first.energy(q[1]) + others[1].energy(q[0])


def of_a_tuple(q):
    return sum(s.energy(q[2]) for s in Fixed([Spring(q[0]), Spring(q[1])]))


PROGRAMS = [
    in_a_sum, in_a_loop, beside_an_array, twice_at_once, the_largest, changed_meanwhile, unpacked,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivative(f):
    laws.check_function(f, (Q,))
    laws.check_orders(f, Q)


def test_of_a_tuple():
    tl.check_grads(of_a_tuple, Q, order=1, replay=True)


def test_outside_of_such_a_method():
    def f(q):
        return sum(s.energy(q[2]) for s in iter([Spring(q[0]), Spring(q[1])]))

    with pytest.raises(tl.GradientError, match="`iter` of objects of class Spring"):
        tl.grad(f)(Q)
