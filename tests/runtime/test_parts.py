"""Structures taken apart and put together again: the same numbers, and no shared memory."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from tapeless.runtime import form_of, from_parts, parts_of

A = np.array([1.0, 2.0])


class Pair(NamedTuple):
    x: Any
    y: Any


@dataclass
class State:
    u: Any
    t: float = 0.0


@dataclass(frozen=True)
class Fixed:
    u: Any


@dataclass
class Computed:
    u: Any
    v: Any = field(init=False)


WHOLES = [
    A,
    2.0,
    np.float32(2.0),
    (A, 1.0),
    (),
    Pair(A, (2.0, A)),
    {"u": A, "t": 1},
    State(A, 3.0),
    Fixed({"inner": State((A, A))}),
]


def arrays_in(x):
    if isinstance(x, np.ndarray):
        return [x]
    items = x if isinstance(x, tuple) else x.values() if isinstance(x, dict) else ()
    items = vars(x).values() if isinstance(x, State | Fixed) else items
    return [array for item in items for array in arrays_in(item)]


@pytest.mark.parametrize("whole", WHOLES, ids=repr)
def test_there_and_back(whole):
    form = form_of(whole)
    parts = parts_of(whole, form)
    again = from_parts(parts, form)
    assert type(again) is type(whole) and repr(again) == repr(whole)
    for a in arrays_in(whole):
        for b in (*arrays_in(parts), *arrays_in(again)):
            assert not np.shares_memory(a, b)


def test_what_cannot_be_taken_apart():
    for whole in ([A], {1, 2}, Computed(A), object()):
        with pytest.raises(
            TypeError, match="cannot be taken apart: let it hold numbers and arrays"
        ):
            form_of(whole)


@pytest.mark.parametrize(
    "before, after",
    [(A, (A,)), ((A,), A), ((A,), (A, A)), ({"u": A}, {"v": A}), ((A, A), Pair(A, A))],
)
def test_another_form(before, after):
    with pytest.raises(TypeError, match="a state that was .* became"):
        parts_of(after, form_of(before))
