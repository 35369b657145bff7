"""The kinds of values that programs handle, and the writer that keeps them well-typed.

A program is written top down, one statement after the other, and the writer knows at each point
which names are bound to which kind of value. So an expression of a wanted kind can be asked for at
any place, and nearly every program runs. What cannot be known from the text (a list that an alias
has popped from) may still fail: such a program is thrown away after its first plain call.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

Item = TypeVar("Item")

# Names that a user may well choose, and that generated code or Python itself could need.
ODD_NAMES = (
    "reversed list tuple dict type iter next sorted id object slice map getattr setattr isinstance "
    "saved bars full zeros copy x_bar y_bar x_dot y_dot v_1 end_1 result out value grad "
    "zeros_like times_partial unbroadcast seed"
).split()


@dataclass(frozen=True)
class Kind:
    """What a name is bound to: its sort, its size, and the kinds of its parts."""

    sort: str
    size: int = 0
    parts: tuple[tuple[str, Kind], ...] = ()
    name: str = ""

    def part(self, key: str) -> Kind:
        return dict(self.parts)[key]


SCALAR = Kind("scalar")
FLAG = Kind("flag")
COUNT = Kind("count")
SAME = Kind("same")  # a scalar or an array of any rank: for functions called with several kinds


def vector(size: int) -> Kind:
    return Kind("vector", size)


def matrix(size: int) -> Kind:
    """A square matrix."""
    return Kind("matrix", size)


def index(size: int) -> Kind:
    """An integer that is a valid index of a vector of this size."""
    return Kind("index", size)


def list_of(item: Kind, size: int) -> Kind:
    """A list of at least `size` items."""
    return Kind("list", size, (("item", item),))


def tuple_of(*items: Kind) -> Kind:
    return Kind("tuple", len(items), tuple((str(i), item) for i, item in enumerate(items)))


def dict_of(**items: Kind) -> Kind:
    return Kind("dict", len(items), tuple(items.items()))


@dataclass(frozen=True)
class Signature:
    """A function of the program that may be called: its parameters and what it returns."""

    name: str
    parameters: tuple[tuple[str, Kind], ...]
    result: Kind | None
    required: int
    """How many parameters have no default."""
    rest: Kind | None = None
    """The kind of the items of `*args`, if there is one."""
    returns_its_first: bool = False
    """Whether what is returned is the first argument itself, stored into."""


@dataclass(frozen=True)
class ClassShape:
    """A class of the program: its attributes and its methods."""

    name: str
    attributes: tuple[tuple[str, Kind], ...]
    methods: tuple[Signature, ...]

    def kind(self) -> Kind:
        return Kind("object", 0, self.attributes, self.name)


@dataclass
class Module:
    """What is written outside of the function: helpers, classes and state."""

    rng: random.Random
    size: int
    """The length of the vectors that are arguments."""
    functions: list[Signature] = field(default_factory=list)
    classes: list[ClassShape] = field(default_factory=list)
    outside: dict[str, Kind] = field(default_factory=dict)
    """Names of the module that hold data."""
    texts: list[str] = field(default_factory=list)
    counters: Counter[str] = field(default_factory=Counter)

    def fresh(self, stem: str) -> str:
        self.counters[stem] += 1
        return f"{stem}{self.counters[stem]}"


@dataclass
class Loop:
    """A loop around the place that is being written."""

    jumps: bool = True
    jumped: bool = False
    """Whether a `break` was written, so that an `else` has a meaning."""


class Writer:
    """Writes one function, knowing what is bound where."""

    def __init__(self, module: Module, budget: int, indent: int = 1) -> None:
        self.module = module
        self.rng = module.rng
        self.lines: list[str] = []
        self.indent = indent
        self.scopes: list[dict[str, Kind]] = [{}]
        self.readonly: set[str] = set()
        self.loops: list[Loop] = []
        self.budget = budget
        self.returns_left = 2
        self.result: Kind | None = None
        self.is_nested = False
        self.globals_stored: set[str] = set()
        self.captured: set[str] = set()

    # Randomness

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.rng.randrange(len(items))]

    def number(self) -> str:
        return repr(round(self.rng.uniform(0.2, 1.9) * self.rng.choice([1, 1, 1, -1]), 2))

    # Names

    def bound(self) -> dict[str, Kind]:
        """Every name that is bound here, the innermost binding winning."""
        return {name: kind for scope in self.scopes for name, kind in scope.items()}

    def names(self, wanted: Callable[[Kind], bool]) -> list[str]:
        return [name for name, kind in self.bound().items() if wanted(kind)]

    def names_of(self, kind: Kind) -> list[str]:
        return self.names(lambda found: found == kind)

    def assignable(self, kind: Kind) -> list[str]:
        """Names of this kind that may be bound to another value of it."""
        return [n for n in self.names_of(kind) if n not in self.readonly]

    def kind_of(self, name: str) -> Kind:
        return self.bound()[name]

    def fresh(self, stem: str) -> str:
        if self.chance(0.04):
            free = [name for name in ODD_NAMES if name not in self.bound()]
            # A name that is a builtin of an outer function would be captured by accident.
            if free and not self.is_nested:
                return self.pick(free)
        return self.module.fresh(stem)

    def bind(self, name: str, kind: Kind) -> str:
        """Say that a name is bound from here on, in the block that is being written."""
        for scope in self.scopes:
            if name in scope:
                scope[name] = kind
                return name
        self.scopes[-1][name] = kind
        return name

    # Text

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)
        self.budget -= 1

    def paste(self, text: str) -> None:
        """Write several lines, indented among each other as they are."""
        for one in text.strip("\n").splitlines():
            self.line(one)

    def assign(self, stem: str, kind: Kind, text: str) -> str:
        name = self.fresh(stem)
        self.line(f"{name} = {text}")
        return self.bind(name, kind)

    @contextmanager
    def block(self, header: str, exports: bool = False) -> Iterator[None]:
        """Write what is inside under a header; its names are known inside alone, or `exports`."""
        self.line(header)
        self.indent += 1
        self.scopes.append({})
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.indent -= 1
        gone = self.scopes.pop()
        if exports:
            for name, kind in gone.items():
                self.scopes[-1].setdefault(name, kind)

    @contextmanager
    def loop(self, header: str, exports: bool = False) -> Iterator[Loop]:
        loop = Loop()
        self.loops.append(loop)
        with self.block(header, exports):
            yield loop
        self.loops.pop()
