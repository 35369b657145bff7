"""A pullback of what varies computes when it is called: what its function reads may not change before."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.7, 0.31])


class Scale:
    def __init__(self, k):
        self.k = k


def item_of_a_dict(x):
    d = {"k": 2.0}
    _, pull = tl.vjp(lambda z: z * z * d["k"], x)
    d["k"] = 30.0
    return np.sum(pull(x)[0])


def attribute(x):
    scale = Scale(2.0)
    _, pull = tl.vjp(lambda z: z * z * scale.k, x)
    scale.k = 30.0
    return np.sum(pull(x)[0])


def captured_name(x):
    k = x * 2.0
    _, pull = tl.vjp(lambda z: z * z * k, x)
    k = 30.0
    return np.sum(pull(x)[0]) * k


def captured_array(x):
    w = x * 2.0
    _, pull = tl.vjp(lambda z: z * z * w, x)
    w[0] = 30.0
    return np.sum(pull(x)[0])


def argument(x):
    z = x * 1.0
    _, pull = tl.vjp(lambda z: z * z * z, z)
    z[0] = 30.0
    return np.sum(pull(x)[0])


def kept_in_a_list(x):
    z, pulls = x * 1.0, []
    for _ in range(2):
        _, pull = tl.vjp(lambda z: z * z * z, z)
        pulls.append(pull)
        z[0] = 5.0
    return np.sum(pulls[0](x)[0])


REFUSED = [item_of_a_dict, attribute, captured_name, captured_array, argument, kept_in_a_list]


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_changes_in_between_are_refused(f, mode):
    with pytest.raises(tl.GradientError, match="changes what the function of a pullback may read"):
        tl.grad(f)(X) if mode == "reverse" else tl.jvp(f, (X,), (X,))


def changed_before_and_after(x):
    w, k = x.copy(), 2.0
    w[0] = x[1]
    k = k * x[0]
    _, pull = tl.vjp(lambda z: z * z * k, w)
    r = pull(np.ones(2))[0] + pull(x)[0]
    w[1] = 3.0
    return np.sum(r * w)


def changed_in_every_trip(x):
    w = x * 1.0
    for _ in range(2):
        _, pull = tl.vjp(lambda z: np.sum(z * z * z), w)
        (g,) = pull(1.0)
        w -= 0.1 * g
    return np.sum(w)


@pytest.mark.parametrize("f", [changed_before_and_after, changed_in_every_trip])
def test_other_changes_are_followed(f):
    laws.check_orders(f, X)
