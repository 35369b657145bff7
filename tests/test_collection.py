"""A file that cannot be imported fails the run, and is not left out of it in silence."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import left_out

ROOT = Path(__file__).parents[1]


def run_pytest(file):
    command = [sys.executable, "-m", "pytest", "-n", "0", "-c", ROOT / "pyproject.toml", file]
    return subprocess.run(command, capture_output=True, text=True, cwd=file.parent, check=False)


@pytest.mark.parametrize(
    "line",
    [
        "from tapeless import nothing_of_that_name",
        "import no_module_of_that_name",
        "import tests.zoo.no",
    ],
)
def test_a_broken_import_fails_the_run(tmp_path, line):
    file = tmp_path / "test_broken.py"
    file.write_text(f"{line}\n\n\ndef test_nothing():\n    pass\n")
    run = run_pytest(file)
    assert run.returncode == 2 and "1 error" in run.stdout


def test_a_file_that_imports_runs(tmp_path):
    file = tmp_path / "test_whole.py"
    file.write_text("import tapeless\n\n\ndef test_nothing():\n    pass\n")
    assert run_pytest(file).returncode == 0


def left_out_without(libraries, monkeypatch):
    monkeypatch.setattr(left_out, "missing_libraries", lambda: frozenset(libraries))
    return {str(file.relative_to(left_out.SOURCE)) for file in left_out.left_out()}


def test_what_is_left_out(monkeypatch):
    assert left_out_without([], monkeypatch) == set()
    assert left_out_without(["torch"], monkeypatch) == {"tapeless/interop/torch.py"}
    without_scipy = left_out_without(["scipy"], monkeypatch)
    folder = left_out.SOURCE / "tapeless" / "rules" / "scipy" / "linalg"
    assert {str(file.relative_to(left_out.SOURCE)) for file in folder.glob("*.py")} <= without_scipy
    assert "tapeless/solvers/optimize.py" in without_scipy
    kept = ("tapeless/__init__.py", "tapeless/rules/linalg.py", "tapeless/runtime/sparse.py")
    assert not without_scipy.intersection(kept)
