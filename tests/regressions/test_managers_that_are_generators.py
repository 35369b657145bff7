"""Context managers made of generators run as they are written, and are not followed.

So what they store into, and what is read within the block or after it, must be no business of the function:
a flag of the module, a setting in a dict, an attribute of what they are handed. A class is followed.
"""

import contextlib
import time

import pytest

import tapeless as tl
import tapeless.testing

CUBED = False
TIMINGS = {}
SETTINGS = {"k": 1.0}


class Holder:
    scale = 1.0

    def __init__(self, k):
        self.k = k


HELD = Holder(1.0)


def cube(value):
    global CUBED
    CUBED = value


@contextlib.contextmanager
def binding():
    global CUBED
    CUBED = True
    yield
    CUBED = False


@contextlib.contextmanager
def calling():
    cube(True)
    try:
        yield
    finally:
        cube(False)


@contextlib.contextmanager
def setting(k):
    old = SETTINGS["k"]
    SETTINGS["k"] = k
    try:
        yield
    finally:
        SETTINGS["k"] = old


@contextlib.contextmanager
def lending(holder, k):
    old, holder.k = holder.k, k
    yield
    holder.k = old


@contextlib.contextmanager
def scaling(scale):
    old, Holder.scale = Holder.scale, scale
    yield
    Holder.scale = old


class Cubing:
    def __enter__(self):
        cube(True)

    def __exit__(self, *error):
        cube(False)


class Setting:
    def __init__(self, k):
        self.k = k

    def __enter__(self):
        self.k, SETTINGS["k"] = SETTINGS["k"], self.k

    def __exit__(self, *error):
        self.k, SETTINGS["k"] = SETTINGS["k"], self.k


def power(x):
    return x**3 if CUBED else x * x


def within_binding(x):
    with binding():
        y = power(x)
    return y * power(x)


def within_calling(x):
    with calling():
        y = power(x)
    return y * power(x)


def within_setting(x):
    with setting(3.0):
        y = x * SETTINGS["k"]
    return y * SETTINGS["k"] * x


def within_lending(x):
    with lending(HELD, 3.0):
        y = x * HELD.k
    return y * HELD.k * x


def within_scaling(x):
    with scaling(3.0):
        y = x * Holder.scale
    return y * Holder.scale * x


def within_cubing(x):
    with Cubing():
        y = power(x)
    return y * power(x)


def within_a_setting_of_a_class(x):
    with Setting(3.0):
        y = x * SETTINGS["k"]
    return y * SETTINGS["k"] * x


@pytest.mark.parametrize(
    ("f", "stored"),
    [
        (within_binding, "`CUBED`"),
        (within_calling, "`CUBED`"),
        (within_setting, r"`SETTINGS\['k'\]`"),
        (within_lending, r"`holder\.k`"),
    ],
)
def test_generators_that_store_outside_are_refused(f, stored):
    message = f"this generator stores into {stored}"
    with pytest.raises(tl.GradientError, match=message):
        tl.grad(f)(2.0)
    with pytest.raises(tl.GradientError, match=message):
        tl.jvp(f, (2.0,), (1.0,))
    for _ in range(2):
        with pytest.raises(tl.GradientError, match=message):
            tl.hessian(f)(2.0)


@contextlib.contextmanager
def stopwatch(label):
    start = time.perf_counter()
    try:
        yield
    finally:
        TIMINGS[label] = time.perf_counter() - start


def timed(x):
    with stopwatch("cube"):
        y = x * x
    return y * x


def test_what_no_function_reads_may_be_stored_into():
    tapeless.testing.check_grads(timed, 2.0, order=2)
    assert list(TIMINGS) == ["cube"]


@pytest.mark.parametrize(
    ("f", "order"), [(within_scaling, 2), (within_cubing, 2), (within_a_setting_of_a_class, 1)]
)
def test_classes_are_followed(f, order):
    tapeless.testing.check_grads(f, 2.0, order=order, replay=True)
