"""Numbers that leave by texts, keys, or classes that are not entered, and items of sequences."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def number_of_a_percent_text(a):
    return float("%.12f" % a)  # noqa: UP031


def numbers_of_joined_texts(a):
    texts = ",".join(str(v) for v in [a, 2.0 * a])
    return sum(float(part) for part in texts.split(","))


def value_by_eval(a):
    text = "a * a"
    return eval(text)


def value_by_locals(a):
    return locals()["a"] * a


def key_that_varies(a):
    table = {a: 1.0}
    return sum(table) * a


def key_stored_that_varies(a):
    table = {}
    table[a] = a
    for k in table:
        a = a * k
    return a


@pytest.mark.parametrize(
    "function",
    [
        number_of_a_percent_text, numbers_of_joined_texts, value_by_eval, value_by_locals,
        key_that_varies, key_stored_that_varies,
    ],
)  # fmt: skip
def test_numbers_that_leave_the_text_are_refused(function):
    for derive in (lambda: tl.grad(function)(1.3), lambda: tl.jvp(function, (1.3,), (1.0,))):
        with pytest.raises(tl.TapelessError) as caught:
            derive()
        assert caught.value.filename == __file__ and caught.value.lineno


def text_for_people_only(a):
    label = "%f" % a + f"{a:.2f}"  # noqa: UP031
    return a * len(label) * a


def complex_of_two(a):
    return complex(a, a * a).imag * abs(complex(a, 1.0)) ** 2


def complex_back_to_real(a, b):
    z = a * 1j + b
    return (z * z * np.conj(z)).imag


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (text_for_people_only, (1.3,)),
        (complex_of_two, (1.3,)),
        (complex_back_to_real, (1.3, 0.4)),
    ],
)
def test_texts_and_complex_numbers_on_the_way(function, args):
    laws.check_function(function, args)


def of_items(*a):
    x, y = a
    return np.sum(x**3 * y)


def of_the_rest(x, *rest, k=2.0):
    return np.sum(x**2 * rest[0]) * k


def sum_of_a_comprehension(x, y):
    return sum(v * v * w for v, w in zip(x, y, strict=True)) ** 2 * max(v * w for v in x for w in y)


def nested_lists(x, y):
    return np.linalg.det(np.array([[x[0], y[1]], [x[1] * y[0], 2.0]])) ** 2


@pytest.mark.parametrize("function", [of_items, of_the_rest, sum_of_a_comprehension, nested_lists])
def test_second_order_of_items_and_sequences(function):
    args = np.array([1.0, 0.5, 2.0]), np.array([0.3, 0.2, 1.1])
    laws.check_function(function, args, smooth=False)
    laws.check_second_order(function, args, (0, 1), np.random.default_rng(0), twice=False)


def test_the_text_of_a_gradient_gives_the_items_that_were_asked_for():
    x, y = np.array([1.0, 0.5]), np.array([0.3, 0.2])
    first, last = tl.grad(of_items, wrt=(0, -1))(x, y)
    np.testing.assert_allclose(first, 3.0 * x**2 * y)
    np.testing.assert_allclose(last, x**3)
    np.testing.assert_array_equal(tl.grad(of_items, wrt=1)(x, y), last)
    with pytest.raises(tl.GradientError, match="item 2 of `\\*a` .* 2 are given"):
        tl.grad(of_items, wrt=2)(x, y)


def test_vjp_gives_nothing_for_keyword_only_parameters_after_the_arguments():
    x, y = np.array([1.0, 0.5]), np.array([0.3, 0.2])
    _, pullback = tl.vjp(of_the_rest, x, y)
    assert len(pullback(1.0)) == 2
