"""Every rule of complex_math.py, of complex numbers on all sides of the cuts, and of real ones."""

import cmath
import math

import pytest

from tapeless.rules import complex_math, declare
from tapeless.testing import check_grads, check_rule

ANALYTIC = [
    cmath.sqrt, cmath.exp, cmath.log, cmath.log10, cmath.sin, cmath.cos, cmath.tan, cmath.asin,
    cmath.acos, cmath.atan, cmath.sinh, cmath.cosh, cmath.tanh, cmath.asinh, cmath.acosh, cmath.atanh,
]  # fmt: skip
ASKED = [cmath.isnan, cmath.isinf, cmath.isfinite, cmath.isclose]
PLACES = [0.3 + 0.7j, -0.4 + 1.2j, -1.3 - 0.2j, 0.9 - 1.1j]


@pytest.mark.parametrize("function", ANALYTIC)
@pytest.mark.parametrize("z", PLACES)
def test_of_complex_numbers(function, z):
    check_rule(function, z)


@pytest.mark.parametrize("function", ANALYTIC)
@pytest.mark.parametrize("x", [0.6, -0.3])
def test_of_real_numbers(function, x):
    def parts(x):
        w = function(x)
        return w.real * 2.0 + w.imag

    check_grads(parts, x)


def test_logarithms_to_a_base():
    check_rule(cmath.log, 0.3 + 0.7j, 2.0 + 0.5j)
    check_rule(cmath.log, 0.3 + 0.7j, 3.0)


def polar_form(x, y):
    size, angle = cmath.polar(complex(x, y))
    w = cmath.rect(size * 2.0, angle + x)
    return w.real * cmath.phase(w) + w.imag


def escape_time(x, y):
    z = complex(x, y)
    for _ in range(4):
        if cmath.isfinite(z) and abs(z) < 2.0:
            z = z * z + complex(0.1, x)
    return z.real * z.imag


def roots_of_a_cubic(b, c):
    d = 3.0
    lower, upper = b * b - 3.0 * c, 2.0 * b**3 - 9.0 * b * c + 27.0 * d
    first = ((upper + cmath.sqrt(upper * upper - 4.0 * lower**3)) / 2.0) ** (1.0 / 3.0)
    roots = []
    for k in range(3):
        turned = first * cmath.exp(2j * math.pi * k / 3.0)
        roots.append(-(b + turned + lower / turned) / 3.0)
    return sum(root.real**2 + root.imag for root in roots[:2])


@pytest.mark.parametrize("function", [polar_form, escape_time, roots_of_a_cubic])
def test_programs(function):
    check_grads(function, 0.7, 0.4, replay=True)


def test_every_rule_is_checked():
    found = declare._RULES.items()
    here = {
        fn
        for fn, rule in found
        if getattr(rule.function, "__module__", "") == complex_math.__name__
    }
    assert here == {*ANALYTIC}
    for function in ASKED:
        assert declare.find_rule(function).form == "zero"
