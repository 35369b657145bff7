"""What happens after a pass: the tree is checked, and shown to whoever asked to see it.

A derivative is made by some forty passes over small trees. What a stage leaves is always checked: after
the last desugaring, after `differentiate`, at the end of `optimize`. Between the passes of a stage a tree
is checked only while somebody watches, who then is told the pass that broke it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeless.source.printer import unparse
from tapeless.source.watchers import WATCHERS, Watcher, is_watched
from tapeless.tree.grammar import Language, verify


@contextmanager
def trace(watcher: Watcher) -> Iterator[None]:
    """Call a function with the name of each pass and the tree that it wrote.

    Parameters
    ----------
    watcher
        Called as ``watcher(name, function)`` after each pass over each function. The tree is the
        pass's own: read it, do not change it.
    """
    token = WATCHERS.set((*WATCHERS.get(), watcher))
    try:
        yield
    finally:
        WATCHERS.reset(token)


def print_pass(name: str, function: Any) -> None:
    """Print what a pass wrote: the watcher to begin with."""
    print(f"# {function.name} after {name}")
    print(unparse(function).strip() + "\n")


def passed(name: str, function: Any, language: Language) -> None:
    """Check and show what a pass wrote."""
    verify(function, language, after=name)
    for watcher in WATCHERS.get():
        watcher(name, function)


def passed_within(name: str, function: Any, language: Language) -> None:
    """Check and show what a pass wrote that is not the last one of its stage, if somebody watches."""
    if is_watched():
        passed(name, function, language)
