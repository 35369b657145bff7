"""A test that asks whether a list, dict, set or object is empty: its answer is kept, not what it asks."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay
from tests import laws


class Queue:
    def __init__(self):
        self.items = []

    def __len__(self):
        return len(self.items)

    def push(self, v):
        self.items.append(v)

    def pop(self):
        return self.items.pop()


def a_list(x):
    items, y = [], x
    for _ in range(5):
        if items:
            y = y * items.pop()
        else:
            items.append(x * 2.0)
            y = y + x
    return y


def a_list_by_another_name(x):
    items = [x * x]
    full = items
    y = x * items.pop() if full else x
    items.append(y)
    return y * items[-1]


def a_list_and_a_number(x):
    items, y = [], x
    for i in range(4):
        ready = items and items[-1] > 0.5
        if ready:
            y = y * items.pop()
        else:
            items.append(x * i)
    return y


def a_list_that_is_emptied(x):
    items, y = [x, x * x, 2.0 * x], 0.0
    for i in range(3):
        while items and items[-1] > x * i:
            y = y + items.pop() * (i + 1)
        items.append(x * i)
    return y + sum(items)


def a_dict(x):
    found, y = {}, x
    for i in range(5):
        if found:
            y = y * found.pop("a")
        else:
            found["a"] = x * i + 1.0
            y = y + x
    return y


def what_a_dict_holds(x):
    found, y = {}, x
    for i in range(5):
        if found.get(i % 2):
            y = y * found.pop(i % 2)
        else:
            found[i % 2] = x * i + 1.0
            y = y + x
    return y


def a_set(x):
    seen, y = set(), x
    for i in range(4):
        if seen:
            seen.clear()
            y = y * x
        else:
            seen.add(i)
            y = y + x
    return y


def an_object(x):
    queue, y = Queue(), x
    for _ in range(5):
        if queue:
            y = y * queue.pop()
        else:
            queue.push(x * 2.0)
            y = y + x
    return y


def an_array(x):
    flag, y = np.zeros(1), x
    for _ in range(4):
        if flag:
            flag[0] = 0.0
            y = y * x
        else:
            flag[0] = x
            y = y + x
    return y


def in_a_dict(x):
    state, y = {"on": False, "items": []}, x
    for _ in range(4):
        if state["on"]:
            state["on"] = False
            y = y * x
        else:
            state["on"] = True
        if state["items"]:
            y = y * state["items"].pop()
        else:
            state["items"].append(x * 2.0)
    return y


def held_by_a_dict(x):
    state = {"a": x * x, "steps": [1.0, 3.0]}
    if x < state["steps"][1]:
        y = np.tanh(state["a"])
    else:
        y = x
    state["steps"][1] = 0.5
    if x < state["steps"][1]:
        y = y * x
    return y * state["a"]


FUNCTIONS = [
    held_by_a_dict,
    a_list,
    a_list_by_another_name,
    a_list_and_a_number,
    a_list_that_is_emptied,
    a_dict,
    what_a_dict_holds,
    a_set,
    an_object,
    an_array,
    in_a_dict,
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_truths_of_what_changes(f):
    laws.check_function(f, (1.3,))
    check_replay(f, 1.3)


class Counting:
    """Counts how often it is asked anything."""

    asked = 0

    def __bool__(self):
        Counting.asked += 1
        return True

    def __lt__(self, other):
        Counting.asked += 1
        return True

    @property
    def three(self):
        Counting.asked += 1
        return 3


COUNTING = Counting()


def by_truth(x):
    return x * x if COUNTING else -x


def by_negation(x):
    if not COUNTING:
        return x
    return x * x


def by_both(x):
    y = x
    for i in range(3):
        if i and COUNTING:
            y = y * x
    return y


def by_order(x):
    if COUNTING < 3:
        return x * x
    return x


def by_a_property(x):
    if COUNTING.three == 3:
        return x * x
    return x


@pytest.mark.parametrize(
    "f", [by_truth, by_negation, by_both, by_order, by_a_property], ids=lambda f: f.__name__
)
def test_objects_are_asked_as_often_as_by_a_call(f):
    def asked(derivative):
        Counting.asked = 0
        derivative()
        return Counting.asked

    once = asked(lambda: f(1.3))
    assert asked(lambda: tl.grad(f)(1.3)) == once
    assert asked(lambda: tl.vjp(f, 1.3)[1](1.0)) == once
    assert asked(lambda: tl.jvp(f, (1.3,), (1.0,))) == once
