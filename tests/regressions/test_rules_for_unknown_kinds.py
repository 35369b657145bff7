"""What is done with arguments of unknown kinds is written out: no rule is called."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

VECTOR = np.array([0.5, -1.2, 2.0])
MATRIX = np.array([[2.0, 0.3, -0.1], [0.4, 1.5, 0.2], [-0.3, 0.1, 1.1]])
STACK = np.stack([MATRIX, MATRIX.T + np.eye(3)])


def chosen(x, a):
    return np.sum(np.where(x > 0.0, x * a, a) ** 2)


def lifted(x):
    return np.sum(np.atleast_1d(x) ** 2) + np.sum(np.atleast_2d(x) ** 3)


def triangles(x):
    return np.sum(np.tril(x) ** 2) + np.sum(np.triu(x, 1) ** 3)


def diagonals(x):
    return np.sum(np.diag(x) ** 2)


def products(x, a):
    return np.sum(np.outer(x, a) ** 2) + np.vdot(x, x)


def solved(x, a):
    return np.sum(np.linalg.solve(x, a) ** 2)


def of_matrices(x):
    return np.sum(np.linalg.det(x) ** 2) + np.sum(np.linalg.cond(x))


def taken_apart(x):
    u, s, _ = np.linalg.svd(x)
    q, r = np.linalg.qr(x)
    return np.sum(u**2 * s) + np.sum(q**3) + np.sum(r)


def rolled(x, by):
    return np.sum(np.roll(x, by) * np.arange(3.0))


def joined(x):
    return np.sum(np.concatenate(x) ** 2) + np.sum(np.stack(x) ** 3) + np.sum(np.vstack(x) ** 2)


def doubled(x):
    return np.float64(x) ** 2


CASES = [
    (chosen, (VECTOR, 2.0)),
    (chosen, (MATRIX, VECTOR)),
    (chosen, (1.5, VECTOR)),
    (lifted, (2.0,)),
    (lifted, (VECTOR,)),
    (lifted, (MATRIX,)),
    (triangles, (VECTOR,)),
    (triangles, (MATRIX,)),
    (triangles, (STACK,)),
    (diagonals, (VECTOR,)),
    (diagonals, (MATRIX,)),
    (products, (VECTOR, VECTOR[:2])),
    (products, (MATRIX, VECTOR)),
    (products, (2.0, VECTOR)),
    (solved, (MATRIX, VECTOR)),
    (solved, (STACK, VECTOR)),
    (solved, (STACK, MATRIX)),
    (solved, (MATRIX, STACK)),
    (of_matrices, (MATRIX,)),
    (of_matrices, (STACK,)),
    (taken_apart, (MATRIX,)),
    (rolled, (VECTOR, 1)),
    (rolled, (VECTOR, -2)),
    (joined, (MATRIX,)),
    (doubled, (2.0,)),
]


def wrt_of(f):
    return ("x", "a") if "a" in f.__code__.co_varnames[: f.__code__.co_argcount] else ("x",)


@pytest.mark.parametrize(("f", "args"), CASES)
def test_the_text_for_any_kinds_gives_what_the_one_for_these_gives(f, args):
    text = tl.source(f, "grad", wrt_of(f))
    assert "tapeless.rules" not in text
    names = {}
    exec(text, names)
    found = names[f"{f.__name__}_grad"](*args)
    expected = tl.grad(f, wrt=wrt_of(f))(*args)
    for g, wanted in zip(found, expected, strict=True):
        assert np.shape(g) == np.shape(wanted)
        np.testing.assert_allclose(g, wanted, rtol=1e-12)


def test_where_with_one_argument_chooses_places():
    def f(x):
        return np.sum(x[np.where(x)] ** 2) + np.sum(x[np.where(x > 0.0)[0]] ** 3)

    expected = 2.0 * VECTOR + np.where(VECTOR > 0.0, 3.0 * VECTOR**2, 0.0)
    np.testing.assert_allclose(tl.grad(f)(VECTOR), expected)


def test_an_order_that_is_left_out_is_compared_with_others_while_the_text_is_written():
    assert "None ==" not in tl.source(of_matrices)


class Leaky:
    def __init__(self, slope):
        self.slope = slope

    def __call__(self, x):
        return np.where(x > 0.0, x, self.slope * x)


def chosen_where_the_kind_is_not_known(x):
    for layer in [Leaky(0.1), Leaky(x[0])]:
        x = layer(x - 0.1)
    return np.sum(x**2)


def test_second_derivatives_of_choices():
    laws.check_orders(chosen_where_the_kind_is_not_known, np.array([0.7, -0.31]))
