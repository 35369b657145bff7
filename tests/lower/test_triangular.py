"""Systems with a Cholesky factor are solved as triangular ones; with anything else as NumPy does."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.lower import NotLowered, lowered
from tapeless.lower.compiled import with_loops

pytest.importorskip("scipy")
CALL = "solve_triangular("


def spread(a, b):
    root = np.linalg.cholesky(a @ a.T + 3.0 * np.eye(len(a)))
    return np.sum(np.linalg.solve(root, b) ** 2)


def turned(a, b):
    root = np.linalg.cholesky(a @ a.T + 3.0 * np.eye(len(a)))
    return np.sum(np.tanh(np.linalg.solve(root.T, b)))


def of_both(a, b):
    root = np.linalg.cholesky(a @ a.T + 3.0 * np.eye(len(a)))
    return np.sum(np.sin(np.linalg.solve(root.T, np.linalg.solve(root, b.T))))


def of_matrix_and_vector(a, b):
    root = np.linalg.cholesky(a @ a.T + 3.0 * np.eye(len(a)))
    return np.sum(np.linalg.solve(root, b) * np.linalg.solve(root, b[0])[:, None])


def in_a_loop(a, b):
    total = 0.0
    for k in range(3):
        root = np.linalg.cholesky(a @ a.T + (k + 1.0) * np.eye(len(a)))
        total += np.sum(np.linalg.solve(root, b[k]) ** 2)
    return total


def flipped(a, b):
    root = np.linalg.cholesky(a @ a.T + 3.0 * np.eye(len(a)))
    return np.linalg.solve(root[::-1], b)


def cut(a, b):
    root = np.linalg.cholesky(a @ a.T + 3.0 * np.eye(len(a)))
    return np.linalg.solve(root[1:, :-1] + np.eye(len(a) - 1), b[1:])


def stored_before(a, b):
    root = np.linalg.cholesky(a @ a.T + 3.0 * np.eye(len(a)))
    root[0, -1] = 1.5
    return np.linalg.solve(root, b)


def rebound(a, b):
    root = np.linalg.cholesky(a @ a.T + 3.0 * np.eye(len(a)))
    root = root + 0.1
    return np.linalg.solve(root, b)


def stored_after(a, b):
    root = np.linalg.cholesky(a @ a.T + 3.0 * np.eye(len(a)))
    total = np.zeros_like(b)
    for k in range(2):
        total += np.linalg.solve(root, b)
        root[0, -1] = k + 1.5
    return total


def given(n=4):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, n)), rng.normal(size=(n, n))


def must_not_run(*_):
    raise AssertionError("the NumPy text runs")


TRIANGULAR = [spread, turned, of_both, of_matrix_and_vector, in_a_loop]


@pytest.mark.parametrize("f", TRIANGULAR, ids=lambda f: f.__name__)
def test_a_factor_is_known_to_be_triangular(f):
    plain = tl.grad(f, wrt=(0, 1), scalarize=False).serving(given()).function
    for g in (f, plain):
        loops = lowered(g, given())
        assert CALL in loops.text
        # what a loop saves of a factor is not known to be one
        assert ("np.linalg.solve(" in loops.text) == (f is in_a_loop and g is plain)
        run = with_loops(loops, must_not_run, "f", jit=False)
        for p, q in zip(np.atleast_1d(run(*given())), np.atleast_1d(g(*given())), strict=True):
            np.testing.assert_allclose(p, q, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("f", TRIANGULAR, ids=lambda f: f.__name__)
def test_compiled_they_are_those_of_numpy(f):
    pytest.importorskip("numba")
    gradient = tl.grad(f, wrt=(0, 1), compile="numba", strict=True)
    for n in (4, 9):
        wanted = tl.grad(f, wrt=(0, 1))(*given(n))
        for p, q in zip(gradient(*given(n)), wanted, strict=True):
            np.testing.assert_allclose(p, q, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("f", [flipped, cut, stored_before, rebound], ids=lambda f: f.__name__)
def test_other_matrices_are_not(f):
    loops = lowered(f, given())
    assert CALL not in loops.text
    run = with_loops(loops, must_not_run, "f", jit=False)
    np.testing.assert_allclose(run(*given()), f(*given()), rtol=1e-11, atol=1e-12)


def test_a_factor_that_a_later_trip_changes_is_not_lowered():
    with pytest.raises(NotLowered, match="another name"):
        lowered(stored_after, given())


def test_what_is_not_lowered_runs_as_it_stands():
    pytest.importorskip("numba")
    np.testing.assert_allclose(tl.compile(stored_after)(*given()), stored_after(*given()))


def test_a_system_of_another_size_raises_as_before():
    a, b = given()
    loops = lowered(spread, (a, b))
    with pytest.raises(ValueError, match="size|mismatch|broadcast"):
        with_loops(loops, spread, "f", jit=False)(a, b[:3])
