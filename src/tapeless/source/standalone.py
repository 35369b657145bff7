"""Text that runs without tapeless: what it imports from there is written out in it.

Generated text imports a few small functions, `from tapeless.runtime import unbroadcast`. They are
ordinary functions, so their source can stand in the file itself: together with the functions,
classes and constants that they use, and with the imports of Python and NumPy that these need. Each
keeps its name where that is free, and its documentation is shortened to the summary.
"""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import inspect
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tapeless.errors import GradientError
from tapeless.source.complete import split_after_imports
from tapeless.source.printer import unparse

_PACKAGE = __name__.partition(".")[0]

_HARMLESS = {
    "functools", "property", "staticmethod", "classmethod", "dataclass", "contextmanager", "contextlib"
}  # fmt: skip

# Errors of the package know places in the user's file; a shipped text has none to show.
_PLAIN_ERROR = '''
class GradientError(ValueError):
    """What was asked of a derivative makes no sense."""

    def __init__(self, message, *, fix=None):
        super().__init__(message if fix is None else f"{message}\\n  fix: {fix}")
'''


@functools.lru_cache(maxsize=256)
def standalone(text: str, taken: frozenset[str] = frozenset()) -> str:
    r'''Replace the imports from this package by the source of what they import.

    Parameters
    ----------
    text : str
        A generated module.
    taken : frozenset of str
        Names that it reads and does not bind.

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
    >>> text = "from tapeless.runtime import transpose\n\n\ndef f(a):\n    return transpose(a)\n"
    >>> print(standalone(text), end="")
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def transpose(a):
        """Swap the last two axes: the transpose of a matrix, or of each of a stack of matrices."""
        if np.ndim(a) == 2:
            return a.T
        return np.swapaxes(a, -1, -2)
    <BLANKLINE>
    <BLANKLINE>
    def f(a):
        return transpose(a)
    '''
    tree = ast.parse(text)
    wanted = [s for s in tree.body if isinstance(s, ast.ImportFrom) and _is_own(s.module)]
    if not wanted:
        return text
    kept = [s for s in tree.body if s not in wanted]
    library = _Library({name for s in kept for name in _bound(s)} | taken)
    library.imports.update(ast.unparse(s) for s in kept if _is_import(s))
    aliases = [line for statement in wanted for line in library.take(statement)]
    _refuse_what_writes_source(library)
    imports = sorted(library.imports, key=lambda line: (not line.startswith("import"), line))
    parts = ["\n".join(imports), *library.texts(), "\n".join(aliases), split_after_imports(text)[1]]
    return "\n\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Import, ast.ImportFrom))


def _is_own(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] == _PACKAGE


def _bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement of a module binds there."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {a.asname or a.name.partition(".")[0] for a in statement.names}
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    return _names(statement, ast.Store)


def _names(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


@functools.cache
def _statements(module: str) -> dict[str, ast.stmt]:
    """Find what binds each name of a module of the package."""
    body = ast.parse(inspect.getsource(importlib.import_module(module))).body
    found = {name: s for s in body for name in _bound(s)}
    for s in body:
        if isinstance(s, ast.ImportFrom) and s.names[0].name == "*" and _is_own(s.module):
            public = [name for name in _statements(str(s.module)) if not name.startswith("_")]
            found |= {name: ast.ImportFrom(s.module, [ast.alias(name)], 0) for name in public}
    if module == GradientError.__module__:
        found["GradientError"] = ast.parse(_PLAIN_ERROR).body[0]
    return found


@dataclass
class _Library:
    """Definitions gathered for a text, each after those that it uses.

    Attributes
    ----------
    taken
        Names that the text binds itself.
    imports
        The lines that import what is not written out.
    shown
        The names that definitions got, by module and name there.
    definitions
        Their trees, in the order in which they are printed.
    """

    taken: set[str]
    imports: set[str] = field(default_factory=set)
    shown: dict[tuple[str, str], str] = field(default_factory=dict)
    definitions: list[ast.stmt] = field(default_factory=list)

    def take(self, statement: ast.ImportFrom) -> list[str]:
        """Gather what an import binds; return the lines that name it as the import did."""
        module = importlib.import_module(str(statement.module))
        shown = {a.asname or a.name: self.add(module, a.name) for a in statement.names}
        return [f"{key} = {name}" for key, name in shown.items() if name != key]

    def add(self, module: ModuleType, name: str) -> str:
        """Gather the definition of a name of a module; return the name that it has in the text."""
        statement = _statements(module.__name__).get(name)
        if statement is None:
            raise GradientError(f"the source of '{module.__name__}.{name}' cannot be found")
        if isinstance(statement, ast.ImportFrom) and _is_own(statement.module):
            alias = next(a for a in statement.names if (a.asname or a.name) == name)
            return self.add(importlib.import_module(str(statement.module)), alias.name)
        key = module.__name__, name
        if key in self.shown:
            return self.shown[key]
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            alias = next(a for a in statement.names if name in _bound(_import_of(statement, a)))
            self.imports.add(ast.unparse(_import_of(statement, alias)))
            self.shown[key] = name
            return name
        shown = name
        while shown in self.taken or shown in self.shown.values():
            shown += "_"
        self.shown[key] = shown
        self.define(module, statement, name)
        return shown

    def define(self, module: ModuleType, statement: ast.stmt, name: str) -> None:
        """Gather a definition after what it uses."""
        tree: Any = ast.fix_missing_locations(_Shortened().visit(copy.deepcopy(statement)))
        places = dict.fromkeys(_names(tree, ast.Load), module)
        for part in list(ast.walk(tree)):
            body = getattr(part, "body", None)
            if not isinstance(body, list):
                continue
            for s in list(body):
                if isinstance(s, ast.ImportFrom) and _is_own(s.module):
                    source = importlib.import_module(str(s.module))
                    places.update(dict.fromkeys(_bound(s), source))
                    body.remove(s)
        own = _statements(module.__name__)
        local = _names(tree, ast.Store) | {a.arg for a in ast.walk(tree) if isinstance(a, ast.arg)}
        renamed = {name: self.shown[module.__name__, name]}
        for used in sorted(places):
            place = places[used]
            if place is not module or (used in own and used not in local):
                renamed[used] = self.add(place, used)
        self.definitions.append(_Renamed(renamed).visit(tree))

    def texts(self) -> list[str]:
        """Print the definitions."""
        return [unparse(ast.fix_missing_locations(tree)) for tree in self.definitions]


def _refuse_what_writes_source(library: _Library) -> None:
    """Refuse a text that would read and write source when it runs."""
    if "import gast" in library.imports:
        raise GradientError(
            "a custom gradient is called here, not spliced, and calling it needs tapeless",
            fix="leave out standalone, or write the custom gradient with one way through",
        )


def _import_of(statement: ast.stmt, alias: ast.alias) -> ast.stmt:
    if isinstance(statement, ast.ImportFrom):
        return ast.ImportFrom(statement.module, [alias], statement.level)
    return ast.Import([alias])


class _Shortened(ast.NodeTransformer):
    """Leaves out annotations, what declares rules, and all but the summary of documentation."""

    def visit_FunctionDef(self, tree: ast.FunctionDef) -> ast.FunctionDef:
        """Shorten a function."""
        self.generic_visit(tree)
        tree.returns = None
        tree.decorator_list = [d for d in tree.decorator_list if _names(d, ast.Load) & _HARMLESS]
        _summarize(tree)
        return tree

    def visit_ClassDef(self, tree: ast.ClassDef) -> ast.ClassDef:
        """Shorten a class; its fields stay declared, for a decorator or base may read them."""
        fields = {s for s in tree.body if isinstance(s, ast.AnnAssign)}
        for field_ in fields:
            field_.annotation = ast.Name("object", ast.Load())
        tree.body = [s if s in fields else self.visit(s) for s in tree.body]
        _summarize(tree)
        return tree

    def visit_arg(self, tree: ast.arg) -> ast.arg:
        """Leave out the annotation of a parameter."""
        return ast.arg(tree.arg)

    def visit_AnnAssign(self, tree: ast.AnnAssign) -> ast.stmt:
        """Leave out the annotation of a variable."""
        if tree.value is None:
            return ast.Pass()
        return ast.Assign([tree.target], tree.value, lineno=tree.lineno)


def _summarize(tree: ast.FunctionDef | ast.ClassDef) -> None:
    text = ast.get_docstring(tree)
    if text is not None:
        tree.body[0] = ast.Expr(ast.Constant(text.partition("\n\n")[0]))


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, tree: ast.Name) -> ast.Name:
        """Return a name as it is in the text."""
        return ast.Name(self.names.get(tree.id, tree.id), tree.ctx)

    def visit_FunctionDef(self, tree: ast.FunctionDef) -> ast.FunctionDef:
        """Rename a function and what it uses."""
        self.generic_visit(tree)
        tree.name = self.names.get(tree.name, tree.name)
        return tree

    def visit_ClassDef(self, tree: ast.ClassDef) -> ast.ClassDef:
        """Rename a class and what it uses."""
        self.generic_visit(tree)
        tree.name = self.names.get(tree.name, tree.name)
        return tree
