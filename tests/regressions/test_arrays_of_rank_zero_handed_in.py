"""Where a derivative was written for numbers it may be handed arrays of rank 0, and leaves them as they are.

`z = x` and then `z = z + y` computes a new number; `z += y` would store into the caller's array.
"""

import copy

import numpy as np
import pytest

import tapeless as tl


def stepped(x, y):
    z = x
    for _ in range(2):
        z = z + y * z
    return z


def named_twice(x, y):
    z = x
    for _ in range(3):
        z = z + y
    return z * x


def put_into_a_list(x, y):
    held = [0.0] * 3
    held[0] = x
    held[0] = held[0] + y
    held[1] = held[0] * x
    return held[0] * held[1]


def taken_out_of_a_list(values, y):
    s = 0.0
    for v in values:
        v = v * y
        s = s + v
    return s


def taken_out_of_a_dict(values, y):
    a = values["a"]
    a = a * y
    a = a + y
    return a * values["a"]


def given_back(v):
    return v


def returned_by_a_function(x, y):
    z = given_back(x)
    z = z + y
    return z * x


def the_greater(x, y):
    z = max(x, y)
    z = z * 2
    return z * x


CASES = [
    (stepped, 0.7, 2.0),
    (named_twice, 0.7, 2.0),
    (put_into_a_list, 0.7, 2.0),
    (taken_out_of_a_list, [0.7, 0.8], 2.0),
    (taken_out_of_a_dict, {"a": 0.7}, 2.0),
    (returned_by_a_function, 0.7, 2.0),
    (the_greater, 0.7, 0.2),
]


def in_arrays(x):
    if isinstance(x, list):
        return [in_arrays(v) for v in x]
    return {k: in_arrays(v) for k, v in x.items()} if isinstance(x, dict) else np.array(x)


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize(("f", "x", "y"), CASES)
def test_a_text_written_for_numbers(f, x, y, typed):
    text = tl.source(f, "grad", (0, 1), like=(x, y) if typed else None)
    made = {}
    exec(text, made)
    given = (in_arrays(x), in_arrays(y))
    before = copy.deepcopy(given)
    assert made[f"{f.__name__}_grad"](*given) == tl.grad(f, (0, 1))(x, y)
    assert given == before


@pytest.mark.parametrize(("f", "x", "y"), CASES)
def test_seeds_stay_as_they_are(f, x, y):
    seed = np.array(1.0)
    given = (in_arrays(x), in_arrays(y))
    pull = tl.vjp(f, *given)[1]
    assert pull(seed) == pull(seed) == tl.grad(f, (0, 1))(x, y)
    assert seed == 1.0
