"""Messages that a function writes to a log: they go through as they are, once, and change nothing."""

import logging
import math
import warnings

import numpy as np
import pytest

import tapeless as tl
from tests import laws

log = logging.getLogger(__name__)


class Solver:
    def __init__(self):
        self.log = logging.getLogger("solver")

    def run(self, x):
        self.log.info("at %s", x)
        return x * x


def of_the_module(x):
    log.info("x is %s", x)
    logging.debug("x is %s", x)
    return x * x


def of_an_object(x):
    return Solver().run(x) * x


def found_in_the_function(x):
    own = logging.getLogger("own")
    own.info("x is %s", x)
    logging.getLogger("other").info("and %s", x * x)
    return x**3


def in_a_loop_and_branches(x):
    y = 0.0
    for k in range(3):
        log.info(f"{k}: {x:.3f}")
        y += x * y + k * x
        if log.isEnabledFor(logging.INFO):
            log.info("y is %s", y)
        if not np.isfinite(y):
            warnings.warn(f"y is {y}", RuntimeWarning, stacklevel=1)
    return y


def in_a_handler(x):
    try:
        y = math.log(x - 1.0)
    except ValueError:
        log.exception("%s is too small", x)
        y = x * x
    return y


@pytest.mark.parametrize(
    "f", [of_the_module, of_an_object, found_in_the_function, in_a_loop_and_branches, in_a_handler]
)
def test_they_change_no_derivative(f):
    laws.check_function(f, (0.7,))


def changed_around_a_message(a):
    a[0] *= 2.0
    log.info("%s", a.tolist())
    a[1] *= a[0]
    return np.sum(a)


def test_each_is_written_once_and_at_its_time(caplog):
    x = np.array([1.0, 2.0])
    with caplog.at_level(logging.INFO):
        np.testing.assert_array_equal(tl.grad(changed_around_a_message)(x), [6.0, 2.0])
        tl.jvp(changed_around_a_message, (x,), (x,))
    assert [record.getMessage() for record in caplog.records] == ["[2.0, 2.0]"] * 2
