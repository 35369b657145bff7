"""Texts that are given, assertions and `np.errstate` in loops."""

import numpy as np
import pytest

from tapeless.lower import NotLowered, lowered
from tapeless.lower.compiled import with_loops

X = np.array([0.3, 0.5, 0.7, 1.1])


def chosen(x, how):
    if how == "exp":
        return np.sum(np.exp(x))
    return np.sum(np.sin(x)) if how != "square" else np.sum(x * x)


def among(x, how):
    return np.sum(np.exp(x)) if how in ("exp", "exponential") else np.sum(x)


def labelled(x, label):
    return np.sum(x * x)


def checked(x):
    assert x.ndim == 1
    assert np.all(x > 0.0)
    return np.sum(np.log(x))


def quiet(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(x)
    return np.sum(np.where(x > 0.0, y, 0.0))


def strict(x):
    with np.errstate(divide="raise"):
        y = np.log(x)
    return np.sum(y)


def as_loops(f, *arguments):
    return with_loops(lowered(f, arguments), f, f.__name__, jit=False)


@pytest.mark.parametrize("how", ["exp", "sin", "square"])
def test_texts_choose_branches(how):
    quick = as_loops(chosen, X, how)
    for said in ("exp", "sin", "square"):  # of other texts the function itself is run
        np.testing.assert_allclose(quick(X, said), chosen(X, said), rtol=1e-14)


def test_what_is_not_chosen_is_not_written():
    made = lowered(chosen, [X, "square"])
    assert made.texts == ((1, "square"),)
    assert "exp" not in made.text and "sin" not in made.text


def test_texts_that_are_one_of_several():
    quick = as_loops(among, X, "exponential")
    for said in ("exponential", "exp", "none"):
        np.testing.assert_allclose(quick(X, said), among(X, said), rtol=1e-14)


def test_labels_are_not_rested_on():
    assert lowered(labelled, [X, "first run"]).texts == ()
    assert as_loops(labelled, X, "first run")(X, "second run") == labelled(X, "")


def test_assertions_that_fail_are_raised_by_the_function_itself():
    quick = as_loops(checked, X)
    np.testing.assert_allclose(quick(X), checked(X), rtol=1e-14)
    with pytest.raises(AssertionError):
        quick(-X)


def test_loops_warn_of_nothing():
    quick = as_loops(quiet, X)
    np.testing.assert_allclose(quick(X - 0.4), quiet(X - 0.4), rtol=1e-14)


def test_errors_of_numpy_are_not_promised():
    with pytest.raises(NotLowered, match="errstate"):
        lowered(strict, [X])
