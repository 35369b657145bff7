"""A local function that is returned has defaults and takes what is left over; what it captures is apart."""

import pytest

from tapeless.testing import check_grads


def with_rest(a, b):
    def total(x, *rest):
        t = x * a
        for r in rest:
            t = t + r * b
        return t

    return total


def with_rest_alone(a, b):
    def horner(*rest):
        t = a
        for r in rest:
            t = t * b + r
        return t

    return horner


def with_defaults(a, b):
    def line(x, k=2.0, *rest, w=3.0, **others):
        t = x * a * k * w
        for r in rest:
            t = t + r * b
        return t + others.get("z", 1.0) * b

    return line


def called_at_once(a, b):
    return with_rest(a, b)(a, b, a * b, 2.0)


def called_by_a_name(a, b):
    f = with_rest_alone(a, b)
    return f(a, b, a * b, 2.0) + f() * f(b)


def called_out_of_a_tuple(a, b):
    both = (with_rest_alone(a, b), with_rest(a, b))
    return both[0](a, b) + both[1](a, b, a)


def called_with_defaults(a, b):
    f = with_defaults(a, b)
    return f(a) + f(a, b) * f(a, b, a, w=b) + f(b, z=a) + f(b, k=a)


@pytest.mark.parametrize(
    "f", [called_at_once, called_by_a_name, called_out_of_a_tuple, called_with_defaults]
)
def test_what_is_captured_is_no_argument(f):
    check_grads(f, 0.7, 1.3, order=1)
