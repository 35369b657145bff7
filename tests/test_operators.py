"""Derivative operators: Jacobians, Hessians, their products, and all of them inside each other."""

import dataclasses
import functools
import inspect
from typing import NamedTuple

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import DerivativeMismatchError

X = np.array([0.3, 0.5, 0.7])
V = np.array([1.0, -2.0, 0.5])
A = np.arange(6.0).reshape(2, 3) / 5.0


def differences(f, x, h=1e-5):
    """Return the Jacobian of `f` at an array by central differences at two steps."""

    def slope(direction, step):
        return (np.asarray(f(x + step * direction)) - np.asarray(f(x - step * direction))) / (
            2 * step
        )

    columns = []
    for i in range(x.size):
        direction = np.zeros(x.size)
        direction[i] = 1.0
        direction = direction.reshape(x.shape)
        columns.append((4 * slope(direction, h) - slope(direction, 2 * h)) / 3)
    made = np.stack(columns, axis=-1)
    return made.reshape(*made.shape[:-1], *x.shape)


def close(got, wanted, tol=1e-7):
    np.testing.assert_allclose(got, wanted, rtol=tol, atol=tol)


def wide(x):
    return A @ np.sin(x)


def tall(x):
    return A.T @ np.exp(x)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def stores(x):
    y = np.zeros_like(x)
    y[1:] = x[:-1] * x[1:]
    y[0] = x[0] ** 3
    return y


def looped(x):
    y = x * 1.0
    for i in range(1, len(x)):
        y[i] = y[i - 1] * x[i] + np.cos(x[i])
    return y


class Pair(NamedTuple):
    a: np.ndarray
    b: float


@dataclasses.dataclass
class Record:
    a: np.ndarray
    n: int


# Jacobians


@pytest.mark.parametrize("f", [wide, tall, stores, looped, lambda x: np.outer(x, x)])
def test_jacobian_agrees_with_differences(f):
    x = X if f is not tall else X[:2]
    got = tl.jacobian(f)(x)
    assert got.shape == np.shape(f(x)) + x.shape
    close(got, differences(f, x))


def test_jacobian_of_matrices_has_both_shapes():
    m = np.array([[0.2, 0.4], [0.1, 0.9]])
    got = tl.jacobian(lambda m: m @ m)(m)
    assert got.shape == (2, 2, 2, 2)
    close(got, differences(lambda m: m @ m, m))


def test_jacobian_of_numbers():
    assert tl.jacobian(lambda t: t**3)(2.0) == 12.0
    assert isinstance(tl.jacobian(lambda t: t**3)(2.0), float)
    assert tl.jacobian(lambda t: t**3)(2) == 12.0
    close(tl.jacobian(lambda t: np.array([t, t**2]))(3.0), [1.0, 6.0])
    close(tl.jacobian(lambda x: np.sum(x**2))(X), 2 * X)


def test_jacobian_of_several_arguments():
    got = tl.jacobian(lambda a, b: a * b, wrt=(0, 1))(X, 2.0)
    assert isinstance(got, tuple)
    close(got[0], 2.0 * np.eye(3))
    close(got[1], X)
    close(tl.jacobian(lambda a, b: a * b, wrt="b")(X, b=2.0), X)
    close(tl.jacobian(lambda *a: a[0] * a[1], wrt=1)(X, 2.0), X)
    with pytest.raises(tl.GradientError, match="wrt=2"):
        tl.jacobian(wide, wrt=2)


def test_jacobian_of_containers_is_nested():
    got = tl.jacobian(lambda a: {"u": (2.0 * a, np.sum(a)), "n": 3})(X)
    close(got["u"][0], 2 * np.eye(3))
    close(got["u"][1], np.ones(3))
    assert got["n"] is None
    got = tl.jacobian(lambda p: p["w"] * p["b"])({"w": X, "b": 2.0, "n": 3})
    close(got["w"], 2 * np.eye(3))
    close(got["b"], X)
    assert got["n"] is None
    got = tl.jacobian(lambda p: p.a * p.b)(Pair(X, 2.0))
    assert isinstance(got, Pair)
    close(got.a, 2 * np.eye(3))
    got = tl.jacobian(lambda r: r.a**r.n)(Record(X, 2))
    assert isinstance(got, Record)
    close(got.a, np.diag(2 * X))


def test_jacobian_of_complex_values():
    close(tl.jacobian(lambda x: np.exp(1j * x))(X), np.diag(1j * np.exp(1j * X)))
    z = X + 1j
    close(tl.jacobian(lambda z: z**2)(z), np.diag(2 * z))


def test_jacobian_of_empty_arrays_and_single_precision():
    assert tl.jacobian(lambda a: a * 2.0)(np.zeros(0)).shape == (0, 0)
    assert tl.jacobian(lambda a: a[:0])(np.zeros(3)).shape == (0, 3)
    assert tl.jacobian(wide)(X.astype(np.float32)).dtype == np.float32
    with pytest.raises(tl.GradientError, match="astype"):
        tl.jacobian(wide)(np.arange(3))


def test_jacobian_takes_the_cheaper_direction():
    runs = []

    def counted(x):
        runs.append(1)
        return np.array([np.sum(x**2), np.sum(x)])

    tl.jacobian(counted)(np.ones(50))
    assert len(runs) == 1  # one forward sweep, two pullbacks
    runs.clear()

    def spread(x):
        runs.append(1)
        return np.outer(x, np.ones(50))

    tl.jacobian(spread)(np.ones(2))
    assert len(runs) == 3  # one forward sweep that tells the shape, two tangents


def test_operators_leave_their_arguments_alone():
    x, before = X.copy(), X.copy()
    for made in (tl.jacobian(stores), tl.hessian(rosenbrock)):
        first = made(x)
        np.testing.assert_array_equal(x, before)
        first[...] = 7.0
        assert not np.any(made(x) == 7.0)


def test_a_second_call_builds_nothing(monkeypatch):
    made = [tl.jacobian(wide), tl.hessian(rosenbrock)]
    for operator in made:
        operator(X)
    monkeypatch.setattr("tapeless.pipeline.write_for_kinds", None)
    monkeypatch.setattr("tapeless.higher.write_for_kinds", None)
    for operator, again in zip(made, [tl.jacobian(wide), tl.hessian(rosenbrock)], strict=True):
        assert operator is again
        again(2 * X)


# Hessians


@pytest.mark.parametrize(
    "f", [rosenbrock, lambda x: np.prod(x) * np.sum(np.exp(x)), lambda x: np.sum(looped(x) ** 2)]
)
def test_hessian_agrees_with_differences_of_the_gradient(f):
    got = tl.hessian(f)(X)
    close(got, differences(tl.grad(f), X), 1e-6)
    close(got, got.T)
    close(tl.hvp(f)(X, V), got @ V)


def test_hessian_of_numbers_and_of_several_arguments():
    assert tl.hessian(lambda t: t**4)(2) == 48.0

    def f(a, b):
        return np.sum(a**2) * b**3

    (aa, ab), (ba, bb) = tl.hessian(f, wrt=(0, 1))(X, 2.0)
    close(aa, 16 * np.eye(3))
    close(ab, 24 * X)
    close(ba, 24 * X)
    close(bb, 12 * np.sum(X**2))
    u, v = tl.hvp(f, wrt=("a", "b"))(X, 2.0, (V, 0.5))
    close(u, aa @ V + ab * 0.5)
    close(v, ba @ V + bb * 0.5)


def test_third_order_hessian_and_jacobian_follow_the_rule():
    @tl.custom_gradient
    def slanted(x):
        def grad(g):
            return g * x * 3.0  # wrong on purpose: followed at every order

        return x**3, grad

    assert tl.grad(slanted)(2.0) == 6.0
    assert tl.hessian(slanted)(2.0) == 3.0
    assert tl.grad(tl.grad(tl.grad(slanted)))(2.0) == 0.0
    close(tl.jacobian(lambda x: slanted(x))(X), np.diag(3.0 * X))
    close(tl.hessian(lambda x: np.sum(slanted(x)))(X), 3.0 * np.eye(3))


def test_hessian_refuses_what_has_no_gradient():
    with pytest.raises(tl.GradientError, match="returns an array"):
        tl.hessian(wide)(X)
    with pytest.raises(tl.GradientError, match="jacobian"):
        tl.grad(tl.grad(rosenbrock))(X)
    with pytest.raises(tl.GradientError, match="shape"):
        tl.hvp(rosenbrock)(X, V[:2])


def test_hessian_of_a_dict_nests_dicts():
    found = tl.hessian(lambda p: p["a"] ** 2 * np.sum(p["b"] ** 2))({"a": 2.0, "b": V[:2]})
    a, b = 2.0, V[:2]
    close(found["a"]["a"], 2.0 * np.sum(b**2))
    close(found["a"]["b"], 4.0 * a * b)
    close(found["b"]["a"], 4.0 * a * b)
    close(found["b"]["b"], 2.0 * a**2 * np.eye(2))


def test_operators_decorate_and_keep_the_name():
    @tl.jacobian(wrt="b")
    def product(a, b):
        "Multiply."
        return a * b

    assert product.__name__ == "product"
    assert product.__doc__ == (
        "Return the Jacobian of product with respect to b.\n\nThe arguments are those of product.\n\n"
        "The docstring of product:\n\n    Multiply."
    )
    assert list(inspect.signature(product).parameters) == ["a", "b"]
    close(product(2.0, X), 2 * np.eye(3))


def test_operators_of_operators():
    def cube(x):
        return np.sum(x**3)

    close(tl.jacobian(tl.grad(cube))(X), np.diag(6 * X))
    third = tl.jacobian(lambda x: tl.hessian(cube)(x))(X)
    wanted = np.zeros((3, 3, 3))
    wanted[range(3), range(3), range(3)] = 6.0
    close(third, wanted)
    close(tl.jacobian(lambda x: tl.hvp(cube)(x, V))(X), np.diag(6 * V))


# Inside a differentiated function


def cube(y):
    return y**3


def loss(w, x):
    return np.sum((w * x - 1.0) ** 2)


def grad_of_a_module_function(x):
    return np.sum(tl.grad(lambda y: np.sum(y**3))(x) * x)


def grad_of_a_closure(x):
    return np.sum(tl.grad(lambda y: np.sum(y**2 * x))(X) * x)


def grad_of_a_closure_at_the_captured_value(x):
    return np.sum(tl.grad(lambda y: np.sum(y**2 * x))(x))


def grad_of_a_def(x):
    def energy(y, k=2.0):
        return np.sum(np.sin(y) * x) * k

    force = tl.grad(energy)
    return np.sum(force(x * 2.0) ** 2)


def three_levels(x):
    def outer(y):
        return np.sum(tl.grad(lambda z: np.sum(z**3 * y * x))(y))

    return np.sum(tl.grad(outer)(x))


def value_and_grad_inside(x):
    value, gradient = tl.value_and_grad(loss)(x, 2.0)
    return value * np.sum(gradient**2)


def unrolled_descent(w):
    x = np.array([1.0, 2.0, 3.0])
    for _ in range(4):
        w = w - 0.02 * tl.grad(loss)(w, x)
    return loss(w, x)


def unrolled_descent_on_a_closure(x):
    w = np.zeros(3)
    for k in range(3):
        w = w - 0.1 * tl.grad(lambda w: np.sum((w - x) ** 2 * x) + 0.1 * np.sum(w**4))(w) / (k + 1)
    return np.sum(w**2)


def newton_steps(x):
    def energy(z):
        return np.sum(z**4) + np.sum(x * z**2) - np.sum(z)

    z = np.array([0.5, 0.6, 0.7])
    for _ in range(3):
        z = z - np.linalg.solve(tl.hessian(energy)(z), tl.grad(energy)(z))
    return np.sum(z)


def jacobian_inside(x):
    return np.sum(tl.jacobian(wide)(x) ** 2)


def jacobian_of_a_pair_inside(x):
    first, second = tl.jacobian(lambda y: (y * x, np.sum(y) * x))(x)
    return np.sum(first**2 * second)


def hessian_inside(x):
    return np.sum(tl.hessian(rosenbrock)(x) ** 2) * 1e-4


def hvp_inside(x):
    return np.sum(tl.hvp(rosenbrock)(x, V) * tl.hvp(rosenbrock)(x, x)) * 1e-4


def jvp_of_a_closure(x):
    return np.sum(tl.jvp(lambda y, s: y**2 * x * s, (X, 2.0), (x, None))[1])


def gradient_in_a_branch(x):
    energy = lambda y: np.sum(y**2 * x)  # noqa: E731
    if x[0] > 0.0:
        return np.sum(tl.grad(energy)(x) ** 2)
    return np.sum(x)


def captured_is_rebound(x):
    scale = x * 2.0

    def energy(y):
        return np.sum(y**2 * scale)

    force = tl.grad(energy)
    scale = x * 3.0
    return np.sum(force(X))


def grad_by_name(x):
    def energy(a, b):
        return np.sum(a * b**2 * x)

    first, second = tl.grad(energy, wrt=("a", "b"))(x, X)
    return np.sum(first * second) + np.sum(tl.grad(energy, wrt="b")(X, b=x))


def passed_to_a_helper(x):
    def energy(y):
        return np.sum(y**2 * x)

    return descend(energy, X)


def descend(energy, y):
    for _ in range(2):
        y = y - 0.1 * tl.grad(energy)(y)
    return np.sum(y)


def taylor_coefficients(x):
    def f(t):
        return np.sum(np.exp(np.sin(t) * x))

    def slope(t):
        return tl.jvp(f, (t,), (1.0,))[1]

    return f(0.2) + slope(0.2) + tl.jvp(slope, (0.2,), (1.0,))[1]


def lagrangian(q, v, m):
    kinetic = 0.5 * np.sum(m * v**2) + m[0] * v[0] * v[1] * np.cos(q[0] - q[1])
    return kinetic + 9.8 * (np.cos(q[0]) + m[1] * np.cos(q[1]))


def equations_of_motion(x):
    m = x[:2] + 1.0
    q, v = np.array([0.5, -0.3]), np.array([0.1, 0.4])
    inertia = tl.hessian(lagrangian, "v")(q, v, m)
    mixed = tl.jacobian(tl.grad(lagrangian, "v"), "q")(q, v, m)
    return np.sum(np.linalg.solve(inertia, tl.grad(lagrangian)(q, v, m) - mixed @ v))


def residuals(p, scale):
    t = np.linspace(0.0, 1.0, 5)
    return scale[0] * p[0] * np.exp(-p[1] * t) - scale[1] * np.exp(-1.3 * t)


def gauss_newton(scale):
    p = np.array([1.5, 1.0])
    for _ in range(2):
        j, r = tl.jacobian(residuals)(p, scale), residuals(p, scale)
        p = p - np.linalg.solve(j.T @ j + 0.1 * np.eye(2), j.T @ r)
    return np.sum(p**2)


def hamiltonian(q, p, k):
    return 0.5 * np.sum(p**2) + np.sum(k * q**4)


def leapfrog(k):
    q, p = np.array([1.0, 0.5, -0.4]), np.zeros(3)
    dq, dp = tl.grad(hamiltonian, 0), tl.grad(hamiltonian, 1)
    for _ in range(3):
        p = p - 0.05 * dq(q, p, k)
        q = q + 0.1 * dp(q, p, k)
        p = p - 0.05 * dq(q, p, k)
    return np.sum(q * p)


INSIDE = [
    taylor_coefficients, equations_of_motion, gauss_newton, leapfrog,
    grad_of_a_module_function, grad_of_a_closure, grad_of_a_closure_at_the_captured_value,
    grad_of_a_def, three_levels, value_and_grad_inside, unrolled_descent,
    unrolled_descent_on_a_closure, newton_steps, jacobian_inside, jacobian_of_a_pair_inside,
    hessian_inside, hvp_inside, jvp_of_a_closure, gradient_in_a_branch, captured_is_rebound,
    grad_by_name, passed_to_a_helper,
]  # fmt: skip


@pytest.mark.usefixtures("on_disk")  # plain calls take derivatives of new closures
@pytest.mark.parametrize("f", INSIDE, ids=lambda f: f.__name__)
def test_operators_inside_a_differentiated_function(f):
    tl.check_grads(f, X, order=1)


@pytest.mark.usefixtures("on_disk")  # plain calls take derivatives of new closures
@pytest.mark.parametrize("f", [grad_of_a_closure, grad_of_a_def, unrolled_descent])
def test_second_derivatives_through_operators(f):
    tl.check_grads(f, X)


def test_levels_are_not_mixed_up():
    assert tl.grad(lambda x: tl.grad(lambda y: y**2 * x)(3.0) * x)(2.0) == 24.0
    assert tl.grad(lambda x: tl.grad(lambda y: tl.grad(lambda z: z**3 * y * x)(y))(x))(2.0) == 108.0
    assert tl.grad(lambda x: x * tl.grad(lambda y: x + y)(1.0))(5.0) == 1.0
    assert tl.jvp(lambda x: tl.jvp(lambda y: x * y, (1.0,), (1.0,))[1], (2.0,), (1.0,))[1] == 1.0


def test_what_cannot_be_nested_is_refused():
    with pytest.raises(tl.GradientError, match=r"tl\.vjp"):
        tl.grad(lambda x: tl.vjp(lambda a: (a, a), x)[1]((1.0, x))[0])(2.0)
    with pytest.raises(tl.GradientError, match="returns an array"):
        tl.grad(lambda x: np.sum(tl.grad(lambda y: y * x)(x)))(X)
    with pytest.raises(tl.GradientError, match="parameters"):
        tl.grad(lambda x: tl.grad(lambda y: y * x, wrt=3)(x))(2.0)


@pytest.mark.usefixtures("noticed")
def test_a_redefined_function_under_two_derivatives_is_noticed():
    def square(x):
        return x**2

    def fourth(x):
        return x**4

    global _helper
    _helper = square
    second = tl.grad(tl.grad(calls_helper))
    assert second(2.0) == 2.0
    inside = tl.grad(lambda x: tl.grad(calls_helper)(x))
    assert inside(2.0) == 2.0
    _helper = fourth
    assert second(2.0) == 48.0
    assert inside(2.0) == 48.0


_helper = None


def calls_helper(x):
    return _helper(x)


# Closures that reach code which is not looked into


def call_all(functions):
    total = 0.0
    for f in functions:
        total = total + f(2.0)
    return total


class Holder:
    def __init__(self, f):
        self.f = f

    def go(self):
        return self.f(2.0)


def make(x):
    return lambda t: t * x


@pytest.mark.parametrize(
    "f",
    [
        lambda x: functools.reduce(lambda p, q: p * q * x, [1.0, 2.0, 3.0]),
        lambda x: np.sum(np.fromfunction(lambda i, j: i * x, (2, 2))),
        lambda x: np.sum(np.apply_along_axis(lambda t: t * x, 0, np.ones((2, 2)))),
        lambda x: sum(map(lambda t: t * x, [1.0, 2.0])),
        lambda x: call_all([lambda t: t * x]),
        lambda x: Holder(lambda t: t * x).go(),
        lambda x: Holder(lambda t: t * x).f(2.0),
        lambda x: make(x)(2.0),
    ],
)
def test_closures_over_active_values_are_right_or_refused(f):
    wanted = (f(2.0 + 1e-6) - f(2.0 - 1e-6)) / 2e-6
    for derivative in (lambda: tl.grad(f)(2.0), lambda: tl.jvp(f, (2.0,), (1.0,))[1]):
        try:
            close(derivative(), wanted, 1e-6)
        except tl.TapelessError as error:
            assert error.filename and error.lineno


# Results that a callee makes in place and the caller keeps in containers


def filled(x, scale):
    a = np.zeros_like(x)
    a[1:] = x[1:] ** 2 * scale
    return a


def filled_pair(x, scale):
    a, b = np.zeros_like(x), np.zeros_like(x)
    a[1:] = x[1:] ** 2 * scale
    b[1:] = x[1:] ** 3 * scale
    return a, b


def kept_in_a_list(x):
    columns = []
    for k in range(3):
        columns.append(filled(x, 1.0 + k))
    return np.sum(np.stack(columns) ** 2)


def second_kept_in_a_list(x):
    columns = []
    for k in range(3):
        columns.append(filled_pair(x, 1.0 + k)[1])
    return np.sum(np.stack(columns) ** 2)


def kept_in_a_display(x):
    pair = filled_pair(x, 2.0)
    kept = [pair[1], pair[0]]
    return np.sum(kept[0] ** 2 * kept[1])


def stored_into_again(x):
    a = filled(x, 2.0)
    a[0] = a[1] * 3.0
    kept = [a, a * 2.0]
    return np.sum(kept[0] * kept[1])


def kept_in_a_dict(x):
    kept = {}
    for k in range(2):
        kept[k] = filled(x, 1.0 + k)
    return np.sum(kept[0] * kept[1])


@pytest.mark.parametrize(
    "f",
    [
        kept_in_a_list, second_kept_in_a_list, kept_in_a_display, stored_into_again,
        kept_in_a_dict,
    ],
)  # fmt: skip
def test_results_made_in_place_and_kept(f):
    tl.check_grads(f, X, order=1)


# Tuples at second order


def indexed_pair(x):
    p = (x * x, np.sin(x))
    return np.sum(p[0] * p[1])


def returned_pair(x):
    p = square_and_sine(x)
    return np.sum(p[0] * p[1])


def square_and_sine(x):
    return x * x, np.sin(x)


@pytest.mark.parametrize("f", [indexed_pair, returned_pair])
def test_second_derivatives_through_tuples(f):
    close(tl.hessian(f)(X), np.diag(2 * np.sin(X) + 4 * X * np.cos(X) - X**2 * np.sin(X)))
    tl.check_grads(f, X)


# check_grads


def test_differences_come_closer_where_a_kink_is_near():
    tl.check_grads(lambda x: np.sum(np.maximum(x, 0.5) ** 2), np.array([0.5002, 0.49995]))

    @tl.custom_gradient
    def wrong_by_a_little(x):
        return np.maximum(x, 0.5) ** 2, lambda upstream: upstream * 2.02 * x

    with pytest.raises(DerivativeMismatchError, match="differences give"):
        tl.check_grads(wrong_by_a_little, 0.5002)

    with pytest.raises(DerivativeMismatchError, match="perhaps of a kink nearby"):
        tl.check_grads(lambda x: np.abs(x - 0.5), 0.5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_check_grads_knows_how_far_differences_are_right(dtype):
    def f(c, a, b):
        return np.sum(np.sin(c * a)) * c + np.sum((c - b) ** 2)

    tl.check_grads(f, dtype(0.7), A.astype(dtype), X.astype(dtype))

    @tl.custom_gradient
    def nearly_square(x):
        return x * x, lambda upstream: upstream * 2.002 * x

    with pytest.raises(tl.testing.DerivativeMismatchError, match="differences give"):
        tl.check_grads(nearly_square, dtype(1.3), order=1)


def test_check_grads_takes_structures_at_second_order():
    tl.check_grads(np.sin, X)
    tl.check_grads(lambda a, b: a @ b, A, X)
    tl.check_grads(lambda x, p: np.sum(np.tanh(p["w"] * x)) + p["b"], X, {"w": 0.3, "b": 2.0})
    tl.check_grads(lambda z: z**3, X + 1j)
    tl.check_grads(functools.partial(lambda a, b: a * b**2, 0.5), X)
    tl.check_grads(lambda a: a**3, X, modes=("forward",))
    tl.check_grads(lambda a, n: a**n, X, 3)


class Counted:
    def __init__(self):
        self.total = 2.0
        self.calls = 0


def add_to_total(x, counted):
    counted.calls += 1
    counted.total = counted.total + np.sum(x)
    return np.sum(x * x) * counted.total * counted.calls


@pytest.mark.parametrize("modes", [("reverse", "forward"), ("reverse",)])
def test_check_grads_gives_objects_anew_to_each_call(modes):
    counted = Counted()
    tl.check_grads(add_to_total, X, counted, modes=modes, replay=True)
    assert vars(counted) == {"total": 2.0, "calls": 0}


def test_check_grads_gives_arrays_of_integers_anew_to_each_call():
    def count_up(x, n):
        n += 1
        return np.sum(x**3 * n)

    tl.check_grads(count_up, X, np.arange(X.size))
    tl.check_grads(count_up, X, np.arange(X.size), modes=("forward",))


def test_check_grads_tells_of_a_value_that_changes_its_shape():
    with pytest.raises(DerivativeMismatchError, match="another structure beside this point"):
        tl.testing.check_grads(lambda x: np.arange(x) * x, 3.0)


def test_check_grads_names_the_entry_that_is_wrong():
    @tl.custom_gradient
    def off(x, k):
        def grad(g):
            g = g * np.array([1.0, 1.01, 1.0])
            return g * k, np.sum(g * x)

        return x * k, grad

    with pytest.raises(DerivativeMismatchError, match=r"gradient of x\[1\] is .*, differences"):
        tl.check_grads(lambda x, k: off(x, k), X, 2.0)


def test_check_grads_finds_what_is_wrong_at_second_order_only():
    @tl.custom_gradient
    def frozen(x):
        def grad(g):
            return g * 3.0 * tl.stop_gradient(x) ** 2

        return x**3, grad

    tl.check_grads(lambda x: frozen(x), X, order=1)
    with pytest.raises(DerivativeMismatchError, match="higher derivatives"):
        tl.check_grads(lambda x: frozen(x), X)


def test_the_text_of_an_operator_is_that_of_the_derivative_it_runs():
    x = np.array([0.3, 0.5])

    def f(x):
        return np.sum(x**3)

    for mode, operator in [("jacobian", tl.jacobian), ("hessian", tl.hessian), ("hvp", tl.hvp)]:
        assert tl.source(f, mode, like=(x,)) == tl.source(operator(f), like=(x,))
    assert "x_dot" in tl.source(f, "hessian", like=(x,))
    with pytest.raises(tl.GradientError, match="mode 'curl' is not known") as caught:
        tl.source(f, "curl")
    assert "hessian" in caught.value.fix


# Objects


class Scaled:
    def __init__(self, a, b):
        self.a = a
        self.b = b


def test_gradient_inside_varies_what_is_constant_outside():
    def f(x):
        g = tl.grad(lambda p: p.a**3 * p.b)(Scaled(x, 3.0))
        return g.a * g.b

    tl.check_grads(f, 0.7, order=1)
    tl.check_grads(f, np.float64(0.7), order=1)


@pytest.mark.parametrize(
    "store", [lambda p, x: vars(p).update(a=x), lambda p, x: p.__dict__.update(a=x)]
)
def test_stores_by_the_dict_of_an_object_are_refused(store):
    def f(x):
        p = Scaled(1.0, 2.0)
        store(p, x)
        return p.a * p.b

    with pytest.raises(tl.TapelessError, match="reached by `__dict__` or `vars`"):
        tl.grad(f)(0.7)
    with pytest.raises(tl.TapelessError, match="reached by `__dict__` or `vars`"):
        tl.jvp(f, (0.7,), (1.0,))


@pytest.mark.parametrize("modes", [("rev",), (), "reverse"])
def test_check_grads_of_modes_that_there_are_not(modes):
    with pytest.raises(tl.GradientError, match="are not modes of differentiation"):
        tl.check_grads(np.sin, 0.5, modes=modes)
