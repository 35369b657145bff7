"""When the rules that come with tapeless are there: as soon as one is asked for, and no sooner.

A registry is filled by running the modules that declare its entries, and a rule is not needed before a
derivative is written. So an entry that is missing may only be one that nobody has declared yet: whoever
looks for a rule in vain asks here for what might bring it, and looks once more. Modules load each other
while they do so, and threads at the same time; one lock, that of the registry, keeps the order.

The rules of tapeless are in `tapeless.rules.built_in`, which is imported when the rule of something is
first asked for that may have one of them: a process that finds its derivatives on disk, or takes none,
does not wait for them.

Rules for a package that tapeless does not need stand in modules of their own, one per subpackage,
which `rules_on_demand` names. Such a module is imported when a function of its subpackage is first
asked for: whoever has such a function has imported the package already.
"""

from __future__ import annotations

import importlib
import sys
import threading
import types
from typing import Any

import numpy as np

from tapeless.origins import is_users

REGISTRY_LOCK = threading.RLock()
COMPLETE: list[bool] = []  # not empty when all rules that come with tapeless are there
_ON_DEMAND: dict[str, str] = {}  # the subpackages whose rules are not loaded, with their modules
_SUBPACKAGES: list[str] = []
_LOADING: set[str] = set()
_WITH_ALL = "tapeless.rules.built_in"


def load_built_in() -> None:
    """Load the rules that come with tapeless, if they are not there yet."""
    if not COMPLETE and hasattr(importlib.import_module(_WITH_ALL), "__all__"):  # its last line
        COMPLETE.append(True)


def load_built_in_for(primal: Any) -> bool:
    """Load the rules that come with tapeless where something may have one; false where none are loaded."""
    if COMPLETE or not _may_come_with_rule(primal):
        return False
    load_built_in()
    return True


def _may_come_with_rule(primal: Any) -> bool:
    """Whether there may be a rule in tapeless for something: for no Python function of the user's."""
    return not (isinstance(primal, types.FunctionType) and is_users(primal.__code__.co_filename))


def rules_on_demand(modules: dict[str, str]) -> None:
    """Name the modules with the rules for subpackages that may never be imported."""
    _ON_DEMAND.update(modules)
    _SUBPACKAGES.extend(modules)


def on_demand() -> tuple[str, ...]:
    """Name the subpackages whose rules are loaded when one of their functions is met, loaded or not."""
    load_built_in()
    return tuple(_SUBPACKAGES)


def is_waiting(package: str) -> bool:
    """Whether the rules for a subpackage are not loaded yet."""
    return package in _ON_DEMAND


def load_rules_for(primal: Any) -> bool:
    """Load the rules for the subpackage that a callable is of; false where there are none to load."""
    return bool(_ON_DEMAND) and load_rules(subpackage_of(primal))


def load_rules(package: str) -> bool:
    """Load the rules for a subpackage that is imported; false where there are none to load."""
    load_built_in()
    if package not in _ON_DEMAND or package not in sys.modules:
        return False
    with REGISTRY_LOCK:
        if package not in _ON_DEMAND or package in _LOADING:
            return package not in _LOADING
        _LOADING.add(package)
        importlib.import_module(_ON_DEMAND[package])
        del _ON_DEMAND[package]
    return True


def subpackage_of(primal: Any) -> str:
    """Return the name of the subpackage that a callable is of, such as `scipy.linalg`.

    A ufunc does not say where it is from: it is looked for in `scipy.special`.
    """
    if isinstance(primal, np.ufunc):
        special = sys.modules.get("scipy.special")
        return "scipy.special" if getattr(special, primal.__name__, None) is primal else ""
    home = getattr(primal, "__module__", None)
    if not isinstance(home, str) or not home.startswith(("scipy.", "statistics")):
        return ""
    return ".".join(home.split(".")[:2])
