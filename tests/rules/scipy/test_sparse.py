"""Sparse arrays and matrices: products, sums, forms, systems; the cotangent has the places of the primal."""

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")

from scipy.sparse import linalg  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError, TapelessError  # noqa: E402
from tapeless.runtime import with_entries  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

rng = np.random.default_rng(0)
n = 4
rows = np.array([0, 1, 2, 3, 0, 1, 2, 1, 2, 3, 0])  # the last is stored twice
columns = np.array([0, 1, 2, 3, 1, 2, 3, 0, 1, 2, 1])
d = np.concatenate([3.0 + rng.random(n), rng.random(7)])
x, w = rng.normal(size=n), rng.normal(size=n)
fixed = sparse.csr_array(np.diag(np.arange(1.0, 5.0)) + np.eye(4, k=1))
dense = rng.normal(size=(n, n))
band = sparse.dia_array((rng.normal(size=(3, n)), [-1, 0, 2]), shape=(n, n))
FORMATS = ["csr_array", "csc_matrix", "coo_array", "dia_array", "dia_matrix", "bsr_matrix"]


def with_array(a, x):
    y = np.tanh(a @ x) + np.tanh(x @ a)
    products = w @ y + np.sum(np.tanh(a.T @ np.stack([x, y], axis=1)))
    b = 2.0 * a - a / x[0] + fixed
    sums = w @ np.tanh(b @ x) + a.sum() * x[1] + w @ np.tanh((-a).diagonal())
    c = a.multiply(dense).tocsr() + a.tocsc().multiply(fixed).tocsr()
    forms = w @ np.tanh(c @ x) + np.sum(np.tanh(a.toarray()) * dense) + w @ np.tanh((a @ a) @ x)
    return products + sums + forms + np.sum(a.copy().data ** 3)


@pytest.mark.parametrize("form", FORMATS)
def test_the_gradient_has_the_places_of_the_array(form):
    a = getattr(sparse, form)(band if form.startswith("dia") else fixed)
    value, found = tl.value_and_grad(with_array)(a, x)
    assert type(found) is type(a) and value == with_array(a, x)
    direction, e = rng.normal(size=a.data.shape), 1e-6
    up, down = (with_array(with_entries(a, a.data + s * direction), x) for s in (e, -e))
    expected = (up - down) / (2.0 * e)
    np.testing.assert_allclose(np.sum(found.data * direction), expected, rtol=1e-6)
    if form in ("csr_array", "dia_matrix"):
        _, moved = tl.jvp(with_array, (a, x), (with_entries(a, direction), np.zeros(n)))
        np.testing.assert_allclose(moved, expected, rtol=1e-6)


def made_by_row(d, x):
    a = sparse.csr_array((d, (rows, columns)), shape=(n, n))
    return w @ np.tanh(a @ x) + w @ np.tanh(a.sum(axis=0)) + w @ np.tanh(a.sum(axis=1))


def made_as_listed(d, x):
    a = sparse.coo_matrix((d, (rows, columns)), shape=(n, n)).tocsc()
    b = sparse.csc_array((d[:7], fixed.indices, fixed.indptr), shape=(n, n))
    return w @ np.tanh(a * x) + w @ np.tanh(b * x @ x)


def made_of_diagonals(d, x):
    a = sparse.dia_array((np.reshape(d[:8], (2, 4)), [0, 1]), shape=(n, n))
    return w @ np.tanh(a.T @ x) + w @ np.tanh(sparse.csr_array(a) @ x)


def made_of_a_diagonal(d, x):
    a = sparse.csr_array((d[:7], fixed.indices, fixed.indptr), shape=(n, n))
    b = a.sqrt() - a.power(3) + sparse.eye_array(n)
    moved = w @ np.tanh((fixed @ sparse.diags_array(d[:4])) @ x) + w @ np.tanh(b @ x)
    return moved + w @ (sparse.diags(x) @ d[:4]) * linalg.norm(a)


def made_of_several_diagonals(d, x):
    a = sparse.diags([d[:4], d[4:7]], [0, -1], format="csr")
    b = sparse.diags_array([d[0], -2.0, d[1]], offsets=[-1, 0, 1], shape=(n, n))
    wide = sparse.diags([d[:4], -x], [0, 1], shape=(n, n + 1))
    return w @ np.tanh(a @ x + b.tocsc() @ x) + w @ np.tanh(wide @ d[:5])


def made_by_spdiags(d, x):
    a = sparse.spdiags([d[:4], d[4:8]], [0, 1], n, n).tocsr()
    return w @ np.tanh(a @ x)


def with_constant_diagonals(d, x):
    laplacian = sparse.diags([1, -2, 1], [-1, 0, 1], shape=(n, n)).tocsr()
    step = sparse.eye_array(n) - d[0] * sparse.spdiags(np.ones((1, n)), [1], n, n)
    return w @ np.tanh(laplacian @ x) + w @ np.tanh(step @ x)


def multiplied_by_exponential(d, x):
    return w @ np.tanh(linalg.expm_multiply(fixed, 0.1 * x * d[:4]))


def solved(d, b):
    a = sparse.csc_array((d, (rows, columns)), shape=(n, n))
    lu = linalg.splu(a)
    return w @ np.tanh(linalg.spsolve(a, b)) + np.sum(np.tanh(lu.solve(b) + lu.solve(b, "T")))


def solved_by_iteration(d, b):
    a = sparse.csr_array((d, (rows, columns)), shape=(n, n))
    y, _ = linalg.cg(a + a.T, b, rtol=1e-12)
    return w @ np.tanh(y) + w @ np.tanh(linalg.gmres(a, b, rtol=1e-12)[0])


factors, solve = linalg.splu(fixed.tocsc()), linalg.factorized(fixed.tocsc())


def solved_with_constants(d, b):
    inside = linalg.splu(fixed.tocsc())
    y = factors.solve(b) + solve(b * b) + inside.solve(b, "T") + linalg.spsolve(fixed, b)
    return w @ np.tanh(d[:4] * y)


def joined_of_blocks(d, x):
    a = sparse.csr_array((d, (rows, columns)), shape=(n, n))
    below = sparse.vstack([a, fixed.T, a.tocoo()])
    beside = sparse.hstack((band, a), format="csr")
    both = w @ np.tanh(beside @ np.concatenate([x, x * x])) + np.sum(np.tanh(below @ x))
    return both + np.sum(np.tanh(sparse.block_diag([a, fixed]) @ np.concatenate([x, w])))


def kronecker(d, x):
    a = sparse.csr_array((d[:7], fixed.indices, fixed.indptr), shape=(n, n))
    b = sparse.kron(a, fixed) + sparse.kron(sparse.diags_array(x), a, format="csr")
    return np.sum(np.tanh(b @ np.kron(w, w)))


def joined_matrices(d, x):
    a = sparse.csc_matrix((d, (rows, columns)), shape=(n, n))
    b = sparse.hstack([sparse.vstack([a, a]), sparse.kron(a, sparse.csr_matrix([[1.0], [2.0]]))])
    return np.sum(np.tanh(b * np.concatenate([x, w])))


def test_dense_blocks_are_refused():
    def total(d):
        a = sparse.csr_array((d, (rows, columns)), shape=(n, n))
        return np.sum(sparse.vstack([a, dense]) @ w)

    with pytest.raises(TapelessError):
        tl.grad(total)(d)


@pytest.mark.parametrize(
    "f",
    [made_by_row, made_as_listed, made_of_diagonals, made_of_a_diagonal,
     made_of_several_diagonals, made_by_spdiags, with_constant_diagonals,
     joined_of_blocks, kronecker, joined_matrices,
     multiplied_by_exponential, solved, solved_by_iteration,
     solved_with_constants],
)  # fmt: skip
def test_entries_that_vary(f):
    check_grads(f, d, x, order=2 if f in (solved, made_by_row, kronecker) else 1)


def test_a_constant_array():
    def energy(x):
        y = fixed @ x
        return y @ y + np.sum(fixed.T.multiply(2.0) @ np.cos(x))

    check_grads(energy, x, order=1)


def test_second_derivatives_in_the_array():
    def size_of_gradient(a):
        return np.sum(tl.grad(lambda a: w @ np.tanh((a + fixed) @ (0.1 * (a.T @ x))))(a).data ** 2)

    found = tl.grad(size_of_gradient)(fixed)
    direction, e = rng.normal(size=7), 1e-6
    up, down = (size_of_gradient(with_entries(fixed, fixed.data + s * direction)) for s in (e, -e))
    np.testing.assert_allclose(found.data @ direction, (up - down) / (2.0 * e), rtol=1e-5)


def test_single_precision_and_integers():
    def f(a, x):
        return np.sum(np.tanh(a @ x))

    a, single = fixed.astype(np.float32), x.astype(np.float32)
    found = tl.grad(f, wrt=("a", "x"))(a, single)
    assert found[0].dtype == found[1].dtype == np.float32
    counts = fixed.astype(int)
    np.testing.assert_allclose(
        tl.grad(f, wrt="x")(counts, x), counts.T @ (1.0 - np.tanh(counts @ x) ** 2)
    )
    with pytest.raises(GradientError, match="a sparse array of int64, which has no derivative"):
        tl.grad(f)(counts, x)


def in_triangles(d, x):
    a = sparse.csr_array((d, (rows, columns)), shape=(n, n))
    lower, upper = sparse.tril(a, k=0, format="csr"), sparse.triu(a, k=1, format="csc")
    solved = linalg.spsolve_triangular(lower, x, lower=True)
    return w @ np.tanh(solved) + w @ np.tanh(upper @ x)


def test_triangles():
    check_grads(in_triangles, d, x)


REFUSED = {
    "`exp` is given a sparse array": lambda a: np.sum(np.exp(a)),
    "no gradient for `Add` of a sparse array and an array": lambda a: np.sum(a + dense),
    "`.sum` along an axis of a sparse matrix": lambda a: np.sum(a.sum(axis=0)),
    "no array of two dimensions": lambda a: a[0].sum(),
    "no gradient for `.max` of a sparse array": lambda a: a.max(),
    "expm_multiply in `A`": lambda a: np.sum(linalg.expm_multiply(a, x)),
    "no gradient for scipy.sparse.linalg.svds: take numpy.linalg.svd": lambda a: linalg.svds(a, 1)[
        1
    ][0],
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_refused_by_name(reason):
    with pytest.raises(TapelessError, match=reason.replace(".", r"\.")):
        tl.grad(REFUSED[reason])(sparse.csr_matrix(fixed) if "matrix" in reason else fixed)


def test_a_diagonal_of_another_length_raises():
    with pytest.raises(ValueError, match="a diagonal of 3 entries does not fit at offset 1"):
        tl.grad(lambda x: np.sum(sparse.diags([x, x[:3]], [0, 1], shape=(3, 3)) @ x[:3]))(x[:3])


def test_an_array_whose_entries_are_stored_into_is_refused():
    def f(d):
        a = sparse.csr_array((d, fixed.indices, fixed.indptr), shape=(n, n))
        d[0] = 2.0
        return np.sum(a @ x)

    with pytest.raises(GradientError, match="the entries of the sparse array `a` are stored into"):
        tl.grad(f)(np.ones(7))


def test_an_entry_that_cancels_is_refused():
    def f(a):
        return np.sum((a - fixed) @ x)

    with pytest.raises(GradientError, match="7 entries of a sparse array are zero"):
        tl.grad(f)(fixed.copy())


STORED_INTO = ["lil_array", "lil_matrix", "dok_array", "dok_matrix"]


@pytest.mark.parametrize("label", STORED_INTO)
def test_constants_stored_into(label):
    cls = getattr(sparse, label)

    def f(x):
        a = cls((2, 3))
        a[0, 1] = 2.0
        a[1, 2] = 3.0
        first = a.tocsr()
        a[0, 0] = 4.0
        return np.sum((first @ x) ** 3) + np.sum((a.tocsc() @ x) ** 2)

    check_grads(f, np.array([0.4, 0.7, 1.1]), order=1, replay=True)


@pytest.mark.parametrize("label", STORED_INTO)
def test_what_varies_is_not_stored_into_them(label):
    cls = getattr(sparse, label)
    with pytest.raises(tl.NoGradientError, match="no single array"):
        tl.grad(lambda x: np.sum(cls(np.outer(x, x)).tocsr() @ x))(np.ones(2))


def test_blocks_made_by_comprehensions():
    def f(d, x):
        k = sparse.csr_array((d, (rows, columns)), shape=(n, n))
        whole = sparse.bmat([[k * x[i + j] for j in range(2)] for i in range(2)], format="csc")
        wide = sparse.block_array([[k * x[i]] for i in range(2)])
        return np.sum((whole @ np.tanh(wide @ x)) ** 2)

    check_grads(f, d, x, order=1)
