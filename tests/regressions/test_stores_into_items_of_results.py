"""Stores into arrays that a function with several results has made."""

import numpy as np
import pytest
import scipy.linalg

import tapeless as tl
from tests import laws

X = np.array([0.4, -0.7, 1.3, 0.9])
A = np.diag([1.0, 2.0, 3.0, 4.5]) + 0.1 * np.outer(X, X)


def first_row_of_a_grid(x):
    a, b = np.meshgrid(x, x[:2], indexing="ij")
    a[0] = 1.0
    return np.sum(a * b**2)


def both_grids(x):
    a, b = np.meshgrid(x, x**2)
    b[0, 1] = x[3]
    a *= b
    return np.sum(a * b)


def grids_in_a_loop(x):
    total = 0.0
    for g in np.meshgrid(x, x):
        g[0] = x[1]
        total = total + np.sum(g**2)
    return total


def remainders_of_remainders(x):
    r, total = x * 1.0, 0.0
    for k in range(3):
        q, r = np.divmod(r, 0.37)
        r *= 2.1
        r[k] = x[k] ** 2
        total = total + np.sum(q * r)
    return total


def parts_in_a_branch(x):
    if x[0] > 0:
        a, b = np.divmod(x, 0.37)
    else:
        a, b = x * 2.0, x * 3.0
    b[0] = x[1]
    return np.sum(a * b)


def parts_handed_to_a_function(x):
    def clear(v):
        v[0] = 0.0

    a, b = np.divmod(x, 0.37)
    clear(b)
    return np.sum(a * b * x)


def parts_returned_by_a_function(x):
    def parts(v):
        return np.modf(v * 3.0)

    f, i = parts(x)
    f[1] = 2.0
    i[0] += f[2]
    return np.sum(f * i * x)


def parts_kept_in_a_list(x):
    kept = []
    for k in range(2):
        f, _ = np.modf(x * (k + 1.3))
        f[k] = 0.0
        kept.append(f)
    return np.sum(kept[0] * kept[1])


def parts_swapped(x):
    a, b = np.modf(x * 1.3)
    a, b = b, a
    a[0] = x[0]
    b[1] = a[0]
    return np.sum(a * b)


def slopes_by_index(x):
    slopes = np.gradient(np.outer(x, x))
    slopes[0][1] = 0.0
    slopes[1][:] *= slopes[0]
    return np.sum(slopes[1])


def some_of_several_made_vectors(x):
    a, b = np.atleast_1d(x * 2.0, x[:2])
    a[0] = x[1]
    return np.sum(a) * np.sum(b)


def open_grid_of_numbers(x):
    y = x * 1.0
    a, b = np.ix_(y, y)
    a[0] = x[2]
    return np.sum(a * b**2)


OF_VECTORS = [
    first_row_of_a_grid, both_grids, grids_in_a_loop, remainders_of_remainders, parts_in_a_branch,
    parts_handed_to_a_function, parts_returned_by_a_function, parts_kept_in_a_list, parts_swapped,
    slopes_by_index, some_of_several_made_vectors, open_grid_of_numbers,
]  # fmt: skip


def least_eigenvalue_cut(a):
    w, v = np.linalg.eigh(a + a.T)
    w[0] = 0.0
    v[:, 1] *= w[2]
    return np.sum((v * w) @ v.T * A)


def eigenvalues_by_name(a):
    found = np.linalg.eigh(a + a.T)
    found.eigenvalues[0] = 0.0
    return np.sum((found.eigenvectors * found.eigenvalues) @ found.eigenvectors.T * A)


def small_eigenvalues_lifted(a):
    w = np.linalg.eigvalsh(a + a.T)
    w[w < 3.5] = 3.5
    w[1:] *= w[3]
    return np.sum(w**2)


def least_singular_value_cut(a):
    u, s, vt = np.linalg.svd(a)
    s[3] = 0.0
    return np.sum((u * s) @ vt * A)


def changed_factors(a):
    q, r = np.linalg.qr(a)
    r[0, 1] = 2.0
    q[1] *= a[0]
    return np.sum(q @ r * A)


def changed_triangles(a):
    _, lower, upper = scipy.linalg.lu(a)
    upper[0, 0] = 1.0
    lower += upper
    return np.sum(lower * upper)


def solution_cut(a):
    solution, *_ = np.linalg.lstsq(a, X, rcond=None)
    solution[0] = 0.0
    return solution @ solution


OF_MATRICES = [
    least_eigenvalue_cut, eigenvalues_by_name, small_eigenvalues_lifted, least_singular_value_cut,
    changed_factors, changed_triangles, solution_cut,
]  # fmt: skip


@tl.custom_gradient
def double_and_square(v):
    def grad(a, b):
        return a * 2.0 + b * 2.0 * v

    return (v * 2.0, v**2), grad


@tl.custom_gradient
def itself_and_square(v):
    def grad(a, b):
        return a + b * 2.0 * v

    return (v, v**2), grad


def both_of_a_custom_gradient(x):
    a, b = double_and_square(x)
    a[0] = 1.0
    b *= a
    return np.sum(a * b)


def one_of_a_custom_gradient(x):
    a, b = double_and_square(x)
    b = b * a
    a[0] = x[1]
    return np.sum(a * b)


def an_argument_handed_through(x):
    y = x * 1.0
    a, b = itself_and_square(y)
    a[0] = 1.0
    return np.sum(a * b) + y[0]


@pytest.mark.parametrize("function", OF_VECTORS, ids=lambda function: function.__name__)
def test_vectors(function):
    laws.check_orders(function, X)


@pytest.mark.parametrize("function", OF_MATRICES, ids=lambda function: function.__name__)
def test_matrices(function):
    laws.check_orders(function, A)


@pytest.mark.parametrize("function", [both_of_a_custom_gradient, one_of_a_custom_gradient])
def test_custom_gradients(function):
    tl.check_grads(function, X, order=2, replay=True)


def test_an_argument_handed_through_in_a_tuple():
    with pytest.raises(tl.TapelessError, match="may share memory with its argument"):
        tl.grad(an_argument_handed_through)(X)
