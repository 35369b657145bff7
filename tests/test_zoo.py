"""Every law of derivatives for every function of the zoo."""

import importlib

import pytest

from tests import laws

FAMILIES = (
    "straight branches loops jumps arrays containers calls objects custom "
    "comprehensions statements iteration functions classes structures"
).split()
REFUSED = {
    "statements-try_without_exception",
    "statements-try_finally",
    "statements-return_inside_try",
    "statements-exception_before_active",
    "statements-exception_in_a_loop",
    "statements-missing_key",
    "statements-raised_and_caught",
    "statements-user_context",
    "functions-functions_in_a_loop",
    "functions-functions_in_a_list",
    "functions-function_from_a_table",
    "functions-returned_function",
    "functions-composed",
    "functions-frozen_loop_variables",
    "functions-frozen_defaults",
    "functions-bound_methods",
    "functions-bound_method_as_argument",
    "functions-callable_object",
    "functions-local_decorated",
    "functions-partials",
    "functions-stars",
    "functions-method_reference",
    "functions-integrated",
    "classes-reflected",
    "classes-different_classes_in_a_list",
    "classes-different_classes_passed",
    "structures-default_dict",
    "structures-queue",
    "structures-deep_copies",
    "structures-fortran_order",
    "structures-iterator_tools",
    "branches-type_switch_list",
    "calls-defaults_are_frozen",
    "calls-function_results",
    "calls-functions_in_a_list",
    "custom-local_rule",
    "objects-inherited",
    "objects-methods_as_values",
}
FIRST_ORDER = {"jumps-return_from_the_inner_loop"}


def cases(refused):
    for family in FAMILIES:
        for name, function, args in importlib.import_module(f"tests.zoo.{family}").CASES:
            label = f"{family}-{name}"
            if (label in REFUSED) == refused:
                yield pytest.param(function, args, label not in FIRST_ORDER, id=label)


@pytest.mark.parametrize(("function", "args", "smooth"), list(cases(refused=False)))
def test_laws(function, args, smooth):
    laws.check_function(function, args, smooth=smooth)


@pytest.mark.parametrize(("function", "args", "smooth"), list(cases(refused=True)))
def test_right_or_refused_with_its_place(function, args, smooth):
    laws.right_or_refused(function, args, smooth=smooth)
