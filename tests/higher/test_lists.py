"""Programs that build lists, differentiated again; and where the refusals of second order point."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import TapelessError
from tapeless.origins import is_generated, is_of_the_tool
from tests.test_operators import close, differences

X = np.array([1.0, 2.0, 0.5])
V = np.array([1.0, -2.0, 3.0])


def comprehension(x):
    return sum([v * v for v in x])


def appended(x):
    out = []
    for v in x:
        out.append(v**3)
    return np.sum(np.array(out)) * sum(out)


def nested_sum(x):
    return sum([sum([v * u for v in x]) for u in x])


def joined(x):
    out = [np.sin(x), x**2, x[:2] ** 3]
    return np.sum(np.concatenate(out) ** 2)


def dict_of_items(x):
    table = {}
    for i in range(3):
        table[i] = x[i] ** 3
    return sum(table.values()) + table[1] * table[2]


def stored_items(x):
    out = [0.0] * 3
    for i in range(3):
        out[i] = x[i] ** 3
    return sum(out) * out[1]


def extremes(x):
    return max([v**2 for v in x]) + min([v**3 for v in x])


def popped(x):
    out = [v**2 for v in x]
    product = 1.0
    while out:
        product = product * out.pop()
    return product


def list_or_number(a):
    if isinstance(a, list):
        return a[0] * a[1]
    return a * 3.0


def asks_for_the_class(x):
    return list_or_number([x[0] ** 2, x[1]]) + list_or_number(x[2] ** 2)


@pytest.mark.parametrize(
    "f",
    [comprehension, appended, nested_sum, joined, stored_items, extremes, popped,
     asks_for_the_class],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_hessians_of_programs_that_build_lists(f):
    gradient = tl.grad(f)
    close(gradient(X), differences(f, X), 1e-6)
    close(tl.hessian(f)(X), differences(gradient, X), 1e-6)


@pytest.mark.parametrize("f", [appended, dict_of_items], ids=lambda f: f.__name__)
def test_pullbacks_and_tangents_of_their_gradients_agree(f):
    w = np.array([0.3, 1.0, -0.7])
    _, pullback = tl.vjp(tl.grad(f), X)
    close(w @ tl.hvp(f)(X, V), pullback(w)[0] @ V, 1e-9)


def lists_in_lists(x):
    rows = [[v * u for v in x] for u in x]
    return sum(sum(r) for r in rows)


def tuples_in_a_list(x):
    pairs = [(v, v**2) for v in x]
    return sum([a * b for a, b in pairs])


@pytest.mark.parametrize("f", [lists_in_lists, tuples_in_a_list], ids=lambda f: f.__name__)
def test_refusals_of_second_order_point_to_the_users_file(f):
    try:
        got = tl.grad(lambda x: np.sum(tl.grad(f)(x) * V))(X)
    except TapelessError as error:
        assert error.filename == __file__
        assert error.source_line
    else:
        close(got, differences(tl.grad(f), X) @ V, 1e-6)


def test_no_error_shows_a_file_of_the_tool():
    assert is_generated("<tapeless f_grad 3>")
    assert is_of_the_tool(tl.__file__)
    assert not is_of_the_tool(__file__)


def repeated(x):
    y = np.zeros(3)
    y[1] = x[0] * x[1]
    z = np.broadcast_to(y, (2, 3))
    return np.sum(np.cos(z) * np.arange(6.0).reshape(2, 3))


def test_a_view_that_repeats_entries_of_what_is_stored_into():
    try:
        close(tl.grad(repeated)(X), differences(repeated, X))
    except tl.GradientError as error:
        assert error.filename == __file__
        assert "copy it" in str(error)
