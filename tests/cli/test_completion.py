"""What a shell proposes after `tapeless dump` and `tapeless check`."""

from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from tapeless import cli

PROGRAMS = Path(__file__).parent / "programs"


def proposed(*words):
    completer = BashComplete(cli.main, {}, "tapeless", "_TAPELESS_COMPLETE")
    return [(item.type, item.value) for item in completer.get_completions([*words[:-1]], words[-1])]


@pytest.mark.parametrize("command", ["dump", "check"])
def test_functions_of_a_file(command, monkeypatch):
    monkeypatch.chdir(PROGRAMS)
    assert proposed(command, "") == [("file", "")]
    assert proposed(command, "right") == proposed(command, "right.py:") != []
    assert proposed(command, "right.py:l") == [("plain", "right.py:loss")]
    assert proposed(command, "right.py:loss", "--like", "right.py:n") == [
        ("plain", "right.py:no_tuple"), ("plain", "right.py:number"), ("plain", "right.py:noisy"),
    ]  # fmt: skip
    assert proposed(command, "missing.py:l") == []


def test_commands_and_options():
    assert ("plain", "check") in proposed("c")
    assert ("plain", "--watch") in proposed("dump", "--w")
    assert proposed("dump", "--mode", "re") == [("plain", "reverse")]
