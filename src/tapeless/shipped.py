"""A derivative that carries its own text: the part of it that runs where tapeless is not installed.

The text of this file travels with every such derivative and is run where it arrives, so it imports
Python's own modules and NumPy only. A derivative was written for certain kinds of arguments; what
kinds these were travels along, and arguments of other kinds are refused: what was written for a matrix
would give wrong numbers for a vector.
"""

from __future__ import annotations

import copy
import inspect
import itertools
import linecache
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

_numbers = itertools.count(1)

# An expression: `pickle` calls by name only what the other side has, and there Python has `eval`. The
# module made of this file is kept, so that all derivatives that arrive in a process share it.
_ARRIVAL = (
    "(lambda modules, new: (modules[key] if key in modules else"
    " (made := new(key), exec(text, vars(made)), modules.setdefault(key, made))[-1]))"
    "(__import__('sys').modules, type(__import__('sys'))).__dict__[kind](text, key, *state)"
)


class Carried:
    """What is pickled together with the text of this file, which makes it anew where it arrives."""

    def __init__(self, own: str, key: str, *state: Any) -> None:
        self._arrival = own, key
        self._state = state

    def __reduce__(self) -> Any:
        """Travel as text, which needs nothing where it arrives."""
        own, key = self._arrival
        kind = type(self).__name__
        return eval, (_ARRIVAL, {"text": own, "key": key, "kind": kind, "state": self._state})

    def beside(self, kind: type, *state: Any) -> Any:
        """Make another thing that travels with the same text."""
        return kind(*self._arrival, *state)


class Standalone(Carried):
    """A derivative as a function that can be pickled, and unpickled where only NumPy is installed.

    Attributes
    ----------
    text
        The module that was written for each sort of arguments, one after the other.
    """

    def __init__(
        self, own: str, key: str, name: str, doc: str | None, signature: inspect.Signature,
        bound: tuple[tuple[Any, ...], dict[str, Any]], versions: Sequence[dict[str, Any]],
    ) -> None:  # fmt: skip
        super().__init__(own, key, name, doc, signature, bound, versions)
        self.__name__ = self.__qualname__ = name
        self.__doc__ = doc
        self._loaded: dict[int, Callable[..., Any]] = {}
        parameters = signature.parameters.values()
        plain = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters) and bound == ((), {})
        self._positional = len(parameters) if plain else -1

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<standalone {self.__name__}>"

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature of the function that was differentiated, less what is bound."""
        signature: inspect.Signature = self._state[2]
        values, names = self._state[3]
        left = list(signature.parameters.values())[len(values) :]
        return signature.replace(parameters=[p for p in left if p.name not in names])

    @property
    def text(self) -> str:
        """The module that was written for each sort of arguments, one after the other."""
        return "\n\n".join(module["text"] for module in self.modules)

    @property
    def modules(self) -> list[dict[str, Any]]:
        """The module for each sort of arguments: its text, and what it reads."""
        return [version["module"] for version in self._state[-1]]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the derivative."""
        given = args
        if kwargs or len(args) != self._positional:
            _, _, signature, (values, names), _ = self._state
            bound = signature.bind(*values, *args, **{**names, **kwargs})
            bound.apply_defaults()
            given = tuple(bound.arguments.values())
        return self.run(given)

    def run(self, arguments: Sequence[Any]) -> Any:
        """Compute the derivative for one value per parameter, bound ones included."""
        return self._serving(arguments)(*arguments)

    def _serving(self, arguments: Sequence[Any]) -> Callable[..., Any]:
        """Return the function that was written for these kinds of arguments."""
        versions = self._state[-1]
        for i, version in enumerate(versions):
            if all(map(is_served, arguments, version["serves"])):
                if version["changes"]:
                    _refuse_shared(arguments)
                if i not in self._loaded:
                    self._loaded[i] = loaded(version["module"])
                return self._loaded[i]
        raise ValueError(self._refusal(arguments))

    def _refusal(self, arguments: Sequence[Any]) -> str:
        """Say which argument is of another kind than what was foreseen."""
        _, _, signature, _, versions = self._state
        served = [list(map(is_served, arguments, version["serves"])) for version in versions]
        nearest = max(served, key=sum)
        key, x = next(
            (key, x)
            for key, x, ok in zip(signature.parameters, arguments, nearest, strict=True)
            if not ok
        )
        return (
            f"'{self.__name__}' was not written for '{key}' as it is here: {_described(x)}\n"
            "  fix: give sample arguments of these kinds with like= where it is made"
        )


def is_served(x: Any, spec: tuple[Any, ...]) -> bool:
    """Whether an argument is of the kind that a derivative was written for.

    Examples
    --------
    >>> is_served(2.0, ("like", kind_of(1.0))), is_served([2.0], ("number", True, None))
    (True, False)
    >>> is_served(np.ones((2, 3)), ("array", 2, "f8"))
    True
    """
    if spec[0] == "like":
        return bool(kind_of(x) == spec[1])
    if spec[0] == "array":
        plain = type(x) is np.ndarray and x.ndim == spec[1] and 1 not in x.shape
        return plain and x.dtype.str[1:] == spec[2]
    if spec[0] == "exact":
        return type(x) in spec[1]
    _, varied, rank = spec
    if type(x) is np.ndarray or isinstance(x, np.generic):
        return x.dtype.kind in ("f" if varied else "fiub") and rank in (None, x.ndim)
    return rank in (None, 0) and (type(x) is float or not varied and type(x) in (int, bool))


def kind_of(x: Any) -> Any:
    """Return what a derivative that is written for a value depends on, and not the numbers in it.

    Examples
    --------
    >>> kind_of(np.ones((3, 4))) == kind_of(np.ones((5, 6)))
    True
    >>> kind_of({"w": 1.0}) == kind_of({"w": 2})
    False
    """
    cls = type(x)
    if isinstance(x, np.ndarray):
        return cls, x.dtype.char, tuple(n == 1 for n in x.shape)
    if isinstance(x, tuple):
        return cls, *map(kind_of, x)
    if isinstance(x, list):
        return cls, frozenset(map(kind_of, x))
    if isinstance(x, dict):
        default = getattr(x, "default_factory", None)
        return cls, default, frozenset((key, kind_of(item)) for key, item in x.items())
    if isinstance(x, (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
        return "this", x
    return (cls, *((key, kind_of(item)) for key, item in attributes_of(x)))


def attributes_of(x: Any) -> list[tuple[str, Any]]:
    """List what an object holds, in its dictionary and in its slots."""
    slots = [key for cls in type(x).__mro__ for key in _slots_of(cls)]
    held = [(key, getattr(x, key)) for key in slots if hasattr(x, key)]
    return [*held, *getattr(x, "__dict__", {}).items()]


def _slots_of(cls: type) -> list[str]:
    named = vars(cls).get("__slots__", ())
    keys = [named] if isinstance(named, str) else list(named)
    return [key for key in keys if key not in ("__dict__", "__weakref__")]


def loaded(module: dict[str, Any]) -> Callable[..., Any]:
    """Run the text of a module with what it reads, and return its function.

    Examples
    --------
    >>> text = "def f(x, n=0):\\n    return k * x + n\\n"
    >>> loaded({"text": text, "name": "f", "values": {"k": 2.0}, "functions": {},
    ...         "defaults": ((1.0,), None)})(3.0)
    7.0
    """
    text, name = module["text"], module["name"]
    filename = f"<standalone {name} {next(_numbers)}>"
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    namespace: dict[str, Any] = {"__name__": name, **module["values"]}
    namespace |= {key: loaded(inner) for key, inner in module["functions"].items()}
    exec(compile(text, filename, "exec", dont_inherit=True), namespace)
    made: Any = namespace[name]
    if module["defaults"] is not None:
        made.__defaults__, made.__kwdefaults__ = module["defaults"]
    return made  # type: ignore[no-any-return]


def _refuse_shared(arguments: Sequence[Any]) -> None:
    """Refuse one thing in two places of the arguments of a function that changes its arguments."""
    met: list[Any] = [thing for x in arguments for thing in _changeable(x)]
    for a, b in itertools.combinations(met, 2):
        arrays = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
        if a is b or arrays and np.may_share_memory(a, b):
            raise ValueError(
                f"{_described(a)} is passed in two places of the arguments, and changed\n"
                "  fix: pass a copy in one of them"
            )


def _changeable(x: Any) -> Iterator[Any]:
    """List the arrays, containers and objects that a value is or holds."""
    if isinstance(x, np.ndarray):
        yield x
        return
    items: Any = ()
    if isinstance(x, (tuple, list)):
        items = x
    elif isinstance(x, dict):
        items = x.values()
    elif attributes_of(x):
        items = [item for _, item in attributes_of(x)]
    if isinstance(x, (list, dict)) or attributes_of(x):
        yield x
    for item in items:
        yield from _changeable(item)


def _described(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return f"an array of {x.dtype} and shape {x.shape}"
    label = type(x).__name__
    return f"an {label}" if label[0] in "aeiouAEIOU" else f"a {label}"


class OverRows(Carried):
    """Computes the value and the gradient of one chunk of rows, with the number of rows.

    Its state is the derivative, the positions of what comes in chunks, and whether the function is a
    mean over the rows, which counts as many times as there are rows.
    """

    def __call__(self, *args: Any) -> tuple[int, Any, Any] | None:
        """Compute it; None for a chunk without rows."""
        derivative, positions, mean = self._state
        given = list(args)
        for i in positions:
            if not isinstance(given[i], np.ndarray):
                given[i] = list(given[i])
        counts = {len(given[i]) for i in positions}
        if len(counts) > 1:
            raise ValueError(f"chunks that belong together have {sorted(counts)} rows")
        count = counts.pop()
        if count == 0:
            return None
        y, bars = derivative.run(given)
        return count, *((count * y, scaled(bars, count)) if mean else (y, bars))


class Total(Carried):
    """Adds what some chunks gave; the last one also divides by the number of rows for a mean."""

    def __call__(self, parts: Sequence[tuple[int, Any, Any] | None]) -> Any:
        """Add the parts, in their order."""
        mean, last = self._state
        total: Any = None
        for part in parts:
            if part is not None:
                total = part if total is None else added(total, part)
        if not last:
            return total
        if total is None:
            raise ValueError("there are no rows")
        count, y, bars = total
        return (y / count, scaled(bars, 1.0 / count)) if mean else (y, bars)


def added(a: Any, b: Any) -> Any:
    """Add two structures, leaf by leaf.

    Examples
    --------
    >>> added({"w": 1.0, "b": (2.0, None)}, {"w": 3.0, "b": (4.0, None)})
    {'w': 4.0, 'b': (6.0, None)}
    """
    return _mapped(lambda leaves: leaves[0] + leaves[1], a, b)


def scaled(a: Any, factor: float) -> Any:
    """Multiply the leaves of a structure by a number.

    Examples
    --------
    >>> scaled([1.0, (2.0, None)], 2)
    [2.0, (4.0, None)]
    """
    return _mapped(lambda leaves: leaves[0] * factor, a)


def _mapped(f: Callable[[list[Any]], Any], *like: Any) -> Any:
    """Apply a function to the leaves that stand at the same place of structures of one form."""
    x = like[0]
    if x is None:
        return None
    if isinstance(x, dict):
        made = copy.copy(x)
        made.update({key: _mapped(f, *(each[key] for each in like)) for key in x})
        return made
    if isinstance(x, (tuple, list)):
        items = [_mapped(f, *parts) for parts in zip(*like, strict=True)]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    if isinstance(x, (np.ndarray, np.generic, float, int, complex)):
        return f(list(like))
    made = copy.copy(x)
    for key, _ in attributes_of(x):
        parts = [getattr(each, key) for each in like]
        object.__setattr__(made, key, _mapped(f, *parts))
    return made
