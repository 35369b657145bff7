"""One operation per statement, its operands names and literals.

    y = np.sin(x) * (x + 1)   ->   v = np.sin(x); v_1 = x + 1; y = v * v_1

The order is Python's order of evaluation. Lambdas become functions. What is pulled apart here and turns
out not to be needed by name is put back together by `renest`.
"""

from __future__ import annotations

import copy
from typing import Any

import gast
import numpy as np

import tapeless.runtime
from tapeless.normalize.atoms import Atoms, rebound_by
from tapeless.normalize.attributes_by_key import is_sorted_names, pairs_by_name
from tapeless.normalize.calls_on_atoms import call_on_atoms, zipped
from tapeless.normalize.expand_assignments import expand_assignments, is_zip_of_rows
from tapeless.normalize.expand_comprehensions import as_comprehension, stepwise
from tapeless.normalize.iterators_as_loops import listed_beside_others, loop_over_steps
from tapeless.normalize.iterators_in_step import counted, in_step, mapped_by_name
from tapeless.normalize.operations import OPERATIONS
from tapeless.normalize.plain import is_plain
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
from tapeless.tree.classes import ATOMS, DISPLAYS
from tapeless.tree.endings import always_leaves, breaks
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import captured_names, reads
from tapeless.tree.trees import Stmt, Tree

_LOOP_MAKERS = {"range", "enumerate", "zip", "reversed"}


class Flattener(Atoms):
    """Brings the statements of one function to one operation each."""

    def __init__(self, function: CoreFunction) -> None:
        super().__init__(function, HANDLERS)
        self.captured = captured_names(function.tree)

    def block(self, statements: list[Stmt]) -> list[Any]:
        outer, self.made = self.made, []
        for statement in statements:
            start = len(self.made)
            getattr(self, f"do_{type(statement).__name__}", self.keep)(statement)
            for made in self.made[start:]:
                self.point_to_operation(at_line_of(made, statement))
            if self.made and always_leaves(self.made[-1:]):
                break  # what follows is never reached
        self.made, found = outer, self.made
        return found

    def point_to_operation(self, made: Any) -> None:
        """Let a statement that was made for an operation stand where that stands in its line."""
        key = getattr(made.targets[0], "id", None) if type(made) is gast.Assign else None
        operation = self.operations.get(str(key))
        line = getattr(made, "lineno", None)  # what the tool wrote may have none
        if operation is None or line is None:
            return
        if getattr(operation, "lineno", None) == line:
            made.col_offset = operation.col_offset

    def keep(self, tree: Tree) -> None:
        self.made.append(tree)

    def do_Expr(self, tree: Tree) -> None:
        if type(tree.value) is gast.Constant:
            return
        found = self.operation(tree.value)
        if type(found) in (gast.Call, *ATOMS):
            self.made.append(gast.Expr(found))
        else:  # an attribute, item or operator may be code of the user's
            self.made.append(assign(self.names.fresh("v"), found))

    def do_Assign(self, tree: Tree) -> None:
        place = tree.targets[0]
        if type(place) in DISPLAYS:
            self.made.append(gast.Assign([place], self.atom(tree.value), None))
        elif type(place) is gast.Name and place.id in self.iterators:
            taken = self.iterators[place.id]
            through = as_comprehension(tree.value.args[0], self.function, self.names)
            whole = tree.value.args[0] if through is None else at_line_of(through, tree)
            items = gast.Call(self.helper(tapeless.runtime.sequence), [self.atom(whole)], [])
            self.made += [assign(taken.items, items), assign(taken.at, const(0))]
        elif type(place) is gast.Name:
            value = self.operation(tree.value)
            if type(value) is not gast.Name and place.id in self.may_read(value):
                fresh = self.names.fresh("v")  # the old and the new value are told apart by name
                self.made.append(assign(fresh, value))
                value = name(fresh)
            self.made.append(assign(place.id, value))
        else:
            value = self.atom(tree.value)
            self.made.append(assign(self.place(place), value))

    def may_read(self, tree: Tree) -> set[str]:
        """Return the names that an operation may read: whatever it calls, what local functions capture."""
        found = set(reads(tree))
        return found | self.captured if type(tree) is gast.Call else found

    def do_AugAssign(self, tree: Tree) -> None:
        """Bind owner and index, read what is there, then evaluate the value, as Python does.

        What is there is read by a statement of its own where evaluating the value may change it.
        """
        place, changing = tree.target, self.may_change(tree.value)
        if type(place) is gast.Name:
            early = place.id in rebound_by([tree.value])
        else:
            place, early = self.place(place, tree.value), changing
        if not early:
            self.made.append(gast.AugAssign(place, tree.op, self.atom(tree.value)))
            return
        old = self.names.fresh("v")
        self.made.append(assign(old, as_load(place)))
        self.made.append(gast.AugAssign(target(old), tree.op, self.atom(tree.value)))
        self.made.append(assign(place, name(old)))

    def do_Return(self, tree: Tree) -> None:
        if tree.value is None:
            self.made.append(gast.Return(gast.Constant(None, None)))
        else:
            self.made.append(gast.Return(self.atom(tree.value)))

    def do_If(self, tree: Tree) -> None:
        test = self.test(tree.test)
        self.made.append(gast.If(test, self.block(tree.body), self.block(tree.orelse)))

    def do_While(self, tree: Tree) -> None:
        """Write a test that is no plain expression into the body; an `else` then stands below the loop."""
        if is_plain(tree.test, self.function):
            self.made.append(gast.While(tree.test, self.block(tree.body), self.block(tree.orelse)))
            return
        ended = self.names.fresh("exhausted") if tree.orelse and breaks(tree.body) else None
        note = [] if ended is None else [assign(ended, gast.Constant(True, None))]
        leave = gast.If(gast.UnaryOp(gast.Not(), tree.test), [*note, gast.Break()], [])
        at_line_of(leave, tree)
        if ended is not None:
            self.made.append(at_line_of(assign(ended, gast.Constant(False, None)), tree))
        body = self.block([leave, *tree.body])
        self.made.append(gast.While(gast.Constant(True, None), body, []))
        rest = tree.orelse
        if ended is not None:
            rest = [at_line_of(gast.If(name(ended), rest, []), tree)]
        self.made += self.block(rest)

    def do_For(self, tree: Tree) -> None:
        if type(tree.iter) is gast.Call:
            if self.function.resolve(tree.iter.func) is np.ndenumerate:
                self.over_entries(tree)
                return
        if type(tree.iter) is gast.Name and tree.iter.id in self.iterators:
            taking = self.iterators[tree.iter.id].looped(tree)
            self.write_out([at_line_of(taking, tree)])
            return
        steps = mapped_by_name(tree, self.function, self.names)
        steps = steps or pairs_by_name(tree, self.function, self.names)
        steps = steps or loop_over_steps(tree, self.function, self.names)
        steps = steps or counted(tree, self.function, self.names)
        steps = steps or in_step(tree, self.function, self.names)
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

    def flat_target(self, place: Tree, iterable: Tree) -> tuple[Any, list[Any]]:
        """Name the tuples that `zip` or `enumerate` put side by side; the body unpacks them."""
        if type(iterable) is not gast.Call:
            return place, []
        if type(place) is gast.Name:
            return self.apart(place, iterable)
        counts = type(iterable.func) is gast.Name and iterable.func.id == "enumerate"
        sources = [None, *iterable.args] if counts else iterable.args
        made = [self.flat_part(p, s) for p, s in zip(place.elts, sources, strict=False)]
        parts = [part for part, _ in made] + place.elts[len(made) :]
        return gast.Tuple(parts, gast.Store()), [s for _, unpacked in made for s in unpacked]

    def flat_part(self, place: Tree, source: Tree | None) -> tuple[Any, list[Any]]:
        """Name the tuples that stand at one place of the tuples of `zip` or `enumerate`."""
        if type(source) is gast.Call:
            return self.flat_target(place, source)
        if type(place) not in DISPLAYS or type(source) is not gast.Name:
            return place, []
        item = self.names.fresh("item")
        return target(item), [gast.Assign([place], name(item), None)]

    def apart(self, place: Tree, iterable: Tree) -> tuple[Any, list[Any]]:
        """Take the tuples of `zip` or `enumerate` apart in the header; the body puts them together."""
        called = getattr(iterable.func, "id", "")
        starred = any(type(a) is gast.Starred for a in iterable.args)
        if called not in ("enumerate", "zip") or starred:
            return place, []
        wishes = ["i", "v"] if called == "enumerate" else ["v"] * len(iterable.args)
        keys = [self.names.fresh(wish) for wish in wishes]
        parts = gast.Tuple([target(key) for key in keys], gast.Store())
        whole = gast.Tuple([name(key) for key in keys], gast.Load())
        return parts, [gast.Assign([place], whole, None)]

    def do_With(self, tree: Tree) -> None:
        self.made.append(gast.With(tree.items, self.block(tree.body), None))

    def do_Try(self, tree: Tree) -> None:
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

    def filled_block(self, statements: list[Stmt]) -> list[Any]:
        return self.block(statements) or [at_line_of(gast.Pass(), statements[0])]

    def do_Assert(self, tree: Tree) -> None:
        self.made.append(gast.Assert(self.test(tree.test), tree.msg))

    def do_FunctionDef(self, tree: Tree) -> None:
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

    def frozen_defaults(self, arguments: Tree) -> dict[str, Any]:
        """Take the defaults that are computed where a function is defined out of its signature.

        Returns
        -------
        What each of the parameters gets; none where all defaults are literals.
        """
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = [d for d in [*arguments.defaults, *arguments.kw_defaults] if d is not None]
        if all(type(d) is gast.Constant for d in defaults):
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

    def over_entries(self, tree: Tree) -> None:
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

    def iterable(self, tree: Tree) -> Any:
        if type(tree) is gast.Call:
            called = tree.func
            if is_zip_of_rows(self.function, tree):
                return self.atom(zipped(self, tree))
            if type(called) is gast.Name and called.id in _LOOP_MAKERS - self.local:
                keep = self.index if called.id == "range" else self.visited
                first, rest = tree.args[:1], tree.args[1:]
                if called.id == "enumerate":
                    args = [self.visited(a) for a in first] + [self.index(a) for a in rest]
                else:
                    args = [keep(a) for a in tree.args]
                keywords = [gast.keyword(k.arg, self.index(k.value)) for k in tree.keywords]
                return gast.Call(called, args, keywords)
            if self.function.resolve(called) is tapeless.runtime.own_names:
                return gast.Call(called, [self.atom(tree.args[0])], [])
            if is_sorted_names(self.function, tree):
                return gast.Call(called, [self.iterable(tree.args[0])], tree.keywords)
            if type(called) is gast.Attribute and called.attr in ("items", "keys", "values"):
                return gast.Call(
                    gast.Attribute(self.atom(called.value), called.attr, gast.Load()), [], []
                )
        return self.atom(tree)

    def visited(self, tree: Tree) -> Any:
        """Return what a loop visits by way of `zip` or its like: a view of a dict as a list."""
        func = tree.func if type(tree) is gast.Call else None
        if isinstance(func, gast.Attribute) and func.attr in ("items", "keys", "values"):
            return self.atom(gast.Call(name("list"), [tree], []))
        return self.iterable(tree)

    def bound_within(self, tree: Tree) -> Any:
        """Bind a name within an expression; return what it holds."""
        self.do_Assign(gast.Assign([tree.target], tree.value, None))
        return as_load(tree.target)

    def lambda_name(self, tree: Tree) -> Any:
        fresh = self.names.fresh("lambda_")
        frozen = self.frozen_defaults(tree.args)
        body = [at_line_of(gast.Return(tree.body), tree)]
        arguments = without_defaults(tree.args) if frozen else tree.args
        function = gast.FunctionDef(fresh, arguments, body, [], None, None, [])
        at_line_of(function, tree)
        self.made.append(_normalize_inner(function, self.function))
        return self.atom(self.bound(fresh, frozen)) if frozen else name(fresh)


HANDLERS = {**OPERATIONS, gast.Call: call_on_atoms, gast.NamedExpr: Flattener.bound_within}


def without_defaults(arguments: Tree) -> Any:
    """Copy the parameters of a function, without their defaults."""
    made = copy.copy(arguments)
    made.defaults, made.kw_defaults = [], [None] * len(arguments.kwonlyargs)
    return made


def _normalize_inner(tree: Tree, outer: CoreFunction) -> Any:
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
    body = Flattener(function).block(function.tree.body)
    if not always_leaves(body):
        body += quote("return None")
    return function.with_body(body)
