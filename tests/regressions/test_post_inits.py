"""Fields that `__post_init__` binds again: a list that becomes an array was taken for either of the two."""

from dataclasses import InitVar, dataclass, field, replace

import numpy as np
import pytest

import tapeless as tl

V = np.array([0.5, 1.2])


@dataclass
class Body:
    mass: float
    x: np.ndarray

    def __post_init__(self):
        """Accept lists, too."""
        self.x = np.asarray(self.x, dtype=float)

    def moved(self, force):
        return replace(self, x=self.x + force / self.mass)


@dataclass(frozen=True)
class Frozen:
    x: np.ndarray
    w: float = 2.0
    y: np.ndarray = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "x", np.asarray(self.x, dtype=float))
        object.__setattr__(self, "y", self.x * self.w)


@dataclass
class Scaled:
    x: list
    n: InitVar[int] = 2
    scale: float = None
    tags: list = field(default_factory=list)

    def __post_init__(self, n):
        x = np.atleast_1d(self.x)
        if self.scale is None:
            self.scale = float(n)
        self.x = x * self.scale
        self.tags.append("made")
        self.total = self.x.sum()


@dataclass
class Checked:
    x: np.ndarray

    def __post_init__(self):
        self.x = np.asarray(self.x)
        self.check()

    def check(self):
        if self.x.ndim != 1:
            raise ValueError("one axis is needed")


@dataclass
class Changed:
    x: np.ndarray

    def __post_init__(self):
        self.x = np.asarray(self.x)
        self.x += 1.0


def moved_in_a_loop(v):
    sun, earth = Body(1.0, [0.0, 0.0]), Body(0.1, [1.0, 0.0])
    for _ in range(3):
        r = (earth.x - sun.x) * v
        earth, sun = earth.moved(-r), sun.moved(r)
    return earth.x[0] * earth.x[1]


def frozen(v):
    a, b = Frozen([1.0, 2.0]), Frozen(v, w=v[0])
    for _ in range(2):
        b = Frozen(b.x + a.y[0], b.w)
    return b.y[0] * a.x[1] + b.y[1]


def with_arguments_that_are_not_kept(v):
    a, b, c = Scaled(v[0]), Scaled([1.0, 2.0], 3), Scaled(v, scale=v[1])
    return a.total * b.total + c.x[0] * len(c.tags)


def with_a_method(v):
    return np.sum(Checked(v).x ** 2)


def changed_in_place(v):
    w = v * 1.0
    made = Changed(w)
    return np.sum(made.x * w)


PROGRAMS = [
    moved_in_a_loop,
    frozen,
    with_arguments_that_are_not_kept,
    with_a_method,
    changed_in_place,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_both_orders(f):
    tl.check_grads(f, V, replay=True)


def test_what_it_raises_is_raised():
    with pytest.raises(ValueError, match="one axis"):
        tl.grad(lambda v: with_a_method(v[None]))(V)
