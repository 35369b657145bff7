"""A default that a call changes is there, changed, in the next call."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def kept(v, items=[]):  # noqa: B006
    items.append(v)
    return sum(items)


class Keeper:
    def __init__(self, v, items=[]):  # noqa: B006
        self.items = items
        self.items.append(v)


def filled(v, out=np.zeros(2)):  # noqa: B008
    out[0] = v
    return out[0] * 2.0


def by_a_function(x):
    return kept(x) * kept(x * x)


def by_a_constructor(x):
    return Keeper(x).items[0] ** 2


def by_a_store(x):
    return filled(x) + filled(x * x)


@pytest.mark.parametrize("f", [by_a_function, by_a_constructor, by_a_store])
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_what_varies_is_not_kept_in_one(f, mode):
    with pytest.raises(tl.GradientError, match="changes the default of its parameter"):
        tl.grad(f)(0.7) if mode == "reverse" else tl.jvp(f, (0.7,), (1.0,))
    assert not kept.__defaults__[0] and not Keeper.__init__.__defaults__[0]


def settings(x, held={"a": 3.0}):  # noqa: B006
    return x * held["a"]


def collected(x, out=None):
    out = [] if out is None else out
    out.append(x)
    return out


def read_only(x):
    return settings(x) * settings(x, {"a": x})


def made_inside(x):
    return sum(collected(x)) * sum(collected(x, [x * x]))


@pytest.mark.parametrize("f", [read_only, made_inside])
def test_one_that_is_read_or_passed(f):
    laws.check_orders(f, 0.7)
