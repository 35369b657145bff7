"""What all tests share: the switch that rewrites reviewed outputs, and what is not a test."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the golden texts and the generated parts of the docs",
    )
    parser.addoption(
        "--every-printed",
        action="store_true",
        help="run the printed derivative of every program of the zoo, not of every sixth one",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether reviewed outputs are to be rewritten instead of compared."""
    return bool(request.config.getoption("--update-golden"))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave user-style programs and helpers to the tests that import them."""
    is_python = collection_path.suffix == ".py"
    return True if is_python and not collection_path.name.startswith("test_") else None
