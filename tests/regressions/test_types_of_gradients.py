"""A gradient is of the type, the shape and the dtype of its argument, whatever computed it."""

import numpy as np
import pytest

import tapeless as tl

SCALARS = [
    1.5,
    np.float64(1.5),
    np.float32(1.5),
    1.5 + 1j,
    np.complex128(1.5 + 1j),
    np.complex64(1.5 + 1j),
]
FUNCTIONS = {
    "constant_slope": lambda x: np.real(x) * 1.3,
    "unused": lambda x: 1.0,
    "real_part": lambda x: np.real(x) * np.real(x),
    "of_an_array": lambda x: np.sum(np.real(np.linspace(x, 1.0, 3))),
    "part": lambda x: np.real(np.modf(np.real(x))[0]),
}


@pytest.mark.parametrize("x", SCALARS, ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_scalars_keep_their_type(f, x):
    for g in (tl.grad(f)(x), tl.vjp(f, x)[1](1.0)[0]):
        # a result of NumPy's may stand for a float of Python's, of which it is one
        assert isinstance(g, type(x))
        assert np.result_type(g) == np.result_type(x)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0,)])
def test_arrays_keep_their_shape_and_dtype(shape, dtype):
    x = np.full(shape, 0.5, dtype)
    for f in (
        lambda x: np.sum(np.real(x)) * 1.3,
        lambda x: 2.0,
        lambda x: np.sum(np.abs(x) ** 2),
    ):
        g = tl.grad(f)(x)
        assert type(g) is np.ndarray
        assert (g.shape, g.dtype) == (x.shape, x.dtype)


@pytest.mark.parametrize("n", [2, np.int64(2)])
@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (lambda n: np.array(n) * 1.3, 1.3),
        (lambda n: np.asarray(n) * 1.3, 1.3),
        (lambda n: np.sum(np.ravel(n) * 1.3), 1.3),
        (lambda n: n**3 // 2 * n, 4.0),
        (lambda n: np.arange(5.0)[n] * 1.0, 0.0),
    ],
)
def test_an_integer_counts_as_real(f, wanted, n):
    g = tl.grad(f)(n)
    assert isinstance(g, float)
    assert g == pytest.approx(wanted)


def test_integers_in_containers_count_as_real_too():
    assert tl.grad(lambda d: d["a"] * d["b"])({"a": 3, "b": 2.0}) == {"a": 2.0, "b": 3.0}
    assert tl.grad(lambda v: v[0] ** v[1])([3.0, 2]) == pytest.approx([6.0, 9.0 * np.log(3.0)])
    assert tl.grad(lambda v: v[1][0] * v[0])((2.0, [3])) == (3.0, [2.0])
    w = np.array([0.5, 2.0, 3.0])

    def first_powers(d):
        y = np.zeros(d["n"])
        for i in range(d["n"]):
            y[i] = d["w"][i] ** 2
        return np.sum(y)

    g = tl.grad(first_powers)({"n": 2, "w": w})
    assert g["n"] == 0.0
    np.testing.assert_allclose(g["w"], [1.0, 4.0, 0.0])


def test_without_independents_integers_are_constants():
    assert tl.vjp(lambda d: d["a"] * d["b"], {"a": 3, "b": 2.0})[1](1.0) == ({"a": None, "b": 3.0},)
    assert tl.vjp(lambda a, b: a * b, 3, 2.0)[1](1.0) == (None, 3.0)


def test_what_is_asked_for_twice_shares_no_memory():
    x = np.array([1.0, 2.0])
    first, second = tl.grad(lambda x: np.sum(x * x), wrt=(0, 0))(x)
    np.testing.assert_array_equal(first, second)
    assert not np.shares_memory(first, second)

    def of_items(*xs):
        return np.sum(xs[0] * xs[1])

    _, (a, b, c) = tl.value_and_grad(of_items, wrt=(1, 0, 1))(x, 3.0 * x)
    np.testing.assert_array_equal(a, x)
    np.testing.assert_array_equal(b, 3.0 * x)
    np.testing.assert_array_equal(c, x)
    assert not np.shares_memory(a, c)

    def stored_into(d):
        d["w"][0] = 2.0
        return np.sum(d["w"])

    first, second = tl.grad(stored_into, wrt=("d", 0))({"w": x})
    np.testing.assert_array_equal(first["w"], [0.0, 1.0])
    np.testing.assert_array_equal(second["w"], [0.0, 1.0])
    assert not np.shares_memory(first["w"], second["w"])
