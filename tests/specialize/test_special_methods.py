"""Special methods that are called by their names give what their operators give."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

M = np.array([[0.3, -1.2, 2.5], [1.7, 0.4, -0.6]])
S = np.array([[2.5, 0.3, 0.1], [0.4, 1.5, 0.2], [0.15, 0.25, 3.5]])


def arithmetic(m):
    y = m.__add__(m[0]).__mul__(m).__sub__(m.__rsub__(2.0))
    return y.__truediv__(3.0).__radd__(m.__neg__()) + m.__abs__().__rtruediv__(1.0)


def powers_and_rests(m):
    quotient, rest = m.__divmod__(0.7)
    return m.__pow__(2) + S[:2].__rpow__(2.0) * m + quotient * rest + m.__mod__(0.7).__rmul__(m)


def products(m):
    return m.__matmul__(S) + S.T.__rmatmul__(m).__pos__()


def entries(m):
    return m.__getitem__((slice(None), 1)) * m.__getitem__(0).__getitem__(2).__float__()


def masks(m):
    return (
        m * m.__gt__(0.35).__and__(m.__lt__(2.0)).__or__(m.__eq__(9.0)).__invert__() * m.__len__()
    )


@pytest.mark.parametrize("f", [arithmetic, powers_and_rests, products, entries, masks])
def test_arrays(f):
    check_grads(f, M)


def test_numbers():
    def f(a: float):
        return a.__mul__(a).__add__(1.0).__neg__() * a.__abs__()

    check_grads(f, 0.7)


def test_they_are_written_as_operators():
    text = tl.source(lambda m: np.sum(m.__mul__(m.__radd__(2.0))), like=(M,))
    assert "__" not in text.partition("def ")[2]
