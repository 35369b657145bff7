"""Text that runs without tapeless: what it imports from there is written out in it.

Generated text imports a few small functions, `from tapeless.runtime import unbroadcast`. They are
ordinary functions, so their source can stand in the file itself: together with the functions,
classes and constants that they use, and with the imports of Python and NumPy that all of these need.
Each keeps its name where that is free, and its documentation is shortened to the summary.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import types
from typing import Any

from tapeless.errors import GradientError
from tapeless.source.printer import unparse

_PACKAGE = __name__.partition(".")[0]

# Errors of the package know places in the user's file; a shipped text has none to show.
_PLAIN_ERROR = '''
class GradientError(ValueError):
    """What was asked of a derivative makes no sense."""

    def __init__(self, message, *, fix=None):
        super().__init__(message if fix is None else f"{message}\\n  fix: {fix}")
'''


def standalone(text: str) -> str:
    r"""Replace the imports from this package by the source of what they import.

    Parameters
    ----------
    text : str
        A generated module.

    Returns
    -------
    str
        A module that needs NumPy, and otherwise only what the user's own functions need.

    Raises
    ------
    GradientError
        If the source of something that it needs cannot be found.

    Examples
    --------
    >>> short = "from tapeless.runtime import outer\n\n\ndef f(a):\n    return outer(a, a)\n"
    >>> print(standalone(short))
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def outer(a, b):
        \"\"\"Give the outer products along the last axis.\"\"\"
        return a[..., :, None] * b[..., None, :]
    <BLANKLINE>
    <BLANKLINE>
    def f(a):
        return outer(a, a)
    <BLANKLINE>
    """
    tree = ast.parse(text)
    wanted = [s for s in tree.body if _is_own_import(s)]
    if not wanted:
        return text
    kept = [s for s in tree.body if s not in wanted]
    library = _Library({name for s in kept for name in _bound(s)})
    aliases = []
    for statement in wanted:
        assert isinstance(statement, ast.ImportFrom) and statement.module is not None
        module = importlib.import_module(statement.module)
        for alias in statement.names:
            shown = library.add(module, alias.name)
            if shown != (alias.asname or alias.name):
                aliases.append(ast.parse(f"{alias.asname or alias.name} = {shown}").body[0])
    imports = {ast.unparse(s): s for s in [*kept, *library.imports] if _is_import(s)}
    ordered = sorted(imports, key=lambda line: (not line.startswith("import"), line))
    body = [
        *[imports[line] for line in ordered],
        *library.definitions,
        *aliases,
        *[s for s in kept if not _is_import(s)],
    ]
    return _with_comments(unparse(ast.Module(body, [])), text)


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _is_own_import(statement: ast.stmt) -> bool:
    module = getattr(statement, "module", None) if _is_import(statement) else None
    return module is not None and module.partition(".")[0] == _PACKAGE


def _bound(statement: ast.stmt) -> list[str]:
    """List the names that a statement of a module binds there."""
    if isinstance(statement, ast.Import):
        return [a.asname or a.name.partition(".")[0] for a in statement.names]
    if isinstance(statement, ast.ImportFrom):
        return [a.asname or a.name for a in statement.names]
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    return [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and _is_store(n)]


def _is_store(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)
