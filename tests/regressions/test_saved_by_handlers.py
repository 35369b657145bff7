"""What a handler binds anew is saved where the handler starts, though nothing in it is reversed.

What the body of the `try` did before the exception is reversed after the handler, and reads the old value.
"""

import numpy as np
import pytest

from tapeless.testing import check_grads, check_replay
from tests import laws

X = np.array([1.0, 2.0, 3.0])


def bound_to_itself(x):
    kept = [0.0, 0.0]
    try:
        kept[0] = x[0]
        raise ValueError("stop")
    except (ValueError, KeyError):
        x = x  # noqa: PLW0127
    np.add(x, 3, out=x)
    return np.sum(x) * kept[0]


def one_of_two_handlers(x):
    kept = [0.0, 0.0]
    n = x
    try:
        kept[0] = n[0] * n[1]
        if n[2] > 0:
            raise ValueError("stop")
        n = 2.0
    except ValueError:
        n = 3.0
    except KeyError:
        n = 4.0
    return n * kept[0]


def in_a_loop(x):
    kept = [0.0, 0.0]
    s = 0.0
    for i in range(3):
        n = x[i]
        try:
            kept[0] = n * n
            if n > 1.5:
                raise ValueError("stop")
            n = 2.0
        except ValueError:
            n = 3.0
        except KeyError:
            n = x[0] * n
        s = s + n * kept[0]
    return s


def rebound_in_between(x):
    kept = [0.0, 0.0]
    n = x
    try:
        kept[0] = n[0] * n[1]
        n = n * 2.0
        if n[2] > 0:
            raise ValueError("stop")
        n = 2.0
    except ValueError:
        n = 3.0
    return n * kept[0]


def an_index(x):
    kept = [0.0, 0.0]
    k = 0
    try:
        kept[0] = x[k] ** 2
        k = 1
        kept[1] = x[k] ** 3
        raise KeyError("stop")
    except KeyError:
        k = 2
    return x[k] * kept[0] * kept[1]


def no_handler_takes_over(x):
    pieces = np.concatenate([x[:k] * k for k in range(1, 4)])
    while True:
        try:
            return np.sum(pieces**2)
        except ZeroDivisionError:
            raise


def extended_behind_an_elif(x):
    kept = [x[0]]
    for k in range(3):
        if k == 0:
            kept += [x[k] * x[1]]
        elif k == 1:
            try:
                pass
            finally:
                kept += [np.sin(x[k])]
    return kept[-1] * kept[-2] * kept[0]


FUNCTIONS = [
    extended_behind_an_elif,
    bound_to_itself,
    one_of_two_handlers,
    in_a_loop,
    rebound_in_between,
    an_index,
    no_handler_takes_over,
]


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_saved_by_handlers(f, sign):
    args = (X * [1.0, 1.0, sign],)
    laws.check_function(f, args)
    check_replay(f, *args)


@pytest.mark.parametrize("key", ["b", "c"])
def test_lists_sorted_in_a_handler_that_may_not_run(key):
    def f(x):
        items, known = [2.0 * x, x], {"b": 2.0}
        try:
            known[key]
        except KeyError:
            items.sort()
        return items[0] * 3 + items[1] * x

    check_grads(f, 0.7, order=2, replay=True)
