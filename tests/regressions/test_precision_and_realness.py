"""A real operand beside complex ones gets a real cotangent, a double one beside single ones a double."""

import math
import typing

import numpy as np
import pytest

import tapeless as tl

Z = np.array([1 + 2j, 2.0, 3j])
M = np.array([[1 + 2j, 0.5, 0.1], [0.2, 2 - 1j, 0.3], [0.4, 0.1j, 1.5]])
X = np.array([0.4, 1.2, 2.15])

COMPLEX = {
    "vdot": lambda x: np.vdot(Z, x),
    "vdot_first": lambda x: np.vdot(x, Z),
    "dot": lambda x: np.dot(Z, x),
    "matmul": lambda x: np.sum(M @ x * Z),
    "inner": lambda x: np.inner(x, Z),
    "vecdot": lambda x: np.vecdot(Z, x),
    "einsum": lambda x: np.einsum("i,i->", Z, x),
    "tensordot": lambda x: np.tensordot(x, Z, 1),
    "cross": lambda x: np.sum(np.cross(x, Z) * Z),
    "solve": lambda x: np.sum(np.linalg.solve(M, x) * Z),
    "average": lambda x: np.average(x, weights=Z),
    "stack": lambda x: np.sum(np.stack([x, x * Z]) * Z),
    "append": lambda x: np.sum(np.append(Z, x)[1:] * Z[0]),
    "choose": lambda x: np.sum(np.choose(np.array([0, 1, 0]), (x, x * Z)) * Z),
    "select": lambda x: np.sum(np.select([x > 1.0], [x * Z], x) * Z),
    "where": lambda x: np.sum(np.where(x > 1.0, x, Z) * Z),
    "convolve": lambda x: np.sum(np.convolve(x, Z) * (1 + 2j)),
    "fft": lambda x: np.sum(np.fft.fft(x) * Z),
    "interp": lambda x: np.sum(np.interp(x, np.array([0.0, 1.0, 3.0]), Z) * Z),
}


@pytest.mark.parametrize("f", COMPLEX.values(), ids=COMPLEX)
def test_a_real_operand_gets_a_real_cotangent(f):
    def loss(x):
        y = f(x)
        return np.real(y) + 2.0 * np.imag(y)

    wanted = np.array([(loss(X + 1e-6 * d) - loss(X - 1e-6 * d)) / 2e-6 for d in np.eye(3)])
    g = tl.grad(loss)(X)
    assert g.dtype == np.float64
    np.testing.assert_allclose(g, wanted, rtol=1e-6, atol=1e-8)
    slopes = [tl.jvp(loss, (X,), (d,))[1] for d in np.eye(3)]
    np.testing.assert_allclose(slopes, wanted, rtol=1e-6, atol=1e-8)


def test_a_real_operand_that_is_stored_into_or_held():
    def stored(x):
        y = x * 1.0
        y[0] = x[1]
        items = [y, Z]
        return np.real(np.sum(items[0] * items[1]))

    np.testing.assert_allclose(tl.grad(stored)(X), [0.0, 3.0, 0.0])

    def into_a_complex_array(x):
        z = np.zeros(3, complex)
        z[:] = x
        return np.real(np.sum(z * Z))

    np.testing.assert_allclose(tl.grad(into_a_complex_array)(X), Z.real)


MIXED = {
    "product": lambda a, b: np.sum(a * b),
    "sine": lambda a, b: np.sum(np.sin(a * b)),
    "power": lambda a, b: np.sum(a**b),
    "arctan2": lambda a, b: np.sum(np.arctan2(a, b)),
    "dot": lambda a, b: a @ b,
    "by_a_scalar": lambda a, b: np.sum(a * np.mean(b)),
    "einsum": lambda a, b: np.einsum("i,i", a, b),
    "loop": lambda a, b: sum([a[i] * b[i] for i in range(3)]),
}


@pytest.mark.parametrize("f", MIXED.values(), ids=MIXED)
def test_a_double_operand_beside_a_single_one(f):
    a, b = np.array([0.3, 0.7, 1.1], np.float32), np.array([0.9, 1.3, 0.4])
    single, double = tl.grad(f, wrt=(0, 1))(a, b)
    assert (single.dtype, double.dtype) == (np.float32, np.float64)
    wide = tl.grad(f, wrt=(0, 1))(a.astype(np.float64), b)
    np.testing.assert_allclose(double, wide[1], rtol=1e-14)
    np.testing.assert_allclose(single, wide[0], rtol=1e-5)
    _, y_dot = tl.jvp(f, (a, b), (np.zeros(3, np.float32), np.ones(3)))
    np.testing.assert_allclose(y_dot, np.sum(wide[1]), rtol=1e-14)


def test_parts_of_floats():
    for f, slope in [
        (lambda x: math.modf(x)[0], 1.0),
        (lambda x: math.modf(x)[1], 0.0),
        (lambda x: math.frexp(x)[0], 0.5),
        (lambda x: math.ldexp(math.frexp(x)[0], 3), 4.0),
        (lambda x: np.modf(x)[0], 1.0),
        (lambda x: np.frexp(x)[0], 0.5),
    ]:
        assert tl.grad(f)(1.3) == slope
        assert tl.jvp(f, (1.3,), (1.0,))[1] == slope


def damped(p, rate=np.float64(0.5), n=np.int64(2), keep=np.bool_(True)):
    return p * rate**n if keep else p


def damped_twice(p, *, rate=np.float32(0.5)):
    return damped(p) * rate


def test_numpy_scalars_as_defaults_of_callees():
    assert tl.grad(lambda x: damped(x))(1.3) == 0.25
    assert tl.grad(lambda x: damped_twice(x))(1.3) == 0.125
    assert tl.jvp(lambda x: damped_twice(x), (1.3,), (1.0,))[1] == 0.125
    assert tl.grad(tl.grad(lambda x: damped(x * x)))(1.3) == 0.5


Vector = np.ndarray[tuple[int], np.dtype[np.floating]]


def test_a_cast_for_type_checkers_is_the_identity():
    f = lambda x: np.sum(typing.cast(Vector, x) ** 2)  # noqa: E731
    np.testing.assert_allclose(tl.grad(f)(X), 2.0 * X)
    np.testing.assert_allclose(tl.hessian(f)(X), 2.0 * np.eye(3))

    def stored(x):
        y = typing.cast("np.ndarray", x)
        y[0] = 2.0
        return np.sum(x * x)

    np.testing.assert_allclose(tl.grad(stored)(X), [0.0, *(2.0 * X[1:])])


def test_numbers_of_numpy_are_indexed():
    x = np.float64(0.7)
    for f in (lambda x: x[x > 0.5], lambda x: x[None, ..., None] * 2.0):
        y, pullback = tl.vjp(f, x)
        (x_bar,) = pullback(np.ones(y.shape))
        assert x_bar == np.sum(tl.jvp(f, (x,), (1.0,))[1]) == y.item() / 0.7


def test_names_of_rules_do_not_hide_the_tools_own():
    def f(x):
        parts = [np.convolve(np.ones(1), x) for _ in range(2)]
        return np.sum(parts[0]) + np.sum(parts[1])

    np.testing.assert_allclose(tl.grad(f)(X), [2.0, 2.0, 2.0])
    np.testing.assert_allclose(tl.grad(lambda x: np.sum(np.convolve(3.0, x)))(X), 3.0 * np.ones(3))
    assert tl.grad(lambda s: np.sum(np.convolve(s, X)))(2.0) == pytest.approx(np.sum(X))


def test_what_numpy_refuses_to_broadcast_is_not_folded_away():
    f = lambda w: np.sum(w) + 0 * np.sum(w + np.ones(5))  # noqa: E731
    with pytest.raises(ValueError, match="broadcast"):
        tl.grad(f)(np.ones(2))
    np.testing.assert_array_equal(tl.grad(f)(np.ones(5)), np.ones(5))


K = np.array([0.3, 1.6, 1.3])
SINGLE = [np.float32(0.7), X.astype(np.float32), (0.7 + 0.2j * X).astype(np.complex64)]


@pytest.mark.parametrize("x", SINGLE, ids=["scalar", "array", "complex"])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: K + x,
        lambda x: x - K,
        lambda x: -(K - x),
        lambda x: [0.3, 1.6, 1.3] + x * np.ones(3, np.float32),
        lambda x: np.add(x, K) * 2.0,
        lambda x: sum([x, 0.65]) + K,
        lambda x: K * 2.0 - sum((x, x)),
    ],
)
def test_the_tangent_of_a_double_sum_is_double(f, x):
    y, y_dot = tl.jvp(f, (x,), (x,))
    assert y.dtype == y_dot.dtype == np.result_type(x.dtype, np.float64)
    np.testing.assert_allclose(y_dot, f(x + x) - f(x), rtol=1e-6)


def test_a_list_beside_a_number_of_numpys():
    f = lambda x: np.sum(([0.3, 1.6, 1.3] + x) ** 2)  # noqa: E731
    tl.check_grads(f, np.float64(0.7))
    single = tl.grad(f)(np.float32(0.7))
    assert np.isclose(single, tl.grad(f)(0.7), rtol=1e-6)


WIDE = np.array([0.68, 0.538, 0.899])
MIXED_LISTS = {
    "beside an array": lambda y: np.sum(WIDE) + sum(y),
    "beside a number": lambda y: np.float64(2.0) * 1.0 + sum(y),
    "from a start": lambda y: np.sum(WIDE) + sum(y, 1.0),
    "rounded": lambda y: np.sum(WIDE) + y[0] + round(y[1], 9) * 0.0,
}


@pytest.mark.parametrize("f", MIXED_LISTS.values(), ids=MIXED_LISTS)
@pytest.mark.parametrize("y", [[1.5, np.float32(0.5)], [np.float32(1.5), np.float32(0.5)]])
def test_the_sum_of_a_list_is_as_precise_as_its_items(f, y):
    value, tangent = tl.jvp(f, (y,), ([type(part)(1.0) for part in y],))
    assert np.asarray(tangent).dtype == np.asarray(value).dtype == np.float64


PLACES = [None]


def test_places_of_entries_are_pythons_integers():
    def f(m):
        s = 0.0
        for (PLACES[0], j), v in np.ndenumerate(m):
            s = s + (PLACES[0] + j) * v**3
        return s

    tl.check_grads(f, np.arange(1.0, 7.0).reshape(2, 3), replay=True, order=1)
    tl.grad(f)(np.ones((2, 3)))
    assert type(PLACES[0]) is int


WIDE = np.array([1.405, 1.327, 0.543])


def doubles_beside_singles_and_complex_ones(x):
    wide = WIDE * 1.0
    wide[0] = x[0]
    return np.array([x[0], x[1], ((wide[0] + 1j * x[0]) * 0.8j).real])


def test_a_real_part_is_taken_before_it_is_made_double():
    x = np.array([1.001, 0.841, 0.86], dtype=np.float32)
    _, pullback = tl.vjp(doubles_beside_singles_and_complex_ones, x)
    (x_bar,) = pullback(np.ones(3))
    np.testing.assert_allclose(x_bar, [0.2, 1.0, 0.0], rtol=1e-6)
