"""What is covered: of each function of Python, NumPy and SciPy, what is known of its derivative.

Everything is read off the declarations. A rule says by its text whether it has a forward mode, by its
parameters which keywords it takes. Its gradient is ordinary code, which can be differentiated again.
Nothing is listed a second time, so nothing can be out of date.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

import tapeless.pipeline  # noqa: F401  its stages say which things they understand
from tapeless.externals import is_distribution
from tapeless.rules.declare import Rule, find_rule, find_written
from tapeless.rules.on_demand import on_demand
from tapeless.rules.reasons import meaning_of, reason_without
from tapeless.rules.sparse import functions_of_sparse
from tapeless.rules.traits import traits_of

_MODULES = (
    "builtins", "math", "operator", "numpy", "numpy.ndarray", "numpy.linalg", "numpy.fft",
    "numpy.random", "numpy.random.Generator", "numpy.polynomial.polynomial",
    "numpy.polynomial.chebyshev", "numpy.polynomial.hermite", "numpy.polynomial.hermite_e",
    "numpy.polynomial.laguerre", "numpy.polynomial.legendre", "numpy.lib.stride_tricks",
)  # fmt: skip
_OWN_WORDS = {
    "rule": "rule",
    "elementwise": "partials",
    "zero": "constant",
    "written": "written out",
    "store": "store",
    "language": "language",
    "value": "value",
}


@dataclass(frozen=True)
class Covered:
    """What is known of the derivative of one function.

    Attributes
    ----------
    name
        Where users find it, such as `numpy.linalg.norm`.
    form
        `rule`, `elementwise`, `zero`, `written` where its text is differentiated in its place, `store`
        where it is written as a store, `language` where the stages read it, `value`, or `none`.
    forward, second
        Whether there is a forward mode, and whether the derivative can be differentiated again.
    refused
        The parameters that are refused where something varies.
    constant
        The parameters in which there is no derivative, with the reason.
    reason
        Why there is no derivative, where that was said.
    """

    name: str
    form: str
    forward: bool = True
    second: bool = True
    refused: tuple[str, ...] = ()
    constant: tuple[tuple[str, str], ...] = ()
    reason: str | None = None

    @property
    def module(self) -> str:
        """The module, or class, that the function is found in."""
        return self.name.rpartition(".")[0]

    @property
    def label(self) -> str:
        """The name in its module."""
        return self.name.rpartition(".")[2]

    @property
    def kind(self) -> str:
        """The form in the words that are printed."""
        return _OWN_WORDS.get(self.form, "no derivative")


def covered(*, with_scipy: bool = True) -> list[Covered]:
    """List the functions of which something is declared, by module and name."""
    modules = [*_MODULES, *_of_scipy()] if with_scipy else _MODULES
    members = [*named(modules), *(_of_sparse_arrays() if with_scipy else ())]
    found = (coverage_of(name, member) for name, member in members)
    return [known for known in found if known is not None]


def coverage_of(name: str, found: Any) -> Covered | None:
    """Return what is declared of the derivative of a function; None where nothing is.

    Examples
    --------
    >>> coverage_of("math.atan2", __import__("math").atan2).kind
    'partials'
    """
    reason, rule, written = reason_without(found), find_rule(found), find_written(found)
    if written is not None:
        return Covered(name, "written", refused=_not_taken(found, written), constant=_apart(found))
    if rule is None:
        if traits_of(found).stores and reason is None:
            return Covered(name, "store")
        if reason is None:
            return _without_rule(name, found)
        return Covered(name, "none", False, False, reason=reason)
    if rule.form == "zero":
        return Covered(name, "zero")
    return Covered(
        name,
        "elementwise" if rule.form == "elementwise" else "rule",
        has_forward(rule),
        True,
        _not_taken(found, rule.function),
        _apart(found),
    )


def _without_rule(name: str, found: Any) -> Covered | None:
    """Return what is known of what is not called, or is read as part of the language."""
    if meaning_of(found) is not None:
        return Covered(name, "language", reason=meaning_of(found))
    values = (bool, int, float, complex, np.generic, str, dict, type(None))
    plain = isinstance(found, values) or name == "numpy.ScalarType"
    return Covered(name, "value") if plain and name.startswith("numpy") else None


def has_forward(rule: Rule) -> bool:
    """Whether a rule has a forward mode: partials, linearity, or a `jvp` that it returns."""
    if rule.form != "general" or rule.linear:
        return True
    code = getattr(rule.function, "__code__", None)
    return any(getattr(inner, "co_name", "") == "jvp" for inner in getattr(code, "co_consts", ()))


# Parameters


def _not_taken(primal: Any, function: Callable[..., Any]) -> tuple[str, ...]:
    """List the parameters of a function that its rule does not have."""
    own, theirs = _parameters(function), _parameters(primal)
    if isinstance(primal, np.ufunc) or own is None or theirs is None:
        return ()
    kinds = {p.kind for p in own.values()}
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return ()
    places = [
        p for p in theirs.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]  # fmt: skip
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        places = [p for p in places if p.kind is not p.POSITIONAL_ONLY]
    optional = [p.name for p in places if p.default is not p.empty]
    handled = [key for key in optional if key in _HANDLED or key.startswith("overwrite_")]
    return tuple(key for key in optional if key not in own and key not in handled)


_HANDLED = {"out", "like", "device", "subok"}  # `out=` is written as a store


def _parameters(function: Any) -> dict[str, inspect.Parameter] | None:
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None


def _apart(found: Any) -> tuple[tuple[str, str], ...]:
    """List the parameters without a derivative, with the reason."""
    keys = _parameters(getattr(find_rule(found), "function", None)) or {}
    reasons = ((key, reason_without(found, key)) for key in keys)
    return tuple((key, reason) for key, reason in reasons if reason is not None)


# Names


def named(modules: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Return the functions and methods of modules and classes, with their dotted names."""
    for module in modules:
        owner = module_or_class(module)
        for key in sorted(_public(owner)):
            member = getattr(owner, key)
            if is_distribution(member):
                for method in sorted(_public(type(member))):
                    yield f"{module}.{key}.{method}", getattr(member, method, None)
            elif not inspect.ismodule(member):
                yield f"{module}.{key}", member


def _public(owner: Any) -> list[str]:
    names: Iterable[str] = vars(owner) if inspect.ismodule(owner) else dir(owner)
    if owner.__name__ in sys.stdlib_module_names:
        names = getattr(owner, "__all__", names)  # not what it has imported itself
    return [
        key for key in names
        if not key.startswith("_") or key.endswith("__") and meaning_of(getattr(owner, key)) is not None
    ]  # fmt: skip


def _of_scipy() -> list[str]:
    """List the subpackages that rules are declared for, if they are installed; import them."""
    found = []
    for package in on_demand():
        try:
            importlib.import_module(package)
        except ImportError:
            continue
        found += [package, *_INSIDE.get(package, ())]
    return sorted(found)


_INSIDE = {
    "scipy.spatial": ("scipy.spatial.distance", "scipy.spatial.transform.Rotation"),
    "scipy.sparse": ("scipy.sparse.linalg",),
}


def _of_sparse_arrays() -> Iterator[tuple[str, Any]]:
    """Return what operators and methods of sparse arrays stand for, under the names of a class."""
    if find_spec("scipy") is not None:
        for key, function in sorted(functions_of_sparse().items()):
            yield f"scipy.sparse.csr_array.{key}", function


def module_or_class(name: str) -> Any:
    """Return the module or the class of a dotted name."""
    try:
        return importlib.import_module(name)
    except ImportError:
        outer, _, label = name.rpartition(".")
        return getattr(importlib.import_module(outer), label)


def nearest(name: str, known: Sequence[Covered], count: int = 3) -> list[str]:
    """Return the functions with a derivative whose names are most like another, of its module if possible.

    Examples
    --------
    >>> nearest("numpy.tnh", [Covered("math.tanh", "elementwise"), Covered("numpy.dot", "rule")])
    ['math.tanh']
    """
    module, _, label = name.rpartition(".")
    with_one = [one for one in known if one.form not in ("none", "value")]
    found: dict[str, str] = {}
    for among in ([one for one in with_one if one.module == module], with_one):
        labels = {one.label: one.name for one in reversed(among)}
        for key in difflib.get_close_matches(label, labels, n=count, cutoff=0.55):
            found.setdefault(key, labels[key])
    return list(found.values())[:count]
