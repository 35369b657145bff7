"""A function is run once on what is known of its values, and the loops that it needs are written.

Each statement of the core language has its method here. Functions of the user's are run where they are
called, so that their loops can be joined with those around; their names get new ones where they clash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gast

import tapeless.lower.arithmetic as arithmetic
import tapeless.lower.carried as carried
import tapeless.lower.late as late
import tapeless.lower.listed as listed
import tapeless.lower.results as results
import tapeless.lower.stacks as stacks
from tapeless.lower.affine import Affine, symbol
from tapeless.lower.branches import Joining
from tapeless.lower.expressions import as_items
from tapeless.lower.leaving import jumps, leaves
from tapeless.lower.loops import (
    Assign,
    Expr,
    If,
    Jump,
    Loop,
    Num,
    Op,
    Return,
    Returned,
    Var,
    While,
    described,
)
from tapeless.lower.refused import NotLowered
from tapeless.lower.stores import Stores
from tapeless.lower.unrolled import visited
from tapeless.lower.values import (
    Array,
    Items,
    Iterated,
    Known,
    Listed,
    Masked,
    Maybe,
    Number,
    Span,
    Stack,
    Trip,
    Value,
    number,
    whole,
)
from tapeless.tree.blocks import is_errstate
from tapeless.tree.comments import is_comment
from tapeless.tree.names import binds, nodes


class Runner(Stores):
    """Runs the statements of one function, and of those that it calls."""

    def run(self, body: list[Any]) -> None:
        """Run the statements of a block."""
        for s in body:
            if self.scope.returned is not None:
                raise self.state.refused("statements after a `return`")
            if self.scope.is_outer:
                self.state.line = getattr(s, "lineno", None) or self.state.line
                self.state.statement = s
            if not is_comment(s):
                self.current = s
                self.statement(s)

    def statement(self, s: Any) -> None:
        """Run a statement."""
        method = getattr(self, f"run_{type(s).__name__}", None)
        if method is None:
            raise self.state.refused(f"a `{type(s).__name__.lower()}` statement")
        method(s)

    def run_Pass(self, s: Any) -> None:
        pass

    def run_Assign(self, s: Any) -> None:
        target = s.targets[0]
        if isinstance(target, gast.Name):
            self.state.hint = target.id
        self.bind(target, self.evaluated(s.value, s))

    def bind(self, target: Any, value: Value) -> None:
        """Bind a target to a value."""
        if isinstance(target, gast.Name):
            self.bind_name(target.id, value)
        elif isinstance(target, (gast.Tuple, gast.List)):
            items = self.unpacked(value, len(target.elts))
            for part, item in zip(target.elts, items, strict=True):
                self.bind(part, item)
        elif isinstance(target, gast.Subscript):
            self.store(target, value, "")
        else:
            raise self.state.refused("a store into an attribute")

    def unpacked(self, value: Value, count: int) -> tuple[Value, ...]:
        """Return the items of a tuple, or the rows of an array whose length is known."""
        if isinstance(value, Items) and len(value.items) == count:
            return value.items
        if isinstance(value, Array) and value.dims:
            self.state.demand_equal(value.dims[0], Affine(count))
            return tuple(self.subscripted(value, [number(k)]) for k in range(count))
        raise self.state.refused("an unpacking of what is not known to have so many items")

    def bind_name(self, key: str, value: Value) -> None:
        """Bind a name: a number that is bound again elsewhere to a variable, all else as it is."""
        if isinstance(value, Number):
            if self.scope.counts.get(key, 0) > 1:
                self.check_growth(key, value)
                name = self.residual(key)
                self.state.mutable.add(name)
                value = self.state.assign(name, value)
            elif not self.state.is_stable(value.expr):
                value = self.state.frozen(value, key)
        self.scope.env[key] = value
        if key in self.scope.facts.function.own_names:
            self.name(key, value)

    def name(self, key: str, value: Value) -> None:
        """Note that the author of the text names something: its first name counts."""
        state = self.state
        old = value.base if isinstance(value, Array) and value.fresh else None
        if isinstance(value, Number) and isinstance(value.expr, Var):
            old = value.expr.name
        if old is None or old in state.named:
            return
        state.named.add(old)
        if old != key and old not in state.mutable:
            state.renamed[old] = state.fresh(key)

    def check_growth(self, key: str, value: Number) -> None:
        """Refuse integers that are carried around a loop and may grow by more than a constant."""
        if value.sort != "int" or not self.state.loops:
            return
        name = self.scope.residual.get(key)
        form = value.form
        if form is not None and name is not None:
            form = form - symbol(name) if form.factor(name) == 1 else form
        if form is None or form.symbols & self.state.mutable:
            raise self.state.refused("an integer that is carried around a loop")

    def residual(self, key: str) -> str:
        """Return the variable of a name that is bound more than once."""
        if key not in self.scope.residual:
            self.scope.residual[key] = self.state.fresh(key)
        return self.scope.residual[key]

    def run_AugAssign(self, s: Any) -> None:
        value = self.evaluate(s.value, s)
        word = type(s.op).__name__
        if isinstance(s.target, gast.Name):
            old = self.read(s.target.id)
            if isinstance(old, Array):
                self.add_in_place(old, word, value)
                return
            if isinstance(old, Masked):
                self.demand_alone(s.target.id, old)
            self.state.hint = s.target.id
            self.bind_name(s.target.id, arithmetic.binary(self.state, word, old, value))
        elif isinstance(s.target, gast.Subscript):
            self.store(s.target, value, word)
        else:
            raise self.state.refused("a store into an attribute")

    def run_Expr(self, s: Any) -> None:
        if isinstance(s.value, gast.Constant):
            return
        if isinstance(s.value, gast.Call) and isinstance(s.value.func, gast.Attribute):
            owner = s.value.func.value
            stack = self.scope.env.get(owner.id) if isinstance(owner, gast.Name) else None
            if isinstance(stack, Stack) and s.value.func.attr == "append":
                value = self.evaluated(s.value.args[0], s)
                stacks.push(self.state, stack, value)
                return
            if isinstance(stack, Listed) and s.value.func.attr == "append":
                listed.demand_here(self.state, stack)
                stack.items.append(self.kept(self.evaluate(s.value.args[0], s)))
                return
        self.evaluate(s.value, s)

    def run_Return(self, s: Any) -> None:
        is_early = len(self.state.trips) > self.level
        if is_early and not self.scope.is_outer:
            raise self.state.refused("a `return` inside of a loop or a branch of what is called")
        value: Value = Known(None) if s.value is None else self.evaluated(s.value, s)
        if self.scope.is_outer:
            value = self.used(value)
            kind, names = self.scope.facts.returned.kind, results.names_in(s.value)
            self.leave(results.returned(self.state, value, kind, self.scope.env, names))
        if not is_early:
            self.scope.returned = value

    def leave(self, made: Returned) -> None:
        """Write a `return` of the function: all of them return alike."""
        program = self.state.program
        if program.returned is not None and described(program.returned) != described(made):
            raise self.state.refused("a `return` of something else than another one returns")
        program.returned = made
        self.state.emit(Return(made))

    def run_Raise(self, s: Any) -> None:
        self.state.emit(Jump("raise ValueError('the NumPy text raises here')"))

    def run_Assert(self, s: Any) -> None:
        failed = gast.UnaryOp(gast.Not(), s.test)
        self.run_If(gast.If(failed, [gast.Raise(None, None)], []))

    def run_With(self, s: Any) -> None:
        """Run a block in which NumPy warns of less: loops warn of nothing."""
        texts = [k.value for item in s.items for k in getattr(item.context_expr, "keywords", ())]
        quiet = {getattr(text, "value", None) for text in texts} <= {"ignore", "warn"}
        if not is_errstate(s) or not quiet:
            raise self.state.refused("a `with` statement other than `np.errstate(...)`")
        self.run(s.body)

    def test(self, tree: Any) -> Value:
        """Evaluate a test: of a list, whether anything is in it."""
        value = self.evaluate(tree)
        return stacks.is_filled(self.state, value) if isinstance(value, Stack) else value

    def run_If(self, s: Any) -> None:
        test = self.test(s.test)
        known = self.known_truth(test)
        if known is not None:
            self.run(s.body if known else s.orelse)
            return
        self.branch(arithmetic.truth(self.state, test), s, s.body, s.orelse)

    def branch(self, expr: Expr, s: Any, first_body: list[Any], second_body: list[Any]) -> None:
        """Run both ways of a branch; `s` is the statement that control leaves after it."""
        before = dict(self.scope.env)
        self.state.trips.append(Trip(""))
        with self.state.block() as body:
            self.run(first_body)
        first, self.scope.env = self.scope.env, dict(before)
        with self.state.block() as orelse:
            self.run(second_body)
        self.state.trips.pop()
        if leaves(second_body):
            self.scope.env = first
        elif not leaves(first_body):
            envs, live = (first, self.scope.env), self.liveness.live_after(s)
            scope = self.scope
            ways = Joining(self.state, envs, (body, orelse), live, scope.given, scope.residual)
            scope.env = ways.joined()
        if body or orelse:
            self.state.emit(If(expr, body, orelse))

    # Loops

    def run_For(self, s: Any) -> None:
        over = as_items(self.evaluate(s.iter, s))
        if id(s) in self.state.unrolled:
            self.unroll(s, over)
            return
        try:
            with self.ending(s):
                self.loop(s, over)
        except NotLowered as refusal:
            if self.state.is_resorted or visited(over) is None or jumps(s.body):
                raise
            raise self.state.known_better(self.state.unrolled, id(s), refusal.reason) from refusal

    @contextmanager
    def ending(self, s: Any) -> Iterator[None]:
        """Run a loop, and what stands in its `else` where it was not left by a `break`."""
        flag = self.state.fresh("is_complete") if s.orelse else None
        if flag is not None:
            self.state.mutable.add(flag)
            self.state.emit(Assign(flag, Num(True)))
        self.flags.append(flag)
        yield
        self.flags.pop()
        if flag is not None:
            self.branch(Var(flag), s, s.orelse, [])

    def unroll(self, s: Any, over: Value) -> None:
        """Run each trip of a short loop by itself."""
        self.state.unrolling += 1
        for item in visited(over) or ():
            self.bind(s.target, item)
            self.run(s.body)
        self.state.unrolling -= 1
        self.run(s.orelse)

    def loop(self, s: Any, over: Value) -> None:
        """Run a trip that stands for all."""
        span, items = self.iterated(over)
        name = self.loop_variable(s.target, over)
        extents = self.state.extents
        last = span.stop - span.step
        ends = (span.start, last) if span.step > 0 else (last, span.start)
        extents.ranges[name] = ends
        around = self.enter_loop(s)
        before = dict(self.scope.env)
        self.state.loops.append(name)
        self.state.trips.append(Trip(name, span, not jumps(s.body)))
        with self.state.block() as body:
            self.bind(s.target, items(symbol(name)))
            self.trip(s, around)
        self.leave_loop(before, around)
        del extents.ranges[name]
        self.state.emit(Loop(name, span.start, span.stop, body, span.step, made=False))

    def enter_loop(self, s: Any) -> carried.Carried:
        """Give memory to the arrays that a loop binds anew."""
        bound = {key for part in (s, *s.body) for p in nodes(part) for key in _bound_in(p)}
        live = self.liveness.heads.get(s, frozenset(self.scope.env)) | self.liveness.scoped
        env = self.scope.env
        olds = {key: env.pop(key) for key in bound & env.keys() if isinstance(env[key], Maybe)}
        first = bound & (live | self.liveness.live_after(s)) - env.keys()
        env.update({key: self.state.joined_sort(env[key]) for key in bound & env.keys()})
        around = carried.begin(self.state, env, bound, live, self.scope.given)
        self.carrying.append(around)
        self.late.append(late.begin(self.state, env, first, olds))
        return around

    def trip(self, s: Any, around: carried.Carried) -> None:
        """Run the body of a loop, and what happens where a trip ends."""
        self.run(s.body)
        if not leaves(s.body):
            self.end_trip(around)

    def end_trip(self, around: carried.Carried) -> None:
        for name in self.late[-1].values():
            name.end_trip(self.state, self.scope.env, around.live, self.scope.given)
        carried.end_trip(self.state, self.scope.env, around, self.scope.given)

    def leave_loop(self, before: dict[str, Value], around: carried.Carried) -> None:
        """Keep of the names what does not change from trip to trip."""
        self.carrying.pop()
        held = {key: name.after(self.state) for key, name in self.late.pop().items()}
        self.state.trips.pop()
        self.state.loops.pop()
        for key, value in before.items():
            now = self.scope.env.get(key)
            if now is None or now == value or key in around.blocks or key in held:
                continue
            same = isinstance(now, Number) and isinstance(value, Number) and now.expr == value.expr
            if not same:
                raise self.state.refused(f"`{key}`, which is another array in each trip of a loop")
            before[key] = self.state.joined_sort(now)
        self.scope.env = before | {key: x for key, x in held.items() if x is not None}

    def loop_variable(self, target: Any, over: Value) -> str:
        """Return the variable of a loop: the user's, if it runs over a range."""
        is_named = isinstance(target, gast.Name) and isinstance(over, Span) and target.id != "_"
        key = target.id if is_named else "t"
        if is_named and key in self.scope.counts:
            raise self.state.refused(f"`{key}`, which is bound by a loop and elsewhere")
        label = f"for {key}"
        name = self.scope.residual.get(label)
        if name is None or name in self.state.extents.ranges:
            name = self.scope.residual[label] = self.state.fresh(key)
        return name

    def iterated(self, over: Value) -> tuple[Span, Callable[[Affine], Value]]:
        """Return the range of a loop, and what its target is bound to in terms of the variable."""
        state = self.state
        if isinstance(over, Span):
            return over, whole
        if isinstance(over, Array) and over.dims:
            array = over
            return Span(Affine(), over.dims[0]), lambda k: self.subscripted(array, [whole(k)])
        if isinstance(over, Stack):
            stack = over
            count = listed.length(state, stack)
            return Span(Affine(), count), lambda k: listed.item_of(state, stack, whole(k))
        if isinstance(over, Iterated) and over.how == "range":
            start, count, step = (self.state.form(part) for part in over.of)
            return Span(Affine(), count), lambda k: whole(start + k * step.const)
        if isinstance(over, Iterated) and over.how == "reversed":
            return self.reversed(over.of[0])
        if isinstance(over, Iterated) and over.how == "zip":
            return self.zipped([self.iterated(part) for part in over.of])
        if isinstance(over, Iterated) and over.how == "enumerate":
            span, items = self.iterated(over.of[0])
            return span, lambda k: Items((whole(span.place(k)), items(k)))
        raise state.refused("a loop over what is no range and no array")

    def reversed(self, over: Value) -> tuple[Span, Callable[[Affine], Value]]:
        if isinstance(over, Stack):
            span, stack = stacks.taken_whole(self.state, over), over
            return span.reversed, lambda k: stacks.at_row(self.state, stack, (k,))
        span, items = self.iterated(over)
        return span.reversed, items

    def zipped(
        self, parts: list[tuple[Span, Callable[[Affine], Value]]]
    ) -> tuple[Span, Callable[[Affine], Value]]:
        """Run over several things at once: they are demanded to be equally long."""
        first = parts[0][0]
        for span, _ in parts[1:]:
            self.state.check_equal(first.length, span.length)

        def items(k: Affine) -> Value:
            trip = first.place(k)
            return Items(tuple(of(trip * s.step + s.start) for s, of in parts))

        return first, items

    def run_While(self, s: Any) -> None:
        with self.ending(s):
            self.loop_while(s)

    def loop_while(self, s: Any) -> None:
        """Run a trip of a `while` loop that stands for all."""
        around = self.enter_loop(s)
        before = dict(self.scope.env)
        self.state.trips.append(Trip("while"))
        self.state.loops.append("while")
        with self.state.block() as body:
            test = arithmetic.truth(self.state, self.test(s.test))
            if body:  # what the test needs is computed in every trip
                self.state.emit(If(Op("not", (test,)), [Jump("break")], []))
                test = Num(True)
            self.trip(s, around)
        self.leave_loop(before, around)
        self.state.emit(While(test, body))

    def run_Break(self, s: Any) -> None:
        self.jump("break")

    def run_Continue(self, s: Any) -> None:
        self.jump("continue")

    def jump(self, word: str) -> None:
        self.end_trip(self.carrying[-1])
        if word == "break" and self.flags[-1] is not None:
            self.state.emit(Assign(self.flags[-1], Num(False)))
        self.state.emit(Jump(word))


def _bound_in(p: Any) -> set[str]:
    """Return the names that a statement itself binds; an array that is added to is the same one."""
    if isinstance(p, gast.For):
        return binds(p.target)
    return {k for t in p.targets for k in binds(t)} if isinstance(p, gast.Assign) else set()
