"""Only a real scalar has a gradient: what else a function returns is refused, on the way that returns it."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def returns_text(x):
    if x > 0:
        return "positive"
    return x * x


def returns_none(x):
    if x > 0:
        return None
    return x * x


def returns_true(x):
    if x > 0:
        return True
    return x * x


def returns_comparison(x):
    return x * x if x <= 0 else np.less(0.0, x)


def returns_nothing(x):
    if x <= 0:
        return x * x


def returns_list(x):
    if x > 0:
        return [x, x]
    return x * x


def returns_tuple(x):
    if x > 0:
        return x, x
    return x * x


def returns_array(x):
    if x > 0:
        return np.ones(3) * x
    return x * x


def returns_complex(x):
    if x > 0:
        return x * 1j
    return x * x


def text_by_one_return(x):
    if x > 0:
        y = "positive"
    else:
        y = x * x
    return y


def text_of_a_callee(x):
    return returns_text(x)


def text_from_a_loop(x):
    for k in range(3):
        if x > k:
            return "found"
    return x * x


class Model:
    """A function as a method."""

    def loss(self, x):
        return returns_text(x)

    def shifted(self, x):
        if x > 0:
            return None
        return x * x


REFUSED = [
    (returns_text, "a str is returned"),
    (returns_none, "None is returned"),
    (returns_true, "a bool is returned"),
    (returns_comparison, "a bool"),
    (returns_nothing, "None is returned"),
    (returns_list, "a list is returned"),
    (returns_tuple, "a tuple is returned"),
    (returns_array, r"an array of shape \(3,\) and dtype float64 is returned"),
    (returns_complex, "complex"),
    (text_by_one_return, "a str is returned"),
    (text_of_a_callee, "a str is returned"),
    (text_from_a_loop, "a str is returned"),
    (Model().loss, "a str is returned"),
    (Model().shifted, "None is returned"),
]
LABELS = [f.__name__ for f, _ in REFUSED]


@pytest.mark.parametrize("f, reason", REFUSED, ids=LABELS)
@pytest.mark.parametrize("take", [tl.grad, tl.value_and_grad])
def test_what_is_no_real_scalar_is_refused(take, f, reason):
    with pytest.raises(tl.GradientError, match=reason):
        take(f)(1.0)


@pytest.mark.parametrize("f, reason", REFUSED, ids=LABELS)
def test_the_other_way_has_its_gradient(f, reason):
    assert tl.grad(f)(-3.0) == -6.0
    assert tl.value_and_grad(f)(-3.0) == (9.0, -6.0)
    assert tl.grad(tl.grad(f))(-3.0) == 2.0


def test_a_way_that_is_taken_later_is_refused_then():
    gradient = tl.grad(returns_text)
    assert gradient(-3.0) == -6.0
    with pytest.raises(tl.GradientError, match="a str is returned"):
        gradient(3.0)
    assert gradient(-2.0) == -4.0


def test_a_gradient_inside_is_refused_too():
    with pytest.raises(tl.GradientError, match="a str is returned"):
        tl.grad(lambda x: tl.grad(returns_text)(x))(1.0)


def forgotten_real(x):
    return np.sum(np.exp(1j * x))


def complex_scalar(x):
    return x * 1j + 1.0


def complex_single(x):
    return np.sum(x.astype(np.complex64))


def complex_from_a_callee(x):
    return forgotten_real(x) * 2.0


@pytest.mark.parametrize("take", [tl.grad, tl.value_and_grad])
@pytest.mark.parametrize(
    "f, x",
    [
        (forgotten_real, np.ones(2)),
        (complex_scalar, 2.0),
        (complex_single, np.ones(2, np.float32)),
        (complex_from_a_callee, np.ones(2)),
    ],
)
def test_complex_results_are_refused(take, f, x):
    with pytest.raises(tl.GradientError, match=r"complex(.|\n)*take the real part"):
        take(f)(x)


def real_part(x):
    return np.sum(np.exp(1j * x)).real


def real_by_function(x):
    return np.real(np.sum(np.exp(1j * x) * x))


def imaginary_part(x):
    return np.sum(np.exp(1j * x)).imag


def magnitude(x):
    return np.abs(np.sum(np.exp(1j * x)))


def squared_magnitudes(x):
    z = np.fft.fft(x)
    return np.sum(np.abs(z) ** 2) + (z[1] * np.conj(z[1])).real


@pytest.mark.parametrize(
    "f", [real_part, real_by_function, imaginary_part, magnitude, squared_magnitudes]
)
def test_real_results_of_complex_numbers(f):
    laws.check_function(f, (np.array([0.3, 0.8, -0.4]),), smooth=True)


def beside_a_text(x):
    if x > 0:
        return "positive", 1
    return x * x, "beside"


def test_of_a_pair_only_the_first_is_asked():
    assert tl.grad(beside_a_text, has_aux=True)(-3.0) == (-6.0, "beside")
    with pytest.raises(tl.GradientError, match="a str is returned"):
        tl.grad(beside_a_text, has_aux=True)(3.0)
    assert tl.grad(lambda x: (x * x, 1j * x), has_aux=True)(3.0) == (6.0, 3j)
    with pytest.raises(tl.GradientError, match="complex"):
        tl.grad(lambda x: (1j * x, x), has_aux=True)(3.0)


def integer_on_one_way(x):
    if x > 0:
        return 3
    return x * x


def single_on_one_way(x):
    if x > 0:
        return np.float32(2.0) * x
    return np.array(x * x)


def reduced_along(x, axis):
    return np.sum(x * x, axis=axis)


def test_real_scalars_of_every_sort_are_right():
    assert tl.value_and_grad(integer_on_one_way)(2.0) == (3, 0.0)
    assert tl.value_and_grad(integer_on_one_way)(-2.0) == (4.0, -4.0)
    assert tl.grad(single_on_one_way)(1.0) == 2.0
    assert tl.grad(single_on_one_way)(-1.0) == -2.0
    assert tl.grad(lambda x: x * x)(np.float32(3.0)) == 6.0
    assert tl.grad(lambda x: x * x)(np.array(3.0)) == 6.0
    assert tl.grad(lambda x: x * x)(3) == 6.0
    assert tl.grad(lambda x: np.int64(4))(3.0) == 0.0
    np.testing.assert_array_equal(tl.grad(reduced_along)(np.ones(2), 0), [2.0, 2.0])
    np.testing.assert_array_equal(tl.grad(reduced_along)(np.ones(2), None), [2.0, 2.0])
    with pytest.raises(tl.GradientError, match="array"):
        tl.grad(reduced_along)(np.ones((2, 2)), 0)
