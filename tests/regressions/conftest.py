"""Of the programs that were once wrong one in four is checked: they take most of the time of the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder as sampled, but those that say so themselves."""
    for item in items:
        if HERE in item.path.parents and item.get_closest_marker("sampled") is None:
            item.add_marker(pytest.mark.sampled(4))
