"""Expressions of a wanted kind, made of what is bound at the place.

All are smooth nearly everywhere and stay of moderate size, so that differences can check them.
"""

from __future__ import annotations

from tests.random_programs.language import (
    COUNT,
    FLAG,
    SAME,
    SCALAR,
    Kind,
    Signature,
    Writer,
    index,
    list_of,
    matrix,
    vector,
)

SMOOTH = ("np.sin", "np.cos", "np.tanh", "np.arctan")


def expression(w: Writer, kind: Kind, depth: int = 2) -> str:
    """Write an expression of the kind."""
    match kind.sort:
        case "scalar":
            return scalar(w, depth)
        case "vector":
            return vector_of(w, kind.size, depth)
        case "matrix":
            return matrix_of(w, kind.size, depth)
        case "index":
            return index_of(w, kind.size)
        case "count":
            return count(w)
        case "flag":
            return condition(w)
        case "same":
            return same(w, depth)
        case "list":
            items = [expression(w, kind.part("item"), 1) for _ in range(kind.size)]
            return f"[{', '.join(items)}]"
        case "tuple":
            items = [expression(w, part, 1) for _, part in kind.parts]
            return f"({', '.join(items)},)" if len(items) == 1 else f"({', '.join(items)})"
        case "dict":
            items = [f'"{key}": {expression(w, part, 1)}' for key, part in kind.parts]
            return "{" + ", ".join(items) + "}"
        case "object":
            values = ", ".join(expression(w, part, 1) for _, part in kind.parts)
            return f"{kind.name}({values})"
    raise ValueError(kind.sort)


# Places: what can be read, and stored into


def places(w: Writer, wanted: Kind, storable: bool = False) -> list[str]:
    """Every place that holds a value of the kind: names, items, attributes, entries."""
    found: list[str] = []
    roots = dict(w.bound())
    roots |= {n: k for n, k in w.module.outside.items() if not storable or k.sort not in _PLAIN}
    for name, kind in roots.items():
        if not (storable and name in w.readonly):
            found += _places_in(w, name, kind, wanted, storable, depth=0)
    return found


_PLAIN = ("scalar", "index", "count", "flag", "same")


def _places_in(
    w: Writer, text: str, kind: Kind, wanted: Kind, storable: bool, depth: int
) -> list[str]:
    found = [text] if kind == wanted else []
    if depth > 2:
        return found
    match kind.sort:
        case "vector" if wanted == SCALAR:
            found.append(f"{text}[{index_of(w, kind.size)}]")
        case "matrix" if wanted == SCALAR:
            found.append(f"{text}[{index_of(w, kind.size)}, {index_of(w, kind.size)}]")
        case "matrix" if wanted == vector(kind.size):
            found.append(f"{text}[{index_of(w, kind.size)}]")
            found.append(f"{text}[:, {index_of(w, kind.size)}]")
        case "list":
            at = w.pick([str(w.rng.randrange(kind.size)), "-1"]) if kind.size else None
            if at is not None:
                found += _places_in(
                    w, f"{text}[{at}]", kind.part("item"), wanted, storable, depth + 1
                )
        case "tuple":
            for key, part in kind.parts:
                inner = _places_in(w, f"{text}[{key}]", part, wanted, storable, depth + 1)
                found += [one for one in inner if not storable or one != f"{text}[{key}]"]
        case "dict":
            for key, part in kind.parts:
                found += _places_in(w, f'{text}["{key}"]', part, wanted, storable, depth + 1)
        case "object":
            for key, part in kind.parts:
                found += _places_in(w, f"{text}.{key}", part, wanted, storable, depth + 1)
    return found


# Scalars


def scalar(w: Writer, depth: int = 2) -> str:
    if depth <= 0 or w.chance(0.25):
        return scalar_atom(w)
    a = scalar(w, depth - 1)
    match w.rng.randrange(18):
        case 0 | 1:
            return f"({a} + {scalar(w, depth - 1)})"
        case 2:
            return f"({a} - {scalar(w, depth - 1)})"
        case 3 | 4 | 5:
            return f"{a} * {scalar(w, depth - 1)}"
        case 6:
            return f"{a} / (1.5 + {scalar_atom(w)} ** 2)"
        case 7 | 8 | 9:
            return f"{w.pick(SMOOTH)}({a})"
        case 10:
            return f"{scalar_atom(w)} ** 2"
        case 11:
            return f"({a} if {condition(w)} else {scalar(w, depth - 1)})"
        case 12:
            return f"np.sqrt(1.0 + ({a}) ** 2)"
        case 13:
            return f"np.exp(0.3 * np.tanh({a}))"
        case 14:
            return reduction(w, depth)
        case 15:
            return called(w, SCALAR) or a
        case 16:
            if w.chance(0.3):
                return f"(({a} + 1j * {scalar_atom(w)}) * (0.6 - 0.8j)).real"
            return f"{w.pick(['max', 'min'])}({a}, {scalar_atom(w)})"
        case _:
            return f"-{scalar_atom(w)}"


def scalar_atom(w: Writer) -> str:
    found = places(w, SCALAR)
    if found and w.chance(0.88):
        return w.pick(found)
    counts = w.names(lambda kind: kind.sort in ("count", "index"))
    if counts and w.chance(0.4):
        return f"{w.pick(counts)} * {w.number()}" if w.chance(0.5) else f"(1 + {w.pick(counts)})"
    return w.number()


def reduction(w: Writer, depth: int) -> str:
    v = vector_of(w, some_size(w), depth - 1)
    lists = w.names(lambda kind: kind.sort == "list" and kind.part("item") == SCALAR)
    if lists and w.chance(0.4):
        return f"sum({w.pick(lists)})"
    match w.rng.randrange(7):
        case 0 | 1:
            return f"np.sum({v})"
        case 2:
            return f"np.mean({v})"
        case 3:
            n = some_size(w)
            return f"{vector_atom(w, n)} @ {vector_atom(w, n)}"
        case 4:
            n = some_size(w)
            return f"np.dot({vector_atom(w, n)}, {vector_atom(w, n)})"
        case 5:
            return f"sum([t * {scalar_atom(w)} for t in {v}])"
        case _:
            return f"np.max({v})"


def some_size(w: Writer) -> int:
    sizes = {kind.size for kind in w.bound().values() if kind.sort == "vector"}
    return w.pick(sorted(sizes | {w.module.size}))


# Arrays


def vector_of(w: Writer, n: int, depth: int = 2) -> str:
    if depth <= 0 or w.chance(0.3):
        return vector_atom(w, n)
    a = vector_of(w, n, depth - 1)
    match w.rng.randrange(20):
        case 0 | 1:
            return f"({a} + {vector_of(w, n, depth - 1)})"
        case 2:
            return f"({a} - {scalar(w, depth - 1)})"
        case 3 | 4:
            return f"{a} * {vector_of(w, n, depth - 1)}"
        case 5 | 6:
            return f"{a} * {scalar_atom(w)}"
        case 7 | 8:
            return f"{w.pick(SMOOTH)}({a})"
        case 9:
            return f"{vector_atom(w, n)}[::-1]"
        case 10:
            return f"np.array([{', '.join(scalar(w, 1) for _ in range(n))}])"
        case 11:
            return f"np.cumsum({a})"
        case 12:
            return f"np.where({vector_atom(w, n)} > {w.number()}, {a}, {vector_atom(w, n)})"
        case 13:
            return f"{a} / (1.5 + {vector_atom(w, n)} ** 2)"
        case 14:
            return f"np.array([{scalar_atom(w)} * t for t in {vector_atom(w, n)}])"
        case 15:
            return f"{matrix_atom(w, n)} @ {vector_atom(w, n)}"
        case 16:
            return f"np.roll({a}, 1)"
        case 17:
            return called(w, vector(n)) or a
        case 18:
            return f"({a} if {condition(w)} else {vector_atom(w, n)})"
        case _:
            return f"{vector_atom(w, n)} ** 2"


def vector_atom(w: Writer, n: int) -> str:
    found = places(w, vector(n))
    longer = [k for k in w.names(lambda kind: kind.sort == "vector" and kind.size > n)]
    if longer and (not found or w.chance(0.2)):
        name = w.pick(longer)
        start = w.rng.randrange(w.kind_of(name).size - n + 1)
        return f"{name}[{start}:{start + n}]"
    if found and w.chance(0.95):
        return w.pick(found)
    if w.chance(0.5):
        return f"np.full({n}, {scalar_atom(w)})"
    return f"np.array([{', '.join(w.number() for _ in range(n))}])"


def matrix_of(w: Writer, n: int, depth: int = 2) -> str:
    if depth <= 0 or w.chance(0.3):
        return matrix_atom(w, n)
    a = matrix_of(w, n, depth - 1)
    match w.rng.randrange(8):
        case 0:
            return f"({a} + {matrix_of(w, n, depth - 1)})"
        case 1:
            return f"{a} * {scalar_atom(w)}"
        case 2:
            return f"{a} * {vector_atom(w, n)}"
        case 3:
            return f"{w.pick(SMOOTH)}({a})"
        case 4:
            return f"0.5 * {matrix_atom(w, n)} @ {matrix_atom(w, n)}"
        case 5:
            return f"{matrix_atom(w, n)}.T"
        case 6:
            return f"np.outer({vector_atom(w, n)}, {vector_atom(w, n)})"
        case _:
            rows = ", ".join(vector_atom(w, n) for _ in range(n))
            return f"np.array([{rows}])"


def matrix_atom(w: Writer, n: int) -> str:
    found = places(w, matrix(n))
    if found:
        return w.pick(found)
    return f"np.outer({vector_atom(w, n)}, {vector_atom(w, n)})"


# Integers and flags


def index_of(w: Writer, n: int) -> str:
    found = w.names(lambda kind: kind.sort == "index" and kind.size <= n)
    if found and w.chance(0.6):
        return w.pick(found)
    counts = w.names(lambda kind: kind.sort == "count")
    if counts and w.chance(0.25):
        return f"{w.pick(counts)} % {n}"
    return str(w.rng.randrange(-1, n))


def count(w: Writer) -> str:
    found = w.names(lambda kind: kind.sort in ("count", "index"))
    if found and w.chance(0.6):
        return f"{w.pick(found)} + {w.rng.randrange(3)}"
    return str(w.rng.randrange(4))


def condition(w: Writer) -> str:
    flags = w.names_of(FLAG)
    counts = w.names(lambda kind: kind.sort in ("count", "index"))
    match w.rng.randrange(8):
        case 0 | 1 if flags:
            return w.pick(["{}", "not {}"]).format(w.pick(flags))
        case 2 if counts:
            return f"{w.pick(counts)} {w.pick(['==', '<', '>', '!='])} {w.rng.randrange(3)}"
        case 3 if counts:
            return f"{w.pick(counts)} % 2 == {w.rng.randrange(2)}"
        case 4:
            other = scalar_atom(w)
            return f"{scalar_atom(w)} {w.pick(['>', '<'])} {w.number()} {w.pick(['and', 'or'])} {other} > 0.1"
        case 5:
            return f"{w.number()} < {scalar_atom(w)} < {w.rng.randrange(1, 4)}.5"
        case _:
            return f"{scalar_atom(w)} {w.pick(['>', '<'])} {scalar_atom(w)}"


# Any rank


def same(w: Writer, depth: int = 2) -> str:
    if depth <= 0 or w.chance(0.25):
        found = w.names_of(SAME)
        return w.pick(found) if found and w.chance(0.85) else w.number()
    a = same(w, depth - 1)
    match w.rng.randrange(9):
        case 0 | 1:
            return f"({a} + {same(w, depth - 1)})"
        case 2 | 3:
            return f"{a} * {same(w, depth - 1)}"
        case 4 | 5:
            return f"{w.pick(SMOOTH)}({a})"
        case 6:
            return f"{a} / (1.5 + ({same(w, 0)}) ** 2)"
        case 7:
            return f"({a} if {condition(w)} else {same(w, depth - 1)})"
        case _:
            return f"{a} * np.sum({same(w, depth - 1)})"


# Calls


def called(w: Writer, kind: Kind) -> str | None:
    """Write a call of a function of the program that returns this kind, if there is one."""
    found = [s for s in w.module.functions if s.result == kind]
    if not found:
        return None
    return call_of(w, w.pick(found))


def call_of(w: Writer, signature: Signature, first: str | None = None, owner: str = "") -> str:
    """Write a call, with some arguments by keyword, some left to their defaults."""
    given = len(signature.parameters)
    if given > signature.required:
        given = w.rng.randrange(signature.required, given + 1)
    parts = []
    by_keyword = False
    for i, (name, kind) in enumerate(signature.parameters[:given]):
        text = first if i == 0 and first is not None else argument(w, kind)
        by_keyword = by_keyword or (signature.rest is None and i > 0 and w.chance(0.15))
        parts.append(f"{name}={text}" if by_keyword else text)
    if signature.rest is not None and given == len(signature.parameters):
        for _ in range(w.rng.randrange(3)):
            parts.append(argument(w, signature.rest))
        if w.chance(0.2):
            lists = w.names_of(list_of(signature.rest, 2))
            parts += [f"*{w.pick(lists)}"] if lists else []
    return f"{owner}{signature.name}({', '.join(parts)})"


def argument(w: Writer, kind: Kind) -> str:
    """Write an argument: mostly something that is there already, so that memory is shared."""
    found = places(w, kind)
    if found and w.chance(0.75):
        return w.pick(found)
    if kind == COUNT:
        return str(w.rng.randrange(3))
    if kind.sort == "index":
        return index_of(w, kind.size)
    return expression(w, kind, 1)


__all__ = [
    "argument",
    "call_of",
    "called",
    "condition",
    "expression",
    "index",
    "index_of",
    "places",
    "scalar",
    "scalar_atom",
    "vector_atom",
    "vector_of",
]
