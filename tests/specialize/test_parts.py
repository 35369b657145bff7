"""Structures taken apart and put together: written out by what they hold."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import tapeless as tl
from tapeless.runtime import form_of, from_parts, parts_of

X = np.array([1.0, 2.0, 3.0])


@dataclass
class State:
    u: Any
    t: Any


def through_a_dict(x):
    state = {"u": x, "inner": (2.0 * x, 1.0)}
    form = form_of(state)
    parts = parts_of(state, form)
    whole = from_parts(parts, form)
    whole["u"][0] = 5.0
    return np.sum(whole["u"] * x) + np.sum(whole["inner"][0] ** 2)


def through_an_object(x):
    state = State(x, x[0])
    form = form_of(state)
    whole = from_parts(parts_of(state, form), form)
    whole.u[1:] *= whole.t
    return np.sum(whole.u**2)


def test_derivatives_go_through():
    for f in (through_a_dict, through_an_object):
        tl.check_grads(f, X, order=1)


def test_what_is_copied_is_written_out():
    text = tl.source(through_a_dict, like=(X,))
    assert "parts_of" not in text and "from_parts" not in text
    assert '{"u": ' in text and ".copy()" in text
    assert "State(" in tl.source(through_an_object, like=(X,))
