"""Calls, by what they call and what they are given.

The rewrites are asked in turn; the first that has another way to write the call decides.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import typing
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import as_items
from tapeless.analysis.function_values import is_bound
from tapeless.analysis.interpret.containers import method_of_counter
from tapeless.analysis.interpret.fields import FIELD_WISE
from tapeless.analysis.interpret.iterators import AT_ONCE
from tapeless.analysis.interpret.parts import TAKING_APART
from tapeless.analysis.interpret.special_calls import (
    BUILT_IN,
    has_method,
    is_made_array_of,
    is_sequence_like,
    visited_by,
)
from tapeless.analysis.interpret.superclasses import calls_super
from tapeless.analysis.special_methods import stores_something
from tapeless.externals import MISSING, is_one_of, package_of
from tapeless.kinds import (
    RANGE,
    Array,
    Dict,
    Function,
    Functions,
    Inert,
    Instance,
    Iterator,
    Kind,
    List,
    Number,
    Sequence,
    Sparse,
    Tuple,
    is_listed,
)
from tapeless.runtime import dict_of_mapping, full, full_items, sequence
from tapeless.specialize.adjoint_records import added_by_key, copied_record
from tapeless.specialize.array_calls import plain_array_call
from tapeless.specialize.asked_views import view_if_asked
from tapeless.specialize.containers import (
    DICT_METHODS,
    LIST_METHODS,
    made_dict,
)
from tapeless.specialize.copies import copied
from tapeless.specialize.draws import entries_drawn
from tapeless.specialize.fields import fields_written
from tapeless.specialize.function_values import (
    built_in_method_call,
    call_of_bound,
    call_of_partial,
    chosen_call,
    held_function,
    method_call,
    partial_call,
)
from tapeless.specialize.generators import is_generated
from tapeless.specialize.given_lists import arrays_given, takes_arrays
from tapeless.specialize.in_place import in_place_call
from tapeless.specialize.known_names import of_module, with_name_written
from tapeless.specialize.listed import listed
from tapeless.specialize.operator_calls import operator_call
from tapeless.specialize.parts import written_parts
from tapeless.specialize.records import (
    kept_attribute,
    namespace_made,
    own_attributes_read,
    record_method,
    reflection,
)
from tapeless.specialize.sparse import function_of_entries, method_of_sparse_array, solution
from tapeless.specialize.special_methods import special_method
from tapeless.specialize.starred import keywords_call, starred_call
from tapeless.specialize.state import Specializer
from tapeless.specialize.superclasses import super_call
from tapeless.tree.build import (
    assign,
    name,
    quote,
    quote_expression,
)
from tapeless.tree.trees import Expr, Stmt
from tapeless.variables import is_variable


def call(specializer: Specializer, tree: Expr, to: str | None) -> list[Stmt] | None:
    """Write a call, whose value is bound to `to` if that is a name; None where it stands as it is."""
    if calls_super(tree, specializer.function):
        return super_call(specializer, tree, to)
    found = specializer.function.resolve(tree.func)
    for rewrite in _REWRITES:
        made = rewrite(specializer, tree, found, to)
        if made is not None:
            return made
    return None


def _spread(specializer: Specializer, tree: Expr, found: Any, to: str | None) -> list[Stmt] | None:
    """Write out what `*` and `**` pass: how many arguments `*` may pass, the keywords decide.

    Which of several functions is called, decides first: what a dict passes may go with one of them alone.
    """
    spread = None
    if type(tree.func) is gast.Name and isinstance(specializer.kind(tree.func), Functions):
        return None
    if any(k.arg is None for k in tree.keywords):
        spread = keywords_call(specializer, tree, to)
    if spread is None and any(type(a) is gast.Starred for a in tree.args):
        spread = starred_call(specializer, tree, to)
    return spread


def _of_value(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Write a call of a function that is a value: one of several, or one with values of its own.

    A named tuple that is called has a method for it.
    """
    kind = specializer.kind(tree.func) if type(tree.func) is gast.Name else Kind()
    if isinstance(kind, Functions):
        return chosen_call(specializer, tree, kind, to)
    called = built_in_method_call(specializer, tree, kind, to) or method_call(
        specializer, tree, kind, to
    )
    if called is None and is_bound(kind):
        return call_of_bound(specializer, tree, kind, to)
    if isinstance(kind, Tuple) and has_method(kind, "__call__"):
        method = gast.Attribute(tree.func, "__call__", gast.Load())
        made = gast.Call(method, tree.args, tree.keywords)
        return [gast.Expr(made) if to is None else assign(to, made)]
    meant = kind.value if isinstance(kind, Function) else found
    return called or call_of_partial(specializer, tree, meant, to)


def _binding(specializer: Specializer, tree: Expr, found: Any, to: str | None) -> list[Stmt] | None:
    """Write a call of a built-in function whose value is bound."""
    if to is None:
        return None
    if found is functools.partial:
        return partial_call(specializer, tree, to)
    if found is typing.cast and len(tree.args) == 2:
        return [assign(to, tree.args[1])]
    if tree.args and found is dict and has_method(specializer.kind(tree.args[0]), "keys"):
        key = specializer.names.fresh("table")
        taken = gast.Call(name(specializer.external(dict_of_mapping)), tree.args, [])
        return [assign(key, taken), assign(to, gast.Call(tree.func, [name(key)], tree.keywords))]
    if tree.args and is_one_of(found, AT_ONCE):
        if visited_by(specializer.kind(tree.args[0])) is not None:
            return _taken_from_object(specializer, tree, found, to)
    if found is sequence:
        return _as_sequence(specializer, tree, to)
    if found is full_items:
        return _items_made_full(specializer, tree, to)
    if is_one_of(found, (copy.copy, copy.deepcopy)):
        return copied(specializer, tree, found is copy.deepcopy, to)
    if is_one_of(found, FIELD_WISE):
        return fields_written(specializer, tree, found, to)
    if is_one_of(found, TAKING_APART):
        return written_parts(specializer, tree, found, to)
    items = listed(specializer, tree, found, to)
    if items is not None:
        return items
    if is_one_of(found, (dict, OrderedDict)):
        return made_dict(specializer, tree, to, found)
    made = namespace_made(specializer, tree, found, to)
    return made or operator_call(specializer, tree, found, to)


def _taken_from_object(specializer: Specializer, tree: Expr, found: Any, to: str) -> list[Stmt]:
    """Write a call that goes through an object as one that goes through what its `__iter__` gives."""
    key = specializer.names.fresh("v")
    used = gast.Call(tree.func, [name(key), *tree.args[1:]], tree.keywords)
    begun = specializer.begun(tree.args[0], key)
    hint = _length_asked(specializer, tree.args[0], found)
    return [*hint, *begun, assign(to, used)]


def _length_asked(specializer: Specializer, owner: Expr, found: Any) -> list[Stmt]:
    """Write how a list asks an object for its length; not again what the object gave to go through it."""
    own = isinstance(owner, gast.Name) and owner.id in specializer.iterators
    asks = found in (list, tuple, sorted) and not own
    return specializer.asked_for_length(owner) if asks else []


_ITEMS_MADE_FULL = """
y = []
for g_item, x_item in zip(g, x):
    item = f(g_item, x_item)
    y.append(item)
"""


def _items_made_full(specializer: Specializer, tree: Expr, to: str) -> list[Stmt] | None:
    """Write the full adjoint of a sequence item by item, where it is known what the items are."""
    g, x = tree.args
    kind, facts = specializer.kind(x), specializer.facts
    held = as_items(kind, facts.heap, "full") if isinstance(kind, (List, Sequence)) else kind
    if not isinstance(held, Sequence) or not isinstance(held.item, Array | Tuple | List):
        return None
    wishes = ("g_item", "x_item", "item")
    holes = {wish: specializer.names.fresh(wish) for wish in wishes}
    return quote(_ITEMS_MADE_FULL, y=to, g=g, x=x, f=specializer.external(full), **holes)


def _as_sequence(specializer: Specializer, tree: Expr, to: str) -> list[Stmt] | None:
    kind = specializer.kind(tree.args[0])
    if isinstance(kind, Instance):
        return specializer.items_of(tree.args[0], to)
    if isinstance(kind, (Dict, Inert, Iterator)) or is_generated(specializer, tree.args[0]):
        return [assign(to, gast.Call(name("list"), tree.args, []))]
    return [assign(to, tree.args[0])] if is_listed(kind) or isinstance(kind, Array) else None


def _looking(specializer: Specializer, tree: Expr, found: Any, to: str | None) -> list[Stmt] | None:
    """Write a call that asks an object, or looks at the items of a thing."""
    if not tree.args:
        return None
    kind = specializer.kind(tree.args[0])
    known = of_module(specializer, tree, found, to)
    if known is not None:
        return known
    by_key = own_attributes_read(specializer, tree, found, to)
    if by_key is not None:
        return by_key
    if is_one_of(found, (getattr, dataclasses.replace)):
        return reflection(specializer, tree, found, to)
    kept = kept_attribute(specializer, tree, found, to)
    if kept is not None:
        return kept
    if (
        found is iter
        and len(tree.args) == 1
        and to is not None
        and specializer.function.gives_items
    ):
        if isinstance(kind, (Array, List, Tuple, Sequence)):
            return [assign(to, tree.args[0])]
        if isinstance(kind, Dict):
            return [assign(to, gast.Call(name("list"), tree.args, []))]
    if is_one_of(found, (max, min, sorted)) and to is not None:
        refuse_changed_by_reading(specializer, tree, found)
        return ordered(specializer, tree, to)
    if is_one_of(found, BUILT_IN) and has_method(kind, BUILT_IN[found]):
        if found is next and tree.args[1:]:
            return None
        return specializer.called(tree.args[0], BUILT_IN[found], tree.args[1:], to)
    return None


def _of_arrays(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Write a call of a function of arrays."""
    listed = _objects_listed(specializer, tree, found, to)
    if listed is not None:
        return listed
    if is_one_of(found, (np.subtract.at,)) and to is None and len(tree.args) == 3:
        numpy, key = specializer.external(np), specializer.names.fresh("v")
        negative = assign(key, quote_expression("np.negative(v)", np=numpy, v=tree.args[2]))
        a, i, _ = tree.args
        return [negative, *quote("np.add.at(a, i, v)", np=numpy, a=a, i=i, v=key)]
    plain = solution(specializer, tree, found, to) or entries_drawn(specializer, tree, found, to)
    plain = plain or function_of_entries(specializer, tree, found, to)
    plain = plain or plain_array_call(specializer, tree, found, to)
    if plain is None and takes_arrays(found):
        return arrays_given(specializer, tree, found, to)
    return plain


def _objects_listed(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Make lists of the objects that a function of NumPy makes arrays of, as it does."""
    if found is MISSING or package_of(found) != "numpy":
        return None
    made: list[Stmt] = []

    def given(arg: Any) -> Any:
        first = bool(tree.args) and arg is tree.args[0]
        if first and is_made_array_of(found, specializer.kind(arg)):
            key = specializer.names.fresh("v")
            made.extend(specializer.called(arg, "__array__", [], key))
            return name(key)
        if not is_sequence_like(specializer.kind(arg)):
            return arg
        key = specializer.names.fresh("v")
        made.extend(specializer.items_of(arg, key))
        return name(key)

    keywords = [gast.keyword(k.arg, given(k.value)) for k in tree.keywords]
    call = gast.Call(tree.func, [given(arg) for arg in tree.args], keywords)
    return [*made, gast.Expr(call) if to is None else assign(to, call)] if made else None


def _of_method(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Write a call of a method, by the kind of its owner."""
    func = tree.func
    if found is not MISSING or type(func) is not gast.Attribute:
        return None
    owner = specializer.kind(func.value)
    cls = _class_asked(specializer, func, owner)
    if cls is not None:
        of_class = gast.Attribute(name(specializer.external(cls)), func.attr, gast.Load())
        made = gast.Call(of_class, tree.args, tree.keywords)
        return [gast.Expr(made) if to is None else assign(to, made)]
    if isinstance(owner, Sparse):
        return method_of_sparse_array(specializer, tree, owner, to)
    if isinstance(owner, Array) and func.attr in ("sort", "partition") and to is None:
        return ordered_in_place(specializer, tree, func.value)
    if isinstance(owner, Array) and func.attr == "put" and to is None:
        plain = gast.Call(func, [func.value, *tree.args], tree.keywords)
        return plain_array_call(specializer, plain, np.put, to)
    if isinstance(owner, (Array, Number)):
        of_arrays = getattr(np.ndarray, func.attr, MISSING)
        return arrays_given(specializer, tree, of_arrays, to) if takes_arrays(of_arrays) else None
    if held_function(specializer, func, owner):
        key = specializer.names.fresh(func.attr)
        held = gast.Call(name(key), tree.args, tree.keywords)
        return [assign(key, func), gast.Expr(held) if to is None else assign(to, held)]
    if isinstance(owner, Tuple) and owner.cls is not tuple:
        return record_method(specializer, tree, owner, to)
    counted = method_of_counter(owner, func.attr)
    if counted is not None:
        of_counter = name(specializer.external(counted))
        made = gast.Call(of_counter, [func.value, *tree.args], tree.keywords)
        return [gast.Expr(made) if to is None else assign(to, made)]
    methods = {List: LIST_METHODS, Dict: DICT_METHODS}.get(type(owner), {})
    method = methods.get(func.attr)
    return None if method is None else method(specializer, tree, func.value, to)


def _class_asked(specializer: Specializer, func: Expr, owner: Kind) -> type | None:
    """Return the class whose method is called on the class itself: `type(v).of(x)`, or `v.of(x)`."""
    if isinstance(owner, Function):
        return owner.value if isinstance(owner.value, type) else None
    if not isinstance(owner, Instance) or owner.choices:
        return None
    static = inspect.getattr_static(owner.cls, func.attr, None)
    of_class = isinstance(static, classmethod) and not held_function(specializer, func, owner)
    return owner.cls if of_class else None


_REWRITES: tuple[Callable[[Specializer, Expr, Any, str | None], list[Stmt] | None], ...] = (
    _spread,
    with_name_written,
    in_place_call,
    special_method,
    _of_value,
    _binding,
    copied_record,
    added_by_key,
    _looking,
    view_if_asked,
    _of_arrays,
    _of_method,
)


def refuse_changed_by_reading(specializer: Specializer, tree: Expr, found: Any) -> None:
    """Refuse to order what an object gives by index, if it changes when it is asked."""
    kind = specializer.kind(tree.args[0])
    if not isinstance(kind, Instance) or is_variable(kind):
        return
    for method in ("__getitem__", "__len__"):
        if stores_something(kind.cls, method):
            specializer.refuse(
                tree, f"`{found.__name__}` asks `{method}` of class {kind.cls.__name__}, which "
                "changes something, an unknown number of times",
                "make a list of the items first",
            )  # fmt: skip


def ordered(specializer: Specializer, tree: Expr, to: str) -> list[Stmt] | None:
    """Write out the list that `max`, `min` and `sorted` look at: tuples side by side, a dict's keys.

    With `key=` the greatest and the least are found by their place: a set has none.
    """
    kinds = [specializer.kind(a) for a in tree.args]
    given: Any = gast.Call(name("list"), tree.args, [])
    starred = any(type(a) is gast.Starred for a in tree.args)
    if starred or len(kinds) > 1 and any(isinstance(k, (Tuple, Sequence, List)) for k in kinds):
        given = gast.List(tree.args, gast.Load())
    elif not isinstance(kinds[0], Dict) and not (tree.keywords and _is_placeless(kinds[0])):
        return None
    key = specializer.names.fresh("v")
    return [assign(key, given), assign(to, gast.Call(tree.func, [name(key)], tree.keywords))]


def _is_placeless(kind: Kind) -> bool:
    """Whether what is gone through may have no item at a place."""
    return isinstance(kind, Inert) and kind != RANGE


def ordered_in_place(specializer: Specializer, tree: Expr, owner: Expr) -> list[Stmt]:
    """Write `a.sort()` as a store of the sorted array."""
    key = specializer.names.fresh("v")
    function = gast.Attribute(name(specializer.external(np)), tree.func.attr, gast.Load())
    made = gast.Call(function, [owner, *tree.args], tree.keywords)
    return [assign(key, made), *quote("x[...] = v", x=owner, v=key)]
