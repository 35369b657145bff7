"""Parameters and locals that hide a builtin which generated code calls get another name.

    def f(x, range):                    def f(x, range_):
        len = 0.5 * x           ->          len_1 = 0.5 * x

A parameter's new name follows from its old one alone, so who names it can say which is meant:
`tree.names.unshadowed`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tapeless.errors import UnsupportedSyntaxError
from tapeless.tree.build import fill
from tapeless.tree.classes import FUNCTIONS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import (
    CALLED_BUILTINS,
    Names,
    binds_in_block,
    nodes,
    parameters,
    unshadowed,
)
from tapeless.tree.trees import Tree


def unshadow_builtins(function: CoreFunction) -> CoreFunction:
    """Rename the parameters and locals of a function, and of those in it, that hide a builtin.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('def f(x, zip):\\n    len = x * zip\\n    return len'))
    >>> print(unparse(unshadow_builtins(f).tree).strip())
    def f(x, zip_):
        len_1 = x * zip_
        return len_1
    """
    if not any(CALLED_BUILTINS & _bound_in(scope) for scope in _scopes(function.tree)):
        return function
    names = Names(function.names())
    given: set[str] = set()
    for scope in _scopes(function.tree):
        given |= _rename_in(scope, names, function)
    renamed = function.with_body(function.tree.body)
    return replace(renamed, items=function.items | given, own_names=function.own_names | given)


def _scopes(tree: Tree) -> list[Any]:
    """List the functions defined in a function, the inner ones first, and itself."""
    found = [p for p in nodes(tree) if type(p) in FUNCTIONS]
    return found[::-1]


def _bound_in(scope: Any) -> set[str]:
    return set(parameters(scope)) | binds_in_block(_body(scope))


def _body(scope: Any) -> list[Any]:
    return scope.body if isinstance(scope.body, list) else [scope.body]


def _rename_in(scope: Any, names: Names, function: CoreFunction) -> set[str]:
    """Rename what one function binds, in place; return the new names."""
    own = parameters(scope)
    hiding = sorted(CALLED_BUILTINS & _bound_in(scope))
    renaming = {key: unshadowed(key) if key in own else names.fresh(key) for key in hiding}
    for key in own:
        taken = unshadowed(key)
        if taken != key and taken in own:
            reason = f"the parameters `{key}` and `{taken}` are too alike to tell apart here"
            raise function.error(scope, reason, "rename one of them", UnsupportedSyntaxError)
        if taken != key and taken in names.taken:
            renaming[taken] = names.fresh(taken)
    if not renaming:
        return set()
    a = scope.args
    for parameter in [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]:
        if parameter is not None:
            parameter.id = unshadowed(parameter.id)
    body = [fill(part, renaming) for part in _body(scope)]
    scope.body = body if isinstance(scope.body, list) else body[0]
    return set(renaming.values())
