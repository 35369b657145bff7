"""Context managers made of generators, which are written around their blocks if these may see what they do.

They change a flag of the module, a setting in a dict, an attribute of what they are handed, or an array in
place: a derivative once took all this for what it was. One that keeps to itself runs as it is written.
"""

import contextlib
import time

import numpy as np
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


def test_a_generator_that_binds_a_name_of_its_module_is_refused():
    message = "this generator may change `CUBED`"
    with pytest.raises(tl.GradientError, match=message):
        tl.grad(within_binding)(2.0)
    with pytest.raises(tl.GradientError, match=message):
        tl.jvp(within_binding, (2.0,), (1.0,))
    for _ in range(2):
        with pytest.raises(tl.GradientError, match=message):
            tl.hessian(within_binding)(2.0)


@contextlib.contextmanager
def scaled(x, by=2.0):
    yield x * by


@contextlib.contextmanager
def guarded(log):
    try:
        yield
    except ValueError as error:
        log.append(str(error))


@contextlib.contextmanager
def restored(thing, key, value):
    old = getattr(thing, key)
    setattr(thing, key, value)
    try:
        yield thing
    finally:
        setattr(thing, key, old)


@contextlib.contextmanager
def filling(a):
    a.fill(2.0)
    yield
    np.add(a, 1.0, out=a)


@contextlib.contextmanager
def counting(held):
    held.tick()
    yield
    held.tick()


class Ticking:
    def __init__(self):
        self.n = 0

    def tick(self):
        self.n += 1


def two_in_one_with(x):
    with scaled(x) as s, scaled(s, by=x) as u:
        y = s * x + u
    return y


def left_by_an_exception(x):
    log, total = [], 0.0
    for k in range(3):
        with guarded(log):
            if k == 1:
                raise ValueError("left out")
            total = total + x * x * (k + 1)
    return total * len(log)


def left_by_a_jump(x):
    held, total = Ticking(), 0.0
    for k in range(4):
        with counting(held):
            if k == 2:
                break
            total = total + x * held.n
    return total * held.n


def left_by_returning(x):
    held = Ticking()
    with counting(held):
        if x > 1.0:
            return x * x * held.n
        y = x
    return y


def varying_attribute(x):
    held = Holder(x)
    with restored(held, "k", x * x) as same:
        y = x * same.k
    return y * held.k


def filled_twice(x):
    a = np.ones(2)
    with filling(a):
        y = x * a
    return np.sum(y * x * a)


def counted(x):
    held = Ticking()
    for _ in range(3):
        with counting(held):
            x = x * held.n
    return x * held.n


def defined_inside(x):
    log = []

    @contextlib.contextmanager
    def phase(name):
        n = len(log)
        try:
            yield n + 1
        finally:
            log.append(name)

    for k in range(3):
        with phase(str(k)) as n:
            x = x * n
    return x * x * len(log)


def changing_a_local_name(x):
    depth = 0

    @contextlib.contextmanager
    def deeper():
        nonlocal depth
        depth += 1
        yield
        depth -= 1

    with deeper():
        y = x * depth
        with deeper():
            y = y * x * depth
    return y * (depth + 1)


WRITTEN_AROUND = [
    two_in_one_with,
    left_by_an_exception,
    left_by_a_jump,
    left_by_returning,
    varying_attribute,
    filled_twice,
    counted,
    defined_inside,
    changing_a_local_name,
]


@pytest.mark.parametrize("f", WRITTEN_AROUND)
def test_generators_are_written_around_blocks(f):
    tapeless.testing.check_grads(f, 1.3, order=2, replay=True)


@pytest.mark.parametrize("f", [within_calling, within_setting, within_lending])
def test_what_generators_store_outside_is_followed(f):
    tapeless.testing.check_grads(f, 1.3, order=1, replay=True)
    assert (CUBED, SETTINGS["k"], HELD.k) == (False, 1.0, 1.0)


def test_a_generator_is_printed_around_the_block():
    text = tl.source(tl.grad(filled_twice), like=(1.3,))
    assert "    a.fill(2.0)\n" in text
    assert "with " not in text


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
