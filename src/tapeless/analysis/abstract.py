"""From values to kinds: what the arguments of a first call, or an annotation, say.

A mutable value gets a region of its own; what its slots hold is put into the heap, a mapping from
regions to slots. One object that is met twice keeps its first region, so aliasing between arguments
is seen.
"""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tapeless.analysis.inert import inert_kind
from tapeless.details import Places, within
from tapeless.joins import join
from tapeless.kinds import (
    BOOL,
    NOWHERE,
    PLACEHOLDER,
    STR,
    UNKNOWN,
    UNREACHED,
    Array,
    Dict,
    Dim,
    Foreign,
    Function,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Memory,
    Real,
    Region,
    RegionsOf,
    Sequence,
    Size,
    Sparse,
    Tuple,
    differentiable,
    dtype_code,
    functions_in,
    moving,
    regions_within,
)
from tapeless.runtime.memory import owner_of_memory
from tapeless.runtime.sparse import multiplies_as_matrix
from tapeless.runtime.state import ABSENT
from tapeless.sizes import least
from tapeless.sizes_apart import apart
from tapeless.sorts import METHODS, PLAIN_DEFAULTS, Sort, attribute_names, sort_of
from tapeless.texts import in_slot, of_any_value
from tapeless.variables import Variable, is_variable

_DEPTH = 6


@dataclass(frozen=True)
class Value:
    """What is known of a value: its kind, and whether it varies with the independents."""

    kind: Kind
    varied: bool = False


Asked = tuple[Variable, ...]
Heap = dict[Region, dict[Hashable, Value]]
Slots = Mapping[Region, Mapping[Hashable, Value]]  # a heap that is only read
Known = dict[int, tuple[Any, Region]]  # regions of things by the identity of what owns their memory
NOTHING = Value(UNREACHED)


def join_all(values: Iterable[Value], point: Hashable) -> Value:
    """Return what is known of a value that is one of several."""
    return functools.reduce(lambda a, b: join_values(a, b, point), values, NOTHING)


def join_values(a: Value, b: Value, point: Hashable) -> Value:
    """Return what is known of one of two; a local function that is lost may bring along what it captures."""
    kind, varied = join(a.kind, b.kind, point), a.varied or b.varied
    functions = [*functions_in(a.kind), *functions_in(b.kind)]
    if any(f.captured for f in functions if f not in functions_in(kind)):
        return Value(moving(kind), True)
    if isinstance(kind, Tuple) and a.varied != b.varied:
        kind = replace(kind, still=getattr(a.kind if a.varied else b.kind, "still", kind.still))
    return a if kind is a.kind and varied == a.varied else Value(kind, varied)


class Abstraction:
    """Turns values into kinds, filling a heap; remembers objects that it has met.

    With `by_place` an object that is met twice counts as two: arguments are told apart by where they stand.
    The Variables `asked` for vary, and are known by themselves wherever they are met. With
    `real_integers` integers count as real numbers, but for the attributes of objects. What is outside
    the arguments has one region, by whatever way it is met: `known` has that of what was met before.
    """

    def __init__(
        self, heap: Heap, varied: bool = False, by_place: bool = False, asked: Asked = (),
        real_integers: bool = False, known: Known | None = None,
    ) -> None:  # fmt: skip
        self.heap = heap
        self.varied = varied
        self.by_place = by_place
        self.asked = asked
        self.real_integers = real_integers
        self.known = known
        self.met: dict[int, tuple[Any, Kind]] = {}
        self.met_again: set[Region] = set()
        self.objects: dict[Region, set[tuple[type, frozenset[Hashable]]]] = {}

    def __call__(
        self, value: Any, region: Region, depth: int = 0, places: Places | None = None
    ) -> Kind:
        """Return the kind of a value whose own region, if it is mutable, is `region`.

        Where the `places` are known at which it stands, it is known what the texts in it say.
        """
        if value is ABSENT:
            return PLACEHOLDER
        sort = sort_of(value)
        if self.varied and isinstance(value, types.MethodType):
            return UNKNOWN  # what its object holds would be taken for constant
        if sort in _WITHOUT_REGION:
            kind = _immutable_kind(value, sort, places)
            return Real() if self.real_integers and isinstance(kind, Integer) else kind
        if sort is Sort.TUPLE:
            return self.tuple_kind(value, region, depth, places)
        if isinstance(value, enum.Enum):
            return Instance(type(value), NOWHERE)  # nothing is ever stored into a member
        if self.known is not None:
            region = region_outside(self.known, value, region)
        if sort is Sort.VARIABLE:
            return self.variable_kind(value, region)
        if id(value) in self.met and (not self.by_place or depth > _DEPTH):
            self.forget_texts(self.met[id(value)][1])
            return self.met[id(value)][1]
        kind = _mutable_kind(value, sort, region)
        self.met[id(value)] = value, kind
        if isinstance(kind, (List, Dict, Instance)):
            slots = self.heap.setdefault(region, {})
            outer, self.real_integers = (
                self.real_integers,
                self.real_integers and not isinstance(kind, Instance),
            )
            for slot, item in _slots(value):
                if depth < _DEPTH or self.varied:
                    self.put(region, slot, item, depth, within(places, value, slot))
                else:
                    slots[slot] = Value(UNKNOWN)  # a constant, looked at no further
            if hasattr(type(value), "__missing__"):
                self.put_default(value, region, depth)
            if isinstance(kind, Instance):
                self.put_from_classes(value, region, depth)
            self.real_integers = outer
        return kind

    def forget_texts(self, kind: Kind) -> None:
        """Forget the texts in a thing that is met by another way, too, which may come to lead elsewhere."""
        todo = list(regions_within(kind))
        while todo:
            region = todo.pop()
            if region in self.met_again:
                continue
            self.met_again.add(region)
            for slot, held in list(self.heap.get(region, {}).items()):
                if (plain := of_any_value(held.kind)) != held.kind:
                    put_into(self.heap[region], slot, Value(plain), (region, slot))
                todo += regions_within(held.kind)

    def put_from_classes(self, value: Any, region: Region, depth: int) -> None:
        """Add what objects that share a region find in their classes, where others have their own."""
        together = self.objects.setdefault(region, set())
        found = type(value), frozenset(attribute_names(value))
        if found in together:
            return  # one like it was met here
        together.add(found)
        for cls, own in together if len(together) > 1 else ():
            for slot in self.heap[region].keys() - own:
                static = inspect.getattr_static(cls, str(slot), None)
                if isinstance(static, METHODS):
                    put_into(self.heap[region], slot, Value(UNKNOWN), (region, slot))
                elif hasattr(cls, str(slot)) and not hasattr(type(static), "__get__"):
                    self.put(region, slot, static, depth)

    def put_default(self, value: Any, region: Region, depth: int) -> None:
        """Return what a dict gives for keys that it does not have: a plain default, or nothing known."""
        if isinstance(value, Counter):
            self.put(region, "?", 0, depth)
        elif isinstance(value, defaultdict) and value.default_factory in PLAIN_DEFAULTS:
            self.put(region, "?", value.default_factory(), depth)
        elif isinstance(value, defaultdict) and value.default_factory is not None:
            self.heap[region]["?"] = Value(UNKNOWN)

    def variable_kind(self, value: Variable, region: Region) -> Kind:
        """Return the kind of a Variable: an object with one slot, whose array is never stored into."""
        asked = any(v is value for v in self.asked)
        if asked:
            region = variable_region(value)
        held = array_kind(value.held, region)
        held = replace(held, regions=NOWHERE)  # type: ignore[call-arg]
        varied = (asked or self.varied) and differentiable(held)
        self.heap.setdefault(region, {})["value"] = Value(held, varied)
        return Instance(type(value), frozenset([region]))

    def tuple_kind(self, value: Any, region: Region, depth: int, places: Places | None) -> Kind:
        items = tuple(
            self(v, (*region, i), depth + 1, within(places, value, i)) for i, v in enumerate(value)
        )
        return Tuple(items, type(value))

    def put(
        self, region: Region, slot: Hashable, item: Any, depth: int, places: Places | None = None
    ) -> None:
        below = (*region, slot) if depth < _DEPTH else region  # what is deeper is one region
        known = depth < _DEPTH and region not in self.met_again
        inner = self(item, below, depth + 1, places if known else None)
        slot = slot_of(slot, inner)
        put_into(self.heap[region], slot, Value(inner, self.varied), (region, slot))


def region_outside(known: Known, value: Any, region: Region) -> Region:
    """Return the region of a thing outside the arguments: the one by which it was met first."""
    owner = owner_of_memory(value)
    return known.setdefault(id(owner), (owner, region))[1]


def mutable_places(value: Any, region: Region, depth: int = 0) -> Iterator[tuple[Region, Any]]:
    """List what is mutable in an argument by the regions that `Abstraction` tells it apart by."""
    if isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from mutable_places(item, (*region, i), depth + 1)
    if isinstance(value, Variable) or depth > 2 * _DEPTH:
        return
    if isinstance(value, np.ndarray):
        yield region, value
    elif sort_of(value) is Sort.SPARSE and hasattr(value, "data"):
        yield region, value.data
    elif sort_of(value) in (Sort.LIST, Sort.DICT, Sort.OBJECT, Sort.CLOSED):
        yield region, value
        for slot, item in _slots(value):
            yield from mutable_places(
                item, (*region, slot) if depth < _DEPTH else region, depth + 1
            )


def reachable(kinds: Iterable[Kind], heap: Slots, held: RegionsOf = regions_within) -> set[Region]:
    """Return all regions that can be reached from values of some kinds, each of which is `held` in some."""
    found: set[Region] = set()
    todo = [region for kind in kinds for region in held(kind)]
    while todo:
        region = todo.pop()
        if region not in found:
            found.add(region)
            todo += [r for v in heap.get(region, {}).values() for r in held(v.kind)]
    return found


def held_in(regions: Iterable[Region], heap: Slots) -> set[Region]:
    """Return all regions that can be reached through what regions hold, which may be those again."""
    return reachable([v.kind for r in regions for v in heap.get(r, {}).values()], heap)


def slot_of(slot: Hashable, kind: Kind) -> Hashable:
    """Return the slot of a list for an item: Variables are told apart from arrays beside them."""
    return "variables" if slot == "*" and is_variable(kind) else slot


def variable_region(variable: Variable) -> Region:
    """Return the region of a Variable that is asked for: there is one for each Variable."""
    return "variable", id(variable)


def array_kind(value: np.ndarray, region: Region) -> Kind:
    """Return the kind of an array: its dimensions are symbols, apart from those that are 1."""
    return Array(dims_of_shape(value.shape, region), dtype_code(value.dtype), frozenset([region]))


def sparse_kind(value: Any, region: Region) -> Kind:
    """Return the kind of a sparse array of SciPy's; a matrix has `*` for the product."""
    dims, code = dims_of_shape(value.shape, region), dtype_code(value.dtype)
    is_matrix = multiplies_as_matrix(value)
    return Sparse(dims, code, value.format, is_matrix, frozenset([region]))


def dims_of_shape(shape: tuple[int, ...], region: Region) -> tuple[Dim, ...]:
    """Return symbols for the sizes of an array, apart from those that are 1."""
    return tuple(1 if n == 1 else Size((region, i), least=least(n)) for i, n in enumerate(shape))


_WITHOUT_REGION = (
    Sort.NOTHING, Sort.TRUTH, Sort.INTEGER, Sort.NUMBER, Sort.FUNCTION, Sort.FOREIGN,
)  # fmt: skip


def _immutable_kind(value: Any, sort: Sort, places: Places | None = None) -> Kind:
    """Return the kind of a value that nothing is stored into."""
    if sort is Sort.TRUTH:
        return BOOL
    if sort is Sort.INTEGER:
        return Integer(of_numpy=not isinstance(value, int))
    if sort is Sort.NUMBER:
        return Real(dtype_code(value.dtype)) if isinstance(value, np.generic) else _python(value)
    if sort is Sort.FUNCTION:
        return Function(value)
    if sort is Sort.FOREIGN:
        plain = type(value) is np.ndarray
        return Foreign(type(value), str(value.dtype) if plain else "")
    return inert_kind(value, places)


def _mutable_kind(value: Any, sort: Sort, region: Region) -> Kind:
    """Return the kind of a value that can change in place."""
    if sort is Sort.ARRAY:
        return array_kind(value, region)
    if sort is Sort.SPARSE:
        return sparse_kind(value, region)
    regions = frozenset([region])
    if sort is Sort.LIST:
        return List(regions)
    if sort is Sort.DICT:
        fills_gaps = isinstance(value, defaultdict) and value.default_factory is not None
        return Dict(regions, fills_gaps=fills_gaps, counts=isinstance(value, Counter))
    return Instance(type(value), regions)


def _python(value: float | complex) -> Kind:
    return Real("c16" if isinstance(value, complex) else "f8")


def _slots(value: Any) -> list[tuple[Hashable, Any]]:
    if sort_of(value) is Sort.CLOSED:
        return []
    if isinstance(value, list):
        return [("*", item) for item in value]
    if isinstance(value, dict):
        return list(value.items())
    return [(key, getattr(value, key)) for key in attribute_names(value)]


def literal_kind(value: Any) -> Kind:
    """Return the kind of a literal in the text."""
    if isinstance(value, bool):
        return Inert("bool", value)
    if isinstance(value, int):
        return Integer(value)
    if isinstance(value, str):
        return Inert("str", value)
    if value is ...:
        return Inert("ellipsis")
    return _immutable_kind(value, sort_of(value))


def annotation_kind(
    text: str, region: Region, heap: Heap | None = None, varied: bool = False
) -> Kind:
    """Read the kind that an annotation promises; nothing is known where it says nothing.

    `float`, `int`, `bool`, `str`, and jaxtyping's `Float[np.ndarray, "n d"]`, whose dimension names
    are symbols shared by all parameters of a function; lists, tuples and dicts of these, whose
    slots are put into the heap and vary if they are `varied`.

    Examples
    --------
    >>> annotation_kind("float", ("x",))
    Real(dtype='f8', may_be_integer=False)
    >>> len(annotation_kind('Float[np.ndarray, "n d"]', ("x",)).dims)
    2
    >>> annotation_kind("tuple[float, ...]", ("x",)).item == Real("f8")
    True
    >>> heap: Heap = {}
    >>> annotation_kind("dict[str, list[int]]", ("x",), heap)
    Dict(regions=frozenset({('x',)}), or_none=False, fills_gaps=False, counts=False)
    >>> heap["x", "?"]
    {'*': Value(kind=Integer(value=None, of_numpy=False, may_be_truth=False), varied=False)}
    """
    text = text.strip().strip("'\"") if "[" not in text else text.strip()
    simple: dict[str, Callable[[], Kind]] = {
        "float": Real, "int": Integer, "bool": lambda: BOOL, "str": lambda: STR,
    }  # fmt: skip
    if text in simple:
        return simple[text]()
    parts = _container_parts(text)
    if parts is not None:
        return _annotated_container(*parts, region, {} if heap is None else heap, varied)
    head, _, rest = text.partition("[")
    head = head.rpartition(".")[2]
    codes = {"Float": "f8", "Float64": "f8", "Float32": "f4", "Int": "i", "Bool": "b"}
    if head not in codes or "," not in rest:
        return UNKNOWN
    shape = rest.rpartition(",")[2].rstrip("] ").strip().strip("'\"")
    if "..." in shape or "*" in shape:
        return UNKNOWN
    dims = tuple(
        int(part) if part.isdigit() else Size(("annotated", part), least=2)
        for part in shape.split()
    )
    return Array(dims, codes[head], frozenset([region])) if dims else Real(codes[head])


def _container_parts(text: str) -> tuple[str, list[str]] | None:
    """Take `dict[str, float]` apart into its name and the texts in the brackets."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(tree, ast.Subscript) or not isinstance(tree.value, ast.Name):
        return None
    if tree.value.id.lower() not in ("list", "dict", "tuple"):
        return None
    parts = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
    return tree.value.id.lower(), [ast.unparse(part) for part in parts]


def _annotated_container(
    what: str, parts: list[str], region: Region, heap: Heap, varied: bool
) -> Kind:
    """Return the kind of a list, dict or tuple whose items are annotated."""
    alike = what != "tuple" or parts[-1] == "..."
    slot = {"list": "*", "dict": "?"}.get(what, 0)
    chosen = parts[-1:] if what == "dict" else parts[:1] if alike else parts
    kinds = [
        annotation_kind(part, (*region, slot if alike else i), heap, varied)
        for i, part in enumerate(chosen)
    ]
    if UNKNOWN in kinds or not kinds:
        return UNKNOWN
    if what == "tuple":
        return Sequence(kinds[0]) if alike else Tuple(tuple(kinds))
    heap.setdefault(region, {})[slot] = Value(kinds[0], varied)
    return List(frozenset([region])) if what == "list" else Dict(frozenset([region]))


@dataclass(frozen=True)
class Beside:
    """Names a slot of its own for what stands in a slot beside things of other kinds.

    Of what may be a list or a number nothing is known any more; the list still can be reached.
    """

    slot: Hashable
    of: str


def put_into(slots: dict[Hashable, Value], slot: Hashable, value: Value, point: Hashable) -> None:
    """Add to what a slot may hold; what lives somewhere stays known where the kinds do not agree."""
    present, value = slots.get(slot, NOTHING), Value(in_slot(value.kind), value.varied)
    made = slots[slot] = join_values(present, value, point)
    for one in (present, value):
        if one.kind is not made.kind and regions_within(one.kind) - regions_within(made.kind):
            beside = Beside(slot, type(one.kind).__name__)
            slots[beside] = join_values(slots.get(beside, NOTHING), one, (point, beside.of))


def any_slot(heap: Slots, regions: frozenset[Region], point: Hashable) -> Value:
    """Join all that the slots of some containers may hold."""
    found = NOTHING
    for region in sorted(regions, key=repr):
        for slot in heap.get(region, {}).values():
            found = join_values(found, slot, point)
    return taken_out(found, point)


def taken_out(value: Value, point: Hashable) -> Value:
    """Return what is taken at a program point out of something that holds several values."""
    kind = apart(value.kind, point)
    return value if kind is value.kind else Value(kind, value.varied)


def as_items(kind: Kind, heap: Slots, point: Hashable) -> Kind:
    """Show a list to functions that take a sequence: its slots as a sequence of like items."""
    if isinstance(kind, List):
        return Sequence(any_slot(heap, kind.regions, point).kind)
    return kind


def as_nested_items(kind: Kind, heap: Slots, point: Hashable) -> Kind:
    """Show a list of lists to functions that make one array of it; a list in itself stays a list."""
    if isinstance(kind, Tuple):
        return replace(kind, items=tuple(as_nested_items(k, heap, point) for k in kind.items))
    if not isinstance(kind, List):
        return kind
    others = {region: slots for region, slots in heap.items() if region not in kind.regions}
    item = any_slot(heap, kind.regions, point).kind
    return Sequence(as_nested_items(item, others, point))


def is_adjoint_memory(kind: Kind) -> bool:
    """Whether a value is the adjoint memory of a derivative that is differentiated again."""
    return isinstance(kind, Memory)
