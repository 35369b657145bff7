"""What all tests share: the switch that rewrites reviewed outputs, and what is not a test."""

from __future__ import annotations

import gc
import os
import sys
from collections import Counter
from pathlib import Path

import pytest

from tapeless.operators.gradients import Gradients
from tests import laws

HERE = Path(__file__).parent
# Of how many cases of a test one is checked, in the folders whose tests take the most time: they write
# the derivatives of whole programs, one or several of each. Each file of the regressions is about one
# defect: it is counted as one test.
SAMPLED = {
    "regressions": 64,
    "rules/scipy": 4,
    "rules": 3,
    "solvers": 4,
    "differentiate": 2,
    "higher": 2,
    "custom": 2,
    "specialize": 2,
    "lower": 2,
    "source": 2,
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the golden texts and the generated parts of the docs",
    )
    parser.addoption(
        "--all-samples",
        action="store_true",
        help="check all of what is sampled otherwise: printed derivatives of the zoo, random "
        "programs, files of the standard library that are printed",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether reviewed outputs are to be rewritten instead of compared."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def all_samples(request: pytest.FixtureRequest) -> bool:
    """Whether to check all of what is sampled otherwise."""
    return bool(request.config.getoption("--all-samples"))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave user-style programs and helpers to the tests that import them."""
    is_python = collection_path.suffix == ".py"
    return True if is_python and not collection_path.name.startswith("test_") else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out all cases but one in so many, where a test is marked so.

    Which one it is depends on the version of Python, so that different ones are checked on each.
    """
    if config.getoption("--all-samples"):
        return
    cases = Counter(map(_test_of, items))
    met: Counter[str] = Counter()
    left_out = []
    for item in items:
        place, test = met[_test_of(item)], _test_of(item)
        met[test] += 1
        each = min(_one_in(item), cases[test])
        if place % each != sys.version_info.minor % each:
            left_out.append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


def _one_in(item: pytest.Item) -> int:
    """Return of how many cases of a test one is checked: as its mark says, or else as its folder does."""
    sampled = item.get_closest_marker("sampled")
    if sampled is not None:
        return int(sampled.args[0])
    return next((n for folder, n in SAMPLED.items() if HERE / folder in item.path.parents), 1)


def _test_of(item: pytest.Item) -> str:
    """Return the name of the test that an item is a case of, or of the file if its defect is one."""
    about_one_defect = HERE / "regressions" in item.path.parents
    return item.nodeid.split("::" if about_one_defect else "[")[0]


def pytest_configure(config: pytest.Config) -> None:
    """Keep no derivative on disk: what the tool writes now is what is tested.

    The collector of cycles looks through all modules and derivatives again and again, for a fifth of the
    time: it is to come less often, and to leave out what was imported.
    """
    os.environ["TAPELESS_CACHE"] = "0"
    laws.all_samples = config.getoption("--all-samples")
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture
def on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep derivatives in a folder of the test's own, and return the folder."""
    monkeypatch.setenv("TAPELESS_CACHE", "1")
    monkeypatch.setenv("TAPELESS_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "derivatives"


@pytest.fixture
def forgetful(on_disk: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forget each derivative after its call, as if every call were in a process of its own."""
    nothing = property(lambda self: {}, lambda self, value: None)
    monkeypatch.setattr(Gradients, "built", nothing, raising=False)
    monkeypatch.setattr(Gradients, "add_guard", lambda self, arguments, built: None)
    return on_disk


@pytest.fixture(params=["in memory", "on disk"])
def noticed(request: pytest.FixtureRequest) -> None:
    """Run a test of what is noticed twice: with what this process remembers, and with the disk."""
    if request.param == "on disk":
        request.getfixturevalue("forgetful")
