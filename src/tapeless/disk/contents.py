"""What a derivative may depend on, described by content: equal in two processes where it is the same.

A value is written down as one of three things. An *argument* is its kind, as the guard sees it. What is
*outside* the arguments is its kind and, for what can be stored into, which memory it is: two globals
that share an array are another program than two that do not. A *literal*, such as a default, is its
value, for it may be printed into the text.
"""

from __future__ import annotations

import builtins
import collections
import dataclasses
import enum
import functools
import hashlib
import operator
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tapeless.analysis.derivation import gradients_of
from tapeless.cache import array_key, default_of
from tapeless.disk.functions import (
    code_line,
    imports_within,
    names_of_defaults,
    names_within,
    source_of,
)
from tapeless.disk.homes import home_in_library, is_library_namespace, namespace_label
from tapeless.disk.unstable import UnstableError
from tapeless.externals import MISSING, External
from tapeless.rules.declare import Rule, find_registered, registered
from tapeless.rules.traits import UNKNOWN, traits_of
from tapeless.runtime.memory import owner_of_memory
from tapeless.sorts import (
    CACHED,
    CONTAINERS,
    Sort,
    attribute_names,
    compiled_from,
    is_of_a_library,
    sort_of,
)

MOST_THINGS = 4000
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_PLAIN_SET = frozenset(_PLAIN)
_MARKS = ("__wrapped__", "__custom_gradient__", "__recomputed__", "__passes_through__", "__calls__")
_MADE_BY_PYTHON = (
    "__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__annotate__",
    "__annotate_func__", "__annotations_cache__", "__orig_bases__", "__parameters__",
    "__type_params__", "__firstlineno__", "__static_attributes__", "_abc_impl",
)  # fmt: skip
_REDUCED = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
_BUILT_IN_METHODS = (types.BuiltinMethodType, types.MethodWrapperType)
_IMMUTABLE, _MADE_AT_RUN_TIME = 1 << 8, 1 << 9  # as CPython flags classes
_LARGEST = 1 << 20


class How(enum.Enum):
    """How a value is written down."""

    ARGUMENT = "by its kind"
    OUTSIDE = "by its kind and memory"
    LITERAL = "by its value"


class Contents:
    """All that is met from some starting points, numbered and described.

    Attributes
    ----------
    things
        What was met, by number: functions, classes, modules, namespaces, cells, mutable things.

    Examples
    --------
    >>> def f(x):
    ...     return 2.0 * x
    >>> one, other = Contents(), Contents()
    >>> one.start(f, [1.0]), other.start(f, [5.0])
    (None, None)
    >>> one.digest() == other.digest()
    True
    """

    def __init__(self) -> None:
        self.things: list[Any] = []
        self.numbers: dict[int, int] = {}
        self.named: dict[int, set[str]] = {}
        self._memory: dict[int, int] = {}
        self._kept_alive: list[Any] = []
        self._lines: list[str] = []
        self._todo: list[Any] = []

    def start(self, function: Any, arguments: Iterable[Any] | None, *options: str) -> None:
        """Describe a function, the kinds of arguments and all that they reach.

        Raises
        ------
        UnstableError
            If something has no content that another process could compare.
        """
        try:
            kinds = arguments and [self.token(x, How.ARGUMENT) for x in arguments]
            rules = [self.rule(rule) for rule in registered() if home_in_library(rule.primal)]
            self._lines += [*options, self.reference(function), f"{kinds}", *rules]
            while self._todo:
                thing = self._todo.pop(0)
                self._lines.append(f"{self.numbers[id(thing)]} {self.described(thing)}")
        except RecursionError:
            raise UnstableError("what is nested too deeply") from None

    def digest(self) -> str:
        """Return the hash of the description."""
        return hashlib.sha256(self.text().encode("utf-8", "surrogatepass")).hexdigest()

    def text(self) -> str:
        """Return the description."""
        return "\n".join(self._lines)

    # Numbers

    def number(self, thing: Any, described: bool = True) -> int:
        """Return the number of a thing; one that is met first will be described."""
        found = self.numbers.get(id(thing))
        if found is None:
            found = self.numbers[id(thing)] = len(self.things)
            self.things.append(thing)
            if described:
                self._todo.append(thing)
            if found > MOST_THINGS:
                raise UnstableError("too much to describe")
        return found

    def reference(self, thing: Any) -> str:
        """Return how a thing is mentioned."""
        if isinstance(thing, types.MethodType):
            return f"method({self.reference(thing.__func__)}, {self.reference(thing.__self__)})"
        found = sort_of(thing) is Sort.FUNCTION or isinstance(thing, types.ModuleType)
        if found or (callable(thing) and home_in_library(thing)):
            return f"#{self.number(thing)}"
        return self.token(thing, How.OUTSIDE)

    def covers(self, place: External) -> bool:
        """Whether the description says what stands in a place, or that nothing does."""
        owner = place.owner
        if id(owner) not in self.numbers:
            return False
        return id(owner) not in self.named or place.key in self.named[id(owner)]

    # Values

    def token(self, x: Any, how: How, within: tuple[int, ...] = ()) -> str:
        """Write a value down: in the order in which `cache.kind_key` asks."""
        cls = type(x)
        if x is MISSING:
            return "missing"
        if cls in _PLAIN:
            return f"{cls.__name__}:{x!r}" if how is How.LITERAL else cls.__name__
        sort = sort_of(x)
        if sort is Sort.FUNCTION or isinstance(x, (types.MethodType, types.ModuleType)):
            return self.reference(x)
        if callable(x) and home_in_library(x):
            return self.reference(x)
        label = f"#{self.number(cls)}"
        if how is not How.ARGUMENT and sort in _MUTABLE:
            label += self.memory(x)
        if sort is Sort.ARRAY:
            return f"{label}:{array_key(x)}{self.bytes_of(x, how)}"
        if sort is Sort.SPARSE:
            if how is How.LITERAL:
                raise UnstableError("a sparse array as a default")
            return f"{label}:{array_key(x)}"
        if sort is Sort.VARIABLE:
            return f"{label}({self.token(x.held, how)})"
        if sort not in CONTAINERS:
            return label + self.value_of(x, sort, how)
        if id(x) in within:
            return label
        items = self.items(x, sort, how, (*within, id(x)))
        if how is How.ARGUMENT and sort is Sort.LIST:
            items = iter(sorted(set(items)))
        return f"{label}{default_of(x) or ''}[{', '.join(items)}]"

    def items(self, x: Any, sort: Sort, how: How, within: tuple[int, ...]) -> Iterator[str]:
        """Write down what a container or object holds."""
        if how is not How.LITERAL and sort is Sort.LIST and _PLAIN_SET.issuperset(map(type, x)):
            return iter(sorted({item.__name__ for item in map(type, x)}))  # as many as there may be
        if sort is Sort.DICT:
            return (f"{self.key(k)}: {self.token(v, how, within)}" for k, v in x.items())
        if sort is Sort.OBJECT:
            return (f"{k}={self.token(getattr(x, k), how, within)}" for k in attribute_names(x))
        return (self.token(item, how, within) for item in x)

    def memory(self, x: Any) -> str:
        """Say which thing this is, and whose memory it has, among those outside the arguments."""
        owner = owner_of_memory(x)
        self._kept_alive.append(owner)
        number = self._memory.setdefault(id(owner), len(self._memory))
        return f"#{self.number(x, described=False)}@{number}"

    def bytes_of(self, x: Any, how: How) -> str:
        """Write down the numbers of an array that is a literal."""
        if how is not How.LITERAL:
            return ""
        if x.nbytes > _LARGEST:
            raise UnstableError("a large array as a default")
        return f"={x.shape}{hashlib.sha256(x.tobytes()).hexdigest()}"

    def value_of(self, x: Any, sort: Sort, how: How) -> str:
        """Write down what a literal is that is none of those that can vary."""
        annotation = isinstance(x, (types.GenericAlias, types.UnionType))
        bound = how is not How.ARGUMENT and not annotation
        if bound and (callable(x) or hasattr(type(x), "__get__")):
            raise UnstableError(
                f"a {type(x).__name__}"
            )  # it counts as another where it was bound anew
        if how is not How.LITERAL or sort is Sort.CLOSED:
            return ""
        if isinstance(x, (set, frozenset)):
            return f"{{{', '.join(sorted(self.token(item, how) for item in x))}}}"
        if isinstance(x, (np.generic, np.dtype, slice, range, int, float, complex, str)):
            return f"={x!r}"
        return ""

    def key(self, x: Any) -> str:
        """Write down a key of a dict."""
        if isinstance(x, tuple):
            return f"({', '.join(map(self.key, x))})"
        if isinstance(x, enum.Enum):
            return f"#{self.number(type(x))}.{x.name}"
        if type(x) in _PLAIN or isinstance(x, np.generic):
            return f"{type(x).__name__}:{x!r}"
        if sort_of(x) is Sort.FUNCTION:
            return self.reference(x)
        raise UnstableError(f"a {type(x).__name__} as a key")

    # Things

    def described(self, thing: Any) -> str:
        """Describe a thing that has a number."""
        home = home_in_library(thing)
        if home:
            return home
        made, rule = self.own(thing), find_registered(thing)
        if rule is not None:
            made += f" {self.rule(rule)}"
        return f"{made} {self.traits(thing)}"

    def rule(self, rule: Rule) -> str:
        """Describe a rule that a user registered."""
        primal, function = self.reference(rule.primal), self.reference(rule.function)
        return f"rule {primal} {rule.form} {function} {self.traits(rule.primal)}"

    def traits(self, thing: Any) -> str:
        """Describe what was declared of a function, beside its rule."""
        found = traits_of(thing)
        return "" if found is UNKNOWN else self.literals(vars(found).values())

    def own(self, x: Any) -> str:
        """Describe a thing that is not found in a library."""
        if isinstance(x, types.FunctionType):
            return self.function(x)
        if isinstance(x, type):
            return self.cls(x)
        if isinstance(x, types.ModuleType):
            return f"module {x.__name__} #{self.namespace(vars(x))}"
        if gradients_of(x) is not None:
            return self.derivative(x)
        if isinstance(x, functools.partial):
            passed = *x.args, x.keywords
            return f"partial {self.reference(x.func)} {self.literals(passed)}"
        if isinstance(x, CACHED):
            return f"cached {self.reference(x.__wrapped__)}"
        if isinstance(x, _REDUCED):
            return f"{type(x).__name__} {self.literals(x.__reduce__()[1])}"
        if isinstance(x, _BUILT_IN_METHODS):
            return f"method {x.__name__} of {self.token(x.__self__, How.OUTSIDE)}"
        compiled = compiled_from(x)
        if compiled is not None:
            return f"compiled {self.reference(type(x))} {self.reference(compiled)}"
        if isinstance(x, np.vectorize):
            return f"vectorized {self.literals(vars(x).items())}"
        raise UnstableError(f"a {type(x).__name__}")

    def literals(self, values: Iterable[Any]) -> str:
        """Write down values that may be printed."""
        return f"({', '.join(self.token(value, How.LITERAL) for value in values)})"

    def derivative(self, x: Any) -> str:
        """Describe a function that an operator made."""
        if x.variables is not None or x.journal is not None:
            raise UnstableError("a derivative with respect to Variables")
        options = self.literals([*x.options(), x.bare, x.names])
        return f"derivative {type(x).__name__} of {self.reference(x.given)} {options}"

    def function(self, f: types.FunctionType) -> str:
        """Describe a Python function: its text, and what its names stand for."""
        code, module = f.__code__, f.__globals__
        if "__signature__" in f.__dict__:
            raise UnstableError("a function with another signature")
        parts = [
            f"function {f.__module__} {f.__qualname__} {f.__name__} {source_of(f)}",
            code_line(code),
        ]
        parts.append(self.literals([f.__defaults__, f.__kwdefaults__]))
        if f.__kwdefaults__ is not None:
            self.number(f.__kwdefaults__, described=False)
        for key, cell in zip(code.co_freevars, f.__closure__ or (), strict=True):
            number = self.number(cell, described=False)
            parts.append(f"{key}=cell{number} {self.token(External(cell, key).value, How.OUTSIDE)}")
        marked = [key for key in _MARKS if key in f.__dict__]
        parts += [f"{key}={self.token(f.__dict__[key], How.LITERAL)}" for key in marked]
        read, dotted = names_within(code)
        modules = self.looked_up(module, read | names_of_defaults(f), parts)
        modules += imports_within(code, module)
        met: set[int] = set()
        while modules:
            inner = modules.pop(0)
            if id(inner) not in met:
                met.add(id(inner))
                modules += self.looked_up(vars(inner), dotted, parts, self.reference(inner))
        return "; ".join(parts)

    def looked_up(
        self, namespace: dict[str, Any], names: Iterable[str], parts: list[str], label: str = ""
    ) -> list[types.ModuleType]:
        """Describe what names stand for in a namespace; return the modules among it."""
        number = self.namespace(namespace, names)
        parts.append(f"in {label}{number} {namespace_label(namespace)}")
        of_library = is_library_namespace(namespace)
        modules: list[types.ModuleType] = []
        for name in sorted(names):
            if name not in namespace:
                if not label and hasattr(builtins, name):
                    parts.append(f"{name}={self.reference(getattr(builtins, name))}")
                continue
            value = namespace[name]
            if not of_library or callable(value) or isinstance(value, types.ModuleType):
                parts.append(f"{name}={self.token(value, How.OUTSIDE)}")
            if isinstance(value, types.ModuleType):
                modules.append(value)
        return modules

    def namespace(self, namespace: dict[str, Any], names: Iterable[str] = ()) -> int:
        """Return the number of a namespace, in which these names are looked up."""
        self.named.setdefault(id(namespace), set()).update(names)
        return self.number(namespace, described=False)

    def cls(self, cls: type) -> str:
        """Describe a class by all its members; one of C code is known by the library that it is of."""
        fixed = cls.__flags__ & _IMMUTABLE or not cls.__flags__ & _MADE_AT_RUN_TIME
        if fixed and is_of_a_library(cls):
            return f"class {cls.__module__} {cls.__qualname__}"
        bases = [self.reference(base) for base in (*cls.__mro__[1:], type(cls))]
        parts = [f"class {cls.__module__} {cls.__qualname__} {bases}"]
        for key, member in vars(cls).items():
            if key not in _MADE_BY_PYTHON:
                parts.append(f"{key}={self.member(key, member)}")
        return "; ".join(parts)

    def member(self, key: str, member: Any) -> str:
        """Describe a member of a class."""
        if isinstance(member, (staticmethod, classmethod)):
            return f"{type(member).__name__} {self.reference(member.__func__)}"
        if isinstance(member, property):
            found = member.fget, member.fset, member.fdel
            return f"property {self.literals(found)}"
        if isinstance(member, functools.cached_property):
            return f"cached {self.reference(member.func)}"
        if key == "__dataclass_fields__":
            return f"fields {[self.field(f) for f in member.values()]}"
        if key == "__dataclass_params__":
            return repr(member)
        if isinstance(member, _SLOTS):
            return str(type(member).__name__)
        dunder = key.startswith("__") or key in ("_fields", "_field_defaults")
        return self.token(member, How.LITERAL if dunder else How.OUTSIDE)

    def field(self, f: Any) -> str:
        """Describe a field of a dataclass, whose default may be printed."""
        given = [None if x is dataclasses.MISSING else x for x in (f.default, f.default_factory)]
        missing = f.default is dataclasses.MISSING, f.default_factory is dataclasses.MISSING
        kind = f._field_type.name, f.init, f.kw_only is True
        return f"{f.name} {kind} {missing} {self.literals(given)}"


_MUTABLE = (
    Sort.ARRAY, Sort.SPARSE, Sort.LIST, Sort.DICT, Sort.OBJECT, Sort.VARIABLE, Sort.CLOSED,
    Sort.FOREIGN,
)  # fmt: skip
_SLOTS = (
    types.MemberDescriptorType, types.GetSetDescriptorType,
    type(vars(collections.namedtuple("_Named", "item"))["item"]),
)  # fmt: skip
