"""Gradients of functions of gradients, as users write them: of what rules cut and joined, and others."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

x = np.array([0.5, 0.7, 0.9])
w = np.array([1.0, -2.0, 0.5])


def in_blocks(x):
    return np.sum(np.block([[x, 2.0 * x], [x * x, x]]) ** 3)


def in_blocks_of_one_list(x):
    return np.sum(np.block([x, x[0], x[1:] ** 2]) ** 3)


def one_block_is_left_out(x):
    both = np.block([[x, x * x], [x, x]])
    return np.sum(both[:, 1:3] ** 3)


def concatenated(x):
    return np.sum(np.concatenate([x * x, [x[1]], x[:1]]) ** 3)


def one_piece_is_left_out(x):
    y = np.concatenate([x, x * x])
    return np.sum(y[:2] ** 3)


def concatenated_and_read(x):
    parts = [x, x * x]
    return np.sum(np.concatenate(parts) ** 3) * np.sum(parts[1] * parts[0])


def stacked(x):
    rows = [x, x * x]
    return np.sum(np.stack(rows, axis=1) ** 3) + np.sum(np.vstack(rows) * np.vstack([x, x]))


def side_by_side(x):
    columns = np.column_stack([x, x * x, np.ones((3, 2))])
    return np.sum(np.hstack([x, x**2]) ** 3) + np.sum(columns**2) * np.sum(np.dstack([x, x]) ** 2)


def nested_displays(x):
    return np.sum(np.array([[x, x**2], [x[0] * x, x]]) ** 3)


def broadcast_together(x):
    a, b = np.broadcast_arrays(x, np.stack([x, x * x]))
    return np.sum(a**2 * b)


def at_least(x):
    a, b, c = np.atleast_2d(x[0], x, np.stack([x, x]))
    return np.sum(a * b**2 * c)


def on_a_mesh(x):
    a, b = np.meshgrid(x, x[:2] ** 2)
    return np.sum(a * b * a)


def divided(x):
    quotient, rest = np.polydiv(np.array([1.0, 2.0, 3.0, 4.0]) * x[0] ** 2, x)
    return np.sum(quotient**2) + np.sum(rest**3)


def divided_by_a_longer_one(x):
    quotient, rest = np.polydiv(x[:2] ** 2, x)
    return np.sum(quotient**2) + np.sum(rest**3)


def divided_by_a_number(x):
    return np.sum(np.polydiv(x, x[1:2] ** 2)[0] ** 3)


def shares(x):
    h, _ = np.histogram([0.1, 0.4, 0.6], bins=3, range=(0, 1), weights=x**2, density=True)
    return np.sum(h**2)


def shares_between_edges(x):
    edges = np.array([0.0, 0.3, 0.5, 1.0])
    h, _ = np.histogram([0.1, 0.4, 0.6], bins=edges * x[0], weights=x**2, density=True)
    return np.sum(h**3)


def crossed(x):
    return np.sum(np.cross(x, np.stack([x**2, x[::-1]])) ** 3)


def crossed_along_the_first_axis(x):
    a = np.stack([x, x**2], axis=1)
    return np.sum(np.cross(a, x[:, None] * a[::-1], axis=0) ** 3)


PROGRAMS = [
    value for value in list(globals().values()) if getattr(value, "__module__", "") == __name__
]


def check_both_ways(f):
    def paired(x):
        return np.sum(tl.grad(f)(x) * w)

    found = tl.grad(paired)(x)
    np.testing.assert_allclose(found, tl.hvp(f)(x, w), rtol=1e-9, atol=1e-9)
    e = 1e-5
    differences = (tl.grad(f)(x + e * w) - tl.grad(f)(x - e * w)) / (2.0 * e)
    np.testing.assert_allclose(found, differences, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("f", PROGRAMS)
def test_numpy(f):
    check_grads(f, x, order=1, replay=True)
    check_both_ways(f)


def test_scipy_linalg():
    linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")

    def blocks(x):
        return np.sum(linalg.block_diag(x, x[:2, None] * x, x[0]) ** 3)

    def one_block(x):
        return np.sum(linalg.block_diag(x * x) ** 3)

    def circulant(x):
        return np.sum(linalg.solve_circulant(x, np.stack([x, x**2], axis=1)) ** 3)

    for f in (blocks, one_block, circulant):
        check_both_ways(f)


def test_scipy_sparse():
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    ones = np.arange(6.0) - 2.5

    def beside(x):
        a = sparse.csr_array((x, ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
        return np.sum((sparse.hstack([a, a]) @ ones) ** 3)

    def below(x):
        a = sparse.csr_array((x * x, ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
        b = sparse.vstack([a, a.T.tocsr()])
        return np.sum((b.T @ ones) ** 3)

    def on_the_diagonal(x):
        a = sparse.csr_array((x, ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
        return np.sum((sparse.block_diag([a, a * x[0]]) @ ones) ** 3)

    def multiplied_out(x):
        a = sparse.csr_array((x, ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
        return np.sum((sparse.kron(a, a) @ np.arange(9.0)) ** 2)

    for f in (beside, below, on_the_diagonal, multiplied_out):
        check_both_ways(f)


def test_rotations():
    transform = pytest.importorskip("scipy.spatial.transform", reason="SciPy is not installed")

    def turned_twice(x):
        r = transform.Rotation.from_rotvec(x) * transform.Rotation.from_rotvec(2.0 * x)
        return np.sum(r.as_matrix()[0] * np.array([1.0, 2.0, 3.0]))

    def applied(x):
        r = transform.Rotation.from_quat(
            np.concatenate([x, [1.0]])
        ) * transform.Rotation.from_rotvec(x)
        return np.sum(r.apply(x) ** 3)

    for f in (turned_twice, applied):
        check_both_ways(f)


def decay(y, t, rate):
    return -rate * y


def pulled_back(y, t, rate, level):
    return rate * (level - y)


def test_odeint_with_arguments():
    integrate = pytest.importorskip("scipy.integrate", reason="SciPy is not installed")

    def one(x):
        y = integrate.odeint(decay, x[:1], np.linspace(0.0, 1.0, 4), args=(x[1],))
        return np.sum(y**2)

    def two(x):
        y = integrate.odeint(pulled_back, x[:1], np.linspace(0.0, 1.0, 3), args=(x[1], x[2]))
        return np.sum(y**2)

    for f in (one, two):
        found = tl.grad(lambda x, f=f: np.sum(tl.grad(f)(x) * w))(x)
        np.testing.assert_allclose(found, tl.hvp(f)(x, w), rtol=1e-5, atol=1e-6)
