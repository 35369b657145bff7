"""What a handler reads has its tangent there, even if the body hands it on under another name."""

import math

import pytest

from tapeless.testing import check_grads


def bounded(a, b):
    if a > 100.0:
        raise ValueError("too large")
    return a * b


def bounds_bound_side_by_side(x, y):
    try:
        low, high = x * 2.0, y * 3.0
        v = bounded(low, high)
    except ValueError:
        v = low - high
    return v * x


def bound_again_in_the_body(x, y):
    try:
        low = x * 2.0
        high = math.log(y) * low
        high = high * 2.0 + high
        v = bounded(low * 100.0, high)
    except Exception:
        v = low - high
    return v * x


def with_a_finally(x, y):
    s = 0.0
    try:
        low = x * 2.0
        s = low * y
        s = s + bounded(low, s)
    except ValueError:
        s = s * x
    finally:
        s = s + low
    return s


def in_a_loop(x, y):
    kept = []
    for v in (x, y):
        t = v * 0.5
        try:
            t = t * y
            kept.append(bounded(t * 3.0, v))
            t = t * t
        except ValueError:
            kept.append(t)
    return kept[0] * kept[1] * t


@pytest.mark.parametrize(
    "function", [bounds_bound_side_by_side, bound_again_in_the_body, with_a_finally, in_a_loop]
)
@pytest.mark.parametrize("x", [60.0, 0.3])
def test_tangents_that_handlers_read(function, x):
    check_grads(function, x, 2.5, replay=True)
