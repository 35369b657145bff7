"""Dataclasses whose `__init__` nobody wrote: what a call leaves out, and what a caller passes."""

import enum
import math
from collections.abc import Callable
from dataclasses import KW_ONLY, InitVar, dataclass, field

import numpy as np
import pytest

import tapeless as tl
from tests import laws


class Side(str, enum.Enum):  # noqa: UP042
    PAY = "pay"
    RECEIVE = "receive"


class Level(enum.IntEnum):
    HIGH = 3


@dataclass
class Traced:
    x: float
    trail: list = field(default_factory=list)


@dataclass(frozen=True)
class Sealed:
    x: float
    trail: list = field(default_factory=list)

    def note(self, value):
        self.trail.append(value)


@dataclass
class Deal:
    x: float
    cap: float = math.inf
    side: Side = Side.PAY
    level: Level = Level.HIGH
    weights: tuple = (1.0, 2.0)
    factor: float = np.float64(2.0)
    trail: list = field(default_factory=list)


@dataclass
class Section:
    width: InitVar[float]
    height: InitVar[float] = 2.0
    area: float = field(init=False)

    def __post_init__(self, width, height):
        self.area = width * height


@dataclass
class Named:
    x: float
    _: KW_ONLY
    factor: float = 2.0
    side: Side = Side.RECEIVE
    trail: list = field(default_factory=list)


@dataclass
class Derived(Named):
    gain: float = 3.0
    count: int = field(default=0, init=False)

    def __post_init__(self):
        self.count += 1


class Written(Deal):
    def __init__(self, x, **others):
        super().__init__(2.0 * x, **others)
        self.trail.append(x)


@dataclass(slots=True)
class Slotted:
    x: float
    count: int = field(default=3, init=False)
    trail: list = field(default_factory=list)


@dataclass(frozen=True)
class Positive:
    x: float
    side: Side = Side.PAY

    def __post_init__(self):
        if self.x < 0.0:
            raise ValueError("negative")


def relu(v):
    return np.maximum(v, 0.0)


@dataclass
class Layer:
    w: float
    first: Callable = math.sin
    then: Callable = relu

    def __call__(self, x):
        return self.then(self.first(x * self.w))


@dataclass(frozen=True, slots=True)
class SealedLayer:
    w: float
    first: Callable = np.tanh
    then: Callable = lambda v: v * v

    def __call__(self, x):
        return self.then(self.first(x * self.w))


LAYERS = [Layer(2.0), Layer(3.0, math.tanh), Layer(1.0, then=np.exp)]


def none_is_passed(x):
    return x * x if Traced(x, None).trail is None else 2.0 * x


def frozen_list_is_none(x):
    return x if Sealed(x).trail is None else x * x


def frozen_list_grows(x):
    sealed = Sealed(x)
    sealed.note(x * x)
    return sealed.trail[0] * sealed.x


def defaults_of_all_kinds(x):
    deal = Deal(x)
    deal.trail.append(x * deal.level)
    sign = 1.0 if deal.side is Side.PAY else -1.0
    return sign * min(deal.x, deal.cap) * deal.weights[1] * deal.factor + deal.trail[0] ** 2


def some_are_passed(x):
    deal = Deal(x, x + 1.0, side=Side.RECEIVE, trail=[x * x])
    sign = 1.0 if deal.side is Side.PAY else -1.0
    return sign * min(deal.x, deal.cap) * deal.trail[0]


def only_passed_on(x):
    return Section(x).area * Section(x, x).area * Section(x, height=3.0 * x).area


def by_name_only(x):
    named = Named(x, trail=[x * x])
    return named.x * named.factor * named.trail[0] if named.side is Side.RECEIVE else x


def inherited(x):
    derived = Derived(x, 2.0 * x)
    return derived.gain * derived.count * derived.x


def behind_super(x):
    written = Written(x, cap=x)
    return written.trail[0] * min(written.x, written.cap) if written.side is Side.PAY else x


def with_slots(x):
    slotted = Slotted(x)
    slotted.count += 1
    slotted.trail.append(x * slotted.count)
    return slotted.trail[0] * slotted.x


def frozen_that_checks(x):
    positive = Positive(x)
    return positive.x**2 if positive.side is Side.PAY else x


def functions_as_defaults(x):
    return Layer(x)(2.0) + Layer(x, np.sin)(1.0) + Layer(x, then=lambda v: v * v)(x)


def frozen_functions(x):
    return SealedLayer(x)(2.0) + SealedLayer(x, np.sin)(1.0) + SealedLayer(x, then=np.exp)(x)


def layers_outside(x):
    for layer in LAYERS:
        x = layer(x)
    return x


PROGRAMS = [
    none_is_passed, frozen_list_is_none, frozen_list_grows, defaults_of_all_kinds, some_are_passed,
    only_passed_on, by_name_only, inherited, behind_super, with_slots, frozen_that_checks,
    functions_as_defaults, frozen_functions, layers_outside,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_constructed(f):
    laws.check_function(f, (0.7,))


def test_frozen_that_raises():
    with pytest.raises(ValueError, match="negative"):
        tl.grad(frozen_that_checks)(-0.7)
