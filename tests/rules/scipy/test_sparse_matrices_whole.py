"""Inverses, sparse solutions, exponentials and some eigenpairs of sparse matrices, in programs."""

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")

from scipy.sparse import linalg  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

n = 4
rows = np.array([0, 1, 2, 3, 0, 1, 2, 1, 2, 3])
columns = np.array([0, 1, 2, 3, 1, 2, 3, 0, 1, 2])
d = np.array([3.0, 3.3, 3.6, 3.9, 0.3, 0.2, -0.5, 0.1, 0.6, -0.2])
springs = np.array([1.0, 1.3, 0.8, 1.7, 1.1, 0.6, 1.4])
masses = np.array([1.0, 2.0, 1.5, 0.7, 1.2, 0.9])


def of_entries(d):
    return sparse.csc_matrix((d, (rows, columns)), shape=(n, n))


class Filter:
    """A precision matrix, with what it says about measurements."""

    def __init__(self, d):
        self.precision = of_entries(d)

    def deviations(self):
        covariance = linalg.inv(self.precision)
        found = np.zeros(n)
        for i in range(n):
            found[i] = np.sqrt(covariance[i, i])
        return found

    def gain(self, measured):
        return linalg.spsolve(self.precision, measured.T.tocsc())


def filtered(d):
    model = Filter(d)
    measured = sparse.csr_matrix((d[:3], (np.array([0, 0, 1]), np.array([0, 2, 3]))), shape=(2, n))
    gain = model.gain(measured)
    return np.sum((measured @ gain).toarray() ** 2) + np.sum(model.deviations())


def solved_for_sparse(d):
    a = of_entries(d).tocsr()
    y = linalg.spsolve(a, 2.0 * sparse.eye(n, format="csc"))
    one = linalg.spsolve(a, sparse.csc_matrix(d[:n, None]))
    return np.sum(np.tanh(y.data)) + one @ one


def rates(q):
    size = len(q) + 1
    places = (
        np.concatenate([np.arange(size - 1)] * 2),
        np.concatenate([np.arange(1, size), np.arange(size - 1)]),
    )
    return sparse.csc_matrix((np.concatenate([q, -q]), places), shape=(size, size))


def likelihood_of_jumps(q):
    start, total = np.array([1.0, 0.0, 0.0, 0.0]), 0.0
    for t in (0.5, 1.0, 2.0):
        total += np.log((linalg.expm(rates(q) * t).T @ start)[2])
    return total


def stiffness(k, size):
    diagonals = [k[:size] + k[1 : size + 1], -k[1:size], -k[1:size]]
    return sparse.diags(diagonals, [0, 1, -1], format="csc")


class Beam:
    """A chain of masses with its slowest vibrations."""

    def __init__(self, k, m):
        self.stiffness, self.mass = stiffness(k, len(m)), sparse.diags(m).tocsc()

    def vibrations(self, count):
        w, v = linalg.eigsh(self.stiffness, count, self.mass, sigma=0.0)
        return np.sqrt(w), v


def vibrating(k, m):
    frequencies, shapes = Beam(k, m).vibrations(2)
    found = np.zeros(2)
    for j in range(2):
        found[j] = frequencies[j] + np.sum(shapes[:, j] ** 4 * m)
    return found @ found


def some_of_all(k):
    w, v = linalg.eigsh(stiffness(k, 6), 2, which="LA")
    lowest = linalg.eigsh(stiffness(k, 6), k=3, which="SM", return_eigenvectors=False)
    return w[0] * np.sum(v[:, 1] ** 4) + lowest[0] + 2.0 * lowest[1] ** 2 + np.log(lowest[2])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (filtered, (d,)),
        (solved_for_sparse, (d,)),
        (likelihood_of_jumps, (np.array([0.5, 0.9, 0.3]),)),
        (vibrating, (springs, masses)),
        (some_of_all, (springs,)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_programs(f, arguments):
    check_grads(f, *arguments, order=2, rtol=1e-5)


def test_single_precision_is_kept():
    def total(d):
        a = of_entries(d)
        whole = linalg.inv(a).toarray() + linalg.expm(0.1 * a).toarray()
        return np.sum(whole) + np.sum(linalg.eigsh(a + a.T, 2)[0])

    found = tl.grad(total)(d.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, tl.grad(total)(d), rtol=1e-3)


def test_one_column_that_is_not_known_as_one_is_refused():
    def f(b):
        return linalg.spsolve(of_entries(d), sparse.csc_matrix(b)).sum()

    with pytest.raises(GradientError, match="of one column is a vector"):
        tl.grad(lambda b: f(b[:, : len(b) // 4]))(np.ones((4, 4)))


def test_an_entry_of_a_solution_that_cancels_is_refused():
    with pytest.raises(GradientError, match="are zero, and SciPy leaves them out"):
        tl.grad(lambda d: linalg.spsolve(of_entries(d), of_entries(d)).sum())(d)
