"""Exceptions: what is refused, in which words, and that effects happen once."""

import traceback

import numpy as np
import pytest

import tapeless as tl

TABLE = {"a": 2.0}
CALLS = []


class Carrying(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value


def fill(a, x, n):
    for i in range(n):
        a[i] = x * i


def filled_in_part(x):
    a = np.zeros(3)
    try:
        fill(a, x, 5)
    except IndexError:
        a[0] = x
    return np.sum(a)


def carried(x):
    try:
        raise Carrying(x * x)
    except Carrying as error:
        y = error.value
    return y


def swallowed(x):
    for i in range(3):
        try:
            x = x * x / (2 - i)
        finally:
            continue
    return x


REFUSALS = {
    filled_in_part: (
        "what this stores stays there when an exception interrupts the body, and how far the body "
        "came is not known",
        "fill(a, x, 5)",
        "move the store behind what may raise, or into `else:`",
    ),
    carried: (
        "what the exception `error` carries may vary, and is not followed",
        "y = error.value",
        "hand the value over in a variable, and raise without it",
    ),
    swallowed: (
        "a jump out of `finally` swallows whatever exception is on its way",
        "continue",
        "move it behind the `try`, or write `except`",
    ),
}


@pytest.mark.parametrize("function", REFUSALS, ids=lambda f: f.__name__)
def test_refused_with_place_reason_and_way_out(function):
    reason, line, fix = REFUSALS[function]
    with pytest.raises(tl.TapelessError) as caught:
        tl.grad(function)(1.3)
    assert caught.value.reason == reason
    assert caught.value.fix == fix
    assert caught.value.filename == __file__
    with open(__file__) as file:
        assert file.readlines()[caught.value.lineno - 1].strip() == line


def noted(x, key):
    try:
        CALLS.append("body")
        y = x * TABLE[key]
    except KeyError:
        CALLS.append("handler")
        y = x * x
    else:
        CALLS.append("else")
    finally:
        CALLS.append("finally")
    return y


@pytest.mark.parametrize("key", ["a", "z"])
@pytest.mark.parametrize(
    "derivative", [tl.grad(noted), lambda x, k: tl.jvp(noted, (x, k), (1.0, None))]
)
def test_every_part_runs_as_in_one_plain_call(derivative, key):
    CALLS.clear()
    noted(1.3, key)
    plain = list(CALLS)
    CALLS.clear()
    derivative(1.3, key)
    assert plain == CALLS


def not_caught(x):
    try:
        y = x * TABLE["missing"]
    except IndexError:
        y = x
    finally:
        CALLS.append("finally")
    return y


def test_what_is_not_caught_comes_out_as_it_is():
    CALLS.clear()
    with pytest.raises(KeyError, match="missing") as caught:
        tl.grad(not_caught)(1.3)
    assert CALLS == ["finally"]
    shown = "".join(traceback.format_exception(caught.value))
    assert "generated from" in shown and "y = x * TABLE" in shown


class Manager:
    def __init__(self):
        self.seen = []

    def __enter__(self):
        self.seen.append("enter")
        return self

    def __exit__(self, kind, error, trace):
        self.seen.append(kind)
        return kind is KeyError


MANAGER = Manager()


def managed(x, key):
    y = x * x
    with MANAGER:
        y = x * TABLE[key]
    return y * x


@pytest.mark.parametrize(("key", "kind", "slope"), [("a", None, 5.2), ("z", KeyError, 5.07)])
def test_exit_is_told_what_happened(key, kind, slope):
    MANAGER.seen.clear()
    assert tl.grad(managed)(1.3, key) == pytest.approx(slope)
    assert MANAGER.seen == ["enter", kind]


def raising_statement_alone(x, i):
    y = x[0] * 3.0
    try:
        x[i]
        v = x[i] + 1.0  # noqa: F841
    except IndexError:
        y = x[0] * 2.0
    return y * y


@pytest.mark.parametrize(("i", "slope"), [(1, 18.0), (7, 8.0)])
def test_what_only_raises_stays(i, slope):
    assert tl.grad(raising_statement_alone)(np.array([1.0, 2.0]), i)[0] == slope


def needs_what_is_not_there(x):
    try:
        import surely_not_installed as fast
    except ImportError:
        fast = None
    return x * x if fast is None else fast.square(x)


def test_a_missing_module_is_missed_where_it_is_imported():
    assert tl.grad(needs_what_is_not_there)(1.5) == 3.0
    assert tl.jvp(needs_what_is_not_there, (1.5,), (1.0,)) == (2.25, 3.0)


def interrupted_by_what_is_after_a_finally(x):
    terms = []
    for _ in range(2):
        try:
            try:
                terms.append(x[0] * x[1])
                break
            finally:
                terms[0] = x[7]
        except IndexError:
            terms.append(x[3])
    return sum(terms) * x[0]


@pytest.mark.parametrize(
    "f",
    [
        interrupted_by_what_is_after_a_finally,
    ],
)
def test_a_jump_goes_on_to_what_may_raise(f):
    with pytest.raises(tl.GradientError, match="what this stores stays there when an exception"):
        tl.grad(f)(np.array([0.6, 1.4, 2.3, 0.9]))
