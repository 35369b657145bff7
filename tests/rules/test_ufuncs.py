"""Every rule of ufuncs.py and complex_numbers.py, run by itself, broadcast and at singular points."""

import operator

import numpy as np
import pytest

import tapeless as tl
from tapeless.rules import complex_numbers, declare, ufuncs
from tapeless.runtime import bessel_i1, complex_sign, imaginary_part
from tapeless.testing import check_rule


def normal(*shape):
    return np.random.default_rng(1).normal(size=shape)


def between(low, high, *shape, seed=2):
    return np.random.default_rng(seed).uniform(low, high, size=shape)


def complex_normal(*shape):
    rng = np.random.default_rng(3)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


ANYWHERE = [
    np.negative,
    operator.neg,
    np.positive,
    operator.pos,
    np.cbrt,
    np.square,
    np.reciprocal,
    np.exp,
    np.exp2,
    np.expm1,
    np.sin,
    np.cos,
    np.tan,
    np.arctan,
    np.degrees,
    np.rad2deg,
    np.radians,
    np.deg2rad,
    np.sinc,
    np.sinh,
    np.cosh,
    np.tanh,
    np.arcsinh,
    np.i0,
    bessel_i1,
    np.fabs,
    np.absolute,
    operator.abs,
    abs,
    np.conjugate,
    np.ndarray.conj,
    np.ndarray.conjugate,
    np.real,
    np.imag,
    imaginary_part,
    complex_sign,
    np.angle,
    np.ndarray.real,
    np.ndarray.imag,
    np.real_if_close,
    np.modf,
    np.frexp,
]
ON_THE_UNIT_INTERVAL = [
    np.sqrt,
    np.log,
    np.log2,
    np.log10,
    np.log1p,
    np.arcsin,
    np.arccos,
    np.arctanh,
]
OF_TWO = [
    np.add,
    operator.add,
    np.subtract,
    operator.sub,
    np.multiply,
    operator.mul,
    np.divide,
    operator.truediv,
    np.power,
    np.float_power,
    operator.pow,
    np.remainder,
    operator.mod,
    np.fmod,
    np.divmod,
    np.logaddexp,
    np.logaddexp2,
    np.arctan2,
    np.hypot,
    np.copysign,
    np.heaviside,
    np.maximum,
    np.minimum,
    np.fmax,
    np.fmin,
]
HOLOMORPHIC = [
    np.negative,
    np.square,
    np.reciprocal,
    np.sqrt,
    np.exp,
    np.log,
    np.sin,
    np.cos,
    np.tan,
    np.arcsin,
    np.arccos,
    np.arctan,
    np.sinh,
    np.cosh,
    np.tanh,
    np.arcsinh,
    np.arccosh,
    np.arctanh,
]
NOT_HOLOMORPHIC = [
    np.absolute,
    abs,
    np.real,
    np.imag,
    imaginary_part,
    complex_sign,
    np.ndarray.real,
    np.ndarray.imag,
    np.conjugate,
    np.ndarray.conj,
    np.angle,
    np.real_if_close,
]
CHECKED = {
    *ANYWHERE,
    *ON_THE_UNIT_INTERVAL,
    *OF_TWO,
    *HOLOMORPHIC,
    *NOT_HOLOMORPHIC,
    *[np.clip, np.ndarray.clip, np.ldexp, np.nextafter, np.nan_to_num, np.unwrap],
    np.polyval,
}


@pytest.mark.parametrize("fn", ANYWHERE)
def test_of_any_number(fn):
    check_rule(fn, normal(2, 3))


@pytest.mark.parametrize("fn", ON_THE_UNIT_INTERVAL)
def test_on_the_unit_interval(fn):
    check_rule(fn, between(0.1, 0.9, 2, 3))


def test_inverse_of_cosh():
    check_rule(np.arccosh, between(1.2, 3.0, 2, 3))


@pytest.mark.parametrize("fn", OF_TWO)
def test_of_two(fn):
    check_rule(fn, between(0.2, 0.9, 2, 3), between(0.3, 1.5, 2, 3, seed=5))


@pytest.mark.parametrize("fn", [np.add, np.multiply, np.divide, np.power])
def test_of_two_numbers(fn):
    check_rule(fn, 0.7, 1.3)
    check_rule(fn, np.float64(0.7), normal(3) + 3.0)


@pytest.mark.parametrize("fn", HOLOMORPHIC)
def test_holomorphic(fn):
    check_rule(fn, complex_normal(2, 3))


@pytest.mark.parametrize("fn", NOT_HOLOMORPHIC)
def test_not_holomorphic(fn):
    check_rule(fn, complex_normal(2, 3))


@pytest.mark.parametrize("fn", [np.add, np.multiply, np.divide])
def test_real_with_complex(fn):
    check_rule(fn, normal(2, 3), complex_normal(3))
    check_rule(fn, complex_normal(2, 1), normal(3))


@pytest.mark.parametrize("exponent", [-3, -2.5, -1, 0.5, 1 / 3, 1, 1.5, 2, 3, 2.0, 3.0])
def test_power_with_a_constant_exponent(exponent):
    check_rule(np.power, between(0.2, 2.0, 2, 3), exponent)
    check_rule(operator.pow, between(0.2, 2.0, 2, 3), exponent)
    check_rule(operator.pow, 0.7, exponent)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -2])
def test_integer_powers_of_negative_numbers(exponent):
    check_rule(operator.pow, normal(2, 3), exponent)
    check_rule(np.power, normal(3), np.array([exponent, 3, 2]))


def test_power_with_a_constant_base():
    check_rule(operator.pow, 2.5, normal(2, 3))
    check_rule(np.power, 2, normal(2, 3))


def partials(fn, *args):
    """Return the partials that the rule of an elementwise function returns."""
    with np.errstate(all="ignore"):
        return declare.find_rule(fn).function(fn(*args), *args)


def test_power_at_zero():
    assert partials(operator.pow, 0.0, 0) == (0.0, 0.0)
    assert partials(operator.pow, 0.0, 2)[0] == 0.0
    assert partials(operator.pow, 0.0, 1)[0] == 1.0
    assert partials(operator.pow, 0.0, 0.5)[0] == np.inf
    assert partials(operator.pow, 0.0, 0.25)[0] == np.inf
    x = np.zeros(4)
    in_base, in_exponent = partials(np.power, x, np.array([0.0, 0.5, 1.0, 2.0]))
    assert np.array_equal(in_base, [0.0, np.inf, 1.0, 0.0])
    assert np.array_equal(in_exponent, [0.0, 0.0, 0.0, 0.0])
    assert np.array_equal(partials(np.power, x, 0)[0], np.zeros(4))
    assert not np.isnan(partials(np.power, np.array([-2.0, 0.0]), np.array([2.0, -1.0]))[1]).any()


def test_roots_at_zero():
    assert partials(np.sqrt, 0.0) == np.inf
    assert partials(np.cbrt, 0.0) == np.inf
    assert np.array_equal(partials(np.sqrt, np.zeros(2)), [np.inf, np.inf])
    assert partials(np.arcsin, 1.0) == np.inf


def test_absolute_value_at_zero():
    _, grad, jvp = complex_numbers.np_absolute(np.array([0.0, 0j]))
    assert np.array_equal(grad(np.ones(2)), [0, 0]) and np.array_equal(jvp(np.ones(2)), [0, 0])
    assert partials(np.fabs, 0.0) == 0.0


def test_modulus_of_a_complex_number():
    _, grad, _ = complex_numbers.np_absolute(1 + 2j)
    assert grad(2 * abs(1 + 2j)) == pytest.approx(2 - 4j)


@pytest.mark.parametrize("fn", [np.maximum, np.minimum, np.fmax, np.fmin])
def test_equal_arguments_share(fn):
    x = np.array([1.0, 2.0, np.inf, -np.inf])
    first, second = partials(fn, x, x)
    assert np.array_equal(first, [0.5] * 4) and np.array_equal(second, [0.5] * 4)


def test_maximum_with_zero():
    assert np.array_equal(partials(np.maximum, np.array([-1.0, 0.0, 2.0]), 0.0)[0], [0, 0.5, 1])
    check_rule(np.maximum, normal(2, 3), 0.0)
    check_rule(np.maximum, 0, normal(2, 3))
    check_rule(np.minimum, normal(2, 3), 0.0)


def test_extrema_that_ignore_nan():
    first, second = partials(np.fmax, np.array([np.nan, 1.0]), np.array([1.0, np.nan]))
    assert np.array_equal(first, [0, 1]) and np.array_equal(second, [1, 0])


def test_hypot_at_the_origin():
    assert partials(np.hypot, 0.0, 0.0) == (0.0, 0.0)
    first, _ = partials(np.hypot, np.array([0.0, 3.0]), np.array([0.0, 4.0]))
    assert np.array_equal(first, [0.0, 0.6])


def test_remainders_near_a_multiple():
    # 1.0 / 0.1 rounds to 10, and yet 0.1 goes into 1.0 only nine times
    assert partials(np.fmod, 1.0, 0.1)[1] == -9.0
    assert partials(operator.mod, 1.0, 0.1)[1] == -9.0


@pytest.mark.parametrize("x", [-0.2, -0.1, -0.05, 1e-3, 1e-9, 0.0999, 0.1001, 2.0])
def test_sinc_near_zero(x):
    check_rule(np.sinc, x)
    check_rule(np.sinc, np.array([x, 0.0]))


def test_slope_of_expm1_far_below_zero():
    assert partials(np.expm1, -50.0) == np.exp(-50.0)


def test_bessel_function():
    special = pytest.importorskip("scipy.special")
    x = np.array([0.0, 1e-12, 1e-3, 1.0, 20.0, -20.0, 300.0, 690.0])
    assert np.allclose(bessel_i1(x), special.i1(x), rtol=1e-12, atol=0.0)
    assert bessel_i1(np.float32(1.0)).dtype == np.float32


def test_clip():
    x, low, high = normal(2, 3), between(-1.0, -0.3, 3), between(0.2, 1.0, 2, 1)
    check_rule(np.clip, x, low, high)
    check_rule(np.clip, x, -0.5, 0.5)
    check_rule(np.clip, x, None, 0.5)
    check_rule(np.clip, x, low, None)
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        check_rule(np.clip, x, min=-0.5)
        check_rule(np.clip, x, max=high, min=-0.5)
    check_rule(np.clip, x, 0.5, -0.5)
    check_rule(np.ndarray.clip, x, -0.5, 0.5)
    check_rule(np.ndarray.clip, x, max=0.5)


def test_clip_at_its_limits():
    at_limits = partials(np.clip, np.array([-1.0, 0.0, 1.0]), -1.0, 1.0)
    assert np.array_equal(at_limits[0], [False, True, False])
    assert np.array_equal(at_limits[1], [True, False, False])
    assert np.array_equal(at_limits[2], [False, False, True])


def test_parts_of_numbers():
    check_rule(np.ldexp, normal(2, 3), np.array([1, 2, -3]))
    check_rule(np.ldexp, normal(3), np.array([[1], [2]]))
    assert partials(np.nextafter, 1.0, 2.0) == (1.0, None)


def test_nextafter():
    check_rule(np.nextafter, 0.5, 3.0)


def test_nan_to_num():
    check_rule(np.nan_to_num, normal(2, 3))
    check_rule(np.nan_to_num, normal(2, 3), nan=0.5, posinf=2.0, neginf=-2.0)
    x = np.array([1.0, np.nan, np.inf, -np.inf])
    _, grad, jvp = ufuncs.np_nan_to_num(x, nan=0.5, posinf=2.0, neginf=-2.0)
    x_bar, nan_bar, posinf_bar, neginf_bar = grad(np.array([1.0, 2.0, 3.0, 4.0]))
    assert np.array_equal(x_bar, [1.0, 0.0, 0.0, 0.0])
    assert (nan_bar, posinf_bar, neginf_bar) == (2.0, 3.0, 4.0)
    assert np.array_equal(jvp(np.ones(4), 2.0, 3.0, 4.0), [1.0, 2.0, 3.0, 4.0])


def test_unwrap():
    check_rule(np.unwrap, np.array([0.0, 2.0, 6.0, 9.0, 1.0]))
    check_rule(np.unwrap, np.array([[0.0, 2.0, 6.0], [9.0, 1.0, 7.0]]), axis=0)
    check_rule(np.unwrap, np.array([0.0, 2.0, 6.0, 9.0, 1.0]), period=5.5)


def test_polyval():
    check_rule(np.polyval, normal(4), normal(2, 3))
    check_rule(np.polyval, normal(4), 0.3)
    check_rule(np.polyval, normal(1), normal(3))


def rules_of(module):
    name = module.__name__
    found = declare._RULES.items()
    return {fn: r for fn, r in found if getattr(r.function, "__module__", None) == name}


def test_every_rule_is_checked():
    assert set(rules_of(ufuncs)) | set(rules_of(complex_numbers)) <= CHECKED


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_logaddexp_is_smooth_far_out(dtype):
    z = np.array([0.5, 200.0, -200.0, 1e4, -1e4], dtype=dtype)
    slope = tl.grad(lambda z: np.sum(np.logaddexp(z, 0.0)))
    curvature = tl.grad(lambda z: np.sum(slope(z)))
    share = 1.0 / (1.0 + np.exp(-z.astype(float)))
    np.testing.assert_allclose(slope(z), share, rtol=1e-5, atol=1e-38)
    np.testing.assert_allclose(curvature(z), share * (1.0 - share), rtol=1e-5, atol=1e-37)
    assert slope(z).dtype == curvature(z).dtype == dtype
