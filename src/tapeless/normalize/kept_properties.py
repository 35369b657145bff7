"""A `functools.cached_property` is a function that keeps what it returns in the attribute of its name.

def norm(self):                 def norm(self):
    return np.sum(self.w)   ->      if is_set(self, 'norm'):
                                        return self.norm
                                    self.norm = np.sum(self.w)
                                    return self.norm

Within it the attribute is a plain one. Everywhere else reading it is a call of this function.
"""

from __future__ import annotations

import functools
import types
from typing import Any
from weakref import WeakKeyDictionary

import gast

import tapeless.runtime as runtime
from tapeless.externals import constant
from tapeless.tree.build import at_line_of, const, quote
from tapeless.tree.classes import COMPREHENSIONS, FUNCTIONS, Plainly
from tapeless.tree.endings import always_leaves
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, parameters
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Tree

_MARK = "__keeps_in__"
_made: WeakKeyDictionary[Any, types.FunctionType] = WeakKeyDictionary()


def getter_of(static: Any) -> Any:
    """Return the function that reading an attribute calls, where its class holds a property.

    That of a cached property is a copy which is told apart from the function that it is made of:
    called by itself this keeps nothing.
    """
    if isinstance(static, property):
        return static.fget
    if not isinstance(static, functools.cached_property) or static.attrname is None:
        return None
    if not isinstance(static.func, types.FunctionType):
        return None
    if static not in _made:
        f = static.func
        copy = types.FunctionType(
            f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__
        )
        copy.__qualname__, copy.__module__ = f.__qualname__, f.__module__
        setattr(copy, _MARK, static.attrname)
        _made[static] = copy
    return _made[static]


def keeps_in(function: CoreFunction) -> str | None:
    """Name the attribute in which a function keeps what it returns; None where it keeps nothing."""
    return getattr(function.primal, _MARK, None)


class _Keeping(Transformer):
    """Puts what is returned into the attribute first."""

    def __init__(self, owner: str, attribute: str) -> None:
        self.owner, self.attribute = owner, attribute

    def visit(self, tree: Tree) -> Any:
        return tree if type(tree) in FUNCTIONS | COMPREHENSIONS else super().visit(tree)

    def visit_Return(self, tree: Tree) -> Any:
        text = f"x.{self.attribute} = v; return x.{self.attribute}"
        store, read = quote(text, x=self.owner, v=tree.value or const(None))
        store.targets[
            0
        ].ctx = Plainly()  # it is put into the dict of the object, whatever its class says
        return [at_line_of(s, tree) for s in (store, read)]


def kept_properties(function: CoreFunction) -> CoreFunction:
    """Let the function of a cached property keep its result.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> class Model:
    ...     norm = functools.cached_property(lambda self: np.sum(self.w))
    >>> getter = getter_of(vars(Model)["norm"])
    >>> tree = gast.parse("def norm(self): return np.sum(self.w)").body[0]
    >>> print(unparse(kept_properties(CoreFunction(tree, primal=getter)).tree).strip())
    def norm(self):
        if is_set(self, "norm"):
            return self.norm
        object.__setattr__(self, "norm", np.sum(self.w))
        return self.norm
    """
    attribute = keeps_in(function)
    if attribute is None or function.captured:
        return function
    owner = parameters(function.tree)[0]
    asked = Names(function.names()).fresh(runtime.is_set.__name__)
    start = f"if asked(x, {attribute!r}): return x.{attribute}"
    first = [at_line_of(s, function.tree) for s in quote(start, asked=asked, x=owner)]
    body = function.tree.body
    body = body if always_leaves(body) else [*body, gast.Return(None)]
    kept = function.with_body([*first, *_Keeping(owner, attribute).listed(body)])
    kept.externals[asked] = constant(runtime.is_set, asked)
    return kept
