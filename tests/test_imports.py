"""What a process imports before it writes a derivative: it should not wait for what it does not use."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
import numpy as np
import tapeless as tl
from tapeless.rules import declare, on_demand

def once(x):
    return x
"""


@pytest.fixture
def run(tmp_path):
    """Return a function that runs some lines in a process of their own."""

    def ran(lines):
        program = tmp_path / "program.py"
        program.write_text(f"{PROGRAM}\n{lines}\n")
        done = subprocess.run([sys.executable, program], text=True, capture_output=True)
        assert done.returncode == 0, done.stderr

    return ran


def test_nothing_that_writes_is_imported_with_the_library(run):
    run('assert not {"tapeless.pipeline", "tapeless.kinds", "tapeless.lower"} & {*sys.modules}')


def test_rules_for_functions_of_the_user_need_no_others(run):
    run("tl.zero_gradient(once); assert not on_demand.COMPLETE")


@pytest.mark.parametrize(
    "first",
    [
        "assert declare.find_rule(np.tanh) is not None",
        "from tapeless.rules import ufuncs; assert declare.find_rule(np.sum) is not None",
        "tl.unregister_gradient(np.tanh); assert declare.find_rule(np.tanh) is not None",
    ],
)
def test_rules_are_there_when_one_is_asked_for(run, first):
    run(first + "\nassert declare.registered() == [] and declare.epoch() <= 1")


def test_a_rule_of_tapeless_is_not_replaced_by_mistake(run):
    run(
        "try:\n    tl.register_gradient(np.tanh, once)\n"
        "except tl.GradientError as error:\n    assert 'already' in str(error)\n"
        "else:\n    raise AssertionError"
    )


@pytest.mark.parametrize("name", ["check_grads", "check_rule", "compile", "standalone"])
def test_what_is_imported_later_is_there(run, name):
    run(f"assert callable(tl.{name}) and '{name}' in dir(tl)")
