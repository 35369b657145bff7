"""What was found out about a function, compared with what its names are when it runs.

    facts = facts_of(f, x)
    contradictions(facts, x)      what was said of a name, and what it was

The function is run as the analysis left it, with a look at all names before each statement. A kind must
hold of the value; and two names that share memory must be known to be able to.
"""

import copy
import itertools
from collections.abc import Iterator as Iterator_
from dataclasses import dataclass, field

import gast
import numpy as np

from tapeless.analysis.function_values import is_bound
from tapeless.kinds import (
    BOOL,
    NONE,
    Array,
    Dict,
    Inert,
    Instance,
    Integer,
    List,
    Number,
    Real,
    Sequence,
    Size,
    Tuple,
    Unreached,
    is_number,
    not_one,
    regions_of,
)
from tapeless.source.printer import unparse
from tapeless.tree.blocks import all_blocks

CODES = {"?": "biufcO", "c?": "fc", "i": "iu", "b": "b", "O": "O"}
NUMBERS = (int, float, complex, np.generic, np.ndarray)


def contradictions(facts, *args, limit=3):
    """Run a function as it was analysed; list what does not hold of its names."""
    watch = _Watch(facts)
    tree = copy.copy(facts.function.tree)
    places = list(facts.before)
    for block in all_blocks(tree.body):
        known = [s for s in block if s in facts.before]
        block[:] = [
            part for s in block for part in ([_look(places.index(s))] if s in known else []) + [s]
        ]
    space = {key: place.value for key, place in facts.function.externals.items()}
    space["look__"] = lambda i, names: watch.at(places[i], names)
    exec(unparse(tree), space)  # noqa: S102
    space[tree.name](*copy.deepcopy(args))
    return watch.found[:limit]


def _look(i):
    return gast.parse(f"look__({i}, locals())").body[0]


@dataclass
class _Watch:
    facts: object
    sizes: dict = field(default_factory=dict)
    found: list = field(default_factory=list)

    def at(self, s, names):
        known = {k: v.kind for k, v in self.facts.before[s].items() if k in names}
        for key, kind in known.items():
            wrong = self.wrong(kind, names[key], 2)
            if wrong:
                self.say(s, f"{key} is said to be {wrong}")
        for (a, p), (b, q) in itertools.combinations(known.items(), 2):
            if _share(names[a], names[b]) and _tell_apart(p, q):
                self.say(s, f"{a} and {b} share memory: {p} and {q}")

    def say(self, s, what):
        text = f"before `{gast.unparse(s).strip().splitlines()[0]}`: {what}"
        if text not in self.found:
            self.found.append(text)

    def wrong(self, kind, y, depth):
        """Say in what a kind does not hold of a value; None where it does."""
        if kind == NONE:
            return None if y is None else f"None, is {type(y).__name__}"
        if kind == BOOL:
            return None if isinstance(y, bool | np.bool_) else f"a truth, is {type(y).__name__}"
        if isinstance(kind, Unreached):
            return f"unreached, is {type(y).__name__}"
        if isinstance(kind, Integer):
            return self._wrong_integer(kind, y)
        if isinstance(kind, Real):
            if isinstance(y, np.ndarray) or not isinstance(y, NUMBERS):
                return f"a real number, is {type(y).__name__}"
            return None if isinstance(y, int | np.integer) else _wrong_dtype(kind.dtype, y)
        if isinstance(kind, Array):
            return self._wrong_array(kind, y)
        if isinstance(kind, Number):
            return self._wrong_number(kind, y)
        if isinstance(kind, Tuple | List | Dict) and kind.or_none and y is None:
            return None
        if is_bound(kind):
            return None if callable(y) else f"a function, is {type(y).__name__}"
        if isinstance(kind, Tuple):
            if not isinstance(y, kind.cls) or len(y) != len(kind.items):
                return f"{kind}, is {y!r}"
            wrong = (self.wrong(k, v, depth) for k, v in zip(kind.items, y, strict=True))
            return next(filter(None, wrong), None)
        if isinstance(kind, Sequence):
            if not isinstance(y, tuple):
                return f"a tuple, is {type(y).__name__}"
            return next(filter(None, (self.wrong(kind.item, v, depth) for v in y)), None)
        if isinstance(kind, List):
            if isinstance(y, Iterator_):
                return None  # the items of a generator are a list in the core language
            if not isinstance(y, list):
                return f"a list, is {type(y).__name__}"
            return self._wrong_slots(kind, dict(enumerate(y)), depth)
        if isinstance(kind, Dict):
            if not isinstance(y, dict):
                return f"a dict, is {type(y).__name__}"
            return self._wrong_slots(kind, y, depth)
        if isinstance(kind, Instance):
            if any(y is option.value for option in kind.functions):
                return None
            classes = tuple(each.cls for each in kind.alternatives)
            if type(y) not in classes and y is not None:
                return f"one of {classes}, is {type(y).__name__}"
            return self._wrong_slots(kind, getattr(y, "__dict__", {}), depth)
        if isinstance(kind, Inert) and kind.what in ("str", "range"):
            return None if type(y).__name__ == kind.what else f"{kind.what}, is {type(y).__name__}"
        return None

    def _wrong_slots(self, kind, slots, depth):
        held = [self.facts.heap.get(region, {}) for region in kind.regions]
        for key, y in slots.items() if depth and all(held) else ():
            named = [each[key].kind for each in held if key in each]
            kinds = named or [v.kind for each in held for v in each.values()]
            told = [self.wrong(k, y, depth - 1) for k in kinds]
            if told and all(told):
                return f"{type(kind).__name__} with [{key!r}] {told[0]}"
        return None

    def _wrong_integer(self, kind, y):
        if not isinstance(y, int | np.integer):
            return f"an integer, is {type(y).__name__}"
        if isinstance(kind.value, int) and kind.value != y:
            return f"{kind.value}, is {y}"
        if isinstance(kind.value, Size):
            return self._wrong_size(kind.value, int(y))
        return None

    def _wrong_array(self, kind, y):
        if not isinstance(y, np.ndarray):
            return f"an array of rank {len(kind.dims)}, is {type(y).__name__}"
        if y.ndim != len(kind.dims):
            return f"an array of rank {len(kind.dims)}, is of rank {y.ndim}"
        wrong = (self._wrong_size(d, n) for d, n in zip(kind.dims, y.shape, strict=True))
        return next(filter(None, wrong), None) or _wrong_dtype(kind.dtype, y)

    def _wrong_size(self, dim, n):
        if isinstance(dim, int):
            return None if dim == n else f"of size {dim}, is of {n}"
        if not_one(dim) and n == 1:
            return "not of size 1, is"
        if dim.count and max(dim.count.number - dim.cut, 0) != n:
            return f"of size {dim.count.number - dim.cut}, is of {n}"
        return None

    def _wrong_number(self, kind, y):
        if y is None and kind.operand is not None:
            return None
        if not isinstance(y, NUMBERS):
            return f"a number, is {type(y).__name__}"
        if np.iscomplexobj(y) and not kind.may_be_complex:
            return "real, is complex"
        if isinstance(kind.operand, Real):
            return None if np.ndim(y) == 0 else f"of rank 0, is of {np.ndim(y)}"
        return None if kind.operand is None else self._wrong_array(kind.operand, y)


def _wrong_dtype(code, y):
    found = np.asarray(y).dtype
    if code in CODES:
        return None if found.kind in CODES[code] else f"of dtype {code}, is of {found}"
    return None if found == np.dtype(code) else f"of dtype {code}, is of {found}"


def _share(a, b):
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.shares_memory(a, b)
    mutable = (
        isinstance(a, list | dict)
        or hasattr(a, "__dict__")
        and type(a).__module__ not in ("builtins", "numpy")
    )
    return mutable and a is b


def _tell_apart(p, q):
    """Whether two kinds say that their values share no memory."""
    known = all(is_number(k) or isinstance(k, List | Dict | Instance) for k in (p, q))
    inert = any(isinstance(k, Array) and k.dtype in "ib" for k in (p, q))
    return known and not inert and not regions_of(p) & regions_of(q)
