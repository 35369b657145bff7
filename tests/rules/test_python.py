"""Every rule of python.py and python_math.py, run by itself on numbers."""

import ast
import inspect
import math
import operator
import sys

import numpy as np
import pytest

from tapeless.rules import declare, python, python_math
from tapeless.runtime import at_item, cotangents_of_sum, hypot_of, polygamma
from tapeless.testing import check_rule

OF_ONE = [
    math.sqrt,
    math.cbrt,
    math.exp,
    math.exp2,
    math.expm1,
    math.log,
    math.log2,
    math.log10,
    math.log1p,
    math.sin,
    math.cos,
    math.tan,
    math.asin,
    math.acos,
    math.atan,
    math.degrees,
    math.radians,
    math.sinh,
    math.cosh,
    math.tanh,
    math.asinh,
    math.atanh,
    math.gamma,
    math.lgamma,
    math.erf,
    math.erfc,
    math.fabs,
    math.modf,
    math.frexp,
    float,
]
OF_TWO = [
    math.pow,
    math.log,
    math.atan2,
    math.copysign,
    math.fmod,
    math.remainder,
    math.hypot,
    pow,
    divmod,
    complex,
    min,
    max,
]
OF_A_SEQUENCE = [sum, min, max, math.fsum, math.prod]
CHECKED = {
    *[*OF_ONE, *OF_TWO, *OF_A_SEQUENCE],
    *[
        math.acosh,
        math.nextafter,
        math.ldexp,
        math.dist,
        polygamma,
        at_item,
        cotangents_of_sum,
        hypot_of,
    ],
}
if sys.version_info >= (3, 12):
    CHECKED.add(math.sumprod)
if sys.version_info >= (3, 13):
    CHECKED.add(math.fma)


@pytest.mark.parametrize("fn", OF_ONE)
@pytest.mark.parametrize("x", [0.3, 0.85])
def test_of_one_number(fn, x):
    check_rule(fn, x)


@pytest.mark.parametrize(
    "fn", [math.sin, math.exp, math.cbrt, math.tanh, math.fabs, math.gamma, math.lgamma, math.erf]
)
def test_of_a_negative_number(fn):
    check_rule(fn, -1.3)


def test_of_larger_numbers():
    check_rule(math.acosh, 1.7)
    check_rule(math.gamma, 6.2)
    check_rule(math.lgamma, 31.0)


@pytest.mark.parametrize("fn", OF_TWO)
def test_of_two_numbers(fn):
    check_rule(fn, 0.7, 0.4)
    check_rule(fn, 1.1, 2.3)


@pytest.mark.parametrize("exponent", [-2, -1, 0, 1, 2, 3, 2.5, 0.5])
def test_power(exponent):
    check_rule(pow, 0.7, exponent)
    check_rule(math.pow, 0.7, exponent)
    check_rule(pow, base=0.7, exp=exponent)


@pytest.mark.parametrize("fn", OF_A_SEQUENCE)
def test_of_a_sequence(fn):
    check_rule(fn, [0.3, -1.2, 0.5])
    check_rule(fn, (0.3, 1.2, 0.5, 0.1))
    check_rule(fn, np.array([0.3, 0.7, -0.5]))


def test_sum():
    rng = np.random.default_rng(1)
    check_rule(sum, [rng.normal(size=3), rng.normal(size=3)])
    check_rule(sum, [rng.normal(size=3), 0.7], 0.5)
    check_rule(sum, rng.normal(size=(2, 3)))
    check_rule(sum, [0.1, 0.2], start=0.5)
    check_rule(sum, [0.1], start=rng.normal(size=2))


def test_product():
    check_rule(math.prod, [0.3, -1.2, 0.5], start=0.7)
    _, grad, _ = python_math.math_prod([0.0, 2.0, 3.0])
    assert np.array_equal(grad(1.0)[0], [6.0, 0.0, 0.0])


def test_of_several_numbers():
    check_rule(math.hypot, 0.3, -0.4, 1.2, 0.1)
    check_rule(math.hypot, 0.3)
    check_rule(hypot_of, [0.3, -0.4, 1.2])
    check_rule(math.dist, [0.3, -0.4], (1.2, 0.1))
    check_rule(max, 0.3, 0.9, 0.4)
    check_rule(min, 0.3, 0.9, 0.1)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="new in Python 3.12")
def test_sum_of_products():
    check_rule(math.sumprod, [0.3, -0.4], [1.2, 0.1])


@pytest.mark.skipif(sys.version_info < (3, 13), reason="new in Python 3.13")
def test_fused_multiply_and_add():
    check_rule(math.fma, 0.3, -0.4, 1.2)


def test_parts_of_numbers():
    check_rule(math.ldexp, 0.3, 2)
    check_rule(math.nextafter, 0.3, 2.0)


def test_conversion_of_an_array_with_one_entry():
    check_rule(float, np.array(0.3))
    check_rule(complex, 0.3)


def test_polygamma():
    for n in (0, 1, 2):
        check_rule(polygamma, n, 0.7)
        check_rule(polygamma, n, -1.3)
        check_rule(polygamma, n, 40.0)


def test_what_gradients_call():
    check_rule(cotangents_of_sum, 0.7, [0.1, 0.2, 0.3])
    check_rule(cotangents_of_sum, np.array([0.7, 0.2]), [0.1, np.array([0.2, 0.3])])
    check_rule(cotangents_of_sum, 0.7, np.array([0.2, 0.3]))
    check_rule(at_item, 0.7, 1, [0.1, 0.2, 0.3])
    check_rule(at_item, 0.7, 1, np.array([0.1, 0.2, 0.3]))


def partials(fn, *args):
    with np.errstate(all="ignore"):
        return declare.find_rule(fn).function(fn(*args), *args)


def test_singular_points_have_infinite_slopes():
    assert partials(math.sqrt, 0.0) == np.inf
    assert partials(math.cbrt, 0.0) == np.inf
    assert partials(math.asin, 1.0) == np.inf
    assert partials(math.acos, 1.0) == -np.inf
    assert partials(math.acosh, 1.0) == np.inf
    assert partials(math.pow, 0.0, 0.5)[0] == np.inf
    assert np.isnan(partials(math.atan2, 0.0, 0.0)[0])


def test_kinks_have_no_slope():
    assert partials(math.fabs, 0.0) == 0.0
    assert python_math.math_hypot(0.0, 0.0)[1](1.0) == (0.0, 0.0)
    assert python_math.math_dist([1.0, 2.0], [1.0, 2.0])[1](1.0)[0] == [0.0, 0.0]


def test_the_first_of_equal_numbers_is_selected():
    assert python.builtin_max(1.0, 1.0)[1](2.0) == (2.0, 0.0)
    assert python.builtin_min(1.0, 1.0)[1](2.0) == (2.0, 0.0)
    assert python.builtin_max(0.0, 1.0, 1.0)[1](2.0) == (0.0, 2.0, 0.0)
    assert python.builtin_min([3.0, 1.0, 1.0])[1](2.0) == ([0.0, 2.0, 0.0],)


def test_remainder_near_a_multiple():
    assert partials(math.fmod, 1.0, 0.1)[1] == -9


def listed_constants(module):
    """Return what a module lists by `zero_gradient`, read from its text."""
    listed = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "built_in_zero":
            listed |= {eval(ast.unparse(item), vars(module)) for item in node.args}
    return listed


PAIRS = [operator.lt, operator.le, operator.eq, operator.ne, operator.ge, operator.gt]
NUMBERS = [math.floor, math.ceil, math.trunc, math.isnan, math.isinf, math.isfinite]


@pytest.mark.parametrize("fn", [*PAIRS, operator.floordiv, operator.is_not, math.isclose])
def test_piecewise_constant_of_two(fn):
    check_rule(fn, 0.3, 1.7)


@pytest.mark.parametrize("fn", [*NUMBERS, operator.not_, operator.truth, round, int, bool])
def test_piecewise_constant_of_one(fn):
    check_rule(fn, 0.3)


def test_every_constant_is_declared():
    for fn in listed_constants(python):
        assert declare.find_rule(fn).form == "zero"
    assert {len, isinstance, range, str, print} <= listed_constants(python)


def rules_here():
    names = (python.__name__, python_math.__name__)
    found = declare._RULES.items()
    return {fn: r for fn, r in found if getattr(r.function, "__module__", None) in names}


def test_every_rule_is_checked():
    assert set(rules_here()) == CHECKED
