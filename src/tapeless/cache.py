"""Which derivative serves a call, and whether it is still true.

A derivative is made for the kinds of the arguments of a first call and serves every later call with
the same kinds. The free names of all functions that went into it are looked at again at every call:
a plain value that was rebound is put into the generated module, a function, class or module that was
redefined makes the derivative again.

All that must hold for a derivative to serve a call is written as one expression, a guard, which costs
a fraction of a microsecond where it holds; only where none does the kinds are worked out.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tapeless.analysis.abstract import attribute_names
from tapeless.source.externals import MISSING, External
from tapeless.variables import Variable, variables_within

_SIMPLE: dict[type, Hashable] = {float: "f", int: "i", bool: "b", str: "s", type(None): "n"}


def kind_key(x: Any) -> Any:
    """Give a hashable key that is equal for arguments of the same kind.

    Examples
    --------
    >>> kind_key(np.ones((3, 4))) == kind_key(np.ones((5, 6)))
    True
    >>> kind_key(np.ones((3, 1))) == kind_key(np.ones((3, 4)))
    False
    """
    cls: Any = type(x)
    simple = _SIMPLE.get(cls)
    if simple is not None:
        return simple
    if isinstance(x, np.ndarray):
        shape = x.shape
        if 1 in shape:
            return x.dtype.char, tuple(n == 1 for n in shape)
        return x.dtype.char, len(shape)
    if isinstance(x, Variable):
        return cls, kind_key(x.held)
    if isinstance(x, tuple):
        return (cls, *map(kind_key, x))
    if isinstance(x, list):
        return cls, frozenset(map(kind_key, x))
    if isinstance(x, dict):
        return cls, frozenset((k, kind_key(v)) for k, v in x.items())
    if isinstance(x, np.generic):
        return cls
    if callable(x) and not hasattr(x, "__dict__"):
        return x
    if isinstance(x, type | types.ModuleType):
        return x
    if any(hasattr(x, mark) for mark in ("__code__", "__func__", "__wrapped__")):
        return x
    if cls.__module__ == "builtins" or cls.__module__.partition(".")[0] == "numpy":
        return cls
    return cls, tuple((k, kind_key(getattr(x, k))) for k in attribute_names(x))


@dataclass(eq=False)
class Watched:
    """A free name that a derivative depends on, and what it was when the derivative was made."""

    external: External
    value: Any
    key: Hashable = None
    places: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    held: list[Variable] | None = None

    def is_current(self) -> bool:
        """Say whether the derivative still holds; a plain value that was rebound is taken over."""
        value = self.external.value
        if value is self.value:
            return self.held is None or _same(variables_within(value), self.held)
        if value is MISSING or callable(value) or kind_key(value) != self.key:
            return False
        if self.held is not None and not _same(variables_within(value), self.held):
            return False
        for namespace, key in self.places:
            namespace[key] = value
        self.value = value  # last: another thread that sees it runs the module at once
        return True


def _same(a: list[Variable], b: list[Variable]) -> bool:
    return len(a) == len(b) and all(p is q for p, q in zip(a, b, strict=True))


def watch(external: External, variables: bool = False) -> Watched:
    """Remember what a free name stands for now, with `variables` also which Variables it holds."""
    value = external.value
    plain = value is not MISSING and not callable(value)
    held = variables_within(value) if variables and plain else None
    return Watched(external, value, kind_key(value) if plain else None, held=held)


def guard_for(
    arguments: Sequence[Any], watched: Sequence[Watched], changes: list[int]
) -> Callable[..., bool]:
    """Write the test that a derivative made for these arguments serves others.

    Where the test fails another derivative, or the same one, may still serve the call. `changes`
    holds the count of changes of the registry of rules.

    Examples
    --------
    >>> guard = guard_for([1.0, np.ones(3)], [], [0])
    >>> guard(2.0, np.ones(5)), guard(2.0, np.ones((5, 5))), guard(2, np.ones(5))
    (True, False, False)
    """
    test, namespace = _test_of(arguments, watched, changes)
    parameters = ", ".join(_parameters(arguments))
    text = f"def guard({parameters}):\n{_ANSWER.format(test=test)}    return serves\n"
    exec(compile(text, "<tapeless guard>", "exec"), namespace)
    guard: Callable[..., bool] = namespace["guard"]
    return guard


def call_for(
    arguments: Sequence[Any], watched: Sequence[Watched], changes: list[int],
    function: Callable[..., Any], explain: Callable[[Exception], None],
    otherwise: Callable[..., Any],
) -> Callable[..., Any]:  # fmt: skip
    """Write the function that calls a derivative where it serves, and `otherwise` elsewhere.

    The guard stands in its text, so that a call costs little more than the derivative itself.

    Examples
    --------
    >>> call = call_for([1.0], [], [0], lambda x: ("quick", x), print, lambda *a, **k: (a, k))
    >>> call(2.0), call(2), call(x0=1.0), call()
    (('quick', 2.0), ((2,), {}), ((), {'x0': 1.0}), ((), {}))
    """
    test, namespace = _test_of(arguments, watched, changes)
    namespace |= {"function": function, "explain": explain, "otherwise": otherwise}
    names = _parameters(arguments)
    parameters = ", ".join(f"{n}=MISSING" for n in names)
    text = _CALL.format(parameters=parameters, names=", ".join(names), test=test)
    exec(compile(text, "<tapeless call>", "exec"), namespace)
    call: Callable[..., Any] = namespace["call"]
    return call


_ANSWER = """\
    try:
        serves = {test}
    except (KeyError, ValueError):  # a name that is no longer bound
        serves = False
"""
_CALL = (
    """\
def call({parameters}, /, *args, **kwargs):
"""
    + _ANSWER
    + """\
    if serves and not args and not kwargs:
        try:
            return function({names})
        except Exception as error:
            explain(error)
            raise
    return otherwise(*(x for x in ({names},) if x is not MISSING), *args, **kwargs)
"""
)


def _parameters(arguments: Sequence[Any]) -> list[str]:
    return [f"x{i}" for i in range(len(arguments))]


def _test_of(
    arguments: Sequence[Any], watched: Sequence[Watched], changes: list[int]
) -> tuple[str, dict[str, Any]]:
    """Write all that must hold as one expression, with the namespace that it is evaluated in."""
    namespace: dict[str, Any] = {
        "ndarray": np.ndarray, "kind_key": kind_key, "changes": changes, "MISSING": MISSING,
    }  # fmt: skip
    tests = [f"changes[0] == {changes[0]}"]
    for i, argument in enumerate(arguments):
        namespace[f"t{i}"] = type(argument)
        tests.append(_kind_test(f"x{i}", argument, i, namespace))
    for i, each in enumerate(watched):
        owner = each.external.owner
        namespace[f"o{i}"], namespace[f"v{i}"] = owner, each.value
        if isinstance(owner, types.CellType):
            tests.append(f"o{i}.cell_contents is v{i}")
        elif isinstance(owner, dict):
            tests.append(f"o{i}[{each.external.key!r}] is v{i}")
        else:
            tests.append(f"o{i}.get({each.external.key!r}, MISSING) is v{i}")
        each.places.append((namespace, f"v{i}"))
    return " and ".join(tests), namespace


def _kind_test(name: str, argument: Any, i: int, namespace: dict[str, Any]) -> str:
    """Write the test that an argument is of the kind of a sample."""
    if type(argument) in _SIMPLE or isinstance(argument, np.generic):
        return f"type({name}) is t{i}"
    if type(argument) is np.ndarray and 1 not in argument.shape:
        namespace[f"d{i}"] = argument.dtype
        exact = f"type({name}) is ndarray and ({name}.dtype is d{i} or {name}.dtype == d{i})"
        return f"{exact} and {name}.ndim == {argument.ndim} and 1 not in {name}.shape"
    namespace[f"k{i}"] = kind_key(argument)
    return f"kind_key({name}) == k{i}"
