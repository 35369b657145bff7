"""Programs of loops over entries, as data: what the passes of this stage work on.

A *nest* is loops around statements on single entries. An entry is named by its array and by one linear
form per axis, so that two statements can be asked whether they touch the same one. Arrays are memory:
each name stands for one block of it, and no two names for the same; views are gone, they are indices.
Expressions are values, equal where they are spelled alike; statements are things, told apart by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from tapeless.lower.affine import Affine

# Expressions


@dataclass(frozen=True)
class Num:
    """A literal number, or True or False; `single` if it is of single precision."""

    value: float | int | bool
    single: bool = False


@dataclass(frozen=True)
class Var:
    """A scalar variable."""

    name: str


@dataclass(frozen=True)
class Whole:
    """A whole number, as a linear form."""

    form: Affine


@dataclass(frozen=True)
class Cell:
    """An entry of an array."""

    array: str
    index: tuple[Affine, ...]


@dataclass(frozen=True)
class Op:
    """An operation of Python's on numbers, spelled by its sign; "if" has test, value, other value."""

    sign: str
    args: tuple[Expr, ...]


@dataclass(frozen=True)
class Call:
    """A call of a function of numbers, by its dotted name."""

    function: str
    args: tuple[Expr, ...]


@dataclass(frozen=True)
class Window:
    """A whole array, or one matrix of a stack, as something that a product of matrices is given.

    `order` is the order of the axes that are left where the first ones are indexed by `at`.
    """

    array: str
    order: tuple[int, ...]
    at: tuple[Affine, ...] = ()


Expr = Num | Var | Whole | Cell | Op | Call | Window

# Statements


@dataclass(eq=False)
class Assign:
    """`name = value`, for a scalar."""

    name: str
    value: Expr
    line: int | None = None


@dataclass(eq=False)
class Store:
    """`cell = value`, or `cell += value` with a sign."""

    cell: Cell
    value: Expr
    sign: str = ""
    line: int | None = None


@dataclass(eq=False)
class Reduce:
    """One step of a sum, product or extremum into a variable or cell; their order is ours to choose.

    `how` is "+", "*", "max" or "min".
    """

    target: Var | Cell
    how: str
    value: Expr
    line: int | None = None
    dtype: str = "f8"


@dataclass(eq=False)
class Loop:
    """`for var in range(start, stop, step)`; `made` if it runs over entries, and is not the user's."""

    var: str
    start: Affine
    stop: Affine
    body: list[Stmt]
    step: int = 1
    made: bool = True
    line: int | None = None


@dataclass(eq=False)
class If:
    """A branch."""

    test: Expr
    body: list[Stmt]
    orelse: list[Stmt]
    line: int | None = None


@dataclass(eq=False)
class While:
    """A loop of the user's over a test."""

    test: Expr
    body: list[Stmt]
    line: int | None = None


@dataclass(eq=False)
class Check:
    """`if not test: raise error(message)`."""

    test: Expr
    error: str
    message: str
    line: int | None = None


@dataclass(eq=False)
class Alloc:
    """`array = np.empty(dims)`, or of zeros."""

    array: str
    dims: tuple[Affine, ...]
    dtype: str = "f8"
    line: int | None = None
    zeros: bool = False


GROWN = "grown"  # what a `Product` does that makes a block of rows longer where they are used up


@dataclass(eq=False)
class Product:
    """`array[...] = function(*operands)`: of whole arrays of one or two axes, as `np.dot`.

    With `at` it is one matrix of the array that is written, `array[at]`.
    """

    array: str
    function: str
    operands: tuple[Window, ...]
    line: int | None = None
    at: tuple[Affine, ...] = ()


@dataclass(eq=False)
class Return:
    """`return` of expressions and arrays, nested as the tuples that the user returns."""

    value: Returned
    line: int | None = None


@dataclass(eq=False)
class Jump:
    """`break` or `continue`."""

    word: str
    line: int | None = None


Stmt = (
    Assign | Store | Reduce | Loop | If | While | Check | Alloc | Product | Return | Jump
)  # fmt: skip


@dataclass(frozen=True)
class Returned:
    """What is returned: an expression, an array by its name, or a tuple of such.

    `sort` says what a number is there: "py" for one of Python's, "np" for one of NumPy's, ...
    """

    value: Expr | str | tuple[Returned, ...] | None
    sort: str = ""


Result = str | tuple["Result", ...]
GIVEN = "given "  # before the position of an argument that is returned as it is


def described(returned: Returned) -> Result:
    """Say what is returned: the sort of a number, "array", "given 0", "None", or a tuple of such."""
    if isinstance(returned.value, tuple):
        return tuple(map(described, returned.value))
    if isinstance(returned.value, str):
        return returned.sort if returned.sort.startswith(GIVEN) else "array"
    return "None" if returned.value is None else returned.sort


SAFE = ("np.dot", "np.reshape")  # functions that raise nothing where sizes fit


@dataclass
class Program:
    """A function of loops.

    Attributes
    ----------
    name, parameters
        As those of the function that it was made of.
    body
        Its statements.
    arrays
        For each array its sizes.
    dtypes
        For each array its dtype.
    given
        The parameters that are arrays.
    checks
        What must hold of sizes at entry: pairs of a linear form that must be 0, or at least 0, and the
        word that says which.
    integers
        The parameters that are integers, which are not huge.
    stored
        The parameters that are stored into.
    own
        The names that were written by the author of the text; others are folded into their use.
    texts
        The parameters that are texts on which the loops rest, and what they say.
    quotients
        Integers that sizes are divided into: names, and what they are.
    externals
        Dotted names of the text, and what they stand for.
    """

    name: str
    parameters: list[str]
    body: list[Stmt]
    arrays: dict[str, tuple[Affine, ...]]
    dtypes: dict[str, str]
    given: list[str] = field(default_factory=list)
    checks: list[tuple[Affine, str]] = field(default_factory=list)
    integers: list[str] = field(default_factory=list)
    stored: set[str] = field(default_factory=set)
    own: frozenset[str] = frozenset()
    externals: dict[str, object] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    quotients: list[tuple[str, Expr]] = field(default_factory=list)
    returned: Returned | None = None


def blocks(s: Stmt) -> list[list[Stmt]]:
    """List the blocks of a statement."""
    if isinstance(s, (Loop, While)):
        return [s.body]
    return [s.body, s.orelse] if isinstance(s, If) else []


def walk(body: list[Stmt]) -> Iterator[Stmt]:
    """Walk the statements of a block and of those inside, in their order."""
    for s in body:
        yield s
        for block in blocks(s):
            yield from walk(block)


def children(e: Expr) -> tuple[Expr, ...]:
    """List the parts of an expression."""
    return e.args if isinstance(e, (Op, Call)) else ()


def parts(e: Expr) -> Iterator[Expr]:
    """Walk an expression and its parts."""
    yield e
    for child in children(e):
        yield from parts(child)


def rebuilt(e: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """Change an expression from its leaves up."""
    if isinstance(e, (Op, Call)):
        args = tuple(rebuilt(a, change) for a in e.args)
        e = e if args == e.args else replace(e, args=args)
    return change(e)


def values(s: Stmt) -> list[Expr]:
    """List the expressions that a statement itself evaluates; of a returned tuple those inside."""
    if isinstance(s, (Assign, Store, Reduce)):
        return [s.value]
    if isinstance(s, (If, While, Check)):
        return [s.test]
    if isinstance(s, Product):
        return list(s.operands)
    return list(_returned(s.value)) if isinstance(s, Return) else []


def _returned(value: Returned) -> Iterator[Expr]:
    if isinstance(value.value, tuple):
        for item in value.value:
            yield from _returned(item)
    elif isinstance(value.value, str):
        yield Window(value.value, ())
    elif value.value is not None:
        yield value.value


def change_expressions(s: Stmt, change: Callable[[Expr], Expr]) -> None:
    """Change the expressions of a statement, the cell that it stores into too, not of those inside."""
    if isinstance(s, (Assign, Store, Reduce)):
        s.value = rebuilt(s.value, change)
    if isinstance(s, Store):
        s.cell = _as_cell(change(s.cell))
    elif isinstance(s, Product):
        s.operands = tuple(_as_window(change(window)) for window in s.operands)
    elif isinstance(s, Reduce):
        s.target = _as_target(change(s.target))
    elif isinstance(s, (If, While, Check)):
        s.test = rebuilt(s.test, change)
    elif isinstance(s, Return):
        s.value = _changed(s.value, change)


def _as_cell(e: Expr) -> Cell:
    assert isinstance(e, Cell)
    return e


def _as_window(e: Expr) -> Window:
    assert isinstance(e, Window)
    return e


def _as_target(e: Expr) -> Var | Cell:
    assert isinstance(e, (Var, Cell))
    return e


def _changed(value: Returned, change: Callable[[Expr], Expr]) -> Returned:
    inner = value.value
    if isinstance(inner, tuple):
        return replace(value, value=tuple(_changed(item, change) for item in inner))
    if isinstance(inner, str):
        window = change(Window(inner, ()))
        assert isinstance(window, Window)
        return replace(value, value=window.array)
    return value if inner is None else replace(value, value=rebuilt(inner, change))


def forms(s: Stmt) -> list[Affine]:
    """List the linear forms of a statement that stand outside its expressions."""
    if isinstance(s, Loop):
        return [s.start, s.stop]
    if isinstance(s, Product):
        return list(s.at)
    return list(s.dims) if isinstance(s, Alloc) else []


def renamed(s: Stmt, put: dict[str, Affine], deep: bool = True) -> None:
    """Put linear forms in the places of symbols, in a statement and in those inside."""

    def change(e: Expr) -> Expr:
        if isinstance(e, Cell):
            return Cell(e.array, tuple(form.put(put) for form in e.index))
        if isinstance(e, Window):
            return replace(e, at=tuple(form.put(put) for form in e.at))
        if isinstance(e, Whole):
            return Whole(e.form.put(put))
        return e

    change_expressions(s, change)
    if isinstance(s, Loop):
        s.start, s.stop = s.start.put(put), s.stop.put(put)
    elif isinstance(s, Alloc):
        s.dims = tuple(dim.put(put) for dim in s.dims)
    elif isinstance(s, Product):
        s.at = tuple(form.put(put) for form in s.at)
    if deep:
        for block in blocks(s):
            for inner in block:
                renamed(inner, put)


def may_raise(program: Program) -> bool:
    """Whether compiled loops may raise after their sizes were checked, short of memory aside."""
    return any(
        isinstance(s, (Check, Jump))
        and not (isinstance(s, Jump) and s.word in ("break", "continue"))
        or isinstance(s, Product)
        and s.function not in (*SAFE, GROWN)
        for s in walk(program.body)
    )


def cell_of(e: Expr) -> Cell:
    """Return an expression that is an entry of an array."""
    assert isinstance(e, Cell)
    return e


def numeric(e: Expr, dtype: str) -> Expr:
    """Return an entry as a number: of a truth value 1.0 or 0.0."""
    return Op("if", (e, Num(1.0), Num(0.0))) if dtype == "b" else e
