"""What a statement means depends on what its operands are: operators, items and methods, spelled out.

Where an operand is an object of the user's, `a + b` is a call of `a.__add__`, `a[i]` one of
`a.__getitem__`, `a.p = v` may be one of a property's setter, and `super().m()` calls the method of the
class that follows. Methods of lists and dicts that move several slots are made of those that move one.
So what follows has to know calls, stores, `append`, `insert` and `pop` only.

    w = u + v           ->   w = u.__add__(v)               where u is an object
    u += v              ->   u = u.__iadd__(v)
    items.sort()        ->   v = sorted(items); items[:] = v
    d.update(e)         ->   for k in e: v = e[k]; d[k] = v
    if u is None: ...   ->   ...                         where the kinds decide

The kinds come from the analysis of the function as it stands; it is analysed again afterwards.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import types
import typing
from dataclasses import replace
from typing import Any, NoReturn

import gast
import numpy as np

from tapeless.analysis.function_values import (
    bound,
    bound_method,
    built_in_method_call,
    call_of_bound,
    call_of_partial,
    chosen_call,
    held_function,
    is_bound,
    method_of_record,
    partial_call,
    returned_closure,
)
from tapeless.analysis.imaginary_parts import imaginary_of, is_read_before_stores
from tapeless.analysis.interpret.run import Interpretation
from tapeless.analysis.interpret.special_calls import BINARY, BUILT_IN, UNARY, has_method
from tapeless.analysis.pullback_values import is_varied_vjp, written_pullback
from tapeless.analysis.special_methods import stores_something
from tapeless.externals import MISSING, constant, is_one_of
from tapeless.kinds import (
    BOOL,
    UNKNOWN,
    Array,
    Dict,
    Functions,
    Inert,
    Instance,
    Integer,
    Iterator,
    Kind,
    List,
    Number,
    Real,
    Sequence,
    Tuple,
    is_container,
    is_listed,
    is_number,
    regions_of,
)
from tapeless.normalize.split_tuples import split_tuples
from tapeless.rules.declare import find_rule
from tapeless.rules.traits import traits_of
from tapeless.runtime import imaginary_part, sequence
from tapeless.specialize.array_calls import joined_display, plain_array_call
from tapeless.specialize.copies import copied
from tapeless.specialize.generators import check_generator
from tapeless.specialize.in_place import in_place_call
from tapeless.specialize.listed import AT_ONCE, listed
from tapeless.specialize.operator_calls import operator_call
from tapeless.specialize.several_classes import by_class
from tapeless.specialize.starred import keywords_call, starred_call, starred_display
from tapeless.tree.build import (
    as_load,
    as_store,
    assign,
    at_line_of,
    const,
    name,
    quote,
    quote_expression,
)
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes, parameters
from tapeless.variables import is_variable

_METHODS = (types.FunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)


def spelled_out(function: CoreFunction, facts: Any, program: Any) -> CoreFunction | None:
    """Spell out the statements of a function whose meaning the kinds decide.

    Returns
    -------
    The function with these statements written in terms of calls and stores of single slots; None
    where there are none.
    """
    specializer = _Specializer(function, facts, program)
    body = specializer.block(function.tree.body)
    if not specializer.changed:
        return None
    tree = gast.FunctionDef(function.tree.name, function.tree.args, body, [], None, None, [])
    tree.lineno = getattr(function.tree, "lineno", 1)
    return split_tuples(replace(function, tree=tree))


class _Specializer:
    def __init__(self, function: CoreFunction, facts: Any, program: Any) -> None:
        self.function = function
        self.facts = facts
        self.names = Names(function.names())
        self.interpreter = Interpretation(function, program)
        self.interpreter.heap = facts.heap
        self.interpreter.varied = facts.varied
        self.changed = False
        self.after: list[Any] = []  # what follows the present statement in its block
        self.iterators = {
            part.targets[0].id
            for part in nodes(function.tree)
            if isinstance(part, gast.Assign)
            and isinstance(part.targets[0], gast.Name)
            and getattr(getattr(part.value, "func", None), "attr", "") == "__iter__"
        }

    def block(self, statements: list[Any]) -> list[Any]:
        made: list[Any] = []
        for i, s in enumerate(statements):
            self.env, self.after = self.facts.before.get(s), statements[i + 1 :]
            taken = self.taken(s)
            if taken is not None:
                self.changed = True
                made += self.block(taken)
                if made and isinstance(made[-1], gast.Return | gast.Break | gast.Continue):
                    break
                continue
            found = None if self.env is None else self.statement(s)
            if found is not None:
                self.changed = True
                made += [at_line_of(part, s) for part in found]
            else:
                made.append(self.inside(s))
        return made

    def taken(self, s: Any) -> list[Any] | None:
        """Return the branch of an `if` that is taken, where the kinds decide: the other was not followed.

        A property that the test reads is still called: it may store into its object.
        """
        if not isinstance(s, gast.If) or self.env is None:
            return None
        test = self.interpreter.eval(s.test, dict(self.env)).kind
        if not isinstance(test, Inert) or test.what != "bool" or test.value is None:
            return None
        attributes = [part for part in nodes(s.test) if isinstance(part, gast.Attribute)]
        called = [tree for tree in attributes if is_property(self.kind(tree.value), tree.attr)]
        kept = [at_line_of(assign(self.names.fresh("v"), tree), s) for tree in called]
        return [*kept, *(s.body if test.value else s.orelse)]

    def inside(self, s: Any) -> Any:
        """Spell out the blocks of a compound statement."""
        if not isinstance(s, gast.If | gast.For | gast.While | gast.With | gast.Try):
            return s
        before = self.changed
        self.changed = False
        fields = {}
        for key in ("body", "orelse", "finalbody"):
            if getattr(s, key, None):
                fields[key] = self.block(getattr(s, key)) or [gast.Pass()]
        if getattr(s, "handlers", None):
            fields["handlers"] = [self.handler(handler) for handler in s.handlers]
        if not self.changed:
            self.changed = before
            return s
        made = type(s)(**{key: fields.get(key, getattr(s, key)) for key in s._fields})
        return gast.copy_location(made, s)

    def handler(self, handler: Any) -> Any:
        body = self.block(handler.body) or [gast.Pass()]
        return at_line_of(gast.ExceptHandler(handler.type, handler.name, body), handler)

    def kind(self, tree: Any) -> Kind:
        """Return the kind of an atom."""
        if isinstance(tree, gast.Name | gast.Constant | gast.Attribute):
            found: Kind = self.interpreter.eval(tree, dict(self.env or {})).kind
            return found
        return Kind()

    def statement(self, s: Any) -> list[Any] | None:
        """Spell out one statement; None where it stands as it is."""
        chosen = by_class(self, s)
        if chosen is not None:
            return chosen
        callee = self.facts.callees.get(s)
        if callee is not None and callee.function.yields:
            check_generator(self, s, callee)
        if isinstance(s, gast.For):
            return self.loop(s)
        if isinstance(s, gast.AugAssign):
            return self.augmented(s)
        if isinstance(s, gast.Expr):
            return self.expression(s.value, None)
        if isinstance(s, gast.Return):
            return returned_closure(self, s)
        if not isinstance(s, gast.Assign):
            return None
        place = s.targets[0]
        if isinstance(place, gast.Name):
            return self.expression(s.value, place.id)
        if isinstance(place, gast.Subscript):
            return self.item_store(place, s.value)
        if isinstance(place, gast.Attribute):
            return self.attribute_store(place, s.value)
        return self.unpacking(s)

    # Objects

    def called(self, owner: Any, method: str, args: list[Any], to: str | None) -> list[Any]:
        made = gast.Call(gast.Attribute(as_load(owner), method, gast.Load()), args, [])
        return [gast.Expr(made) if to is None else assign(to, made)]

    def items_of(self, owner: Any, to: str) -> list[Any]:
        """Write the list of what an object gives one by one, with no guess of how long it will be."""
        if not has_method(self.kind(owner), "__iter__"):
            return [assign(to, gast.Call(name("list"), [owner], []))]
        key = self.names.fresh("v")
        begun = self.called(owner, "__iter__", [], key)
        return [*begun, assign(to, gast.Call(name("list"), [name(key)], []))]

    def asked_for_length(self, owner: Any) -> list[Any]:
        """Write the call of `__len__` by which Python guesses how long a list will be.

        It stands where what it stores can be seen, and not where it stores nothing.
        """
        kind = self.kind(owner)
        if not has_method(kind, "__len__") or not stores_something(kind.cls, "__len__"):  # type: ignore[attr-defined]
            return []
        return self.called(owner, "__len__", [], self.names.fresh("_"))

    def expression(self, tree: Any, to: str | None) -> list[Any] | None:
        if isinstance(tree, gast.BinOp):
            return self.binary(tree, to)
        if isinstance(tree, gast.UnaryOp) and type(tree.op).__name__ in UNARY:
            method = UNARY[type(tree.op).__name__]
            if has_method(self.kind(tree.operand), method):
                return self.called(tree.operand, method, [], to)
        if isinstance(tree, gast.Subscript) and has_method(self.kind(tree.value), "__getitem__"):
            first, index = self.index(tree.slice)
            return [*first, *self.called(tree.value, "__getitem__", [index], to)]
        if isinstance(tree, gast.Subscript) and to is not None:
            joined = joined_display(self, tree, to)
            if joined is not None:
                return joined
            spread = self.spread_index(tree) or self.spread_slice(tree)
            if spread is not None:
                return [*spread[0], assign(to, spread[1])]
        if isinstance(tree, gast.Attribute) and _is_super(tree.value, self.function):
            return self.super_attribute(tree, to or self.names.fresh("v"))
        if isinstance(tree, gast.Attribute) and to is not None:
            taken = bound_method(self, tree, to) or self.record_property(tree, to)
            if taken is not None:
                return taken
        viewed = None if to is None else imaginary_of(self, tree)
        if viewed is not None and to is not None and is_read_before_stores(self, to):
            copier = name(self.external(imaginary_part))
            return [assign(to, gast.Call(copier, [viewed], []))]
        if isinstance(tree, gast.Attribute) and tree.attr == "flat" and to is not None:
            if isinstance(self.kind(tree.value), Array | Number):
                return [assign(to, quote_expression("x.ravel()", x=tree.value))]
        if isinstance(tree, gast.Tuple | gast.List) and to is not None:
            return starred_display(self, tree, to)
        if isinstance(tree, gast.Dict) and None in tree.keys and to is not None:
            return self.merged_display(tree, to)
        if isinstance(tree, gast.Call) and to is not None and is_varied_vjp(self, tree):
            return written_pullback(self, tree, to)
        if isinstance(tree, gast.Call):
            return self.call(tree, to)
        return None

    def binary(self, tree: Any, to: str | None) -> list[Any] | None:
        stem = BINARY[type(tree.op).__name__]
        left, right = self.kind(tree.left), self.kind(tree.right)
        if has_method(left, f"__{stem}__"):
            return self.called(tree.left, f"__{stem}__", [tree.right], to)
        if left != UNKNOWN and has_method(right, f"__r{stem}__"):
            self.check_reflected(tree, left, right)
            return self.called(tree.right, f"__r{stem}__", [tree.left], to)
        if to is not None and joins_array(left, right, tree.op):
            return self.with_array(tree, to, 0 if is_listed(left) else 1)
        if stem == "or" and isinstance(left, Dict) and isinstance(right, Dict) and to is not None:
            copied = assign(to, quote_expression("d.copy()", d=tree.left))
            return [copied, *self.updated(name(to), tree.right)]
        return None

    def with_array(self, tree: Any, to: str, listed: int) -> list[Any]:
        """Make an array of a list or tuple that stands beside one, as NumPy does."""
        sides = [tree.left, tree.right]
        key = self.names.fresh("v")
        made = quote_expression("np.array(x)", np=self.external(np), x=sides[listed])
        sides[listed] = name(key)
        return [assign(key, made), assign(to, gast.BinOp(sides[0], tree.op, sides[1]))]

    def check_reflected(self, tree: Any, left: Kind, right: Any) -> None:
        """NumPy's numbers take an object that looks like a sequence for an array."""
        if isinstance(tree.left, gast.Constant) or isinstance(left, Integer | Instance):
            return
        if getattr(right.cls, "__array_ufunc__", ...) is None:
            return
        sequence = any(hasattr(right.cls, m) for m in ("__len__", "__getitem__", "__array__"))
        if sequence or isinstance(left, Array):
            self.refuse(
                tree,
                f"NumPy may take an object of class {right.cls.__name__} for an array here",
                "write the object on the left, or give its class `__array_ufunc__ = None`",
            )

    def refuse(self, tree: Any, reason: str, fix: str) -> NoReturn:
        raise self.function.error(tree, reason, fix)

    def index(self, tree: Any) -> tuple[list[Any], Any]:
        """Return an index as an atom."""
        if isinstance(tree, gast.Name | gast.Constant):
            return [], tree
        if isinstance(tree, gast.Slice):
            parts = [const(None) if p is None else p for p in (tree.lower, tree.upper, tree.step)]
            tree = gast.Call(name("slice"), parts, [])
        key = self.names.fresh("i")
        return [assign(key, tree)], name(key)

    def spread_index(self, place: Any) -> tuple[list[Any], Any] | None:
        """Write `a[at]`, where `at` is a tuple, as `a[i, j]`: an index for each dimension."""
        at = place.slice
        if not isinstance(at, gast.Name) or not isinstance(self.kind(place.value), Array | Number):
            return None
        kind = self.kind(at)
        if not isinstance(kind, Tuple):
            return None
        keys = [self.names.fresh(f"{at.id}_{i}") for i in range(len(kind.items))]
        first = [
            assign(key, gast.Subscript(name(at.id), const(i), gast.Load()))
            for i, key in enumerate(keys)
        ]
        index = gast.Tuple([name(key) for key in keys], gast.Load())
        return first, gast.Subscript(as_load(place.value), index, gast.Load())

    def spread_slice(self, place: Any) -> tuple[list[Any], Any] | None:
        """Write `items[s]`, where `s` is a slice, as `items[a:b:c]`."""
        at = place.slice
        if not isinstance(at, gast.Name) or self.kind(at) != Inert("slice"):
            return None
        if not isinstance(self.kind(place.value), List | Tuple | Sequence):
            return None
        ends = ("start", "stop", "step")
        keys = [self.names.fresh(end) for end in ends]
        first = [
            assign(key, gast.Attribute(name(at.id), end, gast.Load()))
            for key, end in zip(keys, ends, strict=True)
        ]
        index = gast.Slice(*(name(key) for key in keys))
        return first, gast.Subscript(as_load(place.value), index, gast.Load())

    def item_store(self, place: Any, value: Any) -> list[Any] | None:
        spread = self.spread_index(as_load(place)) or self.spread_slice(as_load(place))
        if spread is not None:
            return [*spread[0], assign(spread[1], value)]
        kind = self.kind(value)
        if isinstance(kind, Instance) and not is_variable(kind):
            if isinstance(self.kind(place.value), Array):
                self.refuse(
                    place, f"an object of class {kind.cls.__name__} is stored into an array",
                    "store the numbers or the array that it holds",
                )  # fmt: skip
            if isinstance(place.slice, gast.Slice) and isinstance(self.kind(place.value), List):
                items = self.names.fresh("v")
                return [*self.items_of(value, items), gast.Assign([place], name(items), None)]
        if not has_method(self.kind(place.value), "__setitem__"):
            return None
        first, index = self.index(as_load(place).slice)
        return [*first, *self.called(place.value, "__setitem__", [index, value], None)]

    def attribute_store(self, place: Any, value: Any) -> list[Any] | None:
        owner = self.kind(place.value)
        if not isinstance(owner, Instance):
            return None
        static = inspect.getattr_static(owner.cls, place.attr, None)
        if not isinstance(static, property) or static.fset is None:
            return None
        cls = next(c for c in owner.cls.__mro__ if place.attr in vars(c))
        text = f"c.{place.attr}.fset(o, v)"
        call = quote_expression(text, c=self.external(cls), o=as_load(place.value), v=value)
        return [gast.Expr(call)]

    def external(self, value: Any) -> str:
        """Return the name by which the function reaches a class, a module or a helper."""
        local = self.function.local
        for key, present in self.function.externals.items():
            if present.value is value and key not in local:
                return key
        label = str(value.__name__)
        key = self.names.fresh("np" if value is np else label if label.isidentifier() else "f")
        self.function.externals[key] = constant(value, value.__name__)
        return key

    def augmented(self, s: Any) -> list[Any] | None:
        place = as_load(s.target)
        stem = BINARY[type(s.op).__name__]
        changed = self.interpreter.eval(place, dict(self.env or {})).kind
        value = self.kind(s.value)
        if not is_listed(changed) and joins_array(changed, value, s.op):
            key = self.names.fresh("v")
            made = quote_expression("np.array(x)", np=self.external(np), x=s.value)
            return [assign(key, made), gast.AugAssign(s.target, s.op, name(key))]
        if isinstance(place, gast.Name):
            kind = self.kind(place)
            v = self.names.fresh("v")
            if has_method(kind, f"__i{stem}__"):
                return [*self.called(place, f"__i{stem}__", [s.value], v), assign(place, name(v))]
            if isinstance(kind, Instance) or (
                kind != UNKNOWN and isinstance(self.kind(s.value), Instance)
            ):
                return [assign(v, gast.BinOp(place, s.op, s.value)), assign(place, name(v))]
            if stem == "or" and isinstance(kind, Dict):
                return self.updated(place, s.value)
            if stem == "mul" and isinstance(kind, List):
                return self.whole(place, gast.BinOp(place, gast.Mult(), s.value))
            return None
        if isinstance(place, gast.Subscript):
            spread = self.spread_index(place)
            if spread is not None:
                return [*spread[0], gast.AugAssign(as_store(spread[1]), s.op, s.value)]
        owner = self.kind(place.value)
        slot = self.interpreter.eval(place, dict(self.env or {})).kind
        v = self.names.fresh("v")
        change = gast.AugAssign(as_store(name(v)), s.op, s.value)
        if (
            is_container(owner)
            and isinstance(slot, Array | List | Dict)
            and not is_set_by_code(owner, place)
        ):
            return [assign(v, place), change]  # the slot holds the same thing afterwards
        numbers = isinstance(slot, Real | Integer) or slot == BOOL
        numbers = numbers and not isinstance(self.kind(s.value), Instance)
        if isinstance(owner, Array | Number) or (numbers and not is_set_by_code(owner, place)):
            return None
        if not is_container(owner) or isinstance(slot, Number):
            return None
        first: list[Any] = []
        if isinstance(place, gast.Subscript):
            first, place.slice = self.index(place.slice)
        return [*first, assign(v, place), change, assign(place, name(v))]

    def loop(self, s: Any) -> list[Any] | None:
        """Write `for` over an object as one over what its `__iter__` gives."""
        changing = self.loop_over_changing(s)
        if changing is not None:
            return changing
        if isinstance(s.iter, gast.Name) and isinstance(s.target, gast.Tuple):
            if isinstance(self.kind(s.iter), List):  # of what an iterator gives
                key = self.names.fresh("item")
                body = [gast.Assign([s.target], name(key), None), *s.body]
                return [gast.For(as_store(name(key)), s.iter, body, s.orelse, None)]
        if not isinstance(s.iter, gast.Name) or not has_method(self.kind(s.iter), "__iter__"):
            return None
        if s.iter.id in self.iterators:
            return None  # an object that is its own iterator
        key = self.names.fresh("v")
        made = gast.For(s.target, name(key), self.inside(s).body, s.orelse, None)
        return [*self.called(s.iter, "__iter__", [], key), made]

    def loop_over_changing(self, s: Any) -> list[Any] | None:
        """Write a loop over an array or list that its body stores into as reads by index.

        An item is read when it is reached; a list may grow or shrink on the way.
        """
        tree, counter, start = s.iter, None, None
        if isinstance(tree, gast.Call) and self.function.resolve(tree.func) is enumerate:
            if not isinstance(s.target, gast.Tuple) or not tree.args:
                return None
            counter, start = s.target.elts[0], ([*tree.args[1:], *tree.keywords] or [None])[0]
            start = getattr(start, "value", start) if isinstance(start, gast.keyword) else start
            tree = tree.args[0]
        if not isinstance(tree, gast.Name):
            return None
        kind = self.kind(tree)
        flat = isinstance(kind, Array) and len(kind.dims) == 1
        if not (flat or isinstance(kind, List)) or not kind.regions & self.stored_in(s.body):  # type: ignore[attr-defined]
            return None
        items, k = self.names.fresh(tree.id), self.names.fresh("k")
        place = s.target if counter is None else s.target.elts[1]
        first = [gast.Assign([place], quote_expression("x[k]", x=items, k=k), None)]
        if counter is not None:
            count = name(k) if start is None else gast.BinOp(name(k), gast.Add(), start)
            first.insert(0, gast.Assign([counter], count, None))
        held = assign(items, tree)
        if flat:
            header = quote_expression("range(len(x))", x=items)
            return [held, gast.For(as_store(name(k)), header, [*first, *s.body], s.orelse, None)]
        step = quote("k = k + 1", k=k)
        test = quote_expression("k < len(x)", x=items, k=k)
        loop = gast.While(test, [*first, *step, *s.body], s.orelse)
        return [held, assign(k, const(0)), loop]

    def stored_in(self, block: list[Any]) -> set[Any]:
        """Collect the regions that the statements of a block store into."""
        found: set[Any] = set()
        for part in (p for s in block for p in nodes(s)):
            env = self.facts.before.get(part)
            if env is None:
                continue
            found |= self.facts.unseen.get(part, set())
            if part in self.facts.callees:
                callee = self.facts.callees[part]
                for region in callee.facts.stored:
                    found |= callee.seen_by_caller(region)
            for owner in _stored_owners(part):
                found |= regions_of(self.interpreter.eval(owner, dict(env)).kind)
        return found

    def unpacking(self, s: Any) -> list[Any] | None:
        if not isinstance(s.value, gast.Name) or not has_method(self.kind(s.value), "__iter__"):
            return None
        key = self.names.fresh("v")
        made = gast.Assign(s.targets, name(key), None)
        return [*self.called(s.value, "__iter__", [], key), made]

    # Calls

    def call(self, tree: Any, to: str | None) -> list[Any] | None:
        func = tree.func
        if isinstance(func, gast.Attribute) and _is_super(func.value, self.function):
            return self.super_call(tree, to)
        found = self.function.resolve(func)
        if any(isinstance(a, gast.Starred) for a in tree.args):
            spread = starred_call(self, tree, to)
            if spread is not None:
                return spread
        if any(k.arg is None for k in tree.keywords):
            spread = keywords_call(self, tree, to)
            if spread is not None:
                return spread
        kind = self.kind(func) if isinstance(func, gast.Name) else Kind()
        in_place = in_place_call(self, tree, found, to)
        if in_place is not None:
            return in_place
        if isinstance(kind, Functions):
            return chosen_call(self, tree, kind, to)
        called = built_in_method_call(self, tree, kind, to)
        if called is not None:
            return called
        if is_bound(kind):
            return call_of_bound(self, tree, kind, to)
        as_call = call_of_partial(self, tree, found, to)
        if as_call is not None:
            return as_call
        if found is functools.partial and to is not None:
            return partial_call(self, tree, to)
        if found is typing.cast and to is not None and len(tree.args) == 2:
            return [assign(to, tree.args[1])]
        if tree.args and to is not None and is_one_of(found, AT_ONCE):
            if has_method(self.kind(tree.args[0]), "__iter__"):
                key = self.names.fresh("v")
                used = gast.Call(tree.func, [name(key), *tree.args[1:]], tree.keywords)
                begun = self.called(tree.args[0], "__iter__", [], key)
                hint = self.asked_for_length(tree.args[0]) if found in (list, tuple, sorted) else []
                return [*hint, *begun, assign(to, used)]
        if found is sequence and to is not None:
            kind = self.kind(tree.args[0])
            if isinstance(kind, Array | List | Tuple | Sequence):
                return [assign(to, tree.args[0])]
            if isinstance(kind, Instance):
                return self.items_of(tree.args[0], to)
            if isinstance(kind, Dict | Inert | Iterator):
                return [assign(to, gast.Call(name("list"), tree.args, []))]
        if is_one_of(found, (copy.copy, copy.deepcopy)) and to is not None:
            return copied(self, tree, found is copy.deepcopy, to)
        if to is not None:
            items = listed(self, tree, found, to)
            if items is not None:
                return items
        if found is dict and to is not None:
            return self.made_dict(tree, to)
        operator = None if to is None else operator_call(self, tree, found, to)
        if operator is not None:
            return operator
        if is_one_of(found, (getattr, dataclasses.replace)) and tree.args:
            return self.reflection(tree, found, to)
        if found is iter and len(tree.args) == 1 and to is not None:
            kind = self.kind(tree.args[0])
            if isinstance(kind, List | Tuple | Sequence) and self.function.name == "__iter__":
                return [assign(to, tree.args[0])]
        if is_one_of(found, (max, min, sorted)) and tree.args and to is not None:
            self.refuse_changed_by_reading(tree, found)
            return self.ordered(tree, to)
        if (
            is_one_of(found, BUILT_IN)
            and tree.args
            and has_method(self.kind(tree.args[0]), BUILT_IN[found])
        ):
            return self.called(tree.args[0], BUILT_IN[found], tree.args[1:], to)
        if is_one_of(found, (np.subtract.at,)) and to is None and len(tree.args) == 3:
            key = self.names.fresh("v")
            negative = assign(
                key, quote_expression("np.negative(v)", np=self.external(np), v=tree.args[2])
            )
            return [negative, *quote("np.add.at(a, i, v)", np=self.external(np), a=tree.args[0],
                                     i=tree.args[1], v=key)]  # fmt: skip
        plain = plain_array_call(self, tree, found, to)
        if plain is not None:
            return plain
        if _takes_arrays(found):
            return self.arrays_given(tree, to)
        if found is not MISSING or not isinstance(func, gast.Attribute):
            return None
        owner = self.kind(func.value)
        if isinstance(owner, Array) and func.attr in ("sort", "partition") and to is None:
            return self.ordered_in_place(tree, func.value)
        if isinstance(owner, Array) and func.attr == "put" and to is None:
            plain = gast.Call(tree.func, [func.value, *tree.args], tree.keywords)
            return plain_array_call(self, plain, np.put, to)
        if isinstance(owner, Instance) and held_function(self, func, owner):
            key = self.names.fresh(func.attr)
            call = gast.Call(name(key), tree.args, tree.keywords)
            return [assign(key, func), gast.Expr(call) if to is None else assign(to, call)]
        if isinstance(owner, Tuple) and owner.cls is not tuple:
            return self.record_method(tree, owner, to)
        if isinstance(owner, List | Dict):
            label = "list" if isinstance(owner, List) else "dict"
            method = getattr(self, f"{label}_{func.attr}", None)
            made: list[Any] | None = None if method is None else method(tree, func.value, to)
            return made
        return None

    def refuse_changed_by_reading(self, tree: Any, found: Any) -> None:
        """Refuse to order what an object gives by index, if it changes when it is asked."""
        kind = self.kind(tree.args[0])
        if not isinstance(kind, Instance) or is_variable(kind):
            return
        for method in ("__getitem__", "__len__"):
            if stores_something(kind.cls, method):
                self.refuse(
                    tree, f"`{found.__name__}` asks `{method}` of class {kind.cls.__name__}, which "
                    "changes something, an unknown number of times",
                    "make a list of the items first",
                )  # fmt: skip

    def ordered(self, tree: Any, to: str) -> list[Any] | None:
        """Write out the list that `max`, `min` and `sorted` look at: tuples side by side, a dict's keys."""
        kinds = [self.kind(a) for a in tree.args]
        given: Any = gast.Call(name("list"), tree.args, [])
        starred = any(isinstance(a, gast.Starred) for a in tree.args)
        if starred or len(kinds) > 1 and any(isinstance(k, Tuple | Sequence | List) for k in kinds):
            given = gast.List(tree.args, gast.Load())
        elif not isinstance(kinds[0], Dict):
            return None
        key = self.names.fresh("v")
        return [assign(key, given), assign(to, gast.Call(tree.func, [name(key)], tree.keywords))]

    def arrays_given(self, tree: Any, to: str | None) -> list[Any] | None:
        """Make arrays of the lists and tuples that a function of arrays is given, as it does."""
        made: list[Any] = []

        def given(arg: Any) -> Any:
            if not isinstance(arg, gast.Name) or not self.is_row_of_numbers(arg):
                return arg
            key = self.names.fresh("v")
            made.append(assign(key, quote_expression("np.array(x)", np=self.external(np), x=arg)))
            return name(key)

        args = [given(a) for a in tree.args]
        keywords = [gast.keyword(k.arg, given(k.value)) for k in tree.keywords]
        call = gast.Call(tree.func, args, keywords)
        if not made:
            return None
        return [*made, gast.Expr(call) if to is None else assign(to, call)]

    def is_row_of_numbers(self, tree: Any) -> bool:
        """Whether a list or tuple holds numbers, some of which vary."""
        value = self.interpreter.eval(tree, dict(self.env or {}))
        kind = value.kind
        held = list(kind.items) if isinstance(kind, Tuple) and kind.items else []
        if isinstance(kind, List):
            held = [v.kind for r in kind.regions for v in self.facts.heap.get(r, {}).values()]
        if isinstance(kind, Sequence):
            held = [kind.item]
        return value.varied and bool(held) and all(map(is_number, held))

    def ordered_in_place(self, tree: Any, owner: Any) -> list[Any]:
        """Write `a.sort()` as a store of the sorted array."""
        key = self.names.fresh("v")
        function = gast.Attribute(name(self.external(np)), tree.func.attr, gast.Load())
        made = gast.Call(function, [owner, *tree.args], tree.keywords)
        return [assign(key, made), *quote("x[...] = v", x=owner, v=key)]

    def record_method(self, tree: Any, owner: Tuple, to: str | None) -> list[Any] | None:
        """Write `p._replace(x=v)` and the methods of a named tuple's class."""
        func, cls = tree.func, self.external(owner.cls)
        if func.attr == "_replace" and to is not None and not tree.args:
            return self.rebuilt(func.value, cls, owner.cls._fields, tree.keywords, to)  # type: ignore[attr-defined]
        if method_of_record(owner, func.attr) is None:
            return None
        called = gast.Attribute(name(cls), func.attr, gast.Load())
        made = gast.Call(called, [func.value, *tree.args], tree.keywords)
        return [gast.Expr(made) if to is None else assign(to, made)]

    def record_property(self, tree: Any, to: str) -> list[Any] | None:
        """Write a property of a named tuple's class as a call."""
        owner = self.kind(tree.value)
        if not isinstance(owner, Tuple):
            return None
        static = inspect.getattr_static(owner.cls, tree.attr, None)
        if not isinstance(static, property):
            return None
        held = gast.Attribute(name(self.external(owner.cls)), tree.attr, gast.Load())
        getter = gast.Attribute(held, "fget", gast.Load())
        return [assign(to, gast.Call(getter, [tree.value], []))]

    def rebuilt(
        self, owner: Any, cls: str, fields: Any, changes: list[Any], to: str
    ) -> list[Any] | None:
        """Write the construction of a record from another one and some new fields."""
        given = {k.arg: k.value for k in changes}
        if None in given or not set(given) <= set(fields):
            return None
        made: list[Any] = []
        arguments: list[Any] = []
        for field in fields:
            if field not in given:
                key = self.names.fresh("v")
                made.append(assign(key, gast.Attribute(owner, field, gast.Load())))
                given[field] = name(key)
            arguments.append(gast.keyword(field, given[field]))
        return [*made, assign(to, gast.Call(name(cls), [], arguments))]

    def reflection(self, tree: Any, found: Any, to: str | None) -> list[Any] | None:
        """Write `getattr`, `setattr` and `dataclasses.replace` of a known object plainly."""
        owner, kind = tree.args[0], self.kind(tree.args[0])
        if not isinstance(kind, Instance):
            return None
        if found is dataclasses.replace:
            if to is None or not dataclasses.is_dataclass(kind.cls):
                return None
            fields = [f.name for f in dataclasses.fields(kind.cls) if f.init]
            return self.rebuilt(owner, self.external(kind.cls), fields, tree.keywords, to)
        label = tree.args[1] if len(tree.args) > 1 else None
        if not isinstance(label, gast.Constant) or not isinstance(label.value, str):
            return None
        if to is None:
            return None
        read = assign(to, gast.Attribute(owner, label.value, gast.Load()))
        if len(tree.args) < 3:
            return [read]
        present = any(label.value in self.facts.heap.get(r, {}) for r in kind.regions)
        if not present and not hasattr(kind.cls, label.value):
            return [assign(to, tree.args[2])]
        there = gast.Call(name("hasattr"), [owner, label], [])
        return [gast.If(there, [read], [assign(to, tree.args[2])])]

    def super_call(self, tree: Any, to: str | None) -> list[Any] | None:
        """Write `super().m(...)` as a call of the method of the class that follows."""
        found = self.behind_super(tree.func)
        if found is None:
            return None
        own, base, method = found
        if base is object and tree.func.attr in ("__init__", "__init_subclass__"):
            return [gast.Pass()]
        if not isinstance(method, (*_METHODS, staticmethod)):
            self.refuse_behind_super(tree.func)
        called = gast.Attribute(name(self.external(base)), tree.func.attr, gast.Load())
        first = [] if isinstance(method, staticmethod) else [own]
        made = gast.Call(called, [*first, *tree.args], tree.keywords)
        return [gast.Expr(made) if to is None else assign(to, made)]

    def super_attribute(self, tree: Any, to: str) -> list[Any] | None:
        """Write `super().p` as a call of the property of the class that follows, or as what it holds."""
        found = self.behind_super(tree)
        if found is None:
            return None
        own, base, held = found
        if base is None or isinstance(held, staticmethod | classmethod):
            self.refuse_behind_super(tree)
        there = gast.Attribute(name(self.external(base)), tree.attr, gast.Load())
        if isinstance(held, property):
            return [assign(to, gast.Call(gast.Attribute(there, "fget", gast.Load()), [own], []))]
        if isinstance(held, types.FunctionType):
            return bound(self, there, [own], [], to)
        if hasattr(type(held), "__get__"):
            self.refuse_behind_super(tree)
        return [assign(to, there)]

    def behind_super(self, tree: Any) -> tuple[Any, Any, Any] | None:
        """Return the object, the class that follows and what it holds, for an attribute of `super()`."""
        given = tree.value.args
        first = parameters(self.function.tree)[0]
        cls = self.function.resolve(given[0]) if given else self.defining_class()
        own = name(first) if not given else given[1]
        kind = self.kind(own)
        if not isinstance(kind, Instance) or not isinstance(cls, type):
            return None
        after = kind.cls.__mro__[kind.cls.__mro__.index(cls) + 1 :]
        base = next((c for c in after if tree.attr in vars(c)), None)
        return own, base, None if base is None else vars(base)[tree.attr]

    def refuse_behind_super(self, tree: Any) -> NoReturn:
        self.refuse(
            tree, f"what `super().{tree.attr}` is, is not known here", "name the class instead"
        )

    def defining_class(self) -> Any:
        """Return the class in whose body a method stands."""
        primal = self.function.primal
        code = getattr(primal, "__code__", None)
        cells = dict(zip(code.co_freevars, primal.__closure__ or (), strict=True)) if code else {}
        return cells["__class__"].cell_contents if "__class__" in cells else None

    # Lists

    def list_extend(self, tree: Any, owner: Any, to: str | None) -> list[Any] | None:
        if to is not None or not isinstance(owner, gast.Name) or len(tree.args) != 1:
            return None
        more = tree.args[0]
        made: list[Any] = []
        if not isinstance(self.kind(more), List):
            key = self.names.fresh("v")
            made = [assign(key, gast.Call(name("list"), [more], []))]
            more = name(key)
        return [*made, gast.AugAssign(as_store(owner), gast.Add(), more)]

    def whole(self, owner: Any, value: Any) -> list[Any]:
        """Put a new list into all slots of a list."""
        key = self.names.fresh("v")
        slots = gast.Subscript(owner, gast.Slice(None, None, None), gast.Store())
        return [assign(key, value), gast.Assign([slots], name(key), None)]

    def list_sort(self, tree: Any, owner: Any, to: str | None) -> list[Any] | None:
        if to is not None or tree.args:
            return None
        return self.whole(owner, gast.Call(name("sorted"), [owner], tree.keywords))

    def list_reverse(self, tree: Any, owner: Any, to: str | None) -> list[Any] | None:
        return None if to is not None else self.whole(owner, quote_expression("x[::-1]", x=owner))

    def list_clear(self, tree: Any, owner: Any, to: str | None) -> list[Any] | None:
        return None if to is not None else self.whole(owner, gast.List([], gast.Load()))

    def list_remove(self, tree: Any, owner: Any, to: str | None) -> list[Any] | None:
        if to is not None:
            return None
        key = self.names.fresh("i")
        found = assign(key, quote_expression("x.index(v)", x=owner, v=tree.args[0]))
        return [found, *quote("x.pop(i)", x=owner, i=key)]

    # Dicts

    def updated(self, owner: Any, more: Any) -> list[Any]:
        """Write `owner.update(more)`, for a dict or a list of pairs."""
        key, value = self.names.fresh("key"), self.names.fresh("v")
        store = quote("d[k] = v", d=owner, k=key, v=value)
        if isinstance(self.kind(more), Dict):
            read = assign(value, quote_expression("e[k]", e=more, k=key))
            return [gast.For(as_store(name(key)), more, [read, *store], [], None)]
        pair = self.names.fresh("pair")
        place = gast.Tuple([as_store(name(key)), as_store(name(value))], gast.Store())
        unpack = gast.Assign([place], name(pair), None)
        return [gast.For(as_store(name(pair)), more, [unpack, *store], [], None)]

    def dict_update(self, tree: Any, owner: Any, to: str | None) -> list[Any] | None:
        known = not tree.args or isinstance(self.kind(tree.args[0]), Dict | List | Sequence)
        if to is not None or not known or any(k.arg is None for k in tree.keywords):
            return None
        made = self.updated(owner, tree.args[0]) if tree.args else []
        for keyword in tree.keywords:
            slot = gast.Subscript(owner, const(keyword.arg), gast.Store())
            made.append(gast.Assign([slot], keyword.value, None))
        return made or [gast.Pass()]

    def dict_setdefault(self, tree: Any, owner: Any, to: str | None) -> list[Any] | None:
        first, key = self.index(tree.args[0])
        value = tree.args[1] if len(tree.args) > 1 else const(None)
        made = [*first, *quote("if k not in d:\n    d[k] = v", d=owner, k=key, v=value)]
        if to is not None:
            made.append(assign(to, quote_expression("d[k]", d=owner, k=key)))
        return made

    def dict_pop(self, tree: Any, owner: Any, to: str | None) -> list[Any] | None:
        if to is None and len(tree.args) == 1:
            return None  # as it is
        first, key = self.index(tree.args[0])
        taken = quote("d.pop(k)", d=owner, k=key)
        if to is not None:
            taken = [assign(to, quote_expression("d[k]", d=owner, k=key)), *taken]
        if len(tree.args) > 1:
            there = gast.Compare(key, [gast.In()], [owner])
            other = [gast.Pass()] if to is None else [assign(to, tree.args[1])]
            taken = [gast.If(there, taken, other)]
        return [*first, *taken]

    def made_dict(self, tree: Any, to: str) -> list[Any] | None:
        """Write `dict(pairs, k=v)` as stores in order."""
        if any(k.arg is None for k in tree.keywords) or len(tree.args) > 1:
            return None
        if tree.args and not isinstance(self.kind(tree.args[0]), Dict | List | Sequence | Tuple):
            return None
        if not tree.args:
            keys = [const(k.arg) for k in tree.keywords]
            return [assign(to, gast.Dict(keys, [k.value for k in tree.keywords]))]
        table = self.names.fresh("table")
        made: list[Any] = [assign(table, gast.Dict([], []))]
        made += self.updated(name(table), tree.args[0])
        for keyword in tree.keywords:
            slot = gast.Subscript(name(table), const(keyword.arg), gast.Store())
            made.append(gast.Assign([slot], keyword.value, None))
        return [*made, assign(to, name(table))]

    def merged_display(self, tree: Any, to: str) -> list[Any] | None:
        """Write `{**a, "k": v}` as stores in order."""
        kinds = [self.kind(v) for k, v in zip(tree.keys, tree.values, strict=True) if k is None]
        if not all(isinstance(kind, Dict) for kind in kinds):
            return None
        table = self.names.fresh("table")
        made: list[Any] = [assign(table, gast.Dict([], []))]
        for key, value in zip(tree.keys, tree.values, strict=True):
            if key is None:
                made += self.updated(name(table), value)
            else:
                made.append(gast.Assign([gast.Subscript(name(table), key, gast.Store())], value,
                                        None))  # fmt: skip
        return [*made, assign(to, name(table))]


def joins_array(left: Kind, right: Kind, operator: Any) -> bool:
    """Whether one operand is a list or tuple that counts as an array, for the other is one.

    What may be an array or a number is no list: it can only be added to one as an array.
    """
    if is_listed(left) == is_listed(right):
        return False
    other = right if is_listed(left) else left
    repeats = isinstance(operator, gast.Mult)
    return isinstance(other, Array) or (isinstance(other, Number) and not repeats)


def is_set_by_code(owner: Kind, place: Any) -> bool:
    """Whether a store into an object runs code: an item, or a property."""
    if isinstance(place, gast.Subscript):
        return isinstance(owner, Instance)
    return is_property(owner, place.attr)


def is_property(owner: Kind, attribute: str) -> bool:
    """Whether an attribute of an object is, or may be, a property."""
    classes = [each.cls for each in owner.alternatives] if isinstance(owner, Instance) else []
    found = [inspect.getattr_static(cls, attribute, None) for cls in classes]
    return any(isinstance(static, property) for static in found)


def _stored_owners(s: Any) -> list[Any]:
    """List what a statement stores into by itself."""
    if isinstance(s, gast.AugAssign):
        return [s.target.value if not isinstance(s.target, gast.Name) else name(s.target.id)]
    if isinstance(s, gast.Assign):
        places = [p.value for p in s.targets if isinstance(p, gast.Subscript | gast.Attribute)]
        if places:
            return places
    call = getattr(s, "value", None)
    if isinstance(s, gast.Expr | gast.Assign) and isinstance(call, gast.Call):
        owner = [call.func.value] if isinstance(call.func, gast.Attribute) else []
        return [p for p in [*owner, *call.args] if isinstance(p, gast.Name)][: 2 if owner else 0]
    return []


def _takes_arrays(found: Any) -> bool:
    """Whether a function turns the lists and tuples that it is given into arrays first."""
    rule = None if found is MISSING else find_rule(found)
    numpy = str(getattr(found, "__module__", "numpy")).startswith("numpy")
    known = rule is not None and rule.form != "zero" and (isinstance(found, np.ufunc) or numpy)
    return known and not traits_of(found).takes_sequences


def _is_super(tree: Any, function: CoreFunction) -> bool:
    return isinstance(tree, gast.Call) and function.resolve(tree.func) is super
