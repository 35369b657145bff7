"""Every law of derivatives for every function of the zoo."""

import importlib

import pytest

from tests import laws

FAMILIES = "straight branches loops jumps arrays containers calls objects custom".split()
REFUSED = {
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
