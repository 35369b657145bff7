"""`tapeless cache`, and the line that says what takes long."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.filesize import decimal

import tapeless as tl
from tapeless import cli, progress

TEXTS = Path(__file__).parent / "texts"


def run(*arguments):
    return CliRunner().invoke(cli.main, arguments, prog_name="tapeless")


def check(name, text, update_golden):
    if update_golden:
        (TEXTS / f"{name}.txt").write_text(text)
    assert text == (TEXTS / f"{name}.txt").read_text()


@pytest.mark.parametrize("command", ["cache", "cache info", "cache clear"])
def test_help(command, update_golden):
    found = run(*command.split(), "--help")
    assert found.exit_code == 0
    check(f"help_{command.replace(' ', '_')}", found.output, update_golden)


def test_info_and_clear(forgetful, monkeypatch, update_golden):
    told = [run("cache", "info").output]
    tl.grad(lambda x: x * x)(2.0)
    tl.grad(lambda x: x * x * x)(2.0)
    size = sum(path.stat().st_size for path in forgetful.iterdir())
    told += [run("cache", "info").output, run("cache", "clear").output]
    told += [run("cache", "info").output]
    monkeypatch.setenv("TAPELESS_CACHE", "0")
    told += [run("cache", "info").output]
    text = "".join(told).replace(str(forgetful), "FOLDER").replace(decimal(size), "SIZE")
    check("info_and_clear", text, update_golden)


def test_what_cannot_be_cleared(forgetful, monkeypatch):
    tl.grad(lambda x: x * x)(2.0)

    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    found = run("cache", "clear")
    assert found.exit_code == 2
    assert found.stderr == f"tapeless: cannot clear {forgetful}: Permission denied\n"


def test_dump_is_loaded(forgetful, monkeypatch, tmp_path):
    (tmp_path / "kept_by_dump.py").write_text("def square(x: float):\n    return x * x\n")
    target = f"{tmp_path / 'kept_by_dump.py'}:square"
    first = run("dump", target)
    monkeypatch.setattr("tapeless.pipeline.write", None)
    assert run("dump", target).output == first.output


@pytest.fixture
def slow(monkeypatch):
    """Let what is said after some time be said at once."""

    class Timer:
        daemon = False

        def __init__(self, seconds, function, arguments):
            assert seconds == 2.0
            self.start = lambda: function(*arguments)

        def cancel(self):
            """Do nothing: it has been said."""

    monkeypatch.setattr(progress.threading, "Timer", Timer)


def cubes(x):
    y = x * x
    return y * x


def test_a_line_where_it_takes_long(slow, monkeypatch, capsys, tmp_path):
    tl.source(cubes, like=(2.0,))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    tl.source(cubes, like=(3.0,))
    line = "tapeless: writing the derivative of cubes (3 lines) ...\n"
    assert capsys.readouterr().err == line
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    path = tmp_path / "long_written.py"
    path.write_text("def square(x: float):\n    return x * x\n")
    found = run("dump", f"{path}:square")
    assert found.stderr == "tapeless: writing the derivative of square (2 lines) ...\n"


def test_no_line_where_it_does_not(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    tl.source(cubes, like=(2.0,))
    assert capsys.readouterr().err == ""
