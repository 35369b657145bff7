"""Which function a name stands for is a matter of identity: objects may compare as they like."""

import itertools
from dataclasses import dataclass

import numpy as np

import tapeless as tl
from tests import laws


@dataclass
class Scaled:  # it compares its fields, and has no hash
    w: float

    def __call__(self, x):
        return self.w * x

    def step(self, x):
        return self.w + x


class Loud:
    asked = 0
    __hash__ = None

    def __eq__(self, other):
        type(self).asked += 1
        raise RuntimeError("never compare me")

    def __call__(self, x):
        return x * x


class Elementwise:
    __hash__ = None

    def __eq__(self, other):
        return np.array([True, False])

    def __call__(self, x):
        return np.sin(x)


SCALED, LOUD, ELEMENTWISE = Scaled(2.0), Loud(), Elementwise()
LAYERS = [Scaled(3.0), Elementwise(), Loud()]
TABLE = {"a": Scaled(0.5), "b": Loud()}


def called(x):
    return SCALED(x) * LOUD(x) + ELEMENTWISE(x) * SCALED.step(x)


def in_a_list(x):
    for layer in LAYERS:
        x = layer(x)
    return x


def in_a_dict(x):
    return TABLE["a"](x) * TABLE["b"](x)


def handed_over(x):
    return sum(map(LOUD, [x, SCALED(x)])) + list(map(ELEMENTWISE, itertools.repeat(x, 2)))[1]


def assigned(x):
    f = LOUD
    y = f(x)
    for g in (SCALED, ELEMENTWISE):
        y = g(y)
    return y


def test_callables_that_compare():
    for f in (called, in_a_list, in_a_dict, handed_over, assigned):
        laws.check_function(f, (1.3,), smooth=True)
        tl.testing.check_replay(f, 1.3)
    assert Loud.asked == 0
