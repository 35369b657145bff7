"""Every rule for `scipy.linalg`, run by itself, and derivatives of functions that use them."""

import numpy as np
import pytest

linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")

import scipy  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError, NoGradientError  # noqa: E402
from tapeless.rules import declare  # noqa: E402
from tapeless.runtime import block_diagonal_bars  # noqa: E402
from tapeless.runtime.matrices import block_diagonal  # noqa: E402
from tapeless.testing import check_grads, check_rule  # noqa: E402

SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))


def normal(*shape):
    return np.asarray(np.random.default_rng(3 * shape[0] + shape[-1]).normal(size=shape))


def regular(n):
    return normal(n, n) + 3 * np.eye(n)


def positive(n):
    a = normal(n, n)
    return a @ a.T + n * np.eye(n)


a3, b3, v3 = regular(3), normal(3, 2), normal(3)
ab = np.abs(normal(4, 5)) + np.array([0.0, 6.0, 0.0, 0.0])[:, None]  # (2, 1) diagonals
hb = np.array([[0.3, 0.7, -0.2, 0.4], [6.0, 5.0, 7.0, 4.0]])  # upper form
wide = np.array([[6.0, 5.0, 7.0, 4.0], [0.3, 0.7, -0.2, 0.0], [0.5, -0.4, 0.0, 0.0]])  # lower form
s = 0.3 * normal(3, 3)
lu_and_piv = linalg.lu_factor(a3)
complex3 = a3 + 0.5j * normal(3, 3).T
stable = 0.4 * normal(3, 3) - 2 * np.eye(3)

CALLS = [
    (linalg.inv, (a3,), {}),
    (linalg.inv, (complex3,), {}),
    (linalg.det, (a3,), {}),
    (linalg.solve, (a3, v3), {}),
    (linalg.solve, (a3, b3), {}),
    (linalg.solve, (complex3, b3), {}),
    (linalg.solve_banded, ((2, 1), ab, normal(5)), {}),
    (linalg.solve_banded, ((2, 1), ab, normal(5, 2)), {}),
    (linalg.solveh_banded, (hb, normal(4)), {}),
    (linalg.solveh_banded, (hb[::-1, ::-1].copy(), normal(4, 2)), {"lower": True}),
    (linalg.cholesky_banded, (hb,), {}),
    (linalg.cholesky_banded, (hb[::-1, ::-1].copy(),), {"lower": True}),
    (linalg.cholesky_banded, (wide,), {"lower": True}),
    (linalg.cholesky_banded, (hb[1:],), {}),
    (linalg.cho_solve_banded, ((hb, False), normal(4)), {}),
    (linalg.cho_solve_banded, ((wide, True), normal(4, 2)), {}),
    (linalg.cho_solve, ((np.tril(a3), True), v3), {}),
    (linalg.cho_solve, ((np.triu(a3), False), b3), {}),
    (linalg.lu_solve, (lu_and_piv, v3), {}),
    (linalg.lu_solve, (lu_and_piv, b3, 1), {}),
    (linalg.lu_factor, (a3,), {}),
    (linalg.lu, (normal(4, 4),), {}),
    (linalg.qr, (a3,), {}),
    (linalg.qr, (normal(4, 3),), {"mode": "economic"}),
    (linalg.qr, (normal(3, 5),), {"mode": "economic"}),
    (linalg.qr, (normal(2, 4),), {}),
    *((linalg.qr, (normal(*shape),), {"mode": "r"}) for shape in ((4, 3), (2, 4))),
    (linalg.svd, (normal(4, 3), False), {}),
    (linalg.svd, (a3,), {}),
    (linalg.svd, (normal(4, 3), True, False), {}),
    (linalg.svdvals, (normal(3, 4),), {}),
    (linalg.eig, (np.array([[2.0, 1.0, 0.3], [0.2, 5.0, 1.0], [0.4, 0.1, 9.0]]),), {}),
    (linalg.eig, (np.array([[1.0, 2.0, 0.1], [-2.0, 1.0, 0.3], [0.2, 0.1, 5.0]]),), {}),
    (linalg.eigvals, (normal(4, 4),), {}),
    (linalg.lstsq, (normal(5, 3), normal(5)), {"check_order": 1}),
    (linalg.lstsq, (normal(5, 3), normal(5, 2)), {"check_order": 1}),
    (linalg.lstsq, (normal(3, 5), v3), {"check_order": 1}),
    (linalg.pinv, (normal(4, 3),), {}),
    (linalg.norm, (v3,), {}),
    (linalg.norm, (b3, 1, 0), {}),
    (linalg.norm, (b3, "nuc"), {}),
    (linalg.expm, (s,), {}),
    (linalg.expm, (np.stack([s, a3]),), {}),
    (linalg.expm, (complex3,), {}),
    (linalg.expm_frechet, (s, normal(3, 3).T), {"compute_expm": False}),
    (linalg.logm, (positive(2),), {}),
    (linalg.sqrtm, (a3 @ a3.T,), {}),
    (linalg.fractional_matrix_power, (positive(2), 0.3), {}),
    (linalg.sinm, (s[:2, :2],), {}),
    (linalg.cosm, (s[:2, :2],), {}),
    (linalg.tanhm, (s[:2, :2],), {}),
    (linalg.block_diag, (b3, v3, 2.0), {}),
    (linalg.block_diag, (b3,), {}),
    (linalg.toeplitz, (v3,), {}),
    (linalg.toeplitz, (v3, normal(4)), {}),
    (linalg.hankel, (v3,), {}),
    (linalg.hankel, (v3, normal(4)), {}),
    (linalg.circulant, (normal(4),), {}),
    (linalg.companion, (normal(4),), {}),
    (linalg.solve_toeplitz, (v3 + np.array([4.0, 0, 0]), normal(3)), {}),
    (linalg.solve_toeplitz, ((v3 + np.array([4.0, 0, 0]), normal(3)), b3), {}),
    (linalg.solve_sylvester, (a3, regular(2), b3), {}),
    (linalg.solve_continuous_lyapunov, (stable, normal(3, 3)), {}),
    (linalg.solve_discrete_lyapunov, (s, normal(3, 3)), {}),
    *((linalg.solve_triangular, (a3, v3, trans, low), {}) for trans in (0, 1) for low in (0, 1)),
    (linalg.solve_triangular, (a3, b3), {"unit_diagonal": True}),
    (linalg.solve_triangular, (complex3, b3, 2), {}),
]
CALLS += [
    *((linalg.solve, (a3, b), {"transposed": True}) for b in (v3, b3)),
    (linalg.tanm, (s[:2, :2],), {}),
    (linalg.sinhm, (s[:2, :2],), {}),
    (linalg.coshm, (s[:2, :2],), {}),
    (linalg.eigvalsh_tridiagonal, (3.0 * normal(4), v3), {}),
    (linalg.polar, (a3,), {}),
    (linalg.polar, (normal(4, 3),), {}),
    (linalg.polar, (normal(3, 4), "left"), {}),
]
if SCIPY >= (1, 15):
    CALLS += [
        (linalg.solve, (a3, b3), {"assume_a": form})
        for form in ("diagonal", "tridiagonal", "upper triangular", "lower triangular")
    ]
if hasattr(linalg, "kron"):
    CALLS.append((linalg.kron, (b3, a3), {}))


@pytest.mark.parametrize(
    ("fn", "args", "keywords"), CALLS, ids=lambda x: getattr(x, "__name__", "")
)
def test_rule(fn, args, keywords):
    check_rule(fn, *args, **{"check_rtol": 1e-5, **keywords})


# What reads one triangle as a function of any matrix, and compositions


def spread(a):
    return 0.5 * (a + a.T)


def factor(a):
    return linalg.cholesky(spread(a)), linalg.cholesky(spread(a), lower=True)


def gaussian_process(a, y):
    c = linalg.cho_factor(spread(a), lower=True)
    alpha = linalg.cho_solve(c, y)
    return 0.5 * (y @ alpha) + np.sum(np.log(np.diag(c[0])))


def with_upper_factor(a, y):
    return linalg.cho_solve(linalg.cho_factor(spread(a)), y)


def with_lu(a, y):
    return linalg.lu_solve(linalg.lu_factor(a), y)


def assumed(a, y):
    return linalg.solve(spread(a), y, assume_a="pos") + linalg.solve(spread(a), y, assume_a="sym")


def eigen(a, m):
    w, v = linalg.eigh(spread(a))
    return np.sum(w * m[0]) + np.sum(v**2 * m)


def eigen_of_pair(a, b, m):
    w, v = linalg.eigh(spread(a), spread(b))
    return np.sum(w * m[0]) + np.sum(v**2 * m)


def values_of_pair(a, b):
    return linalg.eigvalsh(spread(a), spread(b)), linalg.eigvalsh(spread(a), lower=False)


def values_only(a):
    return linalg.eigh(spread(a), eigvals_only=True)


def some_eigen(a, m):
    w, v = linalg.eigh(spread(a), subset_by_index=[1, 2])
    low = linalg.eigh(spread(a), subset_by_value=(-np.inf, 6.5), driver="evr")[1]
    return np.sum(w * m[0, :2]) + np.sum(v**2 * m[:, 1:]) + np.sum(low**2 * m[:, :1])


def regulated(a, b, q, r):
    return linalg.solve_continuous_are(a, b, spread(q), spread(r))


def regulated_in_steps(a, b, q, r):
    return linalg.solve_discrete_are(a, b, spread(q), spread(r))


def fitted(a, b):
    turn, scale = linalg.orthogonal_procrustes(a, b)
    both = linalg.khatri_rao(turn, b) * linalg.solve_circulant(b[:, 0], b)[0]
    w, v = linalg.eigh_tridiagonal(b[0], b[1, :2])
    return np.sum(both**2) * scale + np.sum(linalg.pinvh(a @ a.T) * v**2 * w)


def chained(a, ab, x):
    y = linalg.solve_triangular(a, x, lower=True)
    z = linalg.solve_banded((1, 1), ab, y)
    return np.sum(linalg.toeplitz(z) * linalg.inv(a)) + linalg.det(a)


def root_of(a, q):
    return np.sum(linalg.sqrtm(a @ a.T) * linalg.solve_continuous_lyapunov(a, q))


def in_blocks(a, b):
    blocks = [a * k for k in (1.0, 2.0)] + [b]
    return np.sum(np.sin(linalg.block_diag(*blocks)))


FUNCTIONS = [
    (in_blocks, (a3, b3)),
    (factor, (positive(3),)),
    (gaussian_process, (positive(3), v3)),
    (with_upper_factor, (positive(3), b3)),
    (with_lu, (a3, v3)),
    (assumed, (positive(3), v3)),
    (eigen, (positive(3), normal(3, 3))),
    (some_eigen, (positive(3), normal(3, 3))),
    (eigen_of_pair, (normal(3, 3), positive(3), normal(3, 3))),
    (values_of_pair, (normal(3, 3), positive(3))),
    (values_only, (positive(3),)),
    (root_of, (a3, positive(3))),
    (chained, (a3, ab[:3, :3], v3)),
    (fitted, (a3, regular(3).T + 1.0)),
    (regulated, (normal(3, 3), b3, positive(3), positive(2))),
    (regulated_in_steps, (normal(3, 3), b3, positive(3), positive(2))),
]


OF_ONE_TRIANGLE = {factor, eigen_of_pair, values_of_pair, regulated, regulated_in_steps}


@pytest.mark.parametrize(("f", "args"), FUNCTIONS, ids=lambda x: getattr(x, "__name__", ""))
def test_functions(f, args):
    modes = ("reverse", "forward") if f in OF_ONE_TRIANGLE else ("reverse",)
    check_grads(f, *args, order=1, rtol=1e-5, modes=modes)


def exponential(a, x):
    return np.sum(linalg.expm(a) @ x)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (exponential, (s, v3)),
        (gaussian_process, (positive(3), v3)),
        (some_eigen, (positive(3), normal(3, 3))),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_second_order(f, args):
    check_grads(f, *args, order=2, rtol=1e-5)


CHECKED_BY_FUNCTIONS = {
    linalg.pinvh, linalg.eigh_tridiagonal,
    linalg.cholesky, linalg.cho_factor, linalg.eigh, linalg.eigvalsh,
    linalg.solve_continuous_are, linalg.solve_discrete_are, block_diagonal, block_diagonal_bars,
}  # fmt: skip


def test_what_may_be_overwritten_is_kept():
    check_grads(lambda a: np.sum(linalg.inv(a.copy(), overwrite_a=True)), a3, order=1)


def test_every_rule_is_checked():
    declare.find_rule(linalg.inv)
    homes = [(fn, getattr(r.function, "__module__", "")) for fn, r in declare._BUILT_IN.items()]
    ruled = {fn for fn, home in homes if str(home).startswith("tapeless.rules.scipy.linalg")}
    assert ruled - {fn for fn, _, _ in CALLS} == CHECKED_BY_FUNCTIONS


one, spoilt = np.eye(3), np.where(np.eye(3) == 1.0, 1.0, np.nan)
SPOILT = [
    (linalg.inv, (spoilt,)),
    (linalg.det, (spoilt,)),
    *([(linalg.solve, (spoilt, one))] if SCIPY >= (1, 17) else []),  # LAPACK refused it before
    (linalg.solve, (one, spoilt)),
    (linalg.solve_triangular, (spoilt, one)),
    (linalg.solve_triangular, (one, spoilt)),
    (linalg.cho_solve, ((one, True), spoilt)),
    (linalg.cho_solve, ((spoilt, True), one)),
    (linalg.lu_factor, (spoilt,)),
    (linalg.lu_solve, ((one, np.arange(3)), spoilt)),
    (linalg.lu, (spoilt,)),
    (linalg.solve_banded, ((1, 1), ab[:3, :3], spoilt)),
    (linalg.solveh_banded, (hb[:, :3], spoilt)),
    (linalg.cho_solve_banded, ((hb[:, :3], False), spoilt)),
    (linalg.solve_toeplitz, (np.array([2.0, 1.0, 0.4]), spoilt)),
    (linalg.norm, (spoilt,)),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("fn", "args"), SPOILT)
def test_what_is_not_finite(fn, args):
    """What SciPy looks for is looked for, and what it is told to let pass runs in both sweeps."""
    rule = declare.find_rule(fn).function
    with pytest.raises(ValueError, match="infs or NaNs"):
        rule(*args)
    y, grad, jvp = rule(*args, check_finite=False)
    grad(*y) if isinstance(y, tuple) else grad(y)
    jvp(*(x for x in args if not isinstance(x, tuple) or np.ndim(x[0])))


def test_what_is_refused():
    with pytest.raises(NoGradientError, match="scipy.linalg.null_space: .*rotation"):
        tl.grad(lambda a: np.sum(linalg.null_space(a)))(normal(2, 3))
    with pytest.raises(GradientError, match="economic"):
        tl.grad(lambda a: np.sum(linalg.qr(a)[0]))(normal(4, 3))
    with pytest.raises(GradientError, match="the reflections"):
        tl.grad(lambda a: np.sum(linalg.qr(a, mode="raw")[1]))(normal(4, 3))
    with pytest.raises((GradientError, ValueError), match="single matrices|quare"):  # SciPy 1.13
        tl.grad(lambda a: np.sum(linalg.solve(a, np.ones((2, 3, 1)))))(np.stack([a3, a3]))


def upper_factors(a):
    (r,) = linalg.qr(a, mode="r")
    return np.sum(np.sin(r) * linalg.qr(a)[1]) + linalg.qr(a, mode="economic")[0][0, 1]


def complex_factors(a):
    q, r = linalg.qr(a + 1j * a[::-1] ** 2, mode="economic")
    return np.sum(np.real(q)) + np.sum(np.imag(r) ** 2) + np.sum(np.imag(q) * np.real(r[:, :3]))


@pytest.mark.parametrize("f", [upper_factors, complex_factors])
def test_factors_of_wide_matrices(f):
    check_grads(f, normal(3, 5), order=2, replay=True, rtol=1e-5)


@pytest.mark.skipif(SCIPY < (1, 16), reason="SciPy took single matrices")
@pytest.mark.parametrize("args", [(normal(2, 3, 2), normal(2, 2, 2)), (normal(2, 3, 2), b3)])
def test_columnwise_products_of_stacks(args):
    f = lambda a, b: np.sum(np.sin(linalg.khatri_rao(a, b)))
    check_grads(f, *args, order=2, replay=True)


@pytest.mark.skipif(SCIPY < (1, 16), reason="SciPy took single matrices")
def test_singular_values_of_stacks():
    f = lambda a: np.sum(np.sin(linalg.svdvals(a)))
    check_grads(f, normal(2, 3, 4), order=2, replay=True, rtol=1e-5)
    g = lambda a: np.sum(linalg.svd(a, compute_uv=False) ** 3)
    check_grads(g, normal(2, 3, 4), order=1, replay=True, rtol=1e-5)


@pytest.mark.skipif(SCIPY < (1, 16), reason="SciPy took single matrices")
@pytest.mark.parametrize(
    "fn",
    [
        lambda a: linalg.eigvalsh_tridiagonal(a[0], a[1][:, :2]),
        lambda a: linalg.eigh_tridiagonal(a[0], a[1][:, :2])[0],
        lambda a: linalg.subspace_angles(a[:, :, :1], a[:, :, 1:2]),
        lambda a: linalg.orthogonal_procrustes(a, 2.0 * a + 1.0)[0],
    ],
)
def test_stacks_that_are_refused(fn):
    with pytest.raises(GradientError, match="single matrices"):
        tl.grad(lambda a: np.sum(fn(a)))(normal(2, 3, 3))
