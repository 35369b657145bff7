"""Every rule of linalg.py, run by itself, for single matrices and stacks."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import GradientError
from tapeless.rules import declare, linalg
from tapeless.testing import check_grads, check_rule


def normal(*shape):
    return np.asarray(np.random.default_rng(len(shape)).normal(size=shape))


def regular(*shape):
    return normal(*shape) + 3 * np.eye(shape[-1])


def positive(*shape):
    a = normal(*shape)
    return a @ np.swapaxes(a, -1, -2) + np.diag(np.arange(1.0, shape[-1] + 1))


x1, x2, x3 = normal(4), normal(3, 4), normal(2, 3, 4)

CALLS = [
    (np.linalg.norm, (x1,)),
    (np.linalg.norm, (x2,)),
    (np.linalg.norm, (x3,)),
    (np.linalg.norm, (x2, None, 0)),
    (np.linalg.norm, (x3, None, (0, 2), True)),
    (np.linalg.norm, (x3, None, (-1, 0))),
    (np.linalg.norm, (x2, "fro")),
    (np.linalg.norm, (x3, "fro", (1, 2))),
    *((np.linalg.norm, (x1, p)) for p in (1, 2, 3, 0, -1)),
    *((np.linalg.norm, (x3, p, 1)) for p in (1, 2, 3)),
    *((np.linalg.norm, (x2, p)) for p in (1, -1, 2, -2, "nuc")),
    *((np.linalg.norm, (x3, p, (2, 0))) for p in (1, -1, 2, "nuc")),
    (np.linalg.norm, (x3, 2, (-1, 0), True)),
    (np.linalg.inv, (regular(3, 3),)),
    (np.linalg.inv, (regular(2, 3, 3),)),
    (np.linalg.solve, (regular(3, 3), normal(3))),
    (np.linalg.solve, (regular(3, 3), normal(3, 2))),
    (np.linalg.solve, (regular(2, 3, 3), normal(3))),
    (np.linalg.solve, (regular(2, 3, 3), normal(3, 2))),
    (np.linalg.solve, (regular(3, 3), normal(2, 3, 2))),
    (np.linalg.solve, (regular(2, 3, 3), normal(2, 3, 2))),
    (np.linalg.solve, (regular(2, 1, 3, 3), normal(4, 3, 2))),
    (np.linalg.det, (regular(3, 3),)),
    (np.linalg.det, (regular(2, 3, 3),)),
    (np.linalg.det, (normal(1, 1),)),
    (np.linalg.slogdet, (regular(3, 3),)),
    (np.linalg.slogdet, (-regular(3, 3),)),
    (np.linalg.slogdet, (regular(2, 3, 3),)),
    (np.linalg.pinv, (x2,)),
    (np.linalg.pinv, (normal(2, 4, 3),)),
    (np.linalg.pinv, (regular(3, 3), 1e-10)),
    *((np.linalg.matrix_power, (regular(3, 3), n)) for n in (0, 1, 2, 3, 5, -1, -2)),
    (np.linalg.matrix_power, (regular(2, 3, 3), 3)),
    (np.linalg.svd, (regular(3, 3),)),
    (np.linalg.svd, (x2, False)),
    (np.linalg.svd, (normal(4, 3), False)),
    (np.linalg.svd, (x3, False)),
    (np.linalg.svd, (x2, True, False)),
    (np.linalg.svd, (x3, False, False)),
    (np.linalg.qr, (regular(3, 3),)),
    (np.linalg.qr, (normal(4, 3),)),
    (np.linalg.qr, (normal(2, 4, 3),)),
    (np.linalg.svdvals, (x2,)),
    (np.linalg.svdvals, (x3,)),
    (np.linalg.eig, (np.array([[2.0, 1.0, 0.3], [0.2, 5.0, 1.0], [0.4, 0.1, 9.0]]),)),
    (np.linalg.eig, (normal(3, 3),)),
    (np.linalg.eig, (normal(2, 3, 3),)),
    (np.linalg.eig, (normal(3, 3) + 1j * normal(3, 3, 3)[0],)),
    (np.linalg.eigvals, (regular(3, 3),)),
    (np.linalg.eigvals, (normal(2, 4, 4),)),
    (np.linalg.eigvals, (normal(3, 3) + 1j * normal(3, 3, 3)[0],)),
    *((np.linalg.cond, (regular(3, 3), p)) for p in (None, 2, -2, 1, "fro", "nuc")),
    (np.linalg.cond, (x3,)),
    (np.linalg.cond, (regular(2, 3, 3), 1)),
    (np.linalg.tensorsolve, (regular(6, 6).reshape(2, 3, 6), normal(2, 3))),
    (np.linalg.tensorsolve, (regular(6, 6).reshape(6, 2, 3), normal(6))),
    (np.linalg.tensorinv, (regular(6, 6).reshape(2, 3, 6),)),
    (np.linalg.tensorinv, (regular(6, 6).reshape(6, 2, 3), 1)),
    (np.linalg.trace, (x3,)),
    (np.linalg.diagonal, (x3,)),
]
KEYWORDS = [
    *((np.linalg.vector_norm, x3, {"ord": p, "axis": 1}) for p in (1, 2, 3)),
    (np.linalg.vector_norm, x3, {}),
    (np.linalg.vector_norm, x3, {"ord": 1}),
    (np.linalg.vector_norm, x3, {"ord": 3, "keepdims": True}),
    (np.linalg.vector_norm, x3, {"axis": (0, -1), "keepdims": True}),
    (np.linalg.matrix_norm, x3, {}),
    *((np.linalg.matrix_norm, x3, {"ord": p, "keepdims": True}) for p in (1, 2, "nuc")),
]
SYMMETRIC = [np.linalg.cholesky, np.linalg.eigh, np.linalg.eigvalsh]


@pytest.mark.parametrize(("fn", "args"), CALLS)
def test_rule(fn, args):
    check_rule(fn, *args, check_rtol=1e-5)


@pytest.mark.parametrize(("fn", "x", "keywords"), KEYWORDS)
def test_norms_by_keyword(fn, x, keywords):
    check_rule(fn, x, **keywords, check_rtol=1e-5)


LEAST_SQUARES = [
    (normal(5, 3), normal(5)), (normal(5, 3), normal(5, 2)), (x2, normal(3)), (x2, normal(3, 2)),
    (regular(3, 3), normal(3)),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), LEAST_SQUARES)
def test_least_squares(a, b):
    check_rule(np.linalg.lstsq, a, b, check_rtol=1e-5, check_order=1)


def solution(a, b):
    return np.linalg.lstsq(a, b, rcond=None)[0]


def residual(a, b):
    return np.linalg.lstsq(a, b, rcond=None)[1]


def singular_values(a, b):
    x, _, _, s = np.linalg.lstsq(a, b)
    return s[:2] * x[0]


@pytest.mark.parametrize("f", [solution, residual, singular_values])
def test_parts_of_least_squares(f):
    check_grads(f, normal(5, 3), normal(5))


def squares_of_singular_values(a):
    return np.linalg.svd(a, compute_uv=False) ** 2


def first_left_vectors(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum(u, axis=-2) * s


def factors(a):
    q, r = np.linalg.qr(a)
    return q @ np.tanh(r)


def sizes_of_eigenvalues(a):
    w, v = np.linalg.eig(a)
    return np.abs(w) * np.abs(v[0])


@pytest.mark.parametrize(
    "f", [squares_of_singular_values, first_left_vectors, factors, sizes_of_eigenvalues]
)
def test_parts_of_factorizations(f):
    check_grads(f, regular(3, 3))
    if f is not sizes_of_eigenvalues:
        check_grads(f, normal(2, 3, 2), order=1)


def test_least_squares_of_lower_rank():
    a, b = np.outer([1.0, 2.0, 3.0], [1.0, -1.0]), normal(3)
    x, *_ = np.linalg.lstsq(a, b, rcond=None)
    a_bar, b_bar, _ = linalg.np_lstsq(a, b)[1](np.array([1.0, 0.5]), np.zeros(0), None, 0.0)
    a_dot = np.outer([0.3, -0.1, 0.2], [1.0, -1.0]) + np.outer([1.0, 2.0, 3.0], [0.4, 0.1])
    d = 1e-6
    solve = lambda t: np.linalg.lstsq(a + t * a_dot, b, rcond=1e-9)[0] @ np.array([1.0, 0.5])
    np.testing.assert_allclose(np.sum(a_bar * a_dot), (solve(d) - solve(-d)) / (2 * d), rtol=1e-4)
    np.testing.assert_allclose(b_bar, np.linalg.pinv(a).T @ np.array([1.0, 0.5]))


@pytest.mark.parametrize("ord", [np.inf, -np.inf, 2.5])
@pytest.mark.parametrize(
    ("x", "axis", "keepdims"),
    [(x1, None, False), (x2, None, True), (x3, 1, False), (x3, -1, True), (x3, (2, 0), False)],
)
def test_norm_with_an_order_that_is_a_float(x, ord, axis, keepdims):
    if ord == 2.5 and axis != 1 and axis != -1:
        return

    def norm(x):
        return np.linalg.norm(x, ord, axis, keepdims)

    def rule(x):
        y, grad, jvp = linalg.np_norm(x, ord, axis, keepdims)
        return y, lambda y_bar: grad(y_bar)[0], jvp

    declare.register_gradient(norm, rule)
    check_rule(norm, x)
    declare.unregister_gradient(norm)


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (1, 1)])
@pytest.mark.parametrize(
    ("fn", "kwargs"),
    [
        (np.linalg.cholesky, {}),
        (np.linalg.cholesky, {"upper": True}),
        (np.linalg.eigh, {}),
        (np.linalg.eigh, {"UPLO": "U"}),
        (np.linalg.eigvalsh, {}),
    ],
)
def test_functions_of_symmetric_matrices(fn, kwargs, shape):
    """A symmetric cotangent, and along symmetric directions the derivative."""
    rule = declare.find_rule(fn).function
    a, rng = positive(*shape), np.random.default_rng(5)
    parts = lambda y: y if isinstance(y, tuple) else (y,)
    y, grad, jvp = rule(a, **kwargs)
    seeds = [rng.normal(size=part.shape) for part in parts(y)]
    a_bar, none = grad(*seeds)
    assert none is None
    np.testing.assert_allclose(a_bar, np.swapaxes(a_bar, -1, -2), atol=1e-12)
    step = rng.normal(size=shape)
    a_dot = step + np.swapaxes(step, -1, -2)
    d = 1e-6
    up, down = parts(rule(a + d * a_dot, **kwargs)[0]), parts(rule(a - d * a_dot, **kwargs)[0])
    wanted = sum(np.sum(s * (p - m)) / (2 * d) for s, p, m in zip(seeds, up, down, strict=True))
    np.testing.assert_allclose(np.sum(a_bar * a_dot), wanted, rtol=1e-6)
    pushed = sum(np.sum(s * t) for s, t in zip(seeds, parts(jvp(step)), strict=True))
    np.testing.assert_allclose(np.sum(a_bar * step), pushed, rtol=1e-9)
    y, grad, jvp = rule(a.astype(np.float32), **kwargs)
    assert grad(*(s.astype(np.float32) for s in seeds))[0].dtype == np.float32
    assert all(t.dtype == np.float32 for t in parts(jvp(a_dot.astype(np.float32))))


def test_det_of_singular_matrices():
    for a in (np.outer([1.0, 2.0], [3.0, 4.0]), np.arange(1.0, 10.0).reshape(3, 3)):
        check_rule(np.linalg.det, a, check_order=1)
        check_rule(np.linalg.det, np.stack([a, np.eye(len(a))]), check_order=1)
    np.testing.assert_array_equal(linalg.np_det(np.zeros((3, 3)))[1](1.0), np.zeros((3, 3)))
    a = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(
        linalg.np_det(a)[1](1.0), [[0, 0, 0], [0, 0, 0], [-3, 6, -3]], atol=1e-12
    )


@pytest.mark.parametrize("ord", [None, 1, 2, 3, np.inf])
def test_norm_is_flat_at_zero(ord):
    y, grad, jvp = linalg.np_norm(np.zeros((2, 3)), ord, axis=1)
    np.testing.assert_array_equal(grad(np.ones(2))[0], np.zeros((2, 3)))
    np.testing.assert_array_equal(jvp(np.ones((2, 3))), np.zeros(2))


@pytest.mark.parametrize("ord", ["nuc", 2, "fro"])
def test_matrix_norm_is_flat_at_zero(ord):
    np.testing.assert_array_equal(
        linalg.np_norm(np.zeros((2, 3)), ord)[1](1.0)[0], np.zeros((2, 3))
    )


@pytest.mark.parametrize("ord", [None, 1, 3, np.inf, "nuc", 2])
def test_norm_of_complex(ord):
    z = normal(2, 3) + 1j * normal(3, 2).T
    axis = 1 if ord == 3 else None
    y, grad, _ = linalg.np_norm(z, ord, axis)
    z_bar = grad(np.ones_like(y))[0]
    loss = lambda t: np.sum(np.linalg.norm(z + t, ord, axis))
    d = 1e-6
    step = np.zeros((2, 3))
    step[1, 2] = d
    real = (loss(step) - loss(-step)) / (2 * d)
    imag = (loss(1j * step) - loss(-1j * step)) / (2 * d)
    np.testing.assert_allclose(z_bar[1, 2], real - 1j * imag, rtol=1e-6, atol=1e-9)


def test_equal_eigenvalues_have_a_gradient_if_the_vectors_are_not_used():
    _, grad, _ = linalg.np_eigh(np.eye(3))
    np.testing.assert_allclose(grad(np.ones(3), np.zeros((3, 3)))[0], np.eye(3), atol=1e-12)


def test_refusals():
    with pytest.raises(GradientError, match="oblong"):
        linalg.np_svd(x2)[1](normal(3, 3), normal(3), normal(4, 4))
    with pytest.raises(GradientError, match="rotation"):
        linalg.np_qr(normal(4, 3), "complete")[1](normal(4, 4), normal(4, 3))
    with pytest.raises(GradientError, match="reflections"):
        linalg.np_qr(normal(4, 3), "raw")
    with pytest.raises(GradientError, match="real"):
        linalg.np_slogdet(np.eye(2) * (1 + 0j))


def rules_here():
    return {
        primal: rule.function
        for primal, rule in declare._RULES.items()
        if rule.form != "zero" and rule.function.__module__ == linalg.__name__
    }


def test_every_rule_is_checked():
    by_keyword = {fn for fn, _, _ in KEYWORDS}
    given = {fn for fn, _ in CALLS} | by_keyword | {np.linalg.lstsq}
    assert set(rules_here()) == given | set(SYMMETRIC)


def hermitian(a):
    return a + np.swapaxes(a, -1, -2).conj()


def phase_free(u, vh):
    return np.abs(u[..., :, :1] @ vh[..., :1, :]) ** 2


def singular(re, im):
    u, s, vh = np.linalg.svd(re + 1j * im, full_matrices=False)
    return np.sum(s**3) + np.sum(phase_free(u, vh) * s[0]) + np.sum(np.real((u * s**2) @ vh) ** 3)


def eigen(re, im):
    w, v = np.linalg.eigh(hermitian(re + 1j * im))
    return np.sum(w**3) + np.sum(np.real((v * np.exp(w / 4)) @ v.conj().T) ** 3)


def triangular(re, im):
    q, r = np.linalg.qr(re + 1j * im)
    return np.sum(np.real(q) ** 3) + np.sum(np.abs(r) ** 2 * np.arange(1.0, 1 + r.shape[1]))


def root(re, im):
    a = re + 1j * im
    lower = np.linalg.cholesky(a @ a.conj().T + np.eye(len(re)))
    return np.sum(np.real(lower) ** 3) + np.sum(np.imag(lower))


def inverse(re, im):
    return np.sum(np.imag(np.linalg.pinv(re + 1j * im)) ** 3)


tall, wide, square = normal(4, 3), normal(3, 4), regular(3, 3)
COMPLEX = [
    *[(singular, tall, 1), (singular, wide, 1), (eigen, square, 2), (triangular, wide, 1)],
    *[(root, square, 1), (inverse, tall, 1)],
]


@pytest.mark.parametrize(("f", "a", "order"), COMPLEX)
def test_complex_factors(f, a, order):
    check_grads(f, a, 0.3 * np.cos(3.0 * a), order=order, rtol=1e-5)


def test_phases_that_nothing_determines_are_refused():
    for fn in (lambda a: np.linalg.eigh(a)[1], lambda a: np.linalg.svd(a)[0]):
        loss = lambda a, fn=fn: np.sum(np.imag(fn(a)) ** 2)
        with pytest.raises(GradientError, match="phases"):
            tl.grad(loss)(hermitian(square + 1j * wide[:, :3]))


def test_wide_and_single_triangles():
    check_rule(np.linalg.qr, wide)
    check_rule(np.linalg.qr, normal(2, 2, 4))
    check_rule(np.linalg.qr, tall, mode="r")


def of_one_triangle(a):
    both = hermitian(a)
    u, s, vh = np.linalg.svd(both, hermitian=True)
    inverse = np.linalg.pinv(both, hermitian=True)
    return np.sum((u * s**2) @ vh * inverse) + np.sum(np.linalg.svd(both, True, False, True) ** 3)


def test_factors_of_what_is_said_to_be_hermitian():
    check_grads(of_one_triangle, square, order=1)


@pytest.mark.parametrize(
    ("entries", "order"), [([3.0, 1.0, 1.0, 0.5], 2), ([3.0, 3.0, 1.0, 0.5], -2)]
)
def test_second_derivatives_of_an_extreme_singular_value_where_others_coincide(entries, order):
    check_grads(lambda a: np.linalg.norm(a, order), np.diag(entries), order=2)
