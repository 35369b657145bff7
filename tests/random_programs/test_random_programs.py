"""Random programs and rewritten ones: each derivative is right, or refused with a reason.

`python -m tests.random_programs` checks as many as one likes; here are those of the first seeds,
and what the checks themselves rest on.
"""

from __future__ import annotations

import ast
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeless as tl
from tests.random_programs import checks
from tests.random_programs.chains import write_chain
from tests.random_programs.checks import FINDS, check_program, quiet
from tests.random_programs.generator import write_program
from tests.random_programs.minimize import minimized
from tests.random_programs.program import Program, difference, loaded
from tests.random_programs.rewrites import TABLE, applied
from tests.random_programs.sources import of_the_zoo, program_of, programs_of_the_zoo
from tests.random_programs.tasks import modes_of

COUNT = 200
CHUNK = 10
SAMPLED = 2  # one chunk in so many
CHAINS = 60
AT_ONCE = 6  # of each chunk, but for --all-samples


@pytest.mark.parametrize("first", range(1, COUNT + 1, CHUNK * SAMPLED))
def test_programs_are_right_or_refused(first, tmp_path, all_samples):
    finds = []
    for seed in range(first, first + (CHUNK * SAMPLED if all_samples else AT_ONCE)):
        program = program_of(seed)
        outcome = check_program(program, tmp_path, modes_of(seed, replay_every=3, second_every=10))
        if outcome.status in FINDS:
            mode, verdict = outcome.find()
            finds.append(f"{program.label}: {verdict.status} in {mode} mode: {verdict.detail}")
    assert not finds, "\n".join(finds)


@pytest.mark.parametrize("first", range(1, CHAINS + 1, CHUNK * SAMPLED))
def test_what_passes_through_calls(first, tmp_path, all_samples):
    finds = []
    for seed in range(first, first + (CHUNK * SAMPLED if all_samples else AT_ONCE)):
        program = Program(f"chain {seed}", write_chain(seed))
        outcome = check_program(program, tmp_path, modes_of(seed, replay_every=5, second_every=10))
        if outcome.status in FINDS:
            mode, verdict = outcome.find()
            finds.append(f"{program.label}: {verdict.status} in {mode} mode: {verdict.detail}")
    assert not finds, "\n".join(finds)


# The checks, the generator and the rewrites themselves

KINDS = {
    "number": lambda: 0.7,
    "array": lambda: np.array([0.3, -1.2, 0.8]),
    "matrix": lambda: np.array([[0.3, 0.4], [-1.1, 0.6]]),
    "single number": lambda: np.float32(0.4),
    "single array": lambda: np.array([0.9, 0.1], dtype=np.float32),
    "integer": lambda: 2,
}


def of_any_kind(x):
    y = np.sin(x) * x
    if np.sum(x) > 0.5:
        y = y + x
    return np.sum(y * y)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(sorted(KINDS)), min_size=2, max_size=6))
def test_one_gradient_is_called_with_changing_kinds(kinds):
    gradient = tl.grad(of_any_kind)
    for kind in kinds:
        found = gradient(KINDS[kind]())
        wanted = tl.grad(of_any_kind)(KINDS[kind]())
        assert difference(found, wanted) is None
        x = np.asarray(KINDS[kind](), float)
        y = np.sin(x) * x + (x if np.sum(x) > 0.5 else 0.0)
        slope = np.cos(x) * x + np.sin(x) + (1.0 if np.sum(x) > 0.5 else 0.0)
        np.testing.assert_allclose(found, 2.0 * y * slope, rtol=1e-5)


def test_a_seed_makes_one_program():
    for seed in range(1, 60):
        assert program_of(seed) == program_of(seed)


def test_nearly_every_program_runs(tmp_path):
    failed = []
    for seed in range(1, 101):
        program = Program(f"drawn {seed}", write_program(seed))
        try:
            with quiet(), loaded(program, tmp_path) as subject:
                for args in subject.samples:
                    subject.function(*args)
        except Exception as error:
            failed.append((seed, error))
    assert len(failed) <= 10, failed


@pytest.mark.parametrize("how", sorted(TABLE.keys() - {"returned_in_a_structure"}))
def test_rewrites_keep_the_value(how, tmp_path):
    rng = random.Random(how)
    programs = [Program(f"drawn {seed}", write_program(seed)) for seed in range(1, 31)]
    names = ["f"] * len(programs)
    for family, name in rng.sample(programs_of_the_zoo(), 12):
        program = of_the_zoo(family, name)
        if any(
            isinstance(one, ast.FunctionDef) and one.name == name
            for one in ast.parse(program.text).body
        ):
            programs.append(program)
            names.append(name)
    count = 0
    for program, name in zip(programs, names):
        text = applied(program.text, name, how, random.Random(how))
        wanted = value_of(program, tmp_path)
        if text is not None and wanted is not None:
            count += 1
            found = value_of(program.with_text(text), tmp_path)
            assert difference(found, wanted) is None, f"{how} of {program.label}"
    assert count


def value_of(program, folder):
    try:
        with quiet(), loaded(program, folder) as subject:
            return [subject.function(*args) for args in subject.samples]
    except UnboundLocalError:
        return None


WRONG_PROGRAM = """
import numpy as np
import tapeless as tl


@tl.custom_gradient
def wrong(x):
    def grad(dy):
        return dy * 2.5

    return 2.0 * x, grad


def f(x):
    y = np.sin(x)
    for i in range(3):
        if x[i] > 0.0:
            y[i] = y[i] * x[0]
    z = wrong(x[1])
    w = np.sum(y)
    return w + z


def samples():
    return [(np.array([0.3, 0.5, -0.7]),)]
"""


def test_a_wrong_derivative_is_found_and_made_small(tmp_path):
    program = Program("wrong", WRONG_PROGRAM)
    outcome = check_program(program, tmp_path)
    assert outcome.status == checks.WRONG
    assert set(outcome.verdicts) == {"reverse", "forward"}
    small = minimized(program, outcome, tmp_path)
    assert check_program(small, tmp_path).status == checks.WRONG
    assert "for" not in small.text and "wrong(" in small.text


def test_a_kink_is_a_bad_sample(tmp_path):
    text = "import numpy as np\ndef f(x):\n    return abs(x)\ndef samples():\n    return [(0.0,)]"
    assert check_program(Program("kink", text), tmp_path).status == checks.BAD


def test_second_order_weighs_what_floats_got(tmp_path):
    text = """
def f(config):
    x = config["x"]
    for _ in range(config["repeat"]):
        x = x * x
    return x

def samples():
    return [({"x": 0.7, "repeat": 2, "name": "plain", "nothing": None},)]
"""
    outcome = check_program(Program("settings", text), tmp_path, ("reverse", "second"))
    assert outcome.status == checks.RIGHT, outcome


def test_a_program_without_an_end_is_a_bad_sample(tmp_path):
    text = "def f(x):\n    while True:\n        x = x\ndef samples():\n    return [(1.0,)]"
    assert check_program(Program("endless", text), tmp_path, limit=0.3).status == checks.BAD


def test_a_derivative_without_an_end_is_stopped(tmp_path, monkeypatch):
    def endless(*_):
        while True:
            pass

    monkeypatch.setitem(checks.CHECKS, "reverse", endless)
    text = "def f(x):\n    return x * x\ndef samples():\n    return [(1.0,)]"
    assert check_program(Program("endless", text), tmp_path, limit=0.3).status == checks.SLOW


def test_state_outside_is_compared(tmp_path):
    text = "L = [1.0]\ndef f(x):\n    L[0] += x\n    return L[0] * x\ndef samples():\n    return [(2.0,)]"
    with loaded(Program("state", text), tmp_path) as subject:
        before = subject.outside.snapshot()
        subject.function(2.0)
        assert subject.outside.difference(before) is not None
        subject.outside.restore()
        assert subject.outside.difference(before) is None
