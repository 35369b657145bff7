"""One process writes a derivative, others load it; several at once do not get in each other's way."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os
import sys

import numpy as np

import tapeless as tl

class Layer:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return np.tanh(self.k * x)


layers = [Layer(2.0), Layer(0.5)]


def loss(w, x):
    for layer in layers:
        x = layer(x)
    return np.sum((x @ w) ** 2)


children = []
for _ in range(8 if "eight" in sys.argv else 0):
    children.append(os.fork())
    if not children[-1]:
        break  # a child
if children and children[-1]:
    sys.exit(sum(os.waitpid(child, 0)[1] for child in children))
w, x = np.array([1.0, 2.0]), np.array([[0.3, 0.1], [0.2, 0.4], [0.5, 0.6]])
sys.stdout.write(f"{tl.grad(loss)(w, x)}\\n")  # in one piece
if "load" in sys.argv:  # what writes was not even imported
    assert not {"tapeless.pipeline", "tapeless.rules.built_in", "tapeless.kinds"} & set(sys.modules)
"""


@pytest.fixture
def run(tmp_path, on_disk):
    """Return a function that runs the program in a process of its own and returns what it prints."""
    (tmp_path / "program.py").write_text(PROGRAM)

    def printed(argument):
        command = [sys.executable, str(tmp_path / "program.py"), argument]
        done = subprocess.run(command, text=True, capture_output=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return printed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are made otherwise here")
def test_eight_processes_at_once_and_one_that_only_loads(run, on_disk):
    found = run("eight").splitlines()
    assert len(found) == 8
    assert {path.suffix for path in on_disk.iterdir()} == {".json"}
    assert {run("load").strip()} == set(found)
