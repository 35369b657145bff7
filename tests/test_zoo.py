"""Every law of derivatives for every function of the zoo."""

import importlib

import pytest

from tests import laws

FAMILIES = "straight branches loops jumps arrays containers calls objects custom".split()


def cases():
    for family in FAMILIES:
        for name, function, args in importlib.import_module(f"tests.zoo.{family}").CASES:
            yield pytest.param(function, args, id=f"{family}-{name}")


@pytest.mark.parametrize(("function", "args"), list(cases()))
def test_laws(function, args):
    laws.check_function(function, args)
