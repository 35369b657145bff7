"""Small functions in the place of their calls: what is spliced, and that all of it means the same."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

X = np.array([0.7, -1.3, 0.4, 1.9])
OFFSET = np.array([1.0, 2.0, 3.0, 4.0])


def scale_in(a, c):
    a[1:] *= c
    return a


def fill(a, c):
    for i in range(a.shape[0]):
        a[i] = a[i] * c + i


def early(v, least=0.2):
    if v < least:
        return least * v
    if v > 1.0:
        return v * v * v
    return np.sin(v)


def clash(y, x):
    t = y * x
    i = t + 1.0
    x = i * t
    return x - y


def two(a, b):
    d = a - b
    return d, d * a


def by_index(a, index, c):
    b = a[index]
    b[-1] *= c
    a[index] = b * b
    return a


def with_jumps(v, n):
    for k in range(10):
        if k == n:
            break
        if k % 2:
            continue
        v = v * 1.1 + k
    else:
        v = v * v
    return v


def stores_into_what_it_returns(x, c):
    a = x * 2.0
    b = scale_in(a, c)
    b[0] = c * c
    return np.sum(a * b)


def stores_into_its_argument_twice(x, c):
    y = x.copy()
    fill(y, c)
    fill(y, c * c)
    return y @ x


def early_returns_in_a_loop(x, c):
    s = c
    for i in range(x.shape[0]):
        s += early(x[-i - 1])
    return s


def names_that_clash(x, y):
    t = clash(x, y)
    for i in range(3):
        x = clash(t, x)
        t = clash(y * 1.0, t) * 0.1 + i
    return np.sum(x * t)


def closures(x, c):
    k = c * 2.0

    def inner(v):
        return v * k + c

    y = inner(x)
    k = 3.0 * c
    return np.sum(inner(y) * y)


def items_of_results(x, c):
    p, q = two(x, c)
    r = two(p, q)
    return np.sum(r[1] * r[0])


def index_arrays_and_aliases(x, c):
    a = x * 1.0
    b = a
    y = by_index(a, np.array([0, 2, -1]), c)
    z = by_index(b, np.array([1, 3]), c)
    return np.sum(y * b) + z[-2]


def jumps_inside(x, c):
    s = c
    for n in (3, 20, 0):
        s += with_jumps(x[0], n)
    return s


SPLICED = (
    stores_into_what_it_returns, early_returns_in_a_loop, closures, items_of_results,
    index_arrays_and_aliases, jumps_inside,
)  # fmt: skip


@pytest.mark.parametrize("f", SPLICED, ids=lambda f: f.__name__)
def test_is_spliced_and_right(f):
    assert tl.source(f, like=(X, 1.1), wrt=(0, 1)).count("def ") == 1
    assert tl.value_and_grad(f)(X.copy(), 1.1)[0] == f(X.copy(), 1.1), "to the last bit"
    check_grads(f, X, 1.1, replay=True)


@pytest.mark.parametrize("f", [stores_into_its_argument_twice, names_that_clash])
def test_is_right(f):
    check_grads(f, X, 0.4, replay=True)


def maybe_unbound(v, n):
    if n > 1:
        t = v * v
    return t * v


def with_default(v, w=OFFSET * 2.0):
    return np.sum(w * v)


def recursive(v, n):
    if n == 0:
        return v
    return recursive(v * v, n - 1)


def guarded(v):
    if v < 0.0:
        raise ValueError("negative")
    return v * v


def reads_what_may_be_unbound(x, n):
    s = 0.0
    for k in range(n, 0, -1):
        s += maybe_unbound(x[0], k)
    return s


def default_of_the_definition(x, n):
    return with_default(x) * n


def calls_a_recursion(x, n):
    return recursive(x[0], n)


def under_a_handler(x, n):
    s = 0.0
    try:
        s += guarded(x[1]) * n
    except ValueError:
        s += x[0]
    return s


KEPT = default_of_the_definition, calls_a_recursion, under_a_handler


@pytest.mark.parametrize("f", KEPT, ids=lambda f: f.__name__)
def test_stays_a_function(f):
    assert tl.source(f, like=(X, 2)).count("def ") > 1
    check_grads(lambda x: f(x, 2), X, order=1, replay=True)


def test_finds_nothing_of_the_last_trip():
    with pytest.raises((UnboundLocalError, TypeError)):
        tl.grad(reads_what_may_be_unbound)(X, 2)


def test_messages_say_the_line_that_calls():
    def inner(v):
        return np.sum(np.intersect1d(v, [1.0]))

    def outer(x):
        return 2.0 * inner(x)

    with pytest.raises(tl.NoGradientError, match="called from .*return 2.0 \\* inner"):
        tl.grad(outer)(X)
