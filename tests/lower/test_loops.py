"""Programs give the same as loops, joined or not, run by Python itself; or they are refused."""

import numpy as np
import pytest
from lowered_branches import BRANCHES
from lowered_functions import FUNCTIONS
from lowered_kernels import KERNELS
from lowered_masks import MASKS
from lowered_programs import PROGRAMS as FIRST
from lowered_programs import SPOILED, outcome, overlapping, same, spoiled, stored_argument

import tapeless as tl
from tapeless.lower import NotLowered, lowered
from tapeless.lower.compiled import with_loops
from tapeless.operators.compiled import lowered_primal

PROGRAMS = [*FIRST, *BRANCHES, *FUNCTIONS, *KERNELS, *MASKS]
NAMES = [f.__name__ for f, _ in PROGRAMS]


def must_not_run(*arguments):
    raise AssertionError("the NumPy text runs")


@pytest.mark.parametrize(("f", "make"), PROGRAMS, ids=NAMES)
@pytest.mark.parametrize("joined", [False, True])
def test_loops_compute_the_same(f, make, joined):
    loops = with_loops(lowered(f, make(), joined=joined), must_not_run, f.__name__, jit=False)
    given, kept = make(), make()
    with np.errstate(all="ignore"):
        same(loops(*given), f(*kept))
    same(given, kept)


@pytest.mark.parametrize(("f", "make"), PROGRAMS, ids=NAMES)
def test_other_arguments_give_the_same_or_raise_the_same(f, make):
    """The loops are those of one kind; what they do not serve is left to the function itself."""
    loops = with_loops(lowered(f, make()), f, f.__name__, jit=False)
    with np.errstate(all="ignore"):
        for how in SPOILED:
            for i in range(len(make())):
                given, kept = spoiled(how, make(), i), spoiled(how, make(), i)
                if given is not None:
                    same(outcome(loops, given), outcome(f, kept))
                    same(given, kept)


def summed(f, make):
    """Return the sum of the entries of what a function returns."""
    if np.ndim(f(*make())) == 0:
        return f
    return {
        1: lambda x: np.sum(f(x)),
        2: lambda x, y: np.sum(f(x, y)),
        3: lambda x, y, z: np.sum(f(x, y, z)),
    }[len(make())]


REFUSED = {
    "carried": "a store into an array that another name stands for, too",
    "saved_in_nests": "a list that is not filled by one loop in each of its trips",
}
WITH_GRADIENTS = [(f, make) for f, make in PROGRAMS if not isinstance(f(*make()), tuple)]


@pytest.mark.parametrize(("f", "make"), WITH_GRADIENTS, ids=[f.__name__ for f, _ in WITH_GRADIENTS])
def test_gradients_compute_the_same_as_loops(f, make):
    wrt = tuple(i for i, x in enumerate(make()) if np.asarray(x).dtype == float)
    plain = tl.grad(summed(f, make), wrt=wrt, scalarize=False).serving(make()).function
    if f.__name__ in REFUSED:
        with pytest.raises(NotLowered) as refusal:
            lowered(plain, make())
        assert refusal.value.reason == REFUSED[f.__name__]
        return
    loops = with_loops(lowered(plain, make()), must_not_run, f.__name__, jit=False)
    given, kept = make(), make()
    with np.errstate(all="ignore"):
        same(loops(*given), plain(*kept))
    same(given, kept)


def test_arguments_that_overlap_are_left_to_numpy():
    x = np.arange(6.0)
    loops = with_loops(lowered(stored_argument, (x, x + 1.0)), stored_argument, "f", jit=False)
    given, kept = overlapping(x), overlapping(x)
    same(loops(*given), stored_argument(*kept))
    same(given, kept)


def test_text_of_loops():
    """Names and lines of the user's stand in the text; temporaries are folded, arrays are numbers."""

    def loss(w, x, y):
        score = x * w
        return np.sum(np.log(1.0 + np.exp(-y * score)))

    x = np.linspace(-1.0, 1.0, 5)
    assert lowered_primal(loss, (x, x, x)).text == TEXT


TEXT = """\
import numpy as np


def loss(w, x, y):
    if w.shape[0] < 2 or x.shape[0] < 2 or y.shape[0] < 2:
        raise ValueError("this text was written for other sizes")
    if x.shape[0] != w.shape[0]:
        raise ValueError("operands could not be broadcast together")
    if y.shape[0] != w.shape[0]:
        raise ValueError("operands could not be broadcast together")
    n = w.shape[0]
    v_5 = 0.0
    v_5_parts = np.empty(128)
    # score = x * w
    # return np.sum(np.log(1.0 + np.exp(-y * score)))
    for start in range(0, n, 128):
        v_5_part = 0.0
        stop = min(start + 128, n)
        for i in range(start, stop):
            score = x[i] * w[i]
            v_5_parts[i - start] = np.log(1.0 + np.exp(-y[i] * score))
        for i in range(start, stop):
            v_5_part += v_5_parts[i - start]
        v_5 += v_5_part
    return v_5
"""


def chosen_in_a_loop(x):
    pair = (1.0, 2.0)
    for i in range(len(x)):
        if x[i] > 0.0:
            pair = (3.0, 4.0)
    return x * pair[0]


def chosen_before_a_break(x):
    pair = (1.0, 2.0)
    for i in range(len(x)):
        if x[i] > 0.0:
            pair = (3.0, 4.0)
            break
    return x * pair[0]


def saved_by_two_names(x):
    a, c, kept = np.sin(x), x * 2.0, []
    for _ in range(2):
        for _ in range(1):
            c, a = a, c
        kept.append(a)
    a[1:] = 0.0
    return np.sum(kept.pop()) + np.sum(a)


def stored_after_a_reshape(x):
    y = np.outer(x, x)
    table = y.reshape(1, 49)
    table[0, 0] = 9.0
    return np.sum(y) + np.sum(table * table)


def stored_before_a_view_is_read(x):
    y = np.outer(x, x)
    flat = np.ravel(y)
    y[0] = 9.0
    return np.sum(flat * flat)


def appended_again(x):
    found = [v * v for v in x]
    first = np.array(found)
    for v in x:
        found.append(v)
    return np.sum(first) + np.sum(np.array(found))


def read_while_filled(x):
    found, total = [], 0.0
    for v in x:
        found.append(v * v)
        total += found[-1] * len(found)
    return total


def stored_into_a_list(x):
    found = [v * v for v in x]
    found[2] = 1.0
    return np.sum(np.array(found))


NOT_ONE_LOOP = "a list that is not filled by one loop in each of its trips"
REFUSED_VALUES = {
    stored_after_a_reshape: "a store into an array that another name stands for, too",
    stored_before_a_view_is_read: "a store into an array that another name stands for, too",
    appended_again: NOT_ONE_LOOP,
    read_while_filled: NOT_ONE_LOOP,
    stored_into_a_list: "a store into what is no array",
    chosen_in_a_loop: "`pair`, which is something else in each trip of a loop",
    chosen_before_a_break: "`pair`, which is something else in each trip of a loop",
    saved_by_two_names: "a store into an array that another name stands for, too",
}


@pytest.mark.parametrize("f", REFUSED_VALUES, ids=lambda f: f.__name__)
def test_what_loops_would_lose_is_refused(f):
    with pytest.raises(NotLowered) as refusal:
        lowered(f, [np.linspace(-1.0, 1.0, 4)])
    assert refusal.value.reason == REFUSED_VALUES[f]
