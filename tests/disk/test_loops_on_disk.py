"""One process writes and compiles loops, another one finds both; what is not sure is not kept."""

import os
import subprocess
import sys

import numpy as np
import pytest

import tapeless as tl
from tapeless.disk import folder, loops
from tapeless.operators.compiled import kept_loops

pytest.importorskip("numba")

PROGRAM = """
import sys

import numpy as np

import tapeless as tl
from tapeless.lower import compiled
from tapeless.operators import parts

K = 2.0


def loss(w, x):
    y = w
    for row in x:
        y = y + K * np.tanh(row * y)
    return np.sum(y * y)


if "load" in sys.argv:
    parts.lowered = None  # nothing can be lowered
wrap = compiled._with_fallback


def told(lowered, function, convert, plain, label, jit):
    def run(*arguments):
        sys.stdout.write("loops, ")
        return function(*arguments)

    def plainly(*arguments):
        sys.stdout.write("NumPy, ")
        return plain(*arguments)

    return wrap(lowered, run, convert, plainly, label, jit)


compiled._with_fallback = told
w, x = np.array([1.0, 2.0]), np.array([[0.3, 0.1], [0.2, 0.4], [0.5, 0.6]])
g = tl.grad(loss, compile="numba")
print(g(w, x).round(6))
"""


@pytest.fixture
def run(tmp_path, on_disk):
    """Return a function that runs the program in a process of its own and returns what it prints."""
    (tmp_path / "program.py").write_text(PROGRAM)

    def printed(argument):
        command = [sys.executable, str(tmp_path / "program.py"), argument]
        done = subprocess.run(command, text=True, capture_output=True, timeout=300)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return printed


def test_another_process_finds_loops_and_machine_code(run):
    first = run("write")
    assert first.startswith("loops, ")
    home = folder.place() / loops.FOLDER
    kept = sorted(path.name for path in (home / "__pycache__").iterdir())
    assert any(name.endswith(".nbc") for name in kept)
    assert run("load").splitlines()[0] == first.rstrip("\n")
    assert sorted(path.name for path in (home / "__pycache__").iterdir()) == kept
    loops.clear()
    assert not home.exists()


SCALE = 1.5


def scaled(x):
    return np.sum(SCALE * x * x)


def _found_again(f, x, wrt=0):
    """Return loops as they were written and as they are found, None where they are not kept."""
    built = tl.grad(f, wrt=wrt, scalarize=False).serving((x,))
    key = loops.key_of(built.function, built.derivative.text, [x])
    kept_loops(built.derivative, built.function, [x])
    return loops.find(key, built.function)


def test_constants_are_compared_when_loops_are_found(on_disk, monkeypatch):
    found = _found_again(scaled, np.ones(3))
    assert found is not None and found.result == "array"
    assert all(constant.holds for constant in found.baked)


def test_sizes_of_one_are_another_entry():
    built = tl.grad(scaled, scalarize=False).serving((np.ones(3),))
    keys = {
        loops.key_of(built.function, built.derivative.text, [x])
        for x in (np.ones(3), np.ones(1), np.ones(9), np.ones(90), np.ones(3, np.float32), 1.0)
    }
    assert len(keys) == 5


def test_a_file_that_others_could_write_is_not_used(on_disk):
    text = "def f(x):\n    return x\n"
    path = loops.file_of(text)
    assert path is not None and loops.file_of(text) == path
    os.chmod(path, 0o666)
    assert loops.file_of(text) is None
    os.chmod(path, 0o600)
    with open(path, "a") as stream:
        stream.write("\n")
    assert loops.file_of(text) is None


def test_nothing_is_kept_where_the_cache_is_off(monkeypatch):
    monkeypatch.setenv("TAPELESS_CACHE", "0")
    assert loops.file_of("def f(x):\n    return x\n") is None
    assert _found_again(scaled, np.ones(3)) is None
