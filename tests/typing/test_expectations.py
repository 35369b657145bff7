"""Checkers of types see the user's own signatures through the operators: mypy and pyright agree."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tapeless

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("expectations.py")
SOURCE = Path(tapeless.__file__).parents[1]


def accepted(*command):
    """Run a checker from the root, where its options stand."""
    environment = {**os.environ, "MYPYPATH": "src"} if SOURCE == ROOT / "src" else None
    ran = subprocess.run(
        [*command, str(PROGRAM)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_mypy():
    pytest.importorskip("mypy", reason="mypy is not installed")
    accepted(sys.executable, "-m", "mypy", "--strict")


def test_pyright():
    pyright = shutil.which(
        "pyright", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if pyright is None:
        pytest.skip("pyright is not installed")
    begun = subprocess.run([pyright, "--version"], cwd=ROOT, capture_output=True, text=True)
    if begun.returncode:
        pytest.skip("pyright does not start: it fetches itself when it first runs")
    accepted(pyright, "--pythonpath", sys.executable)
