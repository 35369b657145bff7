"""Notebooks: what cells show, the magics, notebooks as targets, and the example."""

import subprocess
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (extra: notebook)")
ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "first_gradient.ipynb"


def book(*cells):
    code = nbformat.v4.new_code_cell
    return nbformat.v4.new_notebook(cells=[code(text) for text in cells])


def dumped(*options, cwd=ROOT):
    command = [sys.executable, "-m", "tapeless", *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_notebooks_are_targets():
    found = dumped("dump", "examples/first_gradient.ipynb:energy", "--like", f"{EXAMPLE}:samples")
    assert "Error" not in found.stderr
    assert "def energy_grad(w, x):" in found.stdout


def test_what_is_refused_names_cell_and_line(tmp_path):
    nbformat.write(
        book("%load_ext tapeless\nimport numpy as np", "def f(x):\n    yield x"),
        tmp_path / "book.ipynb",
    )
    found = dumped("dump", "book.ipynb:f", cwd=tmp_path)
    assert "book.ipynb, cell 2, line 2" in found.stderr


OWN_GRADIENT = """@tl.custom_gradient
def twice(x):
    def grad(upstream):
        return 2.0 * upstream
    return 2.0 * x, grad

print(tl.source(lambda x: twice(x) ** 2, like=(1.0,)))
"""


@pytest.fixture(scope="module")
def run():
    client = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")

    def execute(notebook):
        runner = client.NotebookClient(
            notebook, timeout=120, allow_errors=True, kernel_name="python3"
        )
        return runner.execute(cwd=str(ROOT)).cells

    return execute


def shown(cell):
    return "".join(o["data"].get("text/html", "") for o in cell["outputs"] if "data" in o)


def errors(cell):
    return "\n".join(o["evalue"] for o in cell["outputs"] if o["output_type"] == "error")


def test_cells_show_derivatives_and_errors_name_them(run):
    cells = run(
        book(
            "%load_ext tapeless\nimport tapeless as tl",
            "def f(x: float):\n    return x * x",
            "tl.source(f)",
            "%derivative f --mode jvp",
            "g = tl.grad(f)\ng(3.0)\ng",
            "%%derivative --like (2.0,)\ndef h(x):\n    return x**3",
            "def refused(x):\n    yield x\n\ntl.grad(refused)(1.0)",
            "%derivative --order 7 f",
            OWN_GRADIENT,
        )
    )
    assert [errors(cell) for cell in cells[:6]] == [""] * 6
    assert '<pre class="tapeless-source">' in shown(cells[2])
    assert "f_jvp" in shown(cells[3]) and "<iframe" in shown(cells[3])
    assert "f_grad" in shown(cells[4]) and "Cell 2" in shown(cells[4])
    assert "h_grad" in shown(cells[5])
    assert "Cell 7, line 2" in "".join(str(o) for o in cells[6]["outputs"])
    assert "%derivative" in errors(cells[7])
    assert "twice.grad, as written by its author (Cell 9, line 3)" in str(cells[8]["outputs"])


def test_example_runs(run):
    cells = run(nbformat.read(EXAMPLE, as_version=4))
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert [errors(cell) for cell in code] == [""] * len(code)
    assert any("<iframe" in shown(cell) for cell in code)
