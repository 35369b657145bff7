"""What the command line prints, word by word: help, reports and refusals."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tapeless import cli

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"

COMMANDS = {
    "help": ["--help", "check --help", "dump --help", "rules --help"],
    "dump_refused": [
        "dump refused.py:names",
        "dump refused.py:one_mode --mode forward",
        "dump refused.py:loss",
        "dump right.py:loss --order 2",
        "dump right.py:loss --like right.py:too_few",
        "dump right.py:loss --mode backward",
        "dump right.py:loss --wrt v",
        "dump right.py:loss --wrt w,0",
        "dump right.py:loss --wrt 2",
        "dump right.py:loss --like right.py:nothing",
        "dump right.py:samples",
        "dump right:loss.x",
        "dump rights.py:loss",
        "dump rihgt.py:loss",
        "dump no.such.module:f",
        "dump right.py:loss -o right.py",
        "dump right.py:loss -o numpy.py",
        "dump right.py:loss -o missing/loss_grad.py",
        "dump wrong.py:Missing.method",
    ],
    "check_right": [
        "check right.py:loss",
        "check right.py:loss --like right.py:samples --order 2",
        "check right.py:loss --like right.py:samples --json",
        "check right.py:noisy --like right.py:number --json",
    ],
    "check_refused": [
        "check refused.py:loss",
        "check refused.py:loss --like refused.py:sample",
        "check refused.py:one_mode",
        "check refused.py:follows",
        "check refused.py:two",
        "check refused.py:names --json",
    ],
    "check_wrong": [
        "check wrong.py:energy --like wrong.py:sample",
        "check wrong.py:energy --like wrong.py:sample --json",
        "check wrong.py:stored_again --like wrong.py:sample --order 2",
    ],
    "check_usage": [
        "check",
        "check right.py",
        "check right.py:los",
        "check right.py:loss --order 2",
        "check right.py:loss --order 3",
        "check right.py:loss --like right.py:too_few",
        "check right.py:loss --like right.py:no_tuple",
        "check right.py:loss --like right.py:failing_samples",
        "check right.py:failing --like right.py:number",
    ],
}


def told(command, piped=None):
    """Run a command; return what a terminal would show, and the exit code."""
    ran = CliRunner().invoke(
        cli.main, command.split(), prog_name="tapeless", terminal_width=100, input=piped
    )
    parts = [f"$ tapeless {command}\n", ran.stdout]
    if ran.stderr:
        parts.append(f"[stderr]\n{ran.stderr}")
    parts.append(f"[exit code {ran.exit_code}]\n")
    return "".join(parts).replace(str(PROGRAMS), "FOLDER")


@pytest.mark.parametrize("topic", COMMANDS)
def test_messages(topic, monkeypatch, update_golden):
    monkeypatch.chdir(PROGRAMS)
    monkeypatch.setattr("tapeless.progress.SECONDS", 1e6)  # how long it takes is not told here
    compare(topic, "\n".join(map(told, COMMANDS[topic])), update_golden)


def compare(topic, text, update_golden):
    golden = HERE / "texts" / f"{topic}.txt"
    if update_golden:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_exit_codes():
    codes = [
        line
        for path in (HERE / "texts").glob("check_*.txt")
        for line in path.read_text().splitlines()
        if line.startswith("[exit code")
    ]
    assert np.unique(codes).tolist() == ["[exit code 0]", "[exit code 1]", "[exit code 2]"]


PIPED = {
    "dump -:f": "def f(x: float):\n    return x * x\n",
    "dump -:f --like -:sample --mode forward": "sample = (2.0,)\ndef f(x):\n    return x * x\n",
    "check -:f --like -:sample": "sample = (2.0,)\ndef f(x):\n    return x * x\n",
    "check -:g": "def f(x):\n    return x * x\n",
    "dump -:f --order 2": "def f(x):\n    return eval('x', {})\n",
    "dump -:g": "def f(x):\n    return x *\n",
    "dump -:f --watch": "",
    "dump -": "",
    "dump -f": "",
}


def test_stdin(monkeypatch, update_golden):
    monkeypatch.setattr("tapeless.progress.SECONDS", 1e6)
    compare("stdin", "\n".join(told(*pair) for pair in PIPED.items()), update_golden)
