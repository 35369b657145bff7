"""Refuse, before anything runs, what the core language cannot say.

All refusals of a function are collected, so that the user sees them at once.
"""

from __future__ import annotations

import gast

from tapeless.errors import Refusal, UnsupportedSyntaxError, caret_location
from tapeless.externals import is_one_of
from tapeless.normalize.box_nonlocals import variables_of
from tapeless.tree.classes import DEFINITIONS, READ_OR_GIVEN
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes
from tapeless.tree.trees import Tree

_REFUSED: dict[str, tuple[str, str]] = {
    "Await": ("`await` cannot be differentiated", "take the value before the call and pass it in"),
    "Yield": ("`yield` cannot be differentiated", "collect the values in a list and return it"),
    "YieldFrom": ("`yield from` cannot be differentiated", "collect the values in a list"),
    "AsyncFor": ("`async for` cannot be differentiated", "iterate outside the function"),
    "AsyncWith": (
        "`async with` cannot be differentiated",
        "enter the context outside the function",
    ),
    "AsyncFunctionDef": ("`async def` cannot be differentiated", "use a plain function"),
    "TryStar": ("`except*` is not supported", "catch the exceptions one by one, with `except`"),
    "Global": (
        "`global` of what is deleted, holds a function, or is bound by other than an assignment, is not "
        "followed",
        "assign a value by `=`, or keep it in an attribute of an object",
    ),
    "Nonlocal": (
        "`nonlocal` of a variable outside the function is not supported yet",
        "keep it in a list or in an attribute: `state.n = ...`",
    ),
    "ClassDef": (
        "a class inside a function that captures its names, or is stored into, is not supported yet",
        "define it outside, and pass what it needs when it is called",
    ),
}
_BY_TEXT = (eval, exec, locals, globals)


class _Refuser(gast.NodeVisitor):
    def __init__(self, function: CoreFunction) -> None:
        self.function = function
        self.found: list[Refusal] = []
        self.variables = [variables_of(function.tree)]
        self.bound = {
            part.id
            for part in nodes(function.tree)
            if type(part) is gast.Name and type(part.ctx) not in READ_OR_GIVEN
        } | {part.name for part in nodes(function.tree) if type(part) in DEFINITIONS}

    def refuse(self, tree: Tree, reason: str, fix: str) -> None:
        self.found.append(Refusal(reason, fix, **caret_location(self.function, tree)))

    def generic_visit(self, tree: Tree) -> None:
        refused = _REFUSED.get(type(tree).__name__)
        if refused:
            self.refuse(tree, *refused)
            return
        super().generic_visit(tree)

    def visit_Call(self, tree: Tree) -> None:
        """Names that are reached by their text are out of sight: what they hold would be constant."""
        found = self.function.resolve(tree.func)
        if is_one_of(found, _BY_TEXT) or (found is vars and not tree.args):
            reason = f"`{found.__name__}` reaches names by their text, which is not followed"
            self.refuse(tree, reason, "write the names out, or call it outside the function")
            return
        self.generic_visit(tree)

    def visit_Global(self, tree: Tree) -> None:
        """A `global` that only says what is read says nothing new."""
        if set(tree.names) & self.bound:
            self.refuse(tree, *_REFUSED["Global"])

    def visit_FunctionDef(self, tree: Tree) -> None:
        self.variables.append(variables_of(tree))
        super().generic_visit(tree)
        self.variables.pop()

    def visit_Nonlocal(self, tree: Tree) -> None:
        """A variable of a function around is boxed; of one outside it may only be said that it is read."""
        if (set(tree.names) & self.bound).difference(*self.variables):
            self.refuse(tree, *_REFUSED["Nonlocal"])


def refuse_unsupported(function: CoreFunction) -> CoreFunction:
    """Raise `UnsupportedSyntaxError` for all constructs that are not supported.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> try:
    ...     refuse_unsupported(CoreFunction(parse_function('def f(x):\\n    yield x')))
    ... except UnsupportedSyntaxError as error:
    ...     print(error.reason)
    `yield` cannot be differentiated
    """
    refuser = _Refuser(function)
    for statement in function.tree.body:
        refuser.visit(statement)
    if refuser.found:
        raise UnsupportedSyntaxError.of_all(refuser.found)
    return function
