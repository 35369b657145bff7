"""Imports inside a function become names that the function finds outside, as others do.

def f(x): import math as m; return m.sin(x)   ->   def f(x): return m.sin(x), where m is math
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import gast

from tapeless.externals import External, constant
from tapeless.set_in_texts import is_set_in_text
from tapeless.tree.build import assign, at_line_of, const, name
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Tree


class _Binder(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.externals = function.externals
        self.taken = function.names()
        self.package = getattr(function.primal, "__globals__", {}).get("__package__")

    def visit_Import(self, tree: Tree) -> Any:
        for alias in tree.names:
            try:
                module = importlib.import_module(alias.name)
            except ImportError as error:
                return at_line_of(_raising(error), tree)
            top = alias.name.partition(".")[0]
            key = alias.asname or top
            self.externals[key] = constant(module if alias.asname else sys.modules[top], key)
        return gast.Pass()

    def visit_ImportFrom(self, tree: Tree) -> Any:
        path = "." * (tree.level or 0) + (tree.module or "")
        taken: list[Any] = []
        for alias in tree.names:
            try:
                module = importlib.import_module(path, self.package)
            except ImportError as error:
                return at_line_of(_raising(error), tree)
            if not hasattr(module, alias.name):
                try:
                    found = importlib.import_module(f"{path}.{alias.name}", self.package)
                except ImportError as error:
                    return at_line_of(_raising(error), tree)
                self.externals[alias.asname or alias.name] = constant(found, alias.name)
                continue
            key = alias.asname or alias.name
            if is_set_in_text(module, alias.name):
                taken.append(at_line_of(assign(key, self.attribute(module, alias.name)), tree))
            else:
                self.externals[key] = External(vars(module), alias.name)
        return taken or gast.Pass()

    def attribute(self, module: Any, key: str) -> Any:
        """Write what a module holds by a name at the time of an import."""
        wish = module.__name__.rpartition(".")[2].strip("_")
        label = Names({*self.taken, *self.externals}).fresh(wish)
        self.externals[label] = constant(module, label)
        return gast.Attribute(name(label), key, gast.Load())


def _raising(error: ImportError) -> Any:
    """Write what an import that fails does, where it stands: a handler may wait for it."""
    made = gast.Call(name(type(error).__name__), [const(str(error))], [])
    return gast.Raise(made, None)


def bind_imports(function: CoreFunction) -> CoreFunction:
    """Take the imports out of a function; what they import becomes external.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> f = CoreFunction(parse_function('def f(x):\\n    import math as m\\n    return m.sin(x)'))
    >>> bind_imports(f).externals["m"].value.__name__
    'math'
    """
    binder = _Binder(function)
    return function.with_body(binder.listed(function.tree.body))
