"""Functions of NumPy inside JAX: values, gradients, compiled, mapped, twice."""

import numpy as np
import pytest

import tapeless as tl

jax = pytest.importorskip("jax", reason="JAX is not installed")

import jax.numpy as jnp  # noqa: E402

from tapeless.interop.jax import function  # noqa: E402


@pytest.fixture(autouse=True, scope="module")
def doubles():
    with jax.enable_x64(True):
        yield


def heat(u, steps, w):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += w["k"] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return {"last": u, "mean": np.mean(u) * w["c"]}


U = np.array([0.0, 1.0, 4.0, 2.0, 0.5])
W = {"k": 0.2, "c": np.array([1.0, -2.0])}


def cost(y):
    return jnp.sum(y["last"] ** 2) + jnp.prod(y["mean"])


def cost_of_numpy(u, w):
    y = heat(u, 3, w)
    return np.sum(y["last"] ** 2) + np.prod(y["mean"])


@pytest.fixture(scope="module")
def wanted():
    return tl.grad(cost_of_numpy, wrt=("u", "w"))(U, W)


def agree(found, wanted):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12), found, wanted)


def of_jax(u, w):
    return cost(function(heat)(u, 3, w))


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients(compiled, wanted):
    g = jax.grad(of_jax, argnums=(0, 1))
    agree((jax.jit(g) if compiled else g)(U, W), wanted)
    y = (jax.jit if compiled else lambda f: f)(lambda u: function(heat)(u, 3, W))(U)
    agree(y, heat(U, 3, W))


def test_mapped(wanted):
    us = jnp.stack([U, 2.0 * U, U])
    g = jax.vmap(jax.grad(of_jax), in_axes=(0, None))
    found = jax.jit(g)(us, W)
    agree(found[0], wanted[0])
    agree(found[1], tl.grad(cost_of_numpy)(2.0 * U, W))


def tanh_sum(x, n):
    y = x
    for _ in range(n):
        y = np.tanh(y) * x
    return y


def test_twice():
    x = np.array([0.5, -1.2, 2.0])
    f = function(tanh_sum)
    hessian = jax.jit(jax.jacrev(jax.grad(lambda x: jnp.sum(f(x, 2) ** 2))))
    agree(hessian(x), tl.hessian(lambda x: np.sum(tanh_sum(x, 2) ** 2))(x))


def test_single_precision_stays():
    found = jax.grad(lambda x: function(np_sum)(x))(jnp.ones(2, jnp.float32))
    assert found.dtype == jnp.float32
    agree(found, np.full(2, 2.0))


def np_sum(x):
    return np.sum(x**2)


def inverse_sum(a):
    return np.sum(np.linalg.inv(a))


def test_what_the_result_is_may_be_said():
    a = np.array([[2.0, 1.0], [0.0, 3.0]])
    with pytest.raises(tl.GradientError, match="'inverse_sum' returns is not known: it raised Lin"):
        function(inverse_sum)(a)
    g = tl.grad(inverse_sum)(a)
    said = jax.ShapeDtypeStruct((), np.float64)
    agree(jax.grad(function(inverse_sum, result=said))(a), g)
    agree(jax.grad(function(inverse_sum, result=lambda a: jnp.zeros(a.shape[2:])))(a), g)


def test_what_has_no_derivative_is_refused():
    with pytest.raises(tl.GradientError, match="argument 0 of 'np_sum' holds complex128"):
        function(np_sum, result=1.0)(np.ones(2) * 1j)
    with pytest.raises(tl.GradientError, match="argument 0 of 'len' holds floats and integers"):
        function(len, result=1.0)((1.0, 2))
    with pytest.raises(tl.GradientError, match="'np_sum' returns int64"):
        function(np_sum)(np.ones(2, int))
