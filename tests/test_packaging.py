"""What is shipped: its version, what it needs, and that the extras stay extras."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import tapeless as tl

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NEEDED = {"gast", "astunparse", "numpy", "click", "rich", "platformdirs"}
# Other names that a package of an extra is imported by.
IMPORTED_AS = {
    "mpi4py": "mpi4py",
    "myst-parser": "myst_parser",
    "scikit-learn": "sklearn",
    "sphinx-copybutton": "sphinx_copybutton",
    "sphinx-gallery": "sphinx_gallery",
}


def names(requirements: list[str]) -> set[str]:
    return {re.match(r"[A-Za-z0-9_.-]+", each)[0].lower() for each in requirements}


def test_one_version_everywhere() -> None:
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    page = (ROOT / "docs" / "development" / "citing.md").read_text()
    assert tl.__version__ == PROJECT["version"] == cited[1]
    assert f"Version {tl.__version__}." in page and f"{{{tl.__version__}}}" in page


def test_few_packages_are_needed() -> None:
    assert names(PROJECT["dependencies"]) == NEEDED


def test_import_imports_nothing_of_the_extras() -> None:
    extras = set().union(*map(names, PROJECT["optional-dependencies"].values())) - NEEDED
    modules = {IMPORTED_AS.get(name, name) for name in extras if not name.startswith("tapeless")}
    assert {"scipy", "matplotlib", "sphinx"} <= modules
    program = f"import sys, tapeless; print(*sorted(sys.modules.keys() & {modules!r}))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (found.stdout.split(), found.returncode) == ([], 0), found.stderr
