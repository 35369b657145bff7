"""Objects that an object holds and calls, and members of enumerations that are spread."""

import enum
from dataclasses import dataclass

import numpy as np
import pytest

from tests import laws

TIMES = np.array([0.1, 0.5, 0.9])


class Dof(enum.Enum):
    X = 0
    Y = 1


@dataclass
class Kernel:
    amplitude: float

    def __call__(self, a, b):
        return self.amplitude**2 * np.exp(-((a[:, None] - b[None, :]) ** 2))


@dataclass
class Likelihood:
    kernel: Kernel
    jitter: float

    def __call__(self, r):
        k = self.kernel(TIMES, TIMES)
        k[np.diag_indices(3)] += self.jitter**2
        return r @ k @ r


class Frame:
    def __init__(self):
        self.nodes = {}

    def node(self, label, at, *fixed, **loads):
        self.nodes[label] = (at, frozenset(fixed), {Dof[k.upper()]: v for k, v in loads.items()})


def stored_into_what_it_gives(x):
    return Likelihood(Kernel(x), x)(TIMES)


def members_spread(x):
    def count(x, *fixed):
        return x * len(fixed) if Dof.Y in fixed else x * x

    return count(x, *Dof) * count(x, Dof.X) + len([*Dof]) * x


def members_and_keywords(x):
    frame = Frame()
    frame.node("a", x, *Dof)
    frame.node("b", x * x, x=x)
    return frame.nodes["a"][0] * frame.nodes["b"][0] * frame.nodes["b"][2][Dof.X]


PROGRAMS = [stored_into_what_it_gives, members_spread, members_and_keywords]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f):
    laws.check_function(f, (0.7,))
