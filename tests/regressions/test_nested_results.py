"""A result of lists, dicts and tuples in each other: what its cotangent holds comes to what it is for.

Some things in it have adjoints of their own, found by their identity, since they change or stand in
several places; the adjoints of the others stand where the cotangent has them.
"""

import dataclasses
import functools
from typing import NamedTuple

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay
from tests import laws

TABLE = {"a": [0.3, 0.5], "b": np.array([1.0, 2.0])}


@dataclasses.dataclass
class Held:
    log: list
    x: float


def a_log_beside_a_number(x):
    log, s = [], 0.0
    for i in range(3):
        s = s * x + i
        log.append(s)
    return {"log": log, "s": s}


def a_log_in_a_state(x):
    state = {"x": x, "log": []}
    for _ in range(3):
        state["x"] = np.sin(state["x"])
        state["log"].append(state["x"])
    return state


def a_state_made_anew(x):
    state = {"x": x, "log": []}
    for _ in range(3):
        state = {"x": np.sin(state["x"]), "log": [*state["log"], x]}
    return state


def a_state_handed_on(x):
    def step(state):
        state["x"] = np.sin(state["x"])
        state["log"].append(state["x"])
        return state

    state = {"x": x, "log": []}
    for _ in range(3):
        state = step(state)
    return state


def a_log_in_an_object(x):
    log = [x]
    for i in range(2):
        log.append(log[-1] * x * (i + 1))
    return Held(log, x)


def records_in_a_list(x):
    records = []
    for i in range(3):
        records.append({"x": x * i, "y": [x, x * x]})
    records[0]["x"] = x * x
    records[1]["y"][0] = x * x
    return records


def an_array_and_its_rows(x):
    a = np.zeros((2, 2))
    rows = [a[0], a[1]]
    a[0, 1] = x
    rows[1][0] = x * x
    return {"a": a, "rows": rows}


def stored_into_after_it_stood_in_a_tuple(x):
    s = np.zeros(3)
    pair = (s, x)
    s[1] = x * x
    return pair


def tuples_in_a_list(x):
    pairs = []
    s = np.zeros(3)
    for i in range(3):
        s[i] = x * i
        pairs.append((s, x))
    return pairs


def a_tuple_in_a_tuple(x):
    s = [x, 2.0]
    pair = (s, x)
    s[1] = x * x
    return (pair, pair)


def a_list_or_another(x):
    one, other = [1.0, 2.0], [3.0, 4.0]
    chosen = one if x > 0.5 else other
    chosen[1] = x
    return [chosen, x]


def a_list_or_another_in_a_dict(x):
    one, other = [1.0, 2.0], [3.0, 4.0]
    chosen = one if x > 0.5 else other
    chosen[1] = x
    return {"a": [chosen], "b": (x, other)}


def an_array_beside_a_log(x):
    log = []
    for i in range(3):
        log.append(x * i)
    return [np.sin(x) * np.ones(2), log]


def an_array_in_two_places(x):
    w = np.zeros(2)
    w[0] = x
    return [w, [w, x]]


def numbers_beside_arrays(x):
    out = []
    for i in range(2):
        w = np.zeros(2)
        w[i] = x
        out.append([w, x * i])
    return out


def what_is_no_number(x):
    log = []
    for i in range(3):
        log.append(x * i)
    return {"log": log, "a": x * np.ones(2), "n": 3, "label": "text", "none": None}


def a_sum_of_nothing(x):
    kept = [x, x]
    s = sum([x for t in kept if t > 10.0])
    return [[kept, (s, [x for _ in kept])], [s]]


def a_sum_of_nothing_in_a_dict(x):
    s = sum([x for t in [x] if t > 10.0])
    return {"a": (s, [x * x]), "b": s}


def a_number_or_none(x):
    best = None
    for t in [x]:
        if t > 10.0:
            best = t
    return [[x, x * x], (best, [best])]


def scaled_by(k, x):
    return k * x


def a_partial_beside_a_number(x):
    g = functools.partial(scaled_by, x)
    return (g(2.0), {"g": {"g": g}, "x": [x]})


FUNCTIONS = [
    a_sum_of_nothing, a_sum_of_nothing_in_a_dict, a_number_or_none,
    a_log_beside_a_number, a_log_in_a_state, a_state_made_anew, a_state_handed_on, a_log_in_an_object,
    records_in_a_list, an_array_and_its_rows, stored_into_after_it_stood_in_a_tuple,
    tuples_in_a_list, a_tuple_in_a_tuple, a_list_or_another, a_list_or_another_in_a_dict,
    an_array_beside_a_log, an_array_in_two_places, numbers_beside_arrays, what_is_no_number,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_nested_results(f):
    laws.check_function(f, (0.7,))
    check_replay(f, 0.7)


def test_a_function_with_values_of_its_own_is_no_structure():
    check_replay(a_partial_beside_a_number, 0.7)
    y, pullback = tl.vjp(a_partial_beside_a_number, 0.7)
    assert y[1]["g"]["g"](3.0) == scaled_by(0.7, 3.0)
    assert pullback((1.0, {"g": {"g": None}, "x": [0.5]})) == (2.5,)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_nested_results_of_a_callee(f):
    def loss(x):
        return total(f(x))

    laws.right_or_refused(loss, (0.7,))


def total(value):
    if isinstance(value, Held):
        return value.x * value.log[-1]
    if isinstance(value, dict):
        return value["log"][1] if "log" in value else 0.0
    first = value[0]
    return first["x"] if isinstance(first, dict) else first[0]


def chosen_from_an_argument(table, x, first):
    chosen = table[0] if first else table[1]
    chosen[1] = x
    return (table, [x, chosen])


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("make", [list, np.array], ids=["lists", "arrays"])
def test_nested_results_of_arguments(make, first):
    table = [make([1.0, 2.0]), make([3.0, 4.0])]
    laws.check_function(chosen_from_an_argument, (table, 0.7, first))


def test_nested_state_outside():
    def f(x):
        TABLE["a"][1] = x
        TABLE["b"][1] = x
        return TABLE

    _, pullback = tl.vjp(f, 0.7)
    seed = {"a": [1.0, 2.0], "b": np.array([3.0, 5.0])}
    np.testing.assert_allclose(pullback(seed)[0], 7.0)
    np.testing.assert_allclose(pullback(seed)[0], 7.0)


def test_links_without_end():
    def f(x):
        link = None
        for i in range(3):
            link = {"x": x * i, "next": link}
        return link

    with pytest.raises(tl.TapelessError, match="what of its cotangent is for that is not known"):
        tl.vjp(f, 0.7)


def returned_from_a_loop(x):
    x[1] += x[0]
    for _ in range(1):
        return (x, {"a": x, "b": {"b": x}})


def returned_from_a_loop_or_not(x):
    log = []
    for v in x:
        log.append(v * v)
        if v > 0.7:
            return [{"log": log}, v]
    return 1.0


@pytest.mark.parametrize(
    "f",
    [returned_from_a_loop, returned_from_a_loop_or_not],
    ids=lambda f: f.__name__,
)
def test_nested_results_returned_in_several_places(f):
    laws.check_function(f, ([0.6, 0.9, 0.4],))


def test_a_dict_or_a_number():
    def f(x):
        log = [x]
        log.append(x * x)
        if x > 0.0:
            return {"log": log, "y": x}
        return x

    assert laws.right_or_refused(f, (0.7,)) == "refused"


def a_buffer_beside_what_is_computed(x):
    buffer = np.zeros(4)
    buffer[0] = x[0]
    return {"buffer": buffer, "scaled": 2.0 * x}


def a_buffer_stored_into_in_a_dict(x):
    found = {}
    for key in ("a", "b"):
        found[key] = np.zeros(3)
    found["a"][0] = x[0] * x[1]
    found["c"] = x * 3.0
    return found


def a_dict_that_grows_beside_one_that_does_not(x):
    table = {0: x[0]}
    table[1] = x[1] * x[2]
    return {"table": table, "held": {"x": x}}


class Box:
    pass


def a_table_copied_into_an_attribute(x):
    box = Box()
    table = {i: x[i] for i in range(4)}
    box.held = {key: value for key, value in table.items() if key != 3}
    return box.held[2], {"table": table, "held": {"x": x}}


def states_in_a_list(x):
    state = {"v": x.copy(), "w": x * 2.0, "log": [x[0]], "t": 1.0}
    states = []
    for i in range(3):
        state = {
            "v": state["v"] * 2.0,
            "w": state["w"],
            "log": state["log"],
            "t": state["t"] * x[i],
        }
        state["v"][i] *= x[i + 1]
        state["log"].append(x[i])
        states.append(state)
    return states


@pytest.mark.parametrize(
    "f",
    [
        a_buffer_beside_what_is_computed,
        a_buffer_stored_into_in_a_dict,
        a_dict_that_grows_beside_one_that_does_not,
        a_table_copied_into_an_attribute,
        states_in_a_list,
    ],
    ids=lambda f: f.__name__,
)
def test_what_changes_beside_what_does_not(f):
    x = np.array([0.6, 1.4, 2.3, 0.9])
    laws.check_function(f, (x,))
    check_replay(f, x)


def test_functions_beside_arrays():
    def f(x):
        return [np.sum, np.sin, x * 2.0]

    x = np.ones(2)
    y, y_dot = tl.jvp(f, (x,), (x,))
    assert y[:2] == [np.sum, np.sin]
    assert y_dot[:2] == [None, None]
    np.testing.assert_array_equal(y_dot[2], [2.0, 2.0])


class State(NamedTuple):
    position: np.ndarray
    log: list


def a_log_in_a_named_tuple(x):
    state = State(x, [])
    for _ in range(3):
        state.log.append(np.sum(state.position * state.position))
        state = state._replace(position=state.position * 0.1)
    return state, max(state.log)


def a_log_in_a_tuple_handed_on(x):
    def step(state):
        state[1].append(np.sum(state[0] * x))
        return state[0] * 0.5, state[1]

    state = x, []
    for _ in range(3):
        state = step(state)
    return state, state[1][0]


@pytest.mark.parametrize(
    "f", [a_log_in_a_named_tuple, a_log_in_a_tuple_handed_on], ids=lambda f: f.__name__
)
def test_lists_in_tuples_that_grow(f):
    laws.check_function(f, (np.array([1.0, 0.5]),))
    check_replay(f, np.array([1.0, 0.5]))


def list_in_a_list_and_in_a_tuple(x):
    rows = [[x, x], [x, x * x]]
    return [[[0, sum(rows[0])], [rows]], (x, rows)]


def list_in_lists(x):
    rows = [[x, x], [x, x * x]]
    return [[rows], (x, rows)]


def test_slots_with_and_without_names():
    with pytest.raises(tl.GradientError, match="what of its cotangent is for that is not known"):
        tl.vjp(list_in_a_list_and_in_a_tuple, 0.9)
    laws.check_function(list_in_lists, (0.9,))
