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
        "check refused.py:names --json",
    ],
    "check_wrong": [
        "check wrong.py:energy --like wrong.py:sample",
        "check wrong.py:energy --like wrong.py:sample --json",
        "check wrong.py:popped --like wrong.py:sample --order 2",
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


def told(command):
    """Run a command; return what a terminal would show, and the exit code."""
    ran = CliRunner().invoke(cli.main, command.split(), prog_name="tapeless", terminal_width=100)
    parts = [f"$ tapeless {command}\n", ran.stdout]
    if ran.stderr:
        parts.append(f"[stderr]\n{ran.stderr}")
    parts.append(f"[exit code {ran.exit_code}]\n")
    return "".join(parts).replace(str(PROGRAMS), "FOLDER")


@pytest.mark.parametrize("topic", COMMANDS)
def test_messages(topic, monkeypatch, update_golden):
    monkeypatch.chdir(PROGRAMS)
    monkeypatch.setattr("tapeless.progress.SECONDS", 1e6)  # how long it takes is not told here
    text = "\n".join(map(told, COMMANDS[topic]))
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
