"""What is returned may be state outside: the cotangent of the result comes to what is there."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay

LIST = [0.3, 0.5, 0.9]
ARRAY = np.array([0.3, 0.5, 0.9])
TABLE = {"a": 0.3, "b": 0.5}
SEED = [1.0, 2.0, 3.0]


@pytest.fixture(autouse=True)
def _fresh_state():
    yield
    LIST[:] = [0.3, 0.5, 0.9]
    ARRAY[:] = LIST
    TABLE.update(a=0.3, b=0.5)


def a_list(x):
    LIST[1] *= x
    return LIST


def under_another_name(x):
    LIST[1] *= x
    same = LIST
    return same


def an_array(x):
    ARRAY[1] *= x
    return ARRAY


def a_dict(x):
    TABLE["b"] *= x
    return TABLE


def beside_a_number(x):
    LIST[1] *= x
    return LIST, x * x


@pytest.mark.parametrize(
    "f, y_bar, wanted",
    [
        (a_list, SEED, 1.0),
        (under_another_name, SEED, 1.0),
        (an_array, np.array(SEED), 1.0),
        (a_dict, {"a": 1.0, "b": 2.0}, 1.0),
        (beside_a_number, (SEED, 3.0), 1.0 + 6.0 * 0.7),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_state_that_is_returned(f, y_bar, wanted):
    _, pullback = tl.vjp(f, 0.7)
    np.testing.assert_allclose(pullback(y_bar)[0], wanted)
    np.testing.assert_allclose(pullback(y_bar)[0], wanted)


@pytest.mark.parametrize("f", [a_list, an_array, a_dict], ids=lambda f: f.__name__)
def test_state_that_is_returned_is_replayed(f):
    check_replay(f, 0.7)
