"""What is known of a function whose analysis was refused: nothing, when it is asked for again.

The body of a custom gradient may hold what is refused elsewhere, for it is run and not differentiated.
Analysing it again must not find the empty beginning of the first attempt.
"""

import logging

import numpy as np
import pytest

import tapeless as tl
from tests import laws

log = logging.getLogger(__name__)
factor = [2.0]
gain = tl.Variable(2.0)


@tl.custom_gradient
def logged_square(x):
    log.debug("square")
    return x * x, lambda upstream: 2.0 * x * upstream


@tl.custom_gradient
def told(x):
    vars(log)
    log.debug("told")

    def grad(upstream):
        return np.cos(x) * upstream

    return np.sin(x), grad


def item_after(x):
    return logged_square(x) * factor[0]


def variable_after(x):
    return np.sin(logged_square(x)) * gain


def in_a_loop(x):
    y = x
    for i in range(3):
        y = told(y) * factor[0]
    return y


def inner(x):
    return told(x) * factor[0]


def in_a_callee(x):
    return inner(x) * inner(2.0 * x)


def in_a_branch(x):
    if x > 0.0:
        y = told(x) * factor[0]
    else:
        y = logged_square(x)
    return y * x


@pytest.mark.parametrize("f", [item_after, variable_after, in_a_loop, in_a_callee, in_a_branch])
def test_the_gradient_is_not_lost(f):
    wanted, error = laws.central_difference(lambda step: float(f(0.7 + step)))
    laws.assert_near(float(tl.grad(f)(0.7)), wanted, error, f.__name__)
    laws.assert_near(float(tl.jvp(f, (0.7,), (1.0,))[1]), wanted, error, f.__name__)
