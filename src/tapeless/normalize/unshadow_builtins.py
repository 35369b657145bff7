"""Locals that hide a builtin which generated code calls get another name.

len = 0.5 * x   ->   len_1 = 0.5 * x
"""

from __future__ import annotations

from tapeless.tree.build import fill
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds_in_block

_CALLED = (
    "dict",
    "enumerate",
    "isinstance",
    "len",
    "list",
    "min",
    "range",
    "reversed",
    "slice",
    "tuple",
    "zip",
)


def unshadow_builtins(function: CoreFunction) -> CoreFunction:
    """Rename the locals of a function that hide a builtin.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('def f(x):\\n    len = x\\n    return len'))
    >>> print(unparse(unshadow_builtins(f).tree).strip())
    def f(x):
        len_1 = x
        return len_1
    """
    hiding = [key for key in _CALLED if key in binds_in_block(function.tree.body)]
    if not hiding:
        return function
    names = Names(function.names())
    renaming = {key: names.fresh(key) for key in hiding if key not in function.parameters}
    return function.with_body([fill(statement, renaming) for statement in function.tree.body])
