"""Which derivative serves a call, and whether it is still true.

A derivative is made for the kinds of the arguments of a first call and serves every later call with
the same kinds. The free names of all functions that went into it are looked at again at every call:
a plain value that was rebound is put into the generated module, a function, class or module that was
redefined makes the derivative again. So does a container or object outside the function that came to
hold other kinds of things, or other functions.

All that must hold for a derivative to serve a call is written as one expression, a guard, which costs
a fraction of a microsecond where it holds; only where none does the kinds are worked out.
"""

from __future__ import annotations

import ast
import inspect
import operator
import textwrap
import types
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from tapeless.details import NO_DETAILS, Details, Reached, in_order, written
from tapeless.externals import MISSING, External, attribute_place
from tapeless.sizes import LARGE, least
from tapeless.sorts import (
    CONTAINERS,
    PLAIN_DEFAULTS,
    Sort,
    attribute_names,
    holds_others,
    is_of_a_library,
    sort_of,
    variables_within,
)
from tapeless.tracebacks import without_first
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes
from tapeless.tree.trees import Tree
from tapeless.variables import Variable

_SIMPLE: dict[type, Hashable] = {float: "f", int: "i", bool: "b", str: "s", type(None): "n"}
MOST_ITEMS = 20


def kind_key(x: Any, within: tuple[int, ...] = ()) -> Any:
    """Return a hashable key that is equal for arguments of the same kind.

    What `x` is held in is `within`: a thing that holds itself is not looked at twice.

    Examples
    --------
    >>> kind_key(np.ones((3, 4))) == kind_key(np.ones((5, 6)))
    True
    >>> kind_key(np.ones((3, 1))) == kind_key(np.ones((3, 4)))
    False
    >>> kind_key(np.ones((30, 4))) == kind_key(np.ones((3, 4)))
    False
    """
    cls: Any = type(x)
    simple = _SIMPLE.get(cls)
    if simple is not None:
        return simple
    if cls is np.ndarray:
        return array_key(x)
    sort = sort_of(x)
    if sort in (Sort.ARRAY, Sort.SPARSE):
        return cls, array_key(x)
    if sort is Sort.VARIABLE:
        return cls, kind_key(x.held)
    if isinstance(x, types.MethodType) and id(x) not in within:
        return x, kind_key(x.__self__, (*within, id(x)))
    if sort is Sort.FUNCTION or isinstance(x, types.ModuleType):
        return x
    if sort not in CONTAINERS or id(x) in within:
        return cls
    below = (*within, id(x))
    if sort is Sort.TUPLE:
        return (cls, *(kind_key(item, below) for item in x))
    if sort is Sort.LIST:
        return cls, frozenset([kind_key(item, below) for item in x])
    if sort is Sort.DICT:
        return cls, default_of(x), frozenset([(k, kind_key(v, below)) for k, v in x.items()])
    return cls, tuple((k, kind_key(getattr(x, k), below)) for k in attribute_names(x))


def array_key(x: Any) -> Hashable:
    """Return the key of an array: its dtype and rank, and which of its dimensions are 1 or large."""
    return x.dtype.char, tuple(map(least, x.shape))


def default_of(x: Any) -> Any:
    """Return what makes the values of keys that a dict does not have, where that is a plain default."""
    factory = x.default_factory if isinstance(x, defaultdict) else None
    return factory if factory is None or factory in PLAIN_DEFAULTS else "?"


@dataclass(eq=False)
class Watched:
    """A free name that a derivative depends on, and what it was when the derivative was made."""

    external: External
    value: Any
    key: Hashable = None
    places: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    held: list[Variable] | None = None
    seen: list[tuple[Any, type, Any, tuple[Any, ...]]] = field(default_factory=list)

    def holds(self) -> bool:
        """Whether the value still holds things of the kinds that it held.

        That is so where it holds the very same things, which is seen at once.
        """
        for owner, cls, place, items in self.seen:
            if type(owner) is not cls or len(place) != len(items):
                break
            if not all(map(operator.is_, place, items)):
                break
        else:
            return True
        if kind_key(self.value) != self.key:
            return False
        self.seen = list(_places_within(self.value, set()))
        return True

    def is_current(self) -> bool:
        """Whether the derivative still holds; a plain value that was rebound is taken over."""
        value = self.external.value
        if value is self.value:
            if holds_others(value) and not self.holds():
                return False
            return self.held is None or _same(variables_within(value), self.held)
        anew = type(value) is not str or value != self.value
        if self.external.baked and anew or value is MISSING or callable(value):
            return False
        if hasattr(type(value), "__get__") or kind_key(value) != self.key:
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
    keyed = plain or holds_others(value)
    seen = list(_places_within(value, set()))
    return Watched(external, value, kind_key(value) if keyed else None, held=held, seen=seen)


def _places_within(value: Any, met: set[int]) -> Iterator[tuple[Any, type, Any, tuple[Any, ...]]]:
    """List containers and objects with their classes, and what they hold at which places now."""
    value = value.__self__ if isinstance(value, types.MethodType) else value
    if id(value) in met or not holds_others(value):
        return
    met.add(id(value))
    items: Any = value
    if not isinstance(value, (tuple, list, dict)):
        items = getattr(value, "__dict__", {})
        if set(attribute_names(value)) != set(items):
            # attributes in slots are looked at again every time
            yield value, type(value), (None,), ()
    if isinstance(items, dict):
        yield value, type(value), items.keys(), tuple(items)
        items = items.values()
    held = tuple(items)
    if not isinstance(value, tuple):
        yield value, type(value), items, held
    for item in held:
        yield from _places_within(item, met)


def places_of(core: CoreFunction) -> Iterator[External]:
    """List where a function looks up what it does not hold: free names, dotted names, defaults.

    Its own text and its defaults are looked up in the Python function that it was read from.
    """
    yield from (external for external in core.externals.values() if external.owner is not None)
    yield from places_of_attributes(core, core.tree)
    function = core.primal
    if not isinstance(function, types.FunctionType) or is_of_a_library(function):
        return
    yield External(function, "__code__", baked=True)
    defaults, keyword_defaults = function.__defaults__ or (), function.__kwdefaults__ or {}
    if defaults:
        yield External(function, "__defaults__", baked=True)
    if keyword_defaults:
        yield External(function, "__kwdefaults__", baked=True)
        yield from (External(keyword_defaults, key, baked=True) for key in keyword_defaults)
    for default in (*defaults, *keyword_defaults.values()):
        if holds_others(default):
            yield External({"default": default}, "default")


def places_of_attributes(core: CoreFunction, tree: Tree) -> Iterator[External]:
    """List where a part of a function looks up attributes of modules and classes of the user's."""
    for part in nodes(tree):
        if type(part) is gast.Attribute:
            owner = core.resolve(part.value)
            if isinstance(owner, (types.ModuleType, type)) and not is_of_a_library(owner):
                yield attribute_place(owner, part.attr)


def guard_for(
    arguments: Sequence[Any],
    watched: Sequence[Watched],
    changes: list[int],
    details: Details = NO_DETAILS,
) -> Callable[..., bool]:
    """Write the test that a derivative made for these arguments serves others.

    Where the test fails another derivative, or the same one, may still serve the call. `changes`
    holds the count of changes of the registry of rules. The arguments must have the same `details`.

    Examples
    --------
    >>> guard = guard_for([1.0, np.ones(3)], [], [0])
    >>> guard(2.0, np.ones(5)), guard(2.0, np.ones((5, 5))), guard(2, np.ones(5))
    (True, False, False)
    """
    names = [f"x{i}" for i in range(len(arguments))]
    guard = _Guard("_", changes, details)
    answer = textwrap.indent(guard.answer(names, arguments, watched), "    ")
    text = f"def guard({', '.join(names)}):\n{answer}    return _serves\n"
    exec(compile(text, "<tapeless guard>", "exec"), guard.namespace)
    made: Callable[..., bool] = guard.namespace["guard"]
    return made


def guarded(
    function: Any, arguments: Sequence[Any], watched: Sequence[Watched], changes: list[int],
    explain: Callable[[Exception], None], otherwise: Callable[..., Any], primal: Any = None,
    details: Details = NO_DETAILS,
) -> Callable[..., Any]:  # fmt: skip
    """Return a loaded derivative with a guard before its body, which calls `otherwise` where it fails.

    The guard stands on the line of the `def`, in the same function, so that a call costs little more
    than the body. `explain` is told an exception that leaves the body. What is not passed gets the
    default that `primal` has for it at the time.

    Examples
    --------
    >>> from tapeless.source.loader import load
    >>> square = load("def square(x):\\n    return x * x\\n", "squares")["square"]
    >>> quick = guarded(square, [1.0], [], [0], print, lambda x: ("made for", type(x)))
    >>> quick(3.0), quick(x=3.0), quick(3)
    (9.0, 9.0, ('made for', <class 'int'>))
    """
    module = function.__globals__
    text: str = module["__loader__"].text
    mark = _mark_apart_from(text)
    names = list(inspect.signature(function).parameters)
    guard = _Guard(mark, changes, details)
    defaults = getattr(primal, "__defaults__", None) or ()
    filling = [
        f"if {key} is {mark}unset:\n    {key} = {mark}primal.__defaults__[{i - len(defaults)}]\n"
        for i, key in enumerate(names[len(names) - len(defaults) :])
    ]
    answer = "".join(filling) + guard.answer(names, arguments, watched)
    namespace = guard.namespace
    namespace |= {f"{mark}unset": MISSING, f"{mark}primal": primal}
    namespace |= {**module, f"{mark}explain": explain, f"{mark}otherwise": otherwise,
                  f"{mark}without_first": without_first}  # fmt: skip
    for each in watched:
        each.places += [(namespace, key) for where, key in each.places if where is module]
    tree: Any = next(s for s in ast.parse(text).body if getattr(s, "name", "") == function.__name__)
    _put_around_body(tree, _FRAME.format(answer=answer, mark=mark, names=", ".join(names)))
    filename = function.__code__.co_filename
    made: dict[str, Any] = {}
    exec(compile(ast.Module([tree], []), filename, "exec", dont_inherit=True), namespace, made)
    quick: Any = made[function.__name__]
    quick.__defaults__ = (MISSING,) * len(defaults) or None
    answering: Callable[..., Any] = quick
    return answering


def _mark_apart_from(text: str) -> str:
    """Return what no name of a text begins with."""
    mark = "_"
    while mark in text:
        mark += "_"
    return mark


def _put_around_body(function: Any, frame: str) -> None:
    """Make the body of a function that of the last statement of a frame, which stands on its first line."""
    around: Any = ast.parse(frame)
    parts: Any = ast.walk(around)
    for part in parts:
        if hasattr(part, "lineno"):
            part.lineno = part.end_lineno = function.lineno
    around.body[-1].body = function.body
    function.body = around.body


_ANSWER = """\
try:
    {mark}serves = {test}
except (AttributeError, KeyError, ValueError):  # a name that is no longer bound
    {mark}serves = False
"""
_FRAME = """\
{answer}
if not {mark}serves:
    try:
        return {mark}otherwise({names})
    except BaseException as {mark}error:
        {mark}without_first({mark}error)
        raise
try:
    pass
except Exception as {mark}error:
    {mark}explain({mark}error)
    raise
"""


class _Guard:
    """Writes all that must hold as one expression, and collects what its names stand for."""

    def __init__(self, mark: str, changes: list[int], details: Details) -> None:
        self.mark = mark
        self.details = details
        self.namespace: dict[str, Any] = {}
        self.rules = f"{self.named(changes)}[0] == {changes[0]}"

    def answer(
        self, names: Sequence[str], arguments: Sequence[Any], watched: Sequence[Watched]
    ) -> str:
        """Write the statement that says whether a derivative serves."""
        kinds = map(self.kind_test, names, arguments)
        places = [written(names[d[0]], arguments[d[0]], d) for d in in_order(self.details)]
        details = [f"{place} == {found!r}" for place, found in places]
        tests = [self.rules, *kinds, *details, *map(self.value_test, watched)]
        return _ANSWER.format(mark=self.mark, test=" and ".join(tests))

    def named(self, value: Any) -> str:
        """Name a value."""
        name = f"{self.mark}{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def value_test(self, watched: Watched) -> str:
        """Write the test that a free name stands for what it stood for."""
        owner, key = watched.external.owner, watched.external.key
        if isinstance(watched.external, Reached):
            return f"{self.named(watched.is_current)}()"
        place, value = self.named(owner), self.named(watched.value)
        watched.places.append((self.namespace, value))
        if isinstance(owner, types.CellType):
            test = f"{place}.cell_contents is {value}"
        elif isinstance(owner, (type, types.FunctionType)):
            test = f"{self.attribute(place, owner, key)} is {value}"
        elif isinstance(owner, dict) and watched.value is not MISSING:
            test = f"{place}[{key!r}] is {value}"
        else:
            test = f"{place}.get({key!r}, {self.named(MISSING)}) is {value}"
        if not holds_others(watched.value):
            return test
        return f"{test} and {self.named(watched.holds)}()"

    def attribute(self, place: str, owner: Any, key: str) -> str:
        """Write how an attribute of a class or function is looked up."""
        found = getattr(owner, key, MISSING)
        if found is MISSING:
            return f"{self.named(getattr)}({place}, {key!r}, {self.named(MISSING)})"
        return (
            f"{place}.{key}.__func__" if isinstance(found, types.MethodType) else f"{place}.{key}"
        )

    def kind_test(
        self, name: str, sample: Any, first: str = "", within: tuple[int, ...] = ()
    ) -> str:
        """Write the test that a name stands for something of the kind of a sample.

        `first` is what the test says where it mentions the name first, if not the name alone.
        """
        cls, first = type(sample), first or name
        test = f"type({first}) is {self.named(cls)}"
        if cls in _SIMPLE or isinstance(sample, np.generic):
            return test
        if cls is np.ndarray:
            dtype, shape = self.named(sample.dtype), self.named(None)
            sizes = [_size_test(f"{shape}[{i}]", n) for i, n in enumerate(sample.shape)]
            of_dtype = f"({name}.dtype is {dtype} or {name}.dtype == {dtype})"
            of_rank = f"len({shape} := {name}.shape) == {sample.ndim}"
            return " and ".join([test, of_dtype, of_rank, *sizes])
        place, items = _items_of(name, sample)
        if id(sample) not in within and 0 < len(items) <= MOST_ITEMS:
            size = f"{test} and len({place}) == {len(items)}"
            return " and ".join([size, *self.item_tests(place, items, (*within, id(sample)))])
        return f"{self.named(kind_key)}({first}) == {self.named(kind_key(sample))}"

    def item_tests(
        self, place: str, items: dict[Any, Any], within: tuple[int, ...]
    ) -> Iterator[str]:
        """Write the tests that items of a container are of the kinds of samples."""
        for key, sample in items.items():
            item = self.named(None)
            yield self.kind_test(item, sample, f"({item} := {place}[{key!r}])", within)


def _size_test(name: str, sample: int) -> str:
    """Write the test that a size stands for what another one does; of those that are 0 it may fail."""
    if sample == 1:
        return f"{name} == 1"
    return f"{name} >= {LARGE}" if least(sample) == LARGE else f"1 < {name} < {LARGE}"


def _items_of(name: str, sample: Any) -> tuple[str, dict[Any, Any]]:
    """Return what the items of a container or object are looked up in, and the items by key."""
    sort = sort_of(sample)
    if sort is Sort.TUPLE:
        return name, dict(enumerate(sample))
    if type(sample) is dict:
        return name, sample if all(type(key) in (int, str) for key in sample) else {}
    held = getattr(sample, "__dict__", {})
    whole = sort is Sort.OBJECT and set(attribute_names(sample)) == set(held)
    return f"{name}.__dict__", held if whole else {}
