"""Every law of derivatives for every function of the zoo."""

import importlib

import pytest

from tests import laws

FAMILIES = (
    "straight branches loops jumps arrays containers calls objects custom "
    "comprehensions statements iteration construction functions classes structures "
    "strangers recursions rank_zero lists_and_arrays function_values nested complex_numbers ordinary "
    "iterators queues_and_tables draws tuples attempts several_classes "
    "views indices memory_in_callees order_and_names aliased_objects results"
).split()
REFUSED = {
    "function_values-bound_lambda_attr",
    "function_values-choice_default_none",
    "function_values-defined_recursive_closures",
    "function_values-defined_local_decorated",
    "functions-local_decorated",
    "functions-stars",
    "classes-reflected",
    "structures-fortran_order",
}
FIRST_ORDER = {"jumps-return_from_the_inner_loop"}
# More programs with the same constructs: their second derivatives would take most of the time.
FIRST_ORDER_FAMILIES = set(
    "comprehensions statements functions classes structures "
    "strangers recursions rank_zero lists_and_arrays function_values nested ordinary "
    "iterators queues_and_tables draws several_classes".split()
)


def cases(refused):
    for family in FAMILIES:
        for name, function, args in importlib.import_module(f"tests.zoo.{family}").CASES:
            label = f"{family}-{name}"
            if (label in REFUSED) == refused:
                smooth = label not in FIRST_ORDER and family not in FIRST_ORDER_FAMILIES
                yield pytest.param(function, args, smooth, id=label)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("function", "args", "smooth"), list(cases(refused=False)))
def test_laws(function, args, smooth):
    laws.check_function(function, args, smooth=smooth)


@pytest.mark.parametrize(("function", "args", "smooth"), list(cases(refused=True)))
def test_right_or_refused_with_its_place(function, args, smooth):
    laws.right_or_refused(function, args, smooth=smooth)
