"""Arguments that `*` spreads out of lists and tuples which comprehensions and loops filled."""

import numpy as np
import pytest

from tapeless.testing import check_grads

X = np.array([0.3, 0.7, 1.1])


def of_a_tuple(x):
    rows = tuple(v * x for v in (1.0, 2.0))
    return np.einsum("i,i->", *rows)


def of_a_list(x):
    rows = [v * x for v in (1.0, 2.0)]
    return np.einsum("i,i->", *rows)


def of_a_loop(x):
    rows = []
    for v in (1.0, 2.0):
        rows.append(v * x)
    return np.einsum("i,i->", *rows)


def of_unlike_ranks(x):
    args = [np.atleast_1d(a) for a in (x, x[0])]
    a, b = np.broadcast_arrays(*args)
    return np.sum(a * b)


def of_a_map(x):
    args = tuple(map(np.asarray, (x, x[0], 2.0)))
    return np.sum(np.broadcast_arrays(*args)[1] * x)


def spread(*args):
    return np.sum(np.meshgrid(*[np.asarray(a) * 2.0 for a in args])[0] * args[0])


def of_parameters(x):
    return spread(x, x * x)


def beside_another_loop(x):
    t = 0.0
    for v in x:
        t = t + v**2
    args = tuple(np.atleast_1d(a) for a in (x, t))
    return np.sum(np.broadcast_arrays(*args)[1] * x)


PROGRAMS = (
    of_a_tuple, of_a_list, of_a_loop, of_unlike_ranks, of_a_map, of_parameters, beside_another_loop,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_how_many_is_told(f):
    check_grads(f, X, order=2, replay=True)
