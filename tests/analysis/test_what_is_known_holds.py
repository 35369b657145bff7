"""For the functions of the zoo: what was found out of their names holds when they run."""

import copy
import inspect

import gast
import numpy as np
import pytest

from tapeless.analysis.abstract import Value
from tapeless.kinds import Array, Real
from tests.beside import facts_of
from tests.soundness import contradictions
from tests.test_zoo import cases

# Functions that are values are records in the core language, which a call of the author's own is not
# given; what its author wrote as an iterator, or with a star, is a list there; and a custom gradient is
# not analysed by itself.
WRITTEN_OTHERWISE = {
    "custom-bare",
    "custom-fixed_point",
    "calls-star_parameter",
    "calls-function_results",
    "classes-iterated",
    "functions-returned_function",
    "functions-composed",
    "function_values-closure_also_called_with_constants",
    "function_values-use_returned",
    "function_values-use_compose",
    "function_values-use_compose2",
    "function_values-returned_counter",
    "function_values-returned_alias",
    "function_values-returned_store",
    "function_values-bound_returned_bound",
    "function_values-defined_layers",
    "function_values-defined_pair",
}
CASES = [case for case in cases(refused=False) if case.id not in WRITTEN_OTHERWISE]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("function", "args", "smooth"), CASES)
def test_zoo(function, args, smooth):
    bound = inspect.signature(function).bind(*args)
    bound.apply_defaults()
    apart = [copy.deepcopy(x) for x in bound.args]  # which share no memory
    facts = facts_of(function, *apart, wrt=tuple(range(len(args))))
    assert not contradictions(facts, *apart)


def scaled_view(x):
    y = x * 2.0
    z = y[1:]
    return z


@pytest.mark.parametrize(
    ("key", "said", "told"),
    [
        ("y", Real(), "y is said to be a real number, is ndarray"),
        ("y", Array((2,), regions=frozenset([("made", "f", 0)])), "of size 2, is of 3"),
        ("z", Array((2,), regions=frozenset([("made", "f", 0)])), "y and z share memory"),
    ],
)
def test_what_does_not_hold_is_told(key, said, told):
    facts = facts_of(scaled_view, np.ones(3))
    last = next(s for s in facts.before if type(s) is gast.Return)
    facts.before[last][key] = Value(said)
    assert told in contradictions(facts, np.ones(3))[0]
