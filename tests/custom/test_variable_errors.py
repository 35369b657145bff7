"""The messages of custom gradients that read Variables, word for word."""

import functools

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import GradientError

X = np.array([0.3, 0.7])
K = tl.Variable([2.0, 3.0], name="K")
B = tl.Variable(1.0, name="B")


@tl.custom_gradient
def without(x):
    y = K * x + B

    def grad(dy):
        return dy * K

    return y, grad


@tl.custom_gradient
def too_many(x):
    def grad(dy, variables):
        return dy * K, [dy * x, dy * x]

    return K * x, grad


@tl.custom_gradient
def too_few(x):
    def grad(dy, variables):
        return dy * K, [dy * x]

    return K * x + B, grad


@tl.custom_gradient
def no_pair(x):
    def grad(dy, variables):
        return dy * K

    return K * x, grad


def raised(f, **options):
    with pytest.raises(GradientError) as caught:
        tl.grad(f, **options)(X)
    return caught.value


@pytest.mark.parametrize(
    "f, reason",
    [
        (without, "'without' reads Variable(s) K, B, so its grad function must accept variables="),
        (too_many, "grad function of 'too_many' returned 2 variable gradients, expected 1 (K)"),
        (too_few, "grad function of 'too_few' returned 1 variable gradient, expected 2 (K, B)"),
        (no_pair, "grad function of 'no_pair' must return (grad_xs, grad_vars)"),
    ],
    ids=["E7", "E8 many", "E8 few", "E9"],
)
def test_e07_to_e09(f, reason):
    error = raised(lambda x: np.sum(f(x)), variables=[K, B])
    assert error.reason == reason
    assert error.filename == __file__
    assert error.lineno is not None and error.fix


def test_e09_also_if_nobody_asked_for_the_variables():
    error = raised(lambda x: np.sum(no_pair(x)))
    assert error.reason == "grad function of 'no_pair' must return (grad_xs, grad_vars)"


def scale(x, n, label):
    return np.sum(K * x) * n


@pytest.mark.parametrize(
    "wrt, reason",
    [
        ("K", "K is not a parameter of scale: pass it as an argument or make it a tl.Variable"),
        ("z", "'z' is not a parameter of 'scale' (x, n, label)"),
        ("label", "'label' of 'scale' is a str, which has no derivative"),
        (5, "wrt=5, but 'scale' has 3 parameters (x, n, label)"),
    ],
)
def test_e13_wrt(wrt, reason):
    with pytest.raises(GradientError) as caught:
        tl.grad(scale, wrt=wrt)(X, 2.0, "a")
    assert caught.value.reason == reason


def test_e13_not_a_scalar():
    error = raised(lambda x: K * x, variables=[K])
    assert "only a real scalar has a gradient" in error.reason
    assert "vjp" in error.fix and "jacobian" in error.fix


@pytest.mark.parametrize(
    "options, reason",
    [
        ({"variables": K}, "variables= takes a list, not a Variable"),
        ({"variables": [X]}, "variables= takes tl.Variable objects, not a ndarray"),
        ({"variables": [tl.Variable([1])]}, "Variable([1]) holds int64, which has no derivative"),
        ({"wrt": None}, "wrt=None asks for nothing"),
        (
            {"variables": [K, K]},
            "a Variable stands in two places of what the derivative is taken of",
        ),
    ],
)
def test_what_variables_takes(options, reason):
    assert raised(lambda x: np.sum(K * x), **options).reason == reason


def test_a_variable_made_inside():
    def f(x):
        v = tl.Variable(x)
        return np.sum(v * x)

    error = raised(f)
    assert error.reason == "a Variable is made in a function that is differentiated"
    assert error.lineno == f.__code__.co_firstlineno + 1


def test_a_variable_is_not_written_to_in_place():
    def f(x):
        v = K
        v += x
        return np.sum(v)

    assert raised(f, variables=[K]).reason == "a Variable is not written to in place"


def test_a_list_of_variables_and_arrays():
    def f(x):
        both = [K, x]
        return np.sum(both[0] * x)

    wanted = "this reads a Variable or an array, and which one is not known here"
    assert raised(f, variables=[K]).reason == wanted


class Holder:
    def __init__(self):
        self.k = K

    def __getattr__(self, name):
        if name == "magic":
            return self.k
        raise AttributeError(name)

    def __getitem__(self, i):
        return self.k


HOLDER = Holder()


def test_a_way_to_a_variable_that_is_not_seen():
    wanted = "whether this gives a Variable whose gradient is asked for is not known here"
    error = raised(lambda x: np.sum(getattr(HOLDER, "k") * x), variables=[K])  # noqa: B009
    assert error.reason == wanted


def test_items_are_got_by_code_that_is_followed():
    x = np.array([1.0, 2.0])
    x_bar, [k_bar] = tl.grad(lambda x: np.sum(HOLDER[0] * x), variables=[K])(x)
    np.testing.assert_allclose(x_bar, K.value)
    np.testing.assert_allclose(k_bar, x)


def test_attributes_are_read_by_their_dict():
    x = np.array([1.0, 2.0])
    x_bar, [k_bar] = tl.grad(lambda x: np.sum(vars(HOLDER)["k"] * x), variables=[K])(x)
    np.testing.assert_allclose(x_bar, K.value)
    np.testing.assert_allclose(k_bar, x)


def test_an_attribute_that_may_give_a_variable_by_code_is_not_followed():
    error = raised(lambda x: np.sum(HOLDER.magic * x), variables=[K])
    wanted = "whether this gives a Variable whose gradient is asked for is not known here"
    assert error.reason == wanted


def opaque(x):
    return np.sum(K * x)


class Boxed:
    def __init__(self):
        self.k = K


OUT_OF_SIGHT = {"vectorized": np.vectorize(lambda v: v * K.value[0])}
IN_SIGHT = {
    "partial": functools.partial(lambda a, b: a * b * np.sum(K), 2.0),
    "of_object": functools.partial(lambda box, b: b * np.sum(box.k), Boxed()),
}


@pytest.mark.parametrize("label", list(OUT_OF_SIGHT))
def test_code_that_is_not_looked_into_may_not_read_what_is_asked_for(label):
    hidden = OUT_OF_SIGHT[label]
    error = raised(lambda x: np.sum(hidden(3.0)) + np.sum(x), variables=[K])
    assert error.reason == "`hidden` may read the Variable K, and no gradient of it is known"
    other = tl.Variable(2.0)
    found = tl.grad(lambda x: np.sum(hidden(3.0)) + np.sum(x), variables=[other])(np.ones(2))
    np.testing.assert_array_equal(found[1], [0.0])


@pytest.mark.parametrize("label, slope", [("partial", 6.0), ("of_object", 3.0)])
def test_a_partial_is_looked_into(label, slope):
    known = IN_SIGHT[label]
    found = tl.grad(lambda x: np.sum(known(3.0)) + np.sum(x), variables=[K])(np.ones(2))
    np.testing.assert_array_equal(found[1][0], [slope, slope])


def test_a_local_function_given_to_such_code():
    def f(x):
        return np.sum(np.apply_along_axis(lambda row: row * K, 0, np.ones(2))) + np.sum(x)

    reason = "`np.apply_along_axis` may read the Variable K, and no gradient of it is known"
    assert raised(f, variables=[K]).reason == reason


def test_a_rule_that_reads_a_variable():
    tl.register_gradient(opaque, lambda x: (np.sum(K * x), lambda dy: dy * K.value))
    try:
        np.testing.assert_array_equal(tl.grad(lambda x: opaque(x))(np.ones(2)), K.value)
        reason = "`opaque` may read the Variable K, and no gradient of it is known"
        assert raised(lambda x: opaque(x), variables=[K]).reason == reason
    finally:
        tl.unregister_gradient(opaque)


@pytest.mark.parametrize(
    ("f", "label"),
    [
        (lambda x: eval("x * x", {"x": x}), "eval"),
        (lambda x: locals()["x"] * 2.0, "locals"),
        (lambda x: vars()["x"] * 2.0, "vars"),
    ],
)
def test_names_reached_by_their_text(f, label):
    with pytest.raises(tl.UnsupportedSyntaxError) as caught:
        tl.grad(f)(3.0)
    reason = f"`{label}` reaches names by their text, which is not followed"
    assert caught.value.reason == reason
