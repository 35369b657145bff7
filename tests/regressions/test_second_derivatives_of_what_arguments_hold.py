"""Second derivatives where arrays that an argument holds have their adjoints in the adjoint memory."""

import copy

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.4, -0.6, 1.2])
Y = np.array([0.9, 0.2, -0.7])


def several(*arrays):
    for a in arrays:
        a[0] = a[1] * a[2]
    return np.sum(arrays[0] * arrays[1] ** 2)


def in_a_dict(p, x):
    p["w"][0] = x[1] * x[0]
    return np.sum(p["w"] * p["v"] * x)


def in_a_tuple_in_a_dict(p, x):
    first, second = p["both"]
    first[1] *= x[0]
    second[0] = first[1] * first[2]
    return np.sum(first * second) + p["scale"] * second[0]


def beside_what_nothing_stores_into(p, x):
    p["a"]["w"][2] = p["k"] * x[1] * p["a"]["w"][0]
    return np.sum(p["a"]["w"] ** 2 * p["a"]["v"]) * p["k"]


CASES = [
    (several, (X, Y)),
    (in_a_dict, ({"w": X, "v": Y}, Y + 1.0)),
    (in_a_tuple_in_a_dict, ({"both": (X, Y), "scale": 0.7}, Y + 1.0)),
    (beside_what_nothing_stores_into, ({"a": {"w": X, "v": Y}, "k": 0.3}, Y + 1.0)),
]


@pytest.mark.parametrize("f, args", CASES[:3], ids=[f.__name__ for f, _ in CASES[:3]])
def test_derivatives(f, args):
    def of_copies(*args):
        return f(*copy.deepcopy(args))

    tl.check_grads(of_copies, *args, order=2, replay=True)


@pytest.mark.parametrize("f, args", CASES, ids=[f.__name__ for f, _ in CASES])
def test_derivatives_of_gradients(f, args):
    args = copy.deepcopy(args)
    wrt = tuple(range(len(args)))
    gradient, tangents = tl.grad(f, wrt=wrt), directions(args)
    _, slope = tl.jvp(gradient, args, tangents)
    step = 1e-6
    above, below = (gradient(*moved(args, tangents, h)) for h in (step, -step))
    for got, high, low in zip(numbers(slope), numbers(above), numbers(below), strict=True):
        np.testing.assert_allclose(got, (high - low) / (2.0 * step), rtol=1e-5, atol=1e-7)


def directions(x):
    """Make tangents of another size for every number."""
    if isinstance(x, dict):
        return {key: directions(part) for key, part in x.items()}
    if isinstance(x, tuple):
        return tuple(map(directions, x))
    return np.cos(x) if isinstance(x, np.ndarray) else 0.6


def moved(x, x_dot, step):
    if isinstance(x, dict):
        return {key: moved(part, x_dot[key], step) for key, part in x.items()}
    if isinstance(x, tuple):
        return tuple(moved(part, dot, step) for part, dot in zip(x, x_dot, strict=True))
    return x + step * x_dot


def numbers(x):
    """List all numbers of a structure."""
    if isinstance(x, dict):
        return [leaf for part in x.values() for leaf in numbers(part)]
    if isinstance(x, (list, tuple)):
        return [leaf for part in x for leaf in numbers(part)]
    return list(np.ravel(x))


def test_one_array_in_two_places_is_refused():
    p = {"w": X.copy(), "v": None}
    p["v"] = p["w"]
    gradient = tl.grad(in_a_dict)
    with pytest.raises(tl.GradientError):
        gradient(p, Y + 1.0)
    apart = {"w": X.copy(), "v": X.copy()}
    with pytest.raises(tl.GradientError):
        tl.jvp(lambda x: np.sum(gradient(p, x)["w"]), (Y + 1.0,), (Y,))
    tl.jvp(lambda x: np.sum(gradient(apart, x)["w"]), (Y + 1.0,), (Y,))
