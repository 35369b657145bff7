"""What generated code calls a builtin by that the function hides under a parameter or local of its own."""

from __future__ import annotations

import builtins

from tapeless.externals import constant
from tapeless.tree.classes import FUNCTIONS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import CALLED_BUILTINS, Names, binds_in_block, nodes, parameters


def hidden_builtins(function: CoreFunction, names: Names) -> dict[str, str]:
    """Map the builtins that a function hides to names that stand for them there, as holes of a text.

    Those of the user's that hide them are renamed later, and what is written until then must not be.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> f = CoreFunction(parse_function('def f(x):\\n    len = 2.0 * x\\n    return len'))
    >>> hidden_builtins(f, Names(f.names()))
    {'len': 'len_1'}
    >>> f.externals["len_1"].value
    <built-in function len>
    """
    hidden: dict[str, str] = {}
    for scope in (part for part in nodes(function.tree) if type(part) in FUNCTIONS):
        body = scope.body if isinstance(scope.body, list) else [scope.body]
        for key in sorted(CALLED_BUILTINS & {*parameters(scope), *binds_in_block(body)}):
            hidden.setdefault(key, names.fresh(key))
    for key, instead in hidden.items():
        function.externals[instead] = constant(getattr(builtins, key), key)
    return hidden
