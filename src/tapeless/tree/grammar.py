"""The core language: the only form in which functions are analysed and differentiated.

It is a subset of Python, in gast, so everything in it can be printed and run. What `normalize` leaves
of a user's function is::

    function  = "def" name "(" parameters ")" ":" block
    block     = statement+
    statement = place "=" operation                  one target, never `a = b = c`
              | place op"=" atom
              | operation                            for its effect
              | "if" test ":" block ["else" ":" block]
              | "for" target "in" iterable ":" block ["else" ":" block]
              | "while" test ":" block ["else" ":" block]
              | "with" call ["as" name] ":" block
              | "try" ":" block handler+ ["else" ":" block]
              | "try" ":" block "finally" ":" block
              | "return" atom                        always with a value, and at every end
              | "break" | "continue" | "pass"
              | "assert" test ["," expression] | "raise" expression
              | function                             nested, closing over names; as written by its
                                                     author if it is decorated
    handler   = "except" [atom] ["as" name] ":" block
    place     = name | atom "[" index "]" | atom "." name | "(" place "," ... ")"
    operation = atom | atom op atom | op atom | atom "(" arguments ")" | atom "[" index "]"
              | atom "." name | tuple, list or dict display of atoms | whole
    atom      = name | literal | dotted name of something outside the function

A *whole* is an expression that no derivative passes through: a test, an index, a comparison, an argument
of something piecewise constant. It is left as the user wrote it. There are no lambdas, comprehensions,
conditional expressions or assignments inside the operations that are differentiated: each is a statement.
An operation of two names binds neither: their cotangents are added up while that of the result is read.

What `differentiate` writes, and `optimize` shortens, is the same language with `del` and with
expressions nested as one writes them by hand; the body of a custom gradient may bring any Python with it
that runs within a function.

`verify` checks a function against this after a pass. It also checks what holds of every tree: each
statement stands in one place, blocks are not empty, names are bound where they are stored to and read
where they are not, and nothing but positions hangs on a tree besides its fields.
"""

from __future__ import annotations

from typing import Any, Literal

import gast

from tapeless.errors import PLEASE_REPORT, InternalError
from tapeless.tree.classes import (
    ATOMS,
    DEFINITIONS,
    DELAYED,
    DISPLAYS,
    LOOP_JUMPS,
    LOOPS,
    PLACES,
    READ_OR_GIVEN,
    YIELDS,
)
from tapeless.tree.fields import PART_FIELDS
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt, Tree

Language = Literal["python", "core", "derivative"]

_BLOCKS = ("body", "orelse", "finalbody")
_POSITIONS = {"lineno", "col_offset", "end_lineno", "end_col_offset"}
_SIMPLE = (
    gast.Assign, gast.AugAssign, gast.Expr, gast.Return, gast.Break, gast.Continue, gast.Pass,
    gast.Assert, gast.Raise, gast.FunctionDef, gast.If, gast.For, gast.While, gast.With, gast.Try,
)  # fmt: skip
_STATEMENTS: dict[str, tuple[type, ...]] = {
    "python": (gast.stmt,),
    "core": _SIMPLE,
    "derivative": (*_SIMPLE, gast.Delete, gast.AnnAssign, gast.Match, gast.ClassDef),
}
_NOT_IN_OPERATIONS = DELAYED | YIELDS | {gast.NamedExpr, gast.Await}
_TARGETS = PLACES | DISPLAYS | {gast.Starred}
_MISSING: Any = object()
_CARRIED: dict[Any, frozenset[str]] = {}


def verify(function: Tree, language: Language, after: str) -> None:
    """Check that a function is in a language.

    Parameters
    ----------
    function
        A function definition.
    language
        "python" for any well-formed tree, "core" for what `normalize` leaves, "derivative" for
        what comes after.
    after
        The pass that wrote it, for the message.

    Raises
    ------
    InternalError
        If it is not. This is a bug in the pass.

    Examples
    --------
    >>> from tapeless.tree.build import quote
    >>> [function] = quote("def f(x):\\n    y = x * x\\n    return y")
    >>> verify(function, "core", after="three_address")
    >>> function.body[0].value = gast.Lambda(function.args, function.body[0].value)
    >>> try:
    ...     verify(function, "core", after="shorten")
    ... except InternalError as error:
    ...     print(error.reason)
    the pass 'shorten' left `lambda` in an operation of 'f', which is not in the core language
    """
    if type(function) is not gast.FunctionDef:
        _fail(after, f"{type(function).__name__} where a function was expected", "", function)
    _Verifier(function.name, language, after).statement(function, in_loop=False)


class _Verifier:
    def __init__(self, name: str, language: Language, after: str) -> None:
        self.name = name
        self.language = language
        self.after = after
        self.allowed = _STATEMENTS[language]
        self.seen: set[int] = set()

    def fail(self, what: str, tree: Tree) -> None:
        _fail(self.after, what, self.name, tree)

    def statement(self, s: Stmt, in_loop: bool) -> None:
        if not isinstance(s, self.allowed):
            self.fail(f"{type(s).__name__} as a statement", s)
        if id(s) in self.seen:
            self.fail("one statement in two places", s)
        self.seen.add(id(s))
        if type(s) in LOOP_JUMPS and not in_loop:
            self.fail("a jump outside of loops", s)
        if self.language == "core":
            if type(s) is gast.FunctionDef and s.decorator_list:
                verify(s, "python", self.after)
                return
            self.core_statement(s)
        self.fields(s, in_loop)

    def fields(self, tree: Tree, in_loop: bool) -> None:
        """Check a statement, or a handler or case, with its blocks and expressions."""
        self.no_extras(tree)
        for field in tree._fields:
            value = getattr(tree, field, _MISSING)
            if value is _MISSING:
                self.fail(f"{type(tree).__name__} without its {field}", tree)
            elif field in _BLOCKS:
                self.block(tree, field, value, in_loop)
            elif field in ("targets", "target", "optional_vars") or _is_caught(tree, field):
                for place in value if isinstance(value, list) else [value]:
                    if place is not None:
                        self.place(place, gast.Del if type(tree) is gast.Delete else gast.Store)
            elif field in ("handlers", "cases", "items"):
                for part in value:
                    self.fields(part, in_loop)
            elif isinstance(value, list):
                for part in value:
                    self.expression(part)
            elif isinstance(value, gast.AST):
                self.expression(value)

    def block(self, tree: Tree, field: str, value: Expr, in_loop: bool) -> None:
        if not isinstance(value, list) or (not value and field == "body"):
            self.fail(f"an empty block in {type(tree).__name__}", tree)
        if type(tree) in LOOPS and field == "body":
            in_loop = True
        elif type(tree) in DEFINITIONS:
            in_loop = False
        for s in value:
            self.statement(s, in_loop)

    def no_extras(self, tree: Tree) -> None:
        cls = type(tree)
        if cls not in _CARRIED:
            _CARRIED[cls] = frozenset({*cls._fields, *cls._attributes, *_POSITIONS})
        if not tree.__dict__.keys() <= _CARRIED[cls]:
            extra = min(tree.__dict__.keys() - _CARRIED[cls])
            self.fail(f"a fact, {extra}, hung on {cls.__name__}", tree)

    def expression(self, tree: Tree) -> None:
        """Check an expression that is read, or a part of one."""
        if not isinstance(tree, gast.AST):
            return
        if isinstance(tree, gast.stmt):
            self.fail(f"{type(tree).__name__} as an expression", tree)
        self.no_extras(tree)
        context = getattr(tree, "ctx", None)
        if context is not None and type(context) not in READ_OR_GIVEN:
            self.fail("a place that is bound as an expression that is read", tree)
        said = tree.__dict__
        for field in tree._fields:
            if field not in said and getattr(tree, field, _MISSING) is _MISSING:
                self.fail(f"{type(tree).__name__} without its {field}", tree)
        for field in PART_FIELDS[type(tree)]:
            value = said.get(field)
            if field == "target":
                self.place(value, gast.Store)
            elif type(value) is list:
                for part in value:
                    self.expression(part)
            elif value is not None:
                self.expression(value)

    def place(self, tree: Tree, context: type) -> None:
        """Check a place that is bound."""
        if type(tree) not in _TARGETS:
            self.fail(f"{type(tree).__name__} as a place", tree)
        if not isinstance(tree.ctx, context):
            self.fail("a place that is read as a place that is bound", tree)
        self.no_extras(tree)
        if type(tree) in DISPLAYS:
            for item in tree.elts:
                self.place(item, context)
        elif type(tree) is gast.Starred:
            self.place(tree.value, context)
        elif type(tree) is not gast.Name:
            self.expression(tree.value)
            if type(tree) is gast.Subscript:
                self.expression(tree.slice)

    # What `normalize` promises

    def core_statement(self, s: Stmt) -> None:
        if type(s) is gast.Assign:
            if len(s.targets) != 1:
                self.fail("several targets of one assignment", s)
            self.operation(s.value, s)
            if type(s.targets[0]) is not gast.Name:
                self.atom(s.value, s)
            elif type(s.value) is gast.BinOp and s.targets[0].id in _operands(s.value):
                self.fail("an operand that its own operation binds", s)
        elif type(s) is gast.AugAssign:
            self.atom(s.value, s)
        elif type(s) is gast.Expr:
            self.operation(s.value, s)
        elif type(s) is gast.Return:
            self.atom(s.value, s)
        elif type(s) is gast.With:
            for item in s.items:
                if item.optional_vars is not None and type(item.optional_vars) is not gast.Name:
                    self.fail("what is no name bound by `with`", s)
        elif type(s) is gast.Try and bool(s.handlers) == bool(s.finalbody):
            self.fail("a `try` with both handlers and `finally`, or with neither,", s)

    def operation(self, tree: Tree, s: Stmt) -> None:
        for part in nodes(tree):
            if type(part) in _NOT_IN_OPERATIONS:
                self.fail(f"`{_spelled(part)}` in an operation", s)

    def atom(self, tree: Tree, s: Stmt) -> None:
        """A name, a literal or a dotted name."""
        if type(tree) is gast.UnaryOp:
            tree = tree.operand
        while type(tree) is gast.Attribute:
            tree = tree.value
        if type(tree) not in ATOMS:
            self.fail(f"{type(tree).__name__} where a name or a literal was expected", s)


def _operands(tree: Expr) -> list[str]:
    """List the names that an operation has to both its sides; none where a side is no name."""
    sides = [tree.left, tree.right]
    return [side.id for side in sides] if all(type(side) is gast.Name for side in sides) else []


def _is_caught(tree: Tree, field: str) -> bool:
    return type(tree) is gast.ExceptHandler and field == "name"


def _spelled(tree: Tree) -> str:
    return {"NamedExpr": ":="}.get(type(tree).__name__, type(tree).__name__.lower())


def _fail(after: str, what: str, name: str, tree: Tree) -> None:
    raise InternalError(
        f"the pass '{after}' left {what} of '{name}', which is not in the core language",
        fix=PLEASE_REPORT,
        lineno=getattr(tree, "lineno", None),
        function=name,
    )
