"""`dump --watch`: written again after each change, through mistakes, by fresh processes."""

import pytest
from click.testing import CliRunner

from tapeless import cli
from tapeless.cli import watch

RIGHT = "import helping\n\n\ndef f(x: float):\n    return helping.rate * x * x\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "watched.py").write_text(RIGHT)
    (tmp_path / "helping.py").write_text("rate = 0.5\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_written_again(folder, monkeypatch):
    changes = iter([
        ("watched.py", "def f(x: float):\n    return x *\n"),
        ("watched.py", "def f(x: float):\n    return x * x * x\n"),
    ])  # fmt: skip
    waited_for = []

    def change(files, before):
        waited_for.append(sorted(file.rpartition("/")[2] for file in files))
        assert watch.state_of(files) == before
        try:
            name, text = next(changes)
        except StopIteration:
            raise KeyboardInterrupt from None
        (folder / name).write_text(text)
        assert watch.state_of(files) != before

    monkeypatch.setattr(watch, "wait_for_change", change)
    ran = CliRunner().invoke(cli.main, ["dump", "watched.py:f", "--watch"])
    assert ran.exit_code == 0
    assert waited_for == [["helping.py", "watched.py"]] * 3
    first, second = ran.stdout.split("def f_grad(x):\n")[1:]
    assert "helping.rate" in first and "2.0 * x * x + x * x" in second
    lines = [line for line in ran.stderr.splitlines() if line]
    told = [line for line in lines if "watching" not in line and "writing" not in line]
    assert told == [
        "tapeless: importing watched.py failed: SyntaxError: invalid syntax (watched.py, line 2)"
    ]


def test_the_next_change_is_waited_for(tmp_path, monkeypatch):
    file = tmp_path / "watched.py"
    file.write_text("1")
    files = frozenset([str(file)])
    before = watch.state_of(files)
    naps = []

    def nap(seconds):
        naps.append(seconds)
        if len(naps) == 2:
            file.unlink()  # as editors do, who put another file in its place
        if len(naps) == 4:
            file.write_text("22")

    monkeypatch.setattr(watch.time, "sleep", nap)
    watch.wait_for_change(files, before)
    assert len(naps) == 4


def test_a_file_that_was_read_is_kept(folder, monkeypatch):
    def change(files, before):
        raise KeyboardInterrupt

    monkeypatch.setattr(watch, "wait_for_change", change)
    monkeypatch.setattr(watch, "attempt_elsewhere", watch.attempt)
    ran = CliRunner().invoke(cli.main, ["dump", "watched.py:f", "--watch", "-o", "helping.py"])
    assert "tapeless: -o helping.py is a file that was read; write to another" in ran.stderr
    assert (folder / "helping.py").read_text() == "rate = 0.5\n"
