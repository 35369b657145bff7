"""Arrays that are copied only if they have to be are asked for in one way.

Whether what comes out is the array itself decides who sees a store into it.

    z = y.astype(float, copy=False)         ->   z = np.asarray(y, dtype=float)
    z = np.array(y, copy=None)              ->   z = np.asarray(y)
    z = np.array(y, ndmin=1, copy=None)     ->   v = np.asarray(y); z = np.atleast_1d(v)
    z = y.flat                              ->   z = y.ravel()
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from tapeless.analysis.interpret.folding import truth_of
from tapeless.externals import is_one_of
from tapeless.kinds import NONE, Array, Number, regions_within
from tapeless.runtime import check_flat
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, quote, quote_expression
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Expr, Stmt


def _array(object: Any, dtype: Any = ..., *, copy: Any = ..., order: Any = ...,
           subok: Any = ..., ndmin: Any = ..., like: Any = ...) -> Any:  # fmt: skip
    """Take what `np.array` takes."""


def _astype(x: Any, dtype: Any, /, *, copy: Any = ..., device: Any = ...) -> Any:
    """Take what `np.astype` takes."""


def _method_astype(self: Any, dtype: Any, order: Any = ..., casting: Any = ...,
                   subok: Any = ..., copy: Any = ...) -> Any:  # fmt: skip
    """Take what the method `astype` of an array takes."""


def view_if_asked(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Write a call that copies an array only if it has to as `np.asarray`; None for any other call."""
    if is_one_of(found, (np.meshgrid,)):
        _check_grids(specializer, tree)
        return None
    given = _given(specializer, tree, found)
    if given is None or to is None or "copy" not in given:
        return None
    owner, *_ = given.values()
    kind = specializer.kind(given["copy"])
    copies = False if kind == NONE else truth_of(kind)
    if copies or not isinstance(specializer.kind(owner), (Array, Number)):
        return None
    depth = getattr(given.pop("ndmin", None), "value", 0)
    plain = {"dtype", "order", "copy"}
    others = [key for key in list(given)[1:] if key not in plain]
    if copies is None or others or depth not in (0, 1, 2):
        if not _is_changed(specializer, tree, owner):
            return None  # nobody sees the difference
        specializer.refuse(
            tree,
            "whether this copies the array, or is the array itself, is not known here",
            "write `np.array(x)` for a copy, or `np.asarray(x)` for the array itself",
        )
    return _asked(specializer, owner, given, kind == NONE or found is not np.array, depth, to)


def _check_grids(specializer: Specializer, tree: Expr) -> None:
    """Refuse grids that are views of vectors, where these or the grids are stored into."""
    asked = [k.value for k in tree.keywords if k.arg == "copy"]
    if asked and not truth_of(specializer.kind(asked[0])):
        if any(_is_changed(specializer, tree, vector) for vector in tree.args):
            specializer.refuse(
                tree,
                "these grids may be views of what is stored into",
                "leave out `copy`: the grids are copies then",
            )


def flat_view(specializer: Specializer, tree: Expr, to: str) -> list[Stmt] | None:
    """Write `x.flat` as the vector of the entries, which is a view where that matters."""
    if not isinstance(specializer.kind(tree.value), (Array, Number)):
        return None
    calls = [part for part in nodes(specializer.function.tree) if type(part) is gast.Call]
    if any(
        getattr(c.func, "id", "") == "next" and reads(c.args[0]) == [to] for c in calls if c.args
    ):
        specializer.refuse(
            tree, "what `next` takes from `x.flat` is not followed", "write a loop over `x.flat`"
        )
    made = [assign(to, quote_expression("x.ravel()", x=tree.value))]
    if not _is_changed(specializer, tree, tree.value):
        return made
    return [*quote("f(x)", f=specializer.external(check_flat), x=tree.value), *made]


def _is_changed(specializer: Specializer, tree: Expr, owner: Expr) -> bool:
    """Whether an array, or what is made of it, is stored into."""
    facts = specializer.facts
    made = [value for s, value in facts.results.items() if getattr(s, "value", None) is tree]
    kinds = [specializer.kind(owner), *(value.kind for value in made)]
    return any(regions_within(kind) & facts.stored for kind in kinds)


def _asked(
    specializer: Specializer,
    owner: Expr,
    given: dict[str, Any],
    may_copy: bool,
    depth: int,
    to: str,
) -> list[Stmt]:
    """Write `np.asarray`, and what makes it of a rank at least."""
    named = ("dtype", "order") if may_copy else ("dtype", "order", "copy")
    kept = {key: given[key] for key in named if key in given}
    numpy = specializer.external(np)
    asked = quote_expression("np.asarray(x)", np=numpy, x=owner)
    asked.keywords = [gast.keyword(key, value) for key, value in kept.items()]
    if not depth:
        return [assign(to, asked)]
    v = specializer.names.fresh("v")
    raised = quote_expression(f"np.atleast_{depth}d(x)", np=numpy, x=v)
    return [assign(v, asked), assign(to, raised)]


def _given(specializer: Specializer, tree: Expr, found: Any) -> dict[str, Any] | None:
    """Return the arguments of such a call by name, the array first; None for any other call."""
    args: list[Any] = list(tree.args)
    if is_one_of(found, (np.array, np.astype)):
        takes: Callable[..., Any] = _array if found is np.array else _astype
    elif type(tree.func) is gast.Attribute and tree.func.attr == "astype":
        takes, args = _method_astype, [tree.func.value, *args]
    else:
        return None
    keywords = {k.arg: k.value for k in tree.keywords}
    if None in keywords or any(type(a) is gast.Starred for a in args):
        return None
    try:
        return dict(inspect.signature(takes).bind(*args, **keywords).arguments)
    except TypeError:
        return None
