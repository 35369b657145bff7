"""Methods that make context managers of generators: they are written around the block if they are known."""

import contextlib
import time

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.7, 1.3, 0.4])


class Model:
    def __init__(self, gain):
        self.gain, self.scale, self.times = gain, 1.0, []

    @contextlib.contextmanager
    def scaled(self, scale, *, shift=0.0):
        before = self.scale
        self.scale = scale + shift
        try:
            yield self.scale
        finally:
            self.scale = before

    @contextlib.contextmanager
    def timed(self, name):
        start = time.perf_counter()
        try:
            yield
        finally:
            self.times.append((name, time.perf_counter() - start))

    def run(self, x):
        with self.timed("scaled"), self.scaled(x[1]) as scale:
            y = x * self.gain * self.scale + scale
        return y.sum() * self.scale

    def left_early(self, x):
        for v in x:
            with self.scaled(v, shift=0.5):
                if v > 1.0:
                    return v * self.scale
        return self.scale

    def in_a_loop(self, x):
        total = 0.0
        for v in x:
            with self.scaled(v) as scale:
                if v < 0.5:
                    continue
                total += scale * self.scale
        return total * self.scale

    def within_each_other(self, x):
        with self.scaled(x[0]):
            y = self.run(x)
            with self.scaled(2.0 * self.scale):
                y = y * self.scale
        return y


class Derived(Model):
    """One that takes the method over."""


class Other(Model):
    @contextlib.contextmanager
    def scaled(self, scale, *, shift=0.0):
        self.scale = 3.0 * scale
        yield 2.0 * self.scale
        self.scale = 0.5 * self.scale


class Timer:
    def __init__(self):
        self.times = {}

    @contextlib.contextmanager
    def __call__(self, name):
        start = time.perf_counter()
        yield
        self.times[name] = time.perf_counter() - start


TIMER = Timer()


def run(x):
    return Model(x[0]).run(x)


def run_of_a_derived_class(x):
    return Derived(x[0]).run(x)


def left_early(x):
    return Model(x[0]).left_early(x)


def in_a_loop(x):
    return Derived(x[0]).in_a_loop(x)


def within_each_other(x):
    return Model(x[0]).within_each_other(x)


def of_a_local_object(x):
    model = Model(x[0])
    with model.scaled(x[1]):
        y = model.scale * x[2]
    return y * model.scale


def called_outside(x):
    with TIMER("squared"):
        y = x * x
    return y.sum()


PROGRAMS = [
    run, run_of_a_derived_class, left_early, in_a_loop, within_each_other, of_a_local_object,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_orders(f):
    laws.check_orders(f, X)


def test_of_an_object_outside():
    TIMER.times.clear()
    laws.check_function(called_outside, (X,))
    assert list(TIMER.times) == ["squared"]


def of_a_class_with_its_own(x):
    return Other(x[0]).run(x)


def of_one_of_two_classes(x):
    return sum(model.run(x) for model in (Model(x[0]), Other(x[1])))


def of_an_object_with_its_own(x):
    model = Model(x[0])
    model.scaled = lambda scale: contextlib.nullcontext(scale)
    with model.scaled(x[1]) as scale:
        y = scale * x[2]
    return y * model.scale


@pytest.mark.parametrize(
    "f", [of_a_class_with_its_own, of_one_of_two_classes, of_an_object_with_its_own]
)
def test_refused(f):
    with pytest.raises(tl.TapelessError):
        tl.grad(f)(X)


def test_the_message_says_what_to_write():
    with pytest.raises(tl.GradientError, match="around which block 'scaled' runs is not known"):
        tl.grad(of_a_class_with_its_own)(X)
