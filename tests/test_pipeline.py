"""The same input gives the same text, byte for byte, whatever the hash seed of the process is.

The golden texts say so, too: they are compared in processes with hash seeds of their own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np
import tapeless as tl


@tl.custom_gradient
def softplus(x):
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


def many_names(alpha, beta, gamma, delta):
    first = alpha * beta
    second = np.sin(gamma) * delta
    third = first + second
    fourth = first * second
    if third > fourth:
        fifth, sixth = third, fourth
    else:
        sixth, seventh = third * alpha, fourth
        fifth = seventh * delta
    return np.sum(fifth * sixth)


def loop(xs, w, u):
    h = np.zeros(4)
    c = np.zeros(4)
    for x in xs:
        h, c = np.tanh(w @ x + u @ h + c), np.exp(-h)
    return np.sum(h * c)


def stores(a, b):
    out = np.zeros_like(a)
    k = 0
    while k < len(a):
        out[k] = a[k] * b
        if out[k] > 2.0:
            break
        a[k] = out[k] * a[k]
        k += 1
    return np.sum(out) + np.sum(a)


def calls(x, w):
    def inner(v):
        return np.tanh(v) * w

    table = {"left": inner(x), "right": softplus(x * w)}
    return np.sum(table["left"] * table["right"])
"""

PRINT_ALL = """
import determined, numpy as np, tapeless as tl
matrix, vector = np.ones((4, 4)), np.ones(4)
samples = {
    "many_names": (1.0, vector, vector, 2.0),
    "loop": (matrix, matrix, matrix),
    "stores": (vector, 2.0),
    "calls": (vector, 2.0),
}
for name, like in samples.items():
    f = getattr(determined, name)
    for mode in ["value_and_grad", "vjp", "jvp"]:
        print("#", name, mode)
        print(tl.source(f, mode=mode, wrt=tuple(range(len(like))), like=like))
print(tl.source(determined.many_names, mode="grad", wrt=0, order=2, like=samples["many_names"]))
"""


def texts(folder: Path, seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path_with(folder)}
    done = subprocess.run(
        [sys.executable, "-c", PRINT_ALL],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def path_with(folder: Path) -> str:
    import tapeless

    package = Path(tapeless.__file__).parent.parent
    return os.pathsep.join([str(folder), str(package)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "determined.py").write_text(PROGRAM)
    return tmp_path


def test_text_does_not_depend_on_the_hash_seed(folder: Path) -> None:
    first = texts(folder, "0")
    assert first.count("def ") > 16
    assert texts(folder, "12345") == first
