"""Arguments that a dict passes reach their parameters, or the call is refused: none is dropped."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import GradientError
from tests import laws

X = np.array([1.3, 0.7, 1.9])


def power(t, k=1.0, t0=0.0):
    return (t - t0) ** 2 * k


def by_name(t, *, k=1.0, t0=0.0):
    return (t - t0) ** 2 * k


def with_any(t, **given):
    return t * t * given["k"]


def by_place(t, k=2.0, /, **given):
    return t * t * k * given["k"]


class Line:
    def __init__(self, a, b=2.0):
        self.a = a
        self.b = b

    def at(self, t, k=1.0):
        return self.a * t * k * self.b


OPTIONS = {"k": 3.0}


def test_keys_that_are_known():
    def made_by_dict(x):
        s = dict(k=3.0)  # noqa: C408
        return power(x[0], **s)

    def displayed(x):
        return power(x[0], **{"k": 3.0, "t0": x[1]})

    def two(x):
        s, r = {"k": x[1]}, {"t0": x[2]}
        return power(x[0], **s, **r)

    def outside(x):
        return power(x[0], **OPTIONS)

    def of_any(x):
        s = {"k": x[1], "t0": 1.0}
        return with_any(x[0], **s)

    def of_an_object(x):
        s = {"b": x[1]}
        line = Line(x[0], **s)
        return line.at(x[2], **{"k": x[1]})

    def of_a_library(x):
        s = {"axis": 0}
        return np.sum(np.sum(np.outer(x, x), **s) ** 2)

    def beside_a_star(x):
        a = (x[0], x[1])
        return power(*a, **{"t0": x[2]})

    for f in (made_by_dict, displayed, two, outside, of_any, of_an_object, of_a_library,
              beside_a_star):  # fmt: skip
        laws.check_function(f, (X,), smooth=True)


def test_dict_that_was_stored_into():
    def stored(x):
        s = {}
        s["k"] = x[2]
        return power(x[0], **s)

    def in_a_branch(x):
        s = {"k": x[1]}
        if x[0] > 0.0:
            s["t0"] = x[2]
        if x[0] > 9.0:
            s["k"] = 7.0
        return power(x[0], **s)

    def taken_out(x):
        s = {"k": x[1]}
        s.update(t0=x[2])
        s.pop("k")
        return power(x[0], **s)

    def updated(x):
        s = {"k": x[1]}
        s.update({"t0": x[2]})
        s["k"] *= 2.0
        return by_name(x[0], **s)

    def in_a_loop(x):
        s, y = {}, 0.0
        for i in range(2):
            s["k"] = x[i]
            y += power(x[2], **s)
        return y

    def of_a_local_function(x):
        def inner(t, k=1.0):
            return t * k * k

        s = {"k": x[1]}
        s["k"] = x[2]
        return inner(x[0], **s)

    def by_default(x, **options):
        options.setdefault("k", x[1])
        return power(x[0], **options)

    for f in (stored, in_a_branch, taken_out, updated, in_a_loop, of_a_local_function, by_default):
        laws.check_function(f, (X,), smooth=True)


def test_parameter_by_place_is_not_a_keyword():
    def f(x):
        return by_place(x[0], k=x[1])

    laws.check_function(f, (X,), smooth=True)


def test_keys_that_are_numbered():
    def numbered(x):
        s = {key: x[i] for i, key in enumerate(["k", "t0"])}
        return power(x[2], **s)

    laws.check_function(numbered, (X,), smooth=True)


def test_keys_that_are_not_known_are_refused():
    def computed(x):
        s = {key: x[i] for i, key in enumerate(sorted({"k", "t0"}))}
        return power(x[2], **s)

    def zipped(x):
        s = dict(zip(["k", "t0"], [x[0], x[1]], strict=True))
        return power(x[2], **s)

    for f in (computed, zipped):
        with pytest.raises(GradientError, match=r"\*\*"):
            tl.grad(f)(X)
        with pytest.raises(GradientError):
            tl.jvp(f, (X,), (X,))
