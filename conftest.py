"""What doctests leave out: modules for libraries that are not installed, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.left_out import left_out

LEFT_OUT = left_out()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out a module for a library that is not installed."""
    return True if collection_path in LEFT_OUT else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which modules were left out where doctests were asked for, and why."""
    config = terminalreporter.config
    asked = [Path(str(arg).partition("::")[0]).resolve() for arg in config.args]
    met = [
        lacks
        for file, lacks in LEFT_OUT.items()
        if any(folder in (file, *file.parents) for folder in asked)
    ]
    if met:
        libraries = ", ".join(sorted(frozenset().union(*met)))
        terminalreporter.write_line(f"{len(met)} modules left out, not installed: {libraries}")
