"""Several closures that come back from one call and share what they capture."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([0.3, 0.4])


def counter_and_reader(x):
    def outer():
        c = x[0]

        def scale():
            nonlocal c
            c = c * x[1]
            return c

        def get():
            return c

        return scale, get

    scale, get = outer()
    first = get()
    scale()
    other, of_other = outer()
    return first * get() + scale() + of_other() * other()


def list_and_changer(x):
    def outer():
        c = [x[0]]

        def scale():
            c[0] = c[0] * x[1]

        return c, scale

    c, scale = outer()
    scale()
    scale()
    return c[0]


def array_and_changer(x):
    def outer():
        c = np.sin(x)

        def scale():
            c[0] = c[1] * x[1]

        return {"of": c, "scale": scale}

    made = outer()
    made["scale"]()
    return np.sum(made["of"])


def put_into_a_list(x):
    def outer(kept):
        c = [x[0]]

        def scale():
            c[0] = c[0] * x[1]

        kept.append(scale)
        return c

    kept = []
    c = outer(kept)
    kept[0]()
    return c[0]


@pytest.mark.parametrize(
    "f",
    [counter_and_reader, list_and_changer, array_and_changer, put_into_a_list],
    ids=lambda f: f.__name__,
)
def test_right(f):
    check_function(f, (X,))


def bound_twice(x):
    def outer():
        c = [x[0]]
        c = c + [1.0]

        def scale():
            c[0] = c[0] * x[1]

        return c, scale

    c, scale = outer()
    scale()
    return c[0]


def of_constants_at_first(x):
    def outer():
        c = [0.5]
        c = c + [1.0]

        def scale():
            c[0] = c[0] * 2.0

        return c, scale

    c, scale = outer()
    c[0] = x[0] * x[1]
    scale()
    return c[0]


@pytest.mark.parametrize("f", [bound_twice, of_constants_at_first], ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["grad", "jvp"])
def test_refused(f, mode):
    with pytest.raises(tl.TapelessError, match="what `scale` calls is not known"):
        tl.source(f, mode=mode, like=(X,))
