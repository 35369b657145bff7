"""Every rule of products.py, run by itself, over ranks and axes."""

import operator

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import GradientError
from tapeless.rules import declare, products
from tapeless.runtime.einsum import einsum_bar, einsum_dot
from tapeless.runtime.products import cross_left_bar, cross_right_bar
from tapeless.testing import check_grads, check_rule


def normal(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape)


MATMULS = [operator.matmul, np.matmul, np.ndarray.__matmul__]
DOTS = [np.dot, np.ndarray.dot]
CHECKED = {
    *MATMULS,
    *DOTS,
    np.ndarray.__rmatmul__,
    np.inner,
    np.outer,
    np.vdot,
    np.tensordot,
    np.kron,
    np.einsum,
    np.cross,
    cross_left_bar,
    cross_right_bar,
    np.linalg.multi_dot,
    einsum_bar,
    einsum_dot,
    np.linalg.matmul,
    np.linalg.outer,
    np.linalg.tensordot,
    np.linalg.cross,
    np.linalg.vecdot,
    np.vecdot,
} | {vars(np)[key] for key in ("matvec", "vecmat") if hasattr(np, key)}


@pytest.mark.parametrize("fn", MATMULS)
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((2,), (2, 3)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3,)),
        ((6, 5, 2, 3), (3,)),
        ((3,), (5, 3, 4)),
        ((3,), (2, 5, 3, 4)),
        ((5, 2, 3), (3, 4)),
        ((2, 3), (5, 3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((1, 2, 3), (5, 3, 4)),
        ((5, 2, 3), (1, 3, 4)),
        ((6, 1, 2, 3), (5, 3, 4)),
        ((0, 3), (3, 4)),
        ((2, 0), (0, 4)),
        ((2, 5, 0), (0, 4)),
        ((0, 2, 3), (3,)),
    ],
)
def test_matmul(fn, a, b):
    check_rule(fn, normal(*a), normal(*b))


@pytest.mark.parametrize("fn", DOTS)
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((), (2, 3)),
        ((2, 3), ()),
        ((), ()),
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((2,), (2, 3)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3,)),
        ((5, 2, 3), (3, 4)),
        ((3,), (5, 3, 4)),
        ((2, 3), (5, 3, 4)),
        ((2, 6, 3), (5, 3, 4)),
    ],
)
def test_dot(fn, a, b):
    check_rule(fn, np.asarray(normal(*a)), np.asarray(normal(*b)))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((), (2, 3)),
        ((2, 3), ()),
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (2, 3)),
        ((2, 3), (4, 3)),
        ((5, 2, 3), (3,)),
        ((5, 2, 3), (6, 4, 3)),
        ((3,), (6, 4, 3)),
    ],
)
def test_inner(a, b):
    check_rule(np.inner, np.asarray(normal(*a)), np.asarray(normal(*b)))


@pytest.mark.parametrize(
    ("a", "b"), [((2,), (3,)), ((2, 2), (3,)), ((2,), (3, 2)), ((), (2,)), ((0,), (2,))]
)
def test_outer(a, b):
    check_rule(np.outer, np.asarray(normal(*a)), np.asarray(normal(*b)))


def test_reflected_matmul():
    check_rule(np.ndarray.__rmatmul__, normal(3, 4), normal(2, 3))
    check_rule(np.ndarray.__rmatmul__, normal(3), normal(5, 2, 3))


def test_vdot():
    check_rule(np.vdot, normal(4), normal(4))
    check_rule(np.vdot, normal(2, 3), normal(2, 3))
    check_rule(np.vdot, normal(2, 3), normal(6))
    check_rule(np.vdot, normal(0), normal(0))


def test_vdot_of_complex():
    a, b = normal(3) + 1j * normal(1, 3)[0], normal(1, 3)[0] - 2j * normal(3)
    y, grad, _ = products.np_vdot(a, b)
    a_bar, b_bar = grad(2 * np.conj(y))  # of abs(y) ** 2, in the convention dL/dx - i dL/dy
    d = 1e-6
    for x_bar, loss in [
        (a_bar, lambda t: abs(np.vdot(a + t, b)) ** 2),
        (b_bar, lambda t: abs(np.vdot(a, b + t)) ** 2),
    ]:
        step = np.eye(3)[1] * d
        real = (loss(step) - loss(-step)) / (2 * d)
        imag = (loss(1j * step) - loss(-1j * step)) / (2 * d)
        np.testing.assert_allclose(x_bar[1], real - 1j * imag, rtol=1e-6)


@pytest.mark.parametrize(
    ("a", "b", "axes"),
    [
        ((2, 3, 4), (3, 4, 5), 2),
        ((2, 3), (4, 5), 0),
        ((2, 3), (2, 3), 2),
        ((2, 3, 4), (4, 5), 1),
        ((2, 3, 4), (4, 3, 5), ((1, 2), (1, 0))),
        ((2, 3, 4), (5, 4, 2), ((0, -1), (2, 1))),
        ((2, 3, 4, 5), (4, 5, 2, 6), ([3, 0, 2], [1, 2, 0])),
        ((2, 3), (4, 3), (1, 1)),
        ((2, 3), (4, 3), (-1, -1)),
        ((2, 3), (4, 3), ((1,), (1,))),
        ((), (2, 3), 0),
    ],
)
def test_tensordot(a, b, axes):
    check_rule(np.tensordot, np.asarray(normal(*a)), np.asarray(normal(*b)), axes=axes)


@pytest.mark.parametrize(
    ("a", "b"),
    [((2,), (3,)), ((2, 3), (3, 2)), ((2,), (3, 2)), ((2, 3), (4,)), ((), (2, 3)), ((2,), ())],
)
def test_kron(a, b):
    check_rule(np.kron, np.asarray(normal(*a)), np.asarray(normal(*b)))


def test_kron_is_differentiated_twice():
    check_grads(lambda a, b: np.sum(np.kron(a, b) ** 2), normal(2, 3), normal(3))


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij,jk", [(2, 3), (3, 4)]),
        (" ij , jk -> ki ", [(2, 3), (3, 4)]),
        ("ba", [(2, 3)]),
        ("ij->", [(2, 3)]),
        ("ij->i", [(2, 3)]),
        ("ii", [(3, 3)]),
        ("ii->i", [(3, 3)]),
        ("iij->j", [(3, 3, 2)]),
        ("iii->i", [(3, 3, 3)]),
        ("iji,j->i", [(3, 2, 3), (2,)]),
        ("ii,jj->", [(3, 3), (2, 2)]),
        ("i,i", [(3,), (3,)]),
        ("i,j->ij", [(3,), (2,)]),
        ("i,j->", [(3,), (2,)]),
        ("ij,k->i", [(3, 2), (4,)]),
        (",i->i", [(), (3,)]),
        ("...ij,...jk->...ik", [(5, 2, 3), (5, 3, 4)]),
        ("...ij,...jk->...ik", [(5, 2, 3), (3, 4)]),
        ("...ij,...jk", [(6, 5, 2, 3), (5, 3, 4)]),
        ("...ij,...jk", [(1, 2, 3), (5, 3, 4)]),
        ("...i->...", [(2, 3)]),
        ("...ii->...i", [(2, 3, 3)]),
        ("i...->...", [(2, 3)]),
        ("...,...", [(2, 3), (3,)]),
        ("ij,ij->ij", [(1, 3), (2, 3)]),
        ("ij,ij->", [(1, 3), (2, 1)]),
        ("iik,ik->", [(1, 1, 3), (2, 3)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
        ("i,ij,j->", [(2,), (2, 3), (3,)]),
        ("AbZ,bZ->A", [(2, 3, 4), (3, 4)]),
        ("ij,jk->ik", [(0, 3), (3, 4)]),
    ],
)
def test_einsum(subscripts, shapes):
    check_rule(np.einsum, subscripts, *(np.asarray(normal(*shape)) for shape in shapes))


def test_einsum_of_one_array_given_twice():
    x = normal(3, 3)
    check_rule(np.einsum, "ij,jk->ik", x, x)
    check_rule(np.einsum, "ij,jk,kl->il", x, x, x, optimize=True)


def test_einsum_with_lists_of_axes_is_refused():
    with pytest.raises(GradientError, match="string"):
        products.np_einsum(normal(2, 3), [0, 1])


def test_cross():
    check_rule(np.cross, normal(3), normal(3))
    check_rule(np.cross, normal(4, 3), normal(3))
    check_rule(np.cross, normal(3), normal(4, 3))
    check_rule(np.cross, normal(1, 3), normal(4, 3))
    check_rule(np.cross, normal(3, 4), normal(4, 3), axisa=0)
    check_rule(np.cross, normal(3, 4), normal(4, 3), 0, 1, 0)
    check_rule(np.cross, normal(3, 4), normal(3, 4), axis=0)
    check_rule(np.cross, normal(2, 3, 4), normal(3, 2, 4), 1, 0, 0)
    check_rule(np.cross, normal(3), normal(3, 2, 4), 0, 0, 1)
    check_rule(np.cross, normal(3, 4), normal(2, 4, 3), axisa=0, axisc=1)


def test_multi_dot():
    check_rule(np.linalg.multi_dot, [normal(2, 3), normal(3, 4)])
    check_rule(np.linalg.multi_dot, [normal(2, 3), normal(3, 4), normal(4, 5)])
    check_rule(np.linalg.multi_dot, [normal(3), normal(3, 4), normal(4, 5), normal(5, 2)])
    check_rule(np.linalg.multi_dot, [normal(2, 3), normal(3, 4), normal(4)])
    check_rule(np.linalg.multi_dot, [normal(3), normal(3, 4), normal(4)])
    check_rule(np.linalg.multi_dot, [normal(3), normal(3)])
    check_rule(np.linalg.multi_dot, [normal(3), normal(3, 1)])
    check_rule(np.linalg.multi_dot, [normal(1, 3), normal(3)])


WAVES = normal(3) + 1j * normal(2, 3)[0]


@pytest.mark.parametrize(
    ("fn", "a", "b"),
    [
        (np.linalg.matmul, normal(2, 3), normal(3, 4)),
        (np.linalg.outer, normal(3), normal(4)),
        (np.linalg.tensordot, normal(2, 3, 4), normal(3, 4, 2)),
        (np.linalg.cross, normal(2, 3), normal(3)),
        *((fn, normal(2, 3), normal(3)) for fn in (np.vecdot, np.linalg.vecdot)),
        (np.vecdot, WAVES, WAVES * WAVES),
        (np.vecdot, normal(2, 1, 3), normal(4, 3)),
    ],
)
def test_products_of_stacks(fn, a, b):
    check_rule(fn, a, b)


@pytest.mark.skipif(not hasattr(np, "matvec"), reason="since NumPy 2.2")
def test_products_of_stacked_matrices_and_vectors():
    check_rule(np.matvec, normal(2, 3), normal(3))
    check_rule(np.matvec, normal(2, 1, 2, 3), normal(4, 3))
    check_rule(np.matvec, normal(2, 3) * 1j, WAVES)
    check_rule(np.vecmat, normal(3), normal(3, 2))
    check_rule(np.vecmat, normal(4, 3), normal(2, 1, 3, 2))
    check_rule(np.vecmat, WAVES, normal(3, 2) * 1j)


def test_products_along_another_axis():
    check_rule(np.vecdot, normal(3, 2), normal(3, 1), axis=0)
    check_rule(np.linalg.vecdot, normal(3, 3), normal(3), axis=0)
    check_rule(np.linalg.cross, normal(3, 3), normal(3), axis=0)
    check_rule(np.linalg.cross, normal(3, 2), normal(3, 2), axis=0)
    check_rule(np.linalg.tensordot, normal(2, 3), normal(3, 4), axes=1)


def rules_here():
    return {
        primal: rule.function
        for primal, rule in declare._RULES.items()
        if rule.form != "zero" and rule.function.__module__ == products.__name__
    }


@pytest.mark.parametrize("i", range(3))
def test_cotangents_of_three_operands(i):
    operands = (normal(2, 3), normal(3, 4), normal(4, 5))
    check_rule(einsum_bar, normal(2, 5), "ij,jk,kl->il", operands, i)


def test_tangents_of_three_operands():
    operands = (normal(2, 3), normal(3, 4), normal(4, 5))
    tangents = tuple(normal(*np.shape(operand)) for operand in operands)
    check_rule(einsum_dot, "ij,jk,kl->il", operands, tangents)


def test_forward_over_forward_of_three_operands():
    def product(a, b, c):
        return np.sin(np.einsum("ij,jk,kl->il", a, b, c))

    check_grads(product, normal(2, 3), normal(3, 4), normal(4, 2), modes=("forward",))
    text = tl.source(product, mode="jvp", like=(normal(2, 3), normal(3, 4), normal(4, 2)))
    assert "einsum_dot(" in text
    assert text.count("np.einsum(") == 1


@pytest.mark.parametrize("bar", [cross_left_bar, cross_right_bar])
def test_cotangents_of_cross_products(bar):
    check_rule(bar, normal(3), normal(3), normal(3), -1, -1, -1)
    check_rule(bar, normal(4, 3), normal(3), normal(4, 3), -1, -1, -1)
    check_rule(bar, normal(4, 3), normal(4, 3), normal(3), -1, -1, -1)
    check_rule(bar, normal(3, 4), normal(4, 3), normal(3, 4), 1, 0, 0)


def test_every_rule_is_checked():
    assert set(rules_here()) == CHECKED


def moved_axes(x):
    return np.sum(x.reshape(3, 2).transpose(1, 0)[0] * x[0])


def least(x):
    return min(x[0], x[1], x[2]) * max(x[0] * x[1], x[1], x[2])


def contracted(a, b):
    first = np.einsum("ij,kj->ik", a, b)
    return np.sum(first * first)


def contracted_thrice(a, b):
    return np.sum(np.einsum("ij,jk,kl->il", a, b, a))


def crossed(a, b):
    return np.sum(np.cross(a, b) * a)


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (moved_axes, (normal(2, 3),), ["np.transpose(transpose_reshape_bar, (1, 0))"]),
        (least, (normal(3),), []),
        (contracted, (normal(3, 3), normal(3, 3)), ["first_bar @ b", "first_bar.T @ a"]),
        (contracted_thrice, (normal(3, 3), normal(3, 3)), ["einsum_bars("]),
        (crossed, (normal(4, 3), normal(4, 3)), ["cross_left_bar(", "cross_right_bar("]),
    ],
)
def test_rules_stand_in_the_text(function, args, expected):
    wrt = tuple(range(len(args)))
    text = tl.source(function, wrt=wrt, like=args)
    assert "tapeless.rules" not in text
    assert not [part for part in expected if part not in text], text
    check_grads(function, *args, order=1)


def test_products_of_two_by_labels_are_differentiated_twice():
    check_grads(contracted, normal(3, 3), normal(3, 3))
