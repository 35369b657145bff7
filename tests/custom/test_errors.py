"""Section 5 of the contract: what each mistake says, word for word."""

import functools
import traceback

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, -1.2, 2.0])


def said(thunk):
    with pytest.raises(tl.GradientError) as caught:
        thunk()
    return caught.value


@tl.custom_gradient
def no_pair(x):
    return x * x


@tl.custom_gradient
def no_callable(x):
    return x * x, 2.0 * x


def line_of(h):
    return h.__wrapped__.__code__.co_firstlineno


@pytest.mark.parametrize("call", [lambda: no_pair(2.0), lambda: tl.grad(no_pair)(2.0)])
def test_E1_not_a_pair(call):
    error = said(call)
    assert error.reason == (
        "'no_pair' is decorated with custom_gradient and must return (y, grad_fn); "
        "it returned a float"
    )
    assert (error.filename, error.lineno) == (__file__, line_of(no_pair))


@pytest.mark.parametrize("call", [lambda: no_callable(2.0), lambda: tl.grad(no_callable)(2.0)])
def test_E2_the_last_item_is_not_callable(call):
    error = said(call)
    assert error.reason == (
        "'no_callable': the last value returned must be a callable grad_fn, not a float"
    )
    assert (error.filename, error.lineno) == (__file__, line_of(no_callable))


@tl.custom_gradient
def one_of_two(x, y):
    def grad(dy):
        return dy * y

    return x * y, grad


@tl.custom_gradient
def one_of_two_opaque(x, y):
    made = [lambda dy: [dy * y]]
    return x * y, made[0]


@tl.custom_gradient
def three_of_two(x, y):
    return x * y, lambda dy: (dy, dy, dy)


@pytest.mark.parametrize("h", [one_of_two, one_of_two_opaque])
def test_E3_wrong_number(h):
    error = said(lambda: tl.grad(h)(2.0, 3.0))
    assert error.reason == (
        f"grad function of '{h.__name__}' returned 1 gradient, expected 2 (x, y); "
        "use None for arguments without one"
    )
    assert error.filename == __file__ and error.lineno


def test_E3_too_many():
    error = said(lambda: tl.grad(three_of_two)(2.0, 3.0))
    assert error.reason == (
        "grad function of 'three_of_two' returned 3 gradients, expected 2 (x, y); "
        "use None for arguments without one"
    )


@tl.custom_gradient
def half_a_dict(p, x):
    return p["w"] * x, lambda dy: ({"w": dy}, dy)


def test_E4_structure():
    error = said(lambda: tl.grad(half_a_dict)({"w": 1.0, "b": 2.0}, 3.0))
    assert error.reason == (
        "grad function of 'half_a_dict' returned {'w'} for 'p', expected {'b', 'w'}"
    )
    assert error.filename == __file__ and error.lineno


@tl.custom_gradient
def wrong_shape(x):
    return np.sum(x), lambda dy: dy * np.ones(4)


@tl.custom_gradient
def wrong_shape_opaque(x):
    return (np.sum(x), lambda dy: dy * np.ones(4)) if x.size else (0.0, lambda dy: x)


@pytest.mark.parametrize("h", [wrong_shape, wrong_shape_opaque])
def test_E5_shape(h):
    error = said(lambda: tl.grad(h)(X))
    assert error.reason == (
        f"grad function of '{h.__name__}' returned shape (4,) for 'x' of shape (3,)"
    )
    assert error.filename == __file__ and error.lineno


@tl.custom_gradient
def a_word(x):
    return np.sum(x), lambda dy: "s"


@tl.custom_gradient
def imaginary(x):
    return np.sum(x), lambda dy: 1j * dy * x


def test_E6_not_numeric():
    error = said(lambda: tl.grad(a_word)(X))
    assert error.reason == "grad function of 'a_word' returned a str for 'x'"


def test_E6_complex_for_real():
    error = said(lambda: tl.grad(imaginary)(X))
    assert error.reason == (
        "grad function of 'imaginary' returned dtype complex128 for real 'x' (float64)"
    )


@tl.custom_gradient
def takes_three(x):
    def grad(a, b, c):
        return a + b + c

    return (x, x), grad


def test_E10_number_of_upstreams():
    def f(x):
        a, b = takes_three(x)
        return a * b

    error = said(lambda: tl.grad(f)(1.0))
    assert error.reason == (
        "grad function of 'takes_three' takes 3 upstream gradients, 'takes_three' has 2 outputs"
    )
    assert error.filename == __file__ and error.lineno


@tl.custom_gradient
def without_return(x):
    def grad(dy):
        dy * 2.0

    return x * x, grad


@tl.custom_gradient
def explicit_none(x):
    def grad(dy):
        return None

    return x * x, grad


def test_E11_no_return_statement():
    error = said(lambda: tl.grad(without_return, like=(1.0,)))
    assert error.reason == "grad function of 'without_return' has no return statement"
    assert (error.filename, error.lineno) == (__file__, line_of(without_return) + 2)
    assert tl.grad(explicit_none)(3.0) == 0.0
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(explicit_none(x)))(X), np.zeros(3))


@tl.custom_gradient
def falls_off(x):
    def grad(dy):
        if x > 0:
            return 2.0 * dy

    return 2.0 * x, grad


@tl.custom_gradient
def falls_off_in_a_branch(x):
    if x > 0:

        def grad(dy):
            for power in (1.0, 2.0):
                if power > x:
                    return power * dy

        return x, grad
    return x, lambda dy: dy


@tl.custom_gradient
def leaves_every_way(x):
    def grad(dy):
        while True:
            with np.errstate(all="ignore"):
                if x > 0:
                    return 2.0 * dy
                raise Trouble("not positive")

    return 2.0 * x, grad


@pytest.mark.parametrize("h", [falls_off, falls_off_in_a_branch])
def test_E11_a_way_through_without_return(h):
    error = said(lambda: tl.grad(h, like=(1.0,)))
    assert error.reason == (
        f"grad function of '{h.__name__}' has a way through that ends without a return statement"
    )
    assert error.filename == __file__ and "def grad(dy):" in str(error)
    assert tl.grad(leaves_every_way)(3.0) == 2.0


class Silent:
    def __call__(self, dy):
        if dy > 5.0:
            return dy


@pytest.mark.parametrize("grad", [Silent(), functools.partial(Silent.__call__, None)])
def test_E11_found_when_it_happens(grad):
    """Whose `grad` is not seen where the text is written."""

    @tl.custom_gradient
    def h(x):
        return x, grad

    assert tl.grad(lambda x: 6.0 * h(x))(1.0) == 6.0
    error = said(lambda: tl.grad(h)(1.0))
    assert error.reason == "grad function of 'h' ended without a return statement"
    assert error.filename == __file__


def test_E12_no_rule():
    with pytest.raises(tl.NoGradientError) as caught:
        tl.grad(lambda x: np.sum(np.random.poisson(x)))(X)
    reason = caught.value.reason.replace(".mtrand", "")  # where NumPy 2.0 says that it is from
    assert reason == (
        "no gradient for numpy.random.poisson: a count jumps where its parameters change; "
        "differentiate what is expected of it"
    )
    assert caught.value.fix == (
        "register one with tl.register_gradient, or wrap the value in tl.stop_gradient if it is to "
        "count as a constant: its derivative is dropped"
    )


class Trouble(Exception):
    """The user's own."""


@tl.custom_gradient
def raising(x):
    def grad(dy):
        if np.sum(x) > 0:
            raise Trouble("in the gradient")
        dy = dy * 2.0
        return dy

    return x * x, grad


def test_E14_exceptions_of_the_user():
    with pytest.raises(Trouble) as caught:
        tl.grad(lambda x: np.sum(raising(x)))(X)
    assert type(caught.value) is Trouble and caught.value.args == ("in the gradient",)
    shown = "".join(traceback.format_exception(caught.value))
    assert 'raise Trouble("in the gradient")' in shown.replace("'", '"')


@pytest.mark.parametrize("thing", [3.0, "f", np.ones(2)])
def test_E15_not_callable(thing):
    with pytest.raises(TypeError, match="custom_gradient decorates a function, not a "):
        tl.custom_gradient(thing)
