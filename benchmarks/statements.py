"""How long texts are: their statements, apart from imports and docstrings."""

import ast
from collections.abc import Container


def statements(tree: ast.AST) -> int:
    """Count the statements of a tree apart from imports, docstrings and bare constants."""
    return sum(isinstance(found, ast.stmt) and not is_uncounted(found) for found in ast.walk(tree))


def is_uncounted(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, (ast.Import, ast.ImportFrom))


def statements_reached(text: str, name: str, known: Container[str] = ()) -> int:
    """Count the statements of a function of a text, and of the functions there that it calls.

    Those of `known` are not counted.
    """
    functions = {f.name: f for f in ast.parse(text).body if isinstance(f, ast.FunctionDef)}
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        function = waiting.pop()
        if function in functions and function not in reached and function not in known:
            reached.add(function)
            names = ast.walk(functions[function])
            waiting += [found.id for found in names if isinstance(found, ast.Name)]
    return sum(statements(functions[function]) for function in reached)
