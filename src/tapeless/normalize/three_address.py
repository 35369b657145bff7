"""One operation per statement, its operands names and literals.

    y = np.sin(x) * (x + 1)   ->   v = np.sin(x); v_1 = x + 1; y = v * v_1

The order is Python's order of evaluation. Tests, indices and other plain expressions that no
derivative passes through stay whole; conditional expressions become `if`s; lambdas become
functions. What is pulled apart here and turns out not to be needed by name is put back together
by `renest`.
"""

from __future__ import annotations

import copy
from types import ModuleType
from typing import Any

import gast
import numpy as np

import tapeless.runtime
from tapeless.errors import UnsupportedSyntaxError
from tapeless.externals import MISSING, External, constant, is_one_of
from tapeless.normalize.expand_assignments import Expander, expand_assignments
from tapeless.normalize.expand_comprehensions import (
    as_comprehension,
    as_copy,
    built_list,
    consumes,
    is_reduction,
    searched,
    stepwise,
)
from tapeless.normalize.iterators_as_loops import listed_beside_others, loop_over_steps
from tapeless.normalize.iterators_by_place import places_of_iterators
from tapeless.normalize.plain import is_plain, is_zero_call
from tapeless.sorts import is_plain_object
from tapeless.tree.build import (
    as_load,
    assign,
    at_line_of,
    const,
    name,
    quote,
    quote_expression,
    target,
)
from tapeless.tree.endings import always_leaves
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, captured_names, nodes, reads
from tapeless.tree.truths import is_truth

_LOOP_MAKERS = {"range", "enumerate", "zip", "reversed"}


class _Flattener:
    def __init__(self, function: CoreFunction) -> None:
        self.function = function
        self.local = function.local
        self.names = Names(function.names())
        self.made: list[Any] = []
        self.iterators = places_of_iterators(function, self.names)
        self.captured = captured_names(function.tree)

    # Blocks

    def block(self, statements: list[Any]) -> list[Any]:
        outer, self.made = self.made, []
        for statement in statements:
            start = len(self.made)
            getattr(self, f"do_{type(statement).__name__}", self.keep)(statement)
            for made in self.made[start:]:
                at_line_of(made, statement)
            if self.made and always_leaves(self.made[-1:]):
                break  # what follows is never reached
        self.made, found = outer, self.made
        return found

    def keep(self, tree: Any) -> None:
        self.made.append(tree)

    def do_Expr(self, tree: Any) -> None:
        if isinstance(tree.value, gast.Constant):
            return
        self.made.append(gast.Expr(self.operation(tree.value)))

    def do_Assign(self, tree: Any) -> None:
        place = tree.targets[0]
        if isinstance(place, gast.Tuple | gast.List):
            self.made.append(gast.Assign([place], self.atom(tree.value), None))
        elif isinstance(place, gast.Name) and place.id in self.iterators:
            taken = self.iterators[place.id]
            through = as_comprehension(tree.value.args[0], self.function, self.names)
            whole = tree.value.args[0] if through is None else at_line_of(through, tree)
            items = gast.Call(self.helper(tapeless.runtime.sequence), [self.atom(whole)], [])
            self.made += [assign(taken.items, items), assign(taken.at, const(0))]
        elif isinstance(place, gast.Name):
            value = self.operation(tree.value)
            if not isinstance(value, gast.Name) and place.id in self.may_read(value):
                fresh = self.names.fresh("v")  # the old and the new value are told apart by name
                self.made.append(assign(fresh, value))
                value = name(fresh)
            self.made.append(assign(place.id, value))
        else:
            value = self.atom(tree.value)
            self.made.append(assign(self.place(place), value))

    def may_read(self, tree: Any) -> set[str]:
        """Return the names that an operation may read: whatever it calls, what local functions capture."""
        found = set(reads(tree))
        return found | self.captured if isinstance(tree, gast.Call) else found

    def do_AugAssign(self, tree: Any) -> None:
        """Bind owner and index, read what is there, then evaluate the value, as Python does.

        What is there is read by a statement of its own where evaluating the value may change it.
        """
        place, changing = tree.target, self.may_change(tree.value)
        if isinstance(place, gast.Name):
            early = place.id in _rebound_by([tree.value])
        else:
            place, early = self.place(place, tree.value), changing
        if not early:
            self.made.append(gast.AugAssign(place, tree.op, self.atom(tree.value)))
            return
        old = self.names.fresh("v")
        self.made.append(assign(old, as_load(place)))
        self.made.append(gast.AugAssign(target(old), tree.op, self.atom(tree.value)))
        self.made.append(assign(place, name(old)))

    def do_Return(self, tree: Any) -> None:
        if tree.value is None:
            self.made.append(gast.Return(gast.Constant(None, None)))
        else:
            self.made.append(gast.Return(self.atom(tree.value)))

    def do_If(self, tree: Any) -> None:
        test = self.test(tree.test)
        self.made.append(gast.If(test, self.block(tree.body), self.block(tree.orelse)))

    def do_While(self, tree: Any) -> None:
        if is_plain(tree.test, self.function):
            self.made.append(gast.While(tree.test, self.block(tree.body), self.block(tree.orelse)))
            return
        leave = gast.If(gast.UnaryOp(gast.Not(), tree.test), [gast.Break()], [])
        at_line_of(leave, tree)
        body = self.block([leave, *tree.body])
        self.made.append(gast.While(gast.Constant(True, None), body, self.block(tree.orelse)))

    def do_For(self, tree: Any) -> None:
        if isinstance(tree.iter, gast.Call):
            if self.function.resolve(tree.iter.func) is np.ndenumerate:
                self.over_entries(tree)
                return
        if isinstance(tree.iter, gast.Name) and tree.iter.id in self.iterators:
            taking = self.iterators[tree.iter.id].looped(tree)
            self.write_out([at_line_of(taking, tree)])
            return
        steps = loop_over_steps(tree, self.function, self.names)
        if steps is not None:
            self.write_out([at_line_of(step, tree) for step in steps])
            return
        tree.iter = listed_beside_others(tree, self.function)
        written_out = stepwise(tree, self.function, self.names)
        if written_out is not None:
            self.write_out([at_line_of(written_out, tree)])
            return
        iterable = self.iterable(tree.iter)
        place, unpacked = self.flat_target(tree.target, iterable)
        unpacked = [at_line_of(statement, tree) for statement in unpacked]
        body, orelse = self.block([*unpacked, *tree.body]), self.block(tree.orelse)
        self.made.append(gast.For(place, iterable, body, orelse, None))

    def flat_target(self, place: Any, iterable: Any) -> tuple[Any, list[Any]]:
        """Return names to the tuples that `zip` or `enumerate` put side by side; the body unpacks."""
        if not isinstance(iterable, gast.Call):
            return place, []
        if isinstance(place, gast.Name):
            return self.apart(place, iterable)
        counts = isinstance(iterable.func, gast.Name) and iterable.func.id == "enumerate"
        sources = [None, *iterable.args] if counts else iterable.args
        parts, unpacked = list(place.elts), []
        for i, (part, source) in enumerate(zip(parts, sources, strict=False)):
            nested = isinstance(part, gast.Tuple | gast.List)
            if nested and isinstance(source, gast.Name):
                fresh = self.names.fresh("item")
                unpacked.append(gast.Assign([part], name(fresh), None))
                parts[i] = target(fresh)
        return gast.Tuple(parts, gast.Store()), unpacked

    def apart(self, place: Any, iterable: Any) -> tuple[Any, list[Any]]:
        """Take the tuples of `zip` or `enumerate` apart in the header; the body puts them together."""
        called = getattr(iterable.func, "id", "")
        starred = any(isinstance(a, gast.Starred) for a in iterable.args)
        if called not in ("enumerate", "zip") or starred:
            return place, []
        wishes = ["i", "v"] if called == "enumerate" else ["v"] * len(iterable.args)
        keys = [self.names.fresh(wish) for wish in wishes]
        parts = gast.Tuple([target(key) for key in keys], gast.Store())
        whole = gast.Tuple([name(key) for key in keys], gast.Load())
        return parts, [gast.Assign([place], whole, None)]

    def do_With(self, tree: Any) -> None:
        self.made.append(gast.With(tree.items, self.block(tree.body), None))

    def do_Try(self, tree: Any) -> None:
        """A `finally` is told apart from the handlers, whose exceptions it also follows."""
        if tree.handlers and tree.finalbody:
            inner = at_line_of(gast.Try(tree.body, tree.handlers, tree.orelse, []), tree)
            tree = gast.Try([inner], [], [], tree.finalbody)
        handlers = [
            at_line_of(gast.ExceptHandler(h.type, h.name, self.filled_block(h.body)), h)
            for h in tree.handlers
        ]
        body, orelse = self.filled_block(tree.body), self.block(tree.orelse)
        self.made.append(gast.Try(body, handlers, orelse, self.block(tree.finalbody)))

    def filled_block(self, statements: list[Any]) -> list[Any]:
        return self.block(statements) or [at_line_of(gast.Pass(), statements[0])]

    def do_Assert(self, tree: Any) -> None:
        self.made.append(gast.Assert(self.test(tree.test), tree.msg))

    def do_FunctionDef(self, tree: Any) -> None:
        if tree.decorator_list:
            self.made.append(tree)
            return
        frozen = self.frozen_defaults(tree.args)
        if not frozen:
            self.made.append(_normalize_inner(tree, self.function))
            return
        fresh = self.names.fresh(tree.name)
        inner = gast.FunctionDef(fresh, without_defaults(tree.args), tree.body, [], None, None, [])
        self.made.append(_normalize_inner(at_line_of(inner, tree), self.function))
        self.made.append(assign(tree.name, self.bound(fresh, frozen)))

    def frozen_defaults(self, arguments: Any) -> dict[str, Any]:
        """Take the defaults that are computed where a function is defined out of its signature.

        Returns
        -------
        What each of the parameters gets; none where all defaults are literals.
        """
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = [d for d in [*arguments.defaults, *arguments.kw_defaults] if d is not None]
        if all(isinstance(d, gast.Constant) for d in defaults):
            return {}
        with_default = positional[len(positional) - len(arguments.defaults) :]
        found = {p.id: d for p, d in zip(with_default, arguments.defaults, strict=True)}
        pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        found |= {p.id: d for p, d in pairs if d is not None}
        return {key: self.atom(default) for key, default in found.items()}

    def bound(self, key: str, frozen: dict[str, Any]) -> Any:
        """Write a function with the defaults that it was given where it was defined."""
        values = self.atom(gast.Tuple(list(frozen.values()), gast.Load()))
        keys = gast.Tuple([const(k) for k in frozen], gast.Load())
        return gast.Call(self.helper(tapeless.runtime.Bound), [name(key), values, keys], [])

    def over_entries(self, tree: Any) -> None:
        """Write a loop over `np.ndenumerate` as one over the number of entries."""
        array, k, at = self.atom(tree.iter.args[0]), self.names.fresh("k"), self.names.fresh("at")
        size = quote_expression("x.size", x=array)
        index = gast.Call(self.helper(tapeless.runtime.flat_index), [array, name(k)], [])
        item = gast.Subscript(array, name(at), gast.Load())
        bind = gast.Assign([tree.target], gast.Tuple([name(at), item], gast.Load()), None)
        loop = gast.For(
            target(k), gast.Call(name("range"), [size], []),
            [assign(at, index), bind, *tree.body], tree.orelse, None,
        )  # fmt: skip
        self.write_out([at_line_of(loop, tree)])

    def write_out(self, statements: list[Any]) -> None:
        """Add statements of the user's Python, brought to the core language."""
        expander = Expander(self.function, self.names)
        for statement in statements:
            made = expander.visit(statement)
            self.made += self.block(made if isinstance(made, list) else [made])

    def refuse(self, tree: Any, reason: str, fix: str) -> None:
        raise self.function.error(tree, reason, fix, UnsupportedSyntaxError)

    # Expressions

    def test(self, tree: Any) -> Any:
        return tree if is_plain(tree, self.function) else self.atom(tree)

    def iterable(self, tree: Any) -> Any:
        if isinstance(tree, gast.Call):
            called = tree.func
            if self.is_zip_of_rows(tree):
                return self.atom(self.zipped(tree))
            if isinstance(called, gast.Name) and called.id in _LOOP_MAKERS - self.local:
                keep = self.index if called.id == "range" else self.visited
                first, rest = tree.args[:1], tree.args[1:]
                if called.id == "enumerate":
                    args = [self.visited(a) for a in first] + [self.index(a) for a in rest]
                else:
                    args = [keep(a) for a in tree.args]
                keywords = [gast.keyword(k.arg, self.index(k.value)) for k in tree.keywords]
                return gast.Call(called, args, keywords)
            if isinstance(called, gast.Attribute) and called.attr in ("items", "keys", "values"):
                return gast.Call(
                    gast.Attribute(self.atom(called.value), called.attr, gast.Load()), [], []
                )
        return self.atom(tree)

    def visited(self, tree: Any) -> Any:
        """Return what a loop visits by way of `zip` or its like: a view of a dict as a list."""
        func = tree.func if isinstance(tree, gast.Call) else None
        if isinstance(func, gast.Attribute) and func.attr in ("items", "keys", "values"):
            return self.atom(gast.Call(name("list"), [tree], []))
        return self.iterable(tree)

    def index(self, tree: Any, later: Any = ()) -> Any:
        """Return an index that stays as it is while later operands are evaluated."""
        if isinstance(tree, gast.Tuple):
            rests = [[*tree.elts[i + 1 :], *later] for i in range(len(tree.elts))]
            items = [self.index(e, rest) for e, rest in zip(tree.elts, rests, strict=True)]
            return gast.Tuple(items, gast.Load())
        if isinstance(tree, gast.Slice):
            parts = (tree.lower, tree.upper, tree.step)
            rests = [[p for p in [*parts[i + 1 :], *later] if p is not None] for i in range(3)]
            return gast.Slice(
                *(
                    None if p is None else self.index(p, r)
                    for p, r in zip(parts, rests, strict=True)
                )
            )
        if not _is_steady(tree):
            return self.atom(tree)
        moved = _rebound_by(later) & set(reads(tree))
        computed = not isinstance(tree, gast.Name | gast.Constant)
        if not moved and not (computed and any(map(self.may_change, later))):
            return tree
        fresh = self.names.fresh("i")
        self.made.append(assign(fresh, tree))
        return name(fresh)

    def helper(self, function: Any) -> Any:
        """Return the name by which the function reaches a runtime helper."""
        key = self.names.fresh(function.__name__)
        self.function.externals[key] = constant(function, function.__name__)
        return name(key)

    def flat_item(self, tree: Any) -> Any:
        """Write `a.flat[i]` with one index per dimension; other items stay as they are."""
        owner = tree.value
        if not isinstance(owner, gast.Attribute) or owner.attr != "flat":
            return tree
        array = self.atom(owner.value)
        index: Any = tree.slice
        if isinstance(index, gast.Slice):
            parts = [
                const(None) if p is None else p for p in (index.lower, index.upper, index.step)
            ]
            index = gast.Call(name("slice"), parts, [])
        at = self.names.fresh("at")
        call = gast.Call(self.helper(tapeless.runtime.flat_index), [array, self.atom(index)], [])
        self.made.append(assign(at, call))
        return gast.Subscript(array, name(at), tree.ctx)

    def place(self, tree: Any, later: Any = None) -> Any:
        """Return a place with its owner and index bound; they stay as they are while `later` runs."""
        if isinstance(tree, gast.Subscript):
            tree = self.flat_item(tree)
        rest = [] if later is None else [later]
        index = [tree.slice] if isinstance(tree, gast.Subscript) else []
        value = self.steady_atom(tree.value, [*index, *rest])
        if isinstance(tree, gast.Subscript):
            return gast.Subscript(value, self.index(tree.slice, rest), tree.ctx)
        return gast.Attribute(value, tree.attr, tree.ctx)

    def may_change(self, tree: Any) -> bool:
        """Whether evaluating an expression may change things: it calls what is not known."""
        calls = (part for part in nodes(tree) if isinstance(part, gast.Call))
        return any(not is_plain(gast.Call(c.func, [], c.keywords), self.function) for c in calls)

    def is_static(self, tree: Any) -> bool:
        return (
            isinstance(tree, gast.Name | gast.Attribute)
            and self.function.resolve(tree) is not MISSING
        )

    def by_own_name(self, tree: Any) -> Any:
        """Return a mutable thing of a module or class a name of its own: a store needs one to name."""
        if not isinstance(tree, gast.Attribute):
            return tree
        module = self.function.resolve(tree.value)
        thing = self.function.resolve(tree)
        if not isinstance(thing, np.ndarray | list | dict) and not is_plain_object(thing):
            return tree
        if not isinstance(module, ModuleType):
            return self.bind(tree.attr, tree)
        externals = self.function.externals
        for key, external in externals.items():
            if external.owner is vars(module) and external.key == tree.attr:
                return name(key)
        key = self.names.fresh(tree.attr)
        externals[key] = External(vars(module), tree.attr)
        return name(key)

    def atom(self, tree: Any) -> Any:
        """Return a name or a literal for an expression, adding statements where needed."""
        if isinstance(tree, gast.Name | gast.Constant) or self.is_static(tree):
            return self.by_own_name(tree)
        if isinstance(tree, gast.UnaryOp) and isinstance(tree.operand, gast.Constant):
            return tree
        if isinstance(tree, gast.Starred):
            made = as_comprehension(tree.value, self.function, self.names)
            value = tree.value if made is None else at_line_of(made, tree)
            return gast.Starred(self.atom(value), gast.Load())
        if isinstance(tree, gast.Lambda):
            return self.lambda_name(tree)
        value = self.operation(tree)
        if isinstance(value, gast.Name):
            return value
        return self.bind("v", value)

    def bind(self, wish: str, value: Any) -> Any:
        """Bind a value to a fresh name."""
        fresh = self.names.fresh(wish)
        self.made.append(assign(fresh, value))
        return name(fresh)

    def steady_atom(self, tree: Any, later: list[Any]) -> Any:
        """Return an atom that keeps its value where a later operand rebinds a name by `:=`."""
        found = self.atom(tree)
        rebound = {
            part.target.id
            for operand in later
            for part in nodes(operand)
            if isinstance(part, gast.NamedExpr) and isinstance(part.target, gast.Name)
        }
        if not isinstance(found, gast.Name) or found.id not in rebound:
            return found
        return self.bind("v", found)

    def atoms(self, trees: list[Any]) -> list[Any]:
        """Return atoms for operands that are evaluated in this order."""
        return [self.steady_atom(tree, trees[i + 1 :]) for i, tree in enumerate(trees)]

    def operation(self, tree: Any) -> Any:
        """Return an expression of one operation on atoms."""
        if self.is_static(tree) or self.stays_whole(tree):
            return tree
        return getattr(self, f"op_{type(tree).__name__}")(tree)

    def stays_whole(self, tree: Any) -> bool:
        inert = isinstance(tree, gast.Compare | gast.JoinedStr | gast.Constant) or is_zero_call(
            tree, self.function
        )
        if isinstance(tree, gast.UnaryOp):
            inert = isinstance(tree.op, gast.Not)
        if isinstance(tree, gast.BoolOp):
            inert = all(is_truth(part) for part in tree.values)
        return inert and is_plain(tree, self.function)

    def op_Name(self, tree: Any) -> Any:
        return tree

    def op_Constant(self, tree: Any) -> Any:
        return tree

    def op_BinOp(self, tree: Any) -> Any:
        left = self.steady_atom(tree.left, [tree.right])
        return gast.BinOp(left, tree.op, self.atom(tree.right))

    def op_UnaryOp(self, tree: Any) -> Any:
        return gast.UnaryOp(tree.op, self.atom(tree.operand))

    def op_Compare(self, tree: Any) -> Any:
        """`a < b < c` evaluates `b` once, and `c` only if `a < b`."""
        left, right = self.atoms([tree.left, tree.comparators[0]])
        first = gast.Compare(left, tree.ops[:1], [right])
        if len(tree.ops) == 1:
            return first
        found = self.names.fresh("v")
        rest = gast.Compare(right, tree.ops[1:], tree.comparators[1:])
        if isinstance(right, gast.Name) and right.id in _rebound_by(tree.comparators[1:]):
            kept = self.names.fresh("v")
            self.made.append(assign(kept, right))
            rest.left = name(kept)
        self.made.append(assign(found, first))
        block = self.block([at_line_of(assign(found, rest), tree)])
        self.made.append(gast.If(name(found), block, []))
        return name(found)

    def op_JoinedStr(self, tree: Any) -> Any:
        """A text of what was computed before it: calls have statements of their own."""
        parts: list[Any] = []
        for i, part in enumerate(tree.values):
            if isinstance(part, gast.FormattedValue):
                value = self.steady_atom(part.value, tree.values[i + 1 :])
                spec = None if part.format_spec is None else self.op_JoinedStr(part.format_spec)
                part = gast.FormattedValue(value, part.conversion, spec)
            parts.append(part)
        return gast.JoinedStr(parts)

    def op_ListComp(self, tree: Any) -> Any:
        statements, found = built_list(tree, self.names)
        self.write_out([at_line_of(s, tree) for s in statements])
        return found

    op_DictComp = op_ListComp

    def op_SetComp(self, tree: Any) -> Any:
        items = self.op_ListComp(gast.copy_location(gast.ListComp(tree.elt, tree.generators), tree))
        return gast.Call(name("set"), [items], [])

    def op_Set(self, tree: Any) -> Any:
        return gast.Call(name("set"), [self.atom(gast.List(tree.elts, gast.Load()))], [])

    def op_GeneratorExp(self, tree: Any) -> Any:
        self.refuse(
            tree,
            "a generator that is not consumed where it is written cannot be differentiated",
            "write a list comprehension",
        )

    def op_NamedExpr(self, tree: Any) -> Any:
        self.do_Assign(gast.Assign([tree.target], tree.value, None))
        return as_load(tree.target)

    def consumed(self, tree: Any) -> Any:
        """Write out what a call consumes at once; give the call on the finished list."""
        called = self.function.resolve(tree.func)
        if called is MISSING or not tree.args:
            return tree
        lazy, others = tree.args[0], tree.args[1:]
        if is_one_of(called, (max, min)) and others and tree.keywords:
            return gast.Call(tree.func, [gast.List(tree.args, gast.Load())], tree.keywords)
        if consumes(called) and self.is_zip_of_rows(lazy):
            rows = at_line_of(self.zipped(lazy), tree)
            return rows if called is list else gast.Call(tree.func, [rows, *others], tree.keywords)
        if called is np.fromiter and isinstance(tree.func, gast.Attribute):
            made = as_comprehension(lazy, self.function, self.names)
            keywords = {keyword.arg for keyword in tree.keywords}
            if made is not None and len(others) < 2 and keywords <= {"dtype"}:
                array = gast.Attribute(tree.func.value, "array", gast.Load())
                return gast.Call(array, [at_line_of(made, tree), *others], tree.keywords)
        if is_one_of(called, (any, all, next)) and isinstance(lazy, gast.GeneratorExp):
            default = others[0] if others else None
            statements, found = searched(lazy, called.__name__, default, self.names)
            self.write_out([at_line_of(s, tree) for s in statements])
            return found
        if is_reduction(called) and len(tree.args) > 1:
            made = as_comprehension(tree.args[1], self.function, self.names)
            if made is not None:
                args = [tree.args[0], at_line_of(made, tree), *tree.args[2:]]
                return gast.Call(tree.func, args, tree.keywords)
        if isinstance(lazy, gast.Name) and lazy.id in self.iterators:
            if called is next:
                found, default = self.names.fresh("v"), others[0] if others else None
                taken = self.iterators[lazy.id].taken(found, default)
                self.write_out([at_line_of(s, tree) for s in taken])
                return name(found)
            rest = as_copy(lazy, self.names)
            return self.consumed(
                gast.Call(tree.func, [at_line_of(rest, tree), *others], tree.keywords)
            )
        alone = not others and not tree.keywords
        if called is dict and alone and isinstance(lazy, gast.GeneratorExp | gast.ListComp):
            if isinstance(lazy.elt, gast.Tuple) and len(lazy.elt.elts) == 2:
                made = gast.DictComp(*lazy.elt.elts, lazy.generators)
                return self.op_DictComp(at_line_of(made, tree))
        if not consumes(called):
            return tree
        made = as_comprehension(lazy, self.function, self.names)
        if made is None:
            return tree
        at_line_of(made, tree)
        if called is dict and alone and len(getattr(made.elt, "elts", ())) == 2:
            made = gast.DictComp(*made.elt.elts, made.generators)
            return self.op_DictComp(at_line_of(made, tree))
        if called is list:
            return self.op_ListComp(made)
        return gast.Call(tree.func, [made, *others], tree.keywords)

    def is_zip_of_rows(self, tree: Any) -> bool:
        """Whether an expression is `zip(*rows)`."""
        zips = isinstance(tree, gast.Call) and self.function.resolve(tree.func) is zip
        return zips and len(tree.args) == 1 and isinstance(tree.args[0], gast.Starred)

    def zipped(self, tree: Any) -> Any:
        """Write `zip(*rows)` as a function of the rows, whose number the text does not tell."""
        return gast.Call(self.helper(tapeless.runtime.zipped), [tree.args[0].value], [])

    def written_into(self, tree: Any) -> Any:
        """Write `np.f(x, out=y)` and `np.copyto(y, x)` as stores; give the array stored into."""
        found = self.function.resolve(tree.func)
        given = {k.arg: k.value for k in tree.keywords}
        if found is np.copyto and len(tree.args) == 2 and set(given) <= {"where"}:
            to, value = self.atom(tree.args[0]), self.atom(tree.args[1])
            if "where" in given:
                chosen = gast.Attribute(tree.func.value, "where", gast.Load())
                value = self.atom(gast.Call(chosen, [given["where"], value, to], []))
            self.made.append(gast.Assign([_whole(to)], value, None))
            return const(None)
        if found is np.nan_to_num and len(tree.args) == 1 and "copy" in given:
            return self.repaired(tree)
        args, out = tree.args, given.pop("out", None)
        if isinstance(found, np.ufunc) and len(args) == found.nin + 1:
            args, out = args[:-1], args[-1]
        if isinstance(out, gast.Tuple) and len(out.elts) == 1:
            out = out.elts[0]
        nothing = out is None or isinstance(out, gast.Constant | gast.Tuple)
        numpy = str(getattr(found, "__module__", "numpy")).startswith("numpy")
        if nothing or "where" in given or found is MISSING or not numpy:
            return None
        keywords = [k for k in tree.keywords if k.arg != "out"]
        to = self.atom(out)
        value = self.atom(gast.Call(tree.func, args, keywords))
        self.made.append(gast.Assign([_whole(to)], value, None))
        return to

    def repaired(self, tree: Any) -> Any:
        """Write `np.nan_to_num(x, copy=False)` as a store; give the array stored into."""
        [copies] = [k.value for k in tree.keywords if k.arg == "copy"]
        if not isinstance(copies, gast.Constant) or copies.value:
            return None
        to = self.atom(tree.args[0])
        keywords = [k for k in tree.keywords if k.arg != "copy"]
        value = self.atom(gast.Call(tree.func, [to], keywords))
        self.made.append(gast.Assign([_whole(to)], value, None))
        return to

    def receiver(self, tree: Any) -> Any:
        """Return what an attribute is taken from: an atom, or `super()` as it is written."""
        if isinstance(tree, gast.Call) and self.function.resolve(tree.func) is super:
            return gast.Call(tree.func, [self.atom(a) for a in tree.args], [])
        return self.atom(tree)

    def given_lazily(self, tree: Any, func: Any) -> Any:
        """Write out what `extend` and its like consume at once."""
        if getattr(func, "attr", "") not in ("extend", "update", "join") or len(tree.args) != 1:
            return tree
        made = as_comprehension(tree.args[0], self.function, self.names)
        return tree if made is None else gast.Call(func, [at_line_of(made, tree)], tree.keywords)

    def op_Call(self, tree: Any) -> Any:
        tree = self.consumed(tree)
        if not isinstance(tree, gast.Call):
            return tree
        written = self.written_into(tree)
        if written is not None:
            return written
        func = tree.func
        if not self.is_static(func):
            if isinstance(func, gast.Attribute):
                func = gast.Attribute(self.receiver(func.value), func.attr, gast.Load())
            else:
                func = self.atom(func)
            tree = self.given_lazily(tree, func)
        later = [*tree.args, *(k.value for k in tree.keywords)]
        marks = self.function.resolve(func) is tapeless.runtime.unit
        args = [
            gast.Attribute(self.receiver(a.value), a.attr, gast.Load())
            if marks and i == 1 and isinstance(a, gast.Attribute)  # a rule stays a method
            else self.steady_atom(a, later[i + 1 :])
            for i, a in enumerate(tree.args)
        ]
        keywords = [gast.keyword(k.arg, self.atom(k.value)) for k in tree.keywords]
        return gast.Call(func, args, keywords)

    def op_Subscript(self, tree: Any) -> Any:
        tree = self.flat_item(tree)
        value = self.steady_atom(tree.value, [tree.slice])
        return gast.Subscript(value, self.index(tree.slice), gast.Load())

    def op_Attribute(self, tree: Any) -> Any:
        return gast.Attribute(self.receiver(tree.value), tree.attr, gast.Load())

    def op_Tuple(self, tree: Any) -> Any:
        return gast.Tuple(self.atoms(tree.elts), gast.Load())

    def op_List(self, tree: Any) -> Any:
        return gast.List(self.atoms(tree.elts), gast.Load())

    def op_Dict(self, tree: Any) -> Any:
        keys = [key if key is None else self.index(key) for key in tree.keys]
        return gast.Dict(keys, self.atoms(tree.values))

    def op_Lambda(self, tree: Any) -> Any:
        return self.lambda_name(tree)

    def op_Slice(self, tree: Any) -> Any:
        return self.index(tree)

    def op_IfExp(self, tree: Any) -> Any:
        found = self.names.fresh("v")
        yes = self.block([at_line_of(assign(found, tree.body), tree)])
        no = self.block([at_line_of(assign(found, tree.orelse), tree)])
        self.made.append(gast.If(self.test(tree.test), yes, no))
        return name(found)

    def op_BoolOp(self, tree: Any) -> Any:
        """`a or b` is the first value that decides; the rest is not evaluated."""
        found = self.names.fresh("v")
        self.made.append(assign(found, self.operation(tree.values[0])))
        rest = tree.values[1] if len(tree.values) == 2 else gast.BoolOp(tree.op, tree.values[1:])
        test = name(found)
        if isinstance(tree.op, gast.Or):
            test = gast.UnaryOp(gast.Not(), test)
        self.made.append(gast.If(test, self.block([at_line_of(assign(found, rest), tree)]), []))
        return name(found)

    def lambda_name(self, tree: Any) -> Any:
        fresh = self.names.fresh("lambda_")
        frozen = self.frozen_defaults(tree.args)
        body = [at_line_of(gast.Return(tree.body), tree)]
        arguments = without_defaults(tree.args) if frozen else tree.args
        function = gast.FunctionDef(fresh, arguments, body, [], None, None, [])
        at_line_of(function, tree)
        self.made.append(_normalize_inner(function, self.function))
        return self.atom(self.bound(fresh, frozen)) if frozen else name(fresh)


def without_defaults(arguments: Any) -> Any:
    """Copy the parameters of a function, without their defaults."""
    made = copy.copy(arguments)
    made.defaults, made.kw_defaults = [], [None] * len(arguments.kwonlyargs)
    return made


def _rebound_by(operands: Any) -> set[str]:
    """Collect the names that operands rebind by `:=`."""
    parts = (part for operand in operands for part in nodes(operand))
    return {part.target.id for part in parts if isinstance(part, gast.NamedExpr)}


def _whole(owner: Any) -> Any:
    return gast.Subscript(owner, const(...), gast.Store())


def _is_steady(tree: Any) -> bool:
    """Whether an index reads names and shapes only, so that stores leave it as it is."""
    if isinstance(tree, gast.Name | gast.Constant):
        return True
    if isinstance(tree, gast.BinOp):
        return _is_steady(tree.left) and _is_steady(tree.right)
    if isinstance(tree, gast.UnaryOp):
        return _is_steady(tree.operand)
    if isinstance(tree, gast.Call):
        called = isinstance(tree.func, gast.Name) and tree.func.id == "len"
        return called and len(tree.args) == 1 and isinstance(tree.args[0], gast.Name)
    if isinstance(tree, gast.Subscript):
        tree = tree.value
        return isinstance(tree, gast.Attribute) and tree.attr == "shape"
    return False


def _normalize_inner(tree: Any, outer: CoreFunction) -> Any:
    inner = copy.copy(outer)
    object.__setattr__(inner, "tree", tree)
    done = three_address(expand_assignments(inner)).tree
    done.args = tree.args
    return done


def three_address(function: CoreFunction) -> CoreFunction:
    """Bring a function to one operation per statement, with an explicit return at its end.

    Examples
    --------
    >>> import numpy as np
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('def f(x, i):\\n    return x[i + 1] * (x + 1.0)'))
    >>> print(unparse(three_address(f).tree).strip())
    def f(x, i):
        v = x[i + 1]
        v_1 = x + 1.0
        v_2 = v * v_1
        return v_2
    """
    body = _Flattener(function).block(function.tree.body)
    if not always_leaves(body):
        body += quote("return None")
    return function.with_body(body)
