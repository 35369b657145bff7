"""Expressions of the core language, on what is known of their values; calls."""

from __future__ import annotations

import functools
import types
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

import tapeless.lower.arithmetic as arithmetic
import tapeless.lower.cotangents as cotangents
import tapeless.lower.gather as gather
import tapeless.lower.indexing as indexing
import tapeless.lower.listed as listed
import tapeless.lower.masked as masked
import tapeless.lower.shadows as shadows
import tapeless.lower.stacks as stacks
import tapeless.runtime as runtime
from tapeless.analysis.calls import UserCall
from tapeless.analysis.facts import Facts
from tapeless.externals import MISSING
from tapeless.lower.affine import Affine
from tapeless.lower.carried import Carried
from tapeless.lower.functions.masks import applied_to_selected
from tapeless.lower.functions.registry import applied, meaning_of
from tapeless.lower.given import array_outside
from tapeless.lower.late import Late
from tapeless.lower.loops import (
    Check,
    Expr,
    Num,
    Op,
    Product,
    Whole,
    walk,
)
from tapeless.lower.precision import FLOATS, precision_of, sort_of
from tapeless.lower.state import State
from tapeless.lower.values import (
    Array,
    Cotangents,
    Display,
    Items,
    Iterated,
    Known,
    Label,
    Listed,
    Masked,
    Maybe,
    Number,
    Shadows,
    Span,
    Stack,
    Value,
    number,
    whole,
)
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import binds, nodes

MOST_CALLS_INSIDE = 12
TAKE_NONE = (runtime.zeros,)  # functions that are given what may be None


@dataclass
class Scope:
    """A function that is being run: its facts, and what its names stand for."""

    facts: Facts
    env: dict[str, Value] = field(default_factory=dict)
    residual: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    loop_names: set[str] = field(default_factory=set)
    returned: Value | None = None
    is_outer: bool = False
    given: list[Value] = field(default_factory=list)

    def count_bindings(self) -> None:
        """Count how often each name is bound."""
        for key in self.facts.function.parameters:
            self.counts[key] = 1
        for s in nodes(self.facts.function.tree):
            if isinstance(s, gast.For):
                self.loop_names |= binds(s.target)
            elif isinstance(s, (gast.Assign, gast.AugAssign)):
                targets = s.targets if isinstance(s, gast.Assign) else [s.target]
                for key in {k for t in targets for k in _bound_by(t)}:
                    self.counts[key] = self.counts.get(key, 0) + 1


def _bound_by(target: Any) -> list[str]:
    if isinstance(target, gast.Name):
        return [target.id]
    if isinstance(target, (gast.Tuple, gast.List)):
        return [key for item in target.elts for key in _bound_by(item)]
    return []


class Expressions:
    """Evaluates the expressions of one function, and runs those that it calls."""

    def __init__(self, state: State, scope: Scope, depth: int = 0) -> None:
        self.state = state
        self.scope = scope
        self.depth = depth
        self.level = len(state.trips)
        self.carrying: list[Carried] = []
        self.late: list[dict[str, Late]] = []
        self.flags: list[str | None] = []  # of the loops around, which tell whether they were left
        self.current: Any = None
        scope.count_bindings()

    @functools.cached_property
    def liveness(self) -> Liveness:
        """Which names are read later."""
        return Liveness(self.scope.facts.function.tree)

    def run(self, body: list[Any]) -> None:
        """Run the statements of a block."""
        raise NotImplementedError

    def bind_name(self, key: str, value: Value) -> None:
        """Bind a name."""
        raise NotImplementedError

    def known_truth(self, test: Value) -> bool | None:
        """Return whether a test holds, if that is known now."""
        if isinstance(test, Number) and isinstance(test.expr, Num):
            return bool(test.expr.value)
        if isinstance(test, Number) and test.form is not None and test.form.is_const:
            return bool(test.form.const)
        return None if isinstance(test, (Number, Array)) else self.truth_of(test)

    def truth_of(self, test: Value) -> bool:
        if isinstance(test, Known):
            return bool(test.value)
        raise self.state.refused("a test of what is no number")

    def read(self, key: str) -> Value:
        """Return what a name stands for."""
        found = self.scope.env.get(key)
        if isinstance(found, Label):
            self.state.program.texts[key] = found.value
            return Known(found.value)
        if found is not None:
            return found
        function = self.scope.facts.function
        if key in function.local:
            raise self.state.refused(f"`{key}`, which is bound in some trips or branches only")
        return self.outside(gast.Name(key, gast.Load(), None, None))

    def outside(self, tree: Any) -> Value:
        """Return a global, or a part of a module: numbers and tuples of them are written as they are."""
        function = self.scope.facts.function
        found = function.resolve(tree)
        if found is MISSING:
            raise self.state.refused("a name that is not known")
        if isinstance(found, np.ndarray):
            return array_outside(self.state, function, tree, found)
        value = constant(found)
        if type(found) is list and listed.is_of_literals(found):
            found = list(found)  # as it is now: a change is noticed
            value = Display(tuple(map(constant, found)))
        if not isinstance(found, (types.ModuleType, types.FunctionType, np.ufunc, type)):
            self.state.bake(function, tree, found)
        return value

    def evaluate(self, tree: Any, s: Any = None) -> Value:
        """Return the value of an expression that is used; `s` is the statement that it stands in."""
        value = self.evaluated(tree, s)
        return self.there(value) if isinstance(value, Maybe) else value

    def used(self, value: Value) -> Value:
        """Return a value, or a tuple of such, nothing of which is None on some ways only."""
        if isinstance(value, Items):
            return type(value)(tuple(map(self.used, value.items)))
        return self.there(value) if isinstance(value, Maybe) else value

    def there(self, value: Maybe) -> Value:
        """Return what is used: where it is None, or not bound, the NumPy text runs."""
        self.state.check(value.there, "ValueError", "nothing is there")
        return value.value

    def evaluated(self, tree: Any, s: Any = None) -> Value:
        """Return the value of an expression, which may be None on some ways."""
        method = getattr(self, f"value_{type(tree).__name__}", None)
        if method is None:
            raise self.state.refused(f"`{type(tree).__name__}`")
        value: Value = method(tree, s)
        return value

    def value_Constant(self, tree: Any, s: Any) -> Value:
        return constant(tree.value)

    def value_Name(self, tree: Any, s: Any) -> Value:
        return self.read(tree.id)

    def value_BinOp(self, tree: Any, s: Any) -> Value:
        a, b = self.evaluate(tree.left), self.evaluate(tree.right)
        word = type(tree.op).__name__
        if word == "MatMult":
            meaning = meaning_of(np.matmul)
            assert meaning is not None
            if isinstance(a, Masked) or isinstance(b, Masked):
                return applied_to_selected(self.state, np.matmul, meaning, [a, b], {})
            return applied(self.state, meaning, [a, b], {})
        if isinstance(a, Items) and isinstance(b, Items) and type(a) is type(b) and word == "Add":
            return type(a)(a.items + b.items)
        if isinstance(a, Items) and a.items == (number(0.0),) and word == "Mult":
            return cotangents.begun(self.state, self.state.form(b, "a size"))
        return arithmetic.binary(self.state, word, a, b)

    def value_UnaryOp(self, tree: Any, s: Any) -> Value:
        x = self.evaluate(tree.operand)
        if isinstance(tree.op, gast.USub):
            return arithmetic.negative(self.state, x)
        if isinstance(tree.op, (gast.Not, gast.Invert)):
            known = self.known_truth(x) if isinstance(tree.op, gast.Not) else None
            return number(not known) if known is not None else arithmetic.inverted(self.state, x)
        raise self.state.refused("the operator `+`")

    def value_Compare(self, tree: Any, s: Any) -> Value:
        if len(tree.ops) != 1:
            raise self.state.refused("a chain of comparisons")
        word = type(tree.ops[0]).__name__
        a, b = self.evaluated(tree.left), self.evaluate(tree.comparators[0])
        if (
            isinstance(a, Maybe)
            and not a.is_unbound
            and b == Known(None)
            and word in ("Is", "IsNot")
        ):
            return Number(a.there if word == "IsNot" else Op("not", (a.there,)), "bool")
        a = self.there(a) if isinstance(a, Maybe) else a
        if word in ("Is", "IsNot") and isinstance(b, Known):
            same = isinstance(a, Known) and a.value is b.value
            return number(same == (word == "Is"))
        return arithmetic.compared(self.state, word, a, b)

    def value_BoolOp(self, tree: Any, s: Any) -> Value:
        sign = "and" if isinstance(tree.op, gast.And) else "or"
        first = self.evaluate(tree.values[0])
        with self.state.block() as written:
            others = [self.evaluate(part) for part in tree.values[1:]]
            tests: list[Expr] = [arithmetic.truth(self.state, x) for x in (first, *others)]
        if any(isinstance(part, (Check, Product)) for part in walk(written)):
            raise self.state.refused("a part of a test that needs checks of its own")
        self.state.out += written  # which is computed whether it is needed or not
        if not all(isinstance(x, Number) and x.sort == "bool" for x in (first, *others)):
            raise self.state.refused("`and` and `or` of what are no truth values")
        return Number(Op(sign, tuple(tests)), "bool")

    def value_Tuple(self, tree: Any, s: Any) -> Items:
        return Items(tuple(self.kept(self.evaluated(item)) for item in tree.elts))

    def kept(self, value: Value) -> Value:
        """Return what an item of a tuple is: a number that does not change any more."""
        return self.state.frozen(value, "t") if isinstance(value, Number) else value

    def value_List(self, tree: Any, s: Any) -> Value:
        items = self.value_Tuple(tree, s).items
        if id(tree) in self.state.listed:
            return Listed(list(items), len(self.state.trips))
        if not items:
            return stacks.begun(self.state, id(tree))
        target = s.targets[0] if isinstance(s, gast.Assign) and s.value is tree else None
        if isinstance(target, gast.Name) and target.id in self.appended:
            return stacks.begun_with(self.state, items, id(tree))
        return Display(items)

    @functools.cached_property
    def appended(self) -> set[str]:
        """The names of lists that something is appended to."""
        parts = [p for p in nodes(self.scope.facts.function.tree) if isinstance(p, gast.Attribute)]
        named = [p.value for p in parts if p.attr == "append" and isinstance(p.value, gast.Name)]
        return {p.id for p in named}

    def value_Attribute(self, tree: Any, s: Any) -> Value:
        if not self.is_of_a_value(tree):
            return self.outside(tree)
        x = self.evaluate(tree.value)
        if isinstance(x, Masked) and tree.attr == "shape":
            return masked.shape(self.state, x)
        if isinstance(x, Array):
            return self.attribute_of_array(x, tree.attr)
        if isinstance(x, Number) and tree.attr == "dtype":
            return Known(np.dtype(precision_of(x)).type)
        if isinstance(x, Known) and isinstance(x.value, np.finfo):
            return constant(getattr(x.value, tree.attr))
        raise self.state.refused(f"the attribute `{tree.attr}`")

    def is_of_a_value(self, tree: Any) -> bool:
        """Whether an attribute is one of a value, and not a name in a module or a class."""
        function, owner = self.scope.facts.function, tree.value
        if isinstance(owner, gast.Attribute) and self.is_of_a_value(owner):
            return True
        if isinstance(owner, gast.Name) and owner.id in function.local:
            return True
        is_name = isinstance(owner, (gast.Name, gast.Attribute))
        return not is_name or isinstance(function.resolve(owner), np.ndarray)

    def attribute_of_array(self, x: Array, key: str) -> Value:
        if key == "T":
            return indexing.transposed(x, list(reversed(range(len(x.dims)))))
        if key == "shape":
            return Items(tuple(map(whole, x.dims)))
        if key == "ndim":
            return number(len(x.dims))
        if key == "dtype" and x.dtype in FLOATS:
            return Known(np.dtype(x.dtype).type)
        if key == "size" and len(x.dims) == 1:
            return whole(x.dims[0])
        raise self.state.refused(f"the attribute `{key}` of an array")

    def value_Subscript(self, tree: Any, s: Any) -> Value:
        x = self.evaluate(tree.value)
        if isinstance(x, Shadows):
            return shadows.shadow(self.state, x, self.evaluate(tree.slice))
        if isinstance(x, Stack):
            return listed.item_of(self.state, x, self.key(tree.slice))
        if isinstance(x, Cotangents):
            return cotangents.item(self.state, x, self.key(tree.slice))
        if isinstance(x, Masked):
            return masked.part(self.state, x, self.keys(tree.slice))
        x = as_items(x)
        if isinstance(x, (Span, Iterated)) and isinstance(tree.slice, gast.Slice):
            return self.first_of(x, tree.slice)
        if isinstance(x, Items):
            return indexing.item(self.state, x, self.evaluate(tree.slice))
        if not isinstance(x, Array):
            raise self.state.refused("an item of what is no array and no tuple")
        return self.subscripted(x, self.keys(tree.slice))

    def first_of(self, x: Span | Iterated, part: Any) -> Value:
        """Return the first numbers of a range, `range(n)[:k]`, which has so many."""
        if part.lower is not None or part.step is not None or part.upper is None:
            raise self.state.refused("a slice of a range other than its first numbers")
        count = self.state.form(self.evaluate(part.upper), "a bound of a slice")
        if isinstance(x, Span):
            self.demand_between(count, x.length)
            return Span(x.start, x.start + count * x.step, x.step)
        if x.how != "range":
            raise self.state.refused("a slice of what is no range")
        start, length, step = x.of
        self.demand_between(count, self.state.form(length))
        return Iterated("range", (start, whole(count), step))

    def demand_between(self, count: Affine, length: Affine) -> None:
        """Check that a number of items is not negative, and at most another one."""
        low, high = (
            Op("<=", (Whole(Affine()), Whole(count))),
            Op("<=", (Whole(count), Whole(length))),
        )
        self.state.check(Op("and", (low, high)), "ValueError", "a slice beyond a range")

    def subscripted(self, x: Array, keys: list[indexing.Key]) -> Value:
        """Return a view, or the number in an entry."""
        if masked.is_mask(keys) and isinstance(keys[0], Array):
            return masked.taken(self.state, x, keys[0])
        if gather.is_fancy(keys):
            return gather.taken(self.state, x, keys)
        view = indexing.indexed(self.state, x, keys)
        if view.dims:
            return view
        return Number(view.at(()), sort_of(view.dtype))

    def keys(self, tree: Any) -> list[indexing.Key]:
        """Return the parts of an index."""
        if isinstance(tree, gast.Tuple):
            return [self.key(part) for part in tree.elts]
        key = self.key(tree) if isinstance(tree, gast.Slice) else self.evaluate(tree)
        return gather.keys_of(self.state, key)

    def key(self, tree: Any) -> indexing.Key:
        if not isinstance(tree, gast.Slice):
            return gather.as_key(self.state, self.evaluate(tree))
        ends = [part and self.evaluate(part) for part in (tree.lower, tree.upper, tree.step)]
        return ends[0], ends[1], ends[2]

    # Calls

    def value_Call(self, tree: Any, s: Any) -> Value:
        called = self.scope.facts.calls.get(tree)
        func = tree.func
        owner: Value | None = None
        if isinstance(func, gast.Attribute) and self.is_of_a_value(func):
            owner = self.evaluate(func.value)
            if isinstance(owner, Stack) and func.attr == "pop" and not tree.args:
                return stacks.pop(self.state, owner)
            if isinstance(owner, Cotangents) and func.attr == "pop" and not tree.args:
                return cotangents.pop(self.state, owner)
            if isinstance(owner, Cotangents) and func.attr == "copy":
                return cotangents.of_rows(self.state, cotangents.rows_of(self.state, owner))
            if isinstance(owner, Stack) and func.attr == "copy":
                return cotangents.copied(self.state, owner)
            if isinstance(owner, Listed) and func.attr == "pop" and not tree.args:
                return listed.last_of(self.state, owner)
            if isinstance(owner, Items) and func.attr == "index" and len(tree.args) == 1:
                return arithmetic.place_among(self.state, owner, self.evaluate(tree.args[0]))
            if isinstance(owner, (Items, Listed)) and func.attr == "copy":
                return Listed(list(owner.items), len(self.state.trips))
            found = (
                getattr(np.ndarray, func.attr, None) if isinstance(owner, (Array, Masked)) else None
            )
        else:
            found = self.scope.facts.object_called(tree)
        return self.called(found, called, tree, s, owner)

    def called(self, found: Any, called: Any, tree: Any, s: Any, owner: Value | None) -> Value:
        """Run a call of a function that is known entry by entry, or of one of the user's."""
        meaning = meaning_of(found)
        label = gast.unparse(tree.func).strip()
        if meaning is None and isinstance(called, UserCall):
            return self.inlined(self.scope.facts.callees.get(s), label)
        if any(isinstance(a, gast.Starred) for a in tree.args) or any(
            k.arg is None for k in tree.keywords
        ):
            raise self.state.refused("a call with `*` or `**`")
        evaluate = self.evaluated if found in TAKE_NONE else self.evaluate
        args = [as_items(evaluate(a)) for a in tree.args]
        if owner is not None:
            args.insert(0, owner)
        if found in (range, zip, enumerate, reversed) and not tree.keywords:
            return self.loop_over(found, args)
        if found in (tuple, list) and [type(x) for x in args] == [Span]:
            numbers = self.listed(args[0])
            return numbers if found is tuple else Display(numbers.items)
        keywords = {k.arg: self.evaluate(k.value) for k in tree.keywords}
        if any(isinstance(x, Masked) for x in args):
            return applied_to_selected(self.state, found, meaning, args, keywords)
        if meaning is None:
            raise self.state.refused(f"`{label}`, which is not known in loops")
        return applied(self.state, meaning, args, keywords)

    def loop_over(self, found: Any, args: list[Value]) -> Value:
        """Return what `range`, `zip`, `enumerate` and `reversed` give to a loop."""
        if found is range:
            forms = [self.state.form(x, "a bound of a range") for x in args]
            step = forms.pop() if len(forms) == 3 else Affine(1)
            start, stop = forms if len(forms) == 2 else (Affine(), *forms)
            if step in (Affine(1), Affine(-1)):
                return Span(start, stop, step.const)
            return self.stepped(start, stop, step)
        if found is reversed and isinstance(args[0], Span):
            return args[0].reversed
        return Iterated(found.__name__, tuple(args))

    def stepped(self, start: Affine, stop: Affine, step: Affine) -> Value:
        """Return a range with another step: how many numbers it has is found at entry."""
        if not step.is_const or not step.const:
            raise self.state.refused("a range with a step that is no literal")
        size = abs(step.const)
        way = stop - start if step.const > 0 else start - stop
        count = self.state.quotient(way + (size - 1), Affine(size))
        if count is None:
            raise self.state.refused("a range with a step, whose bounds depend on a loop")
        return Iterated("range", (whole(start), whole(count), whole(step)))

    def listed(self, span: Value) -> Items:
        """Return the numbers of a range that is known now."""
        assert isinstance(span, Span)
        if not (span.start.is_const and span.stop.is_const):
            raise self.state.refused("a tuple of a range whose length is not known")
        return Items(tuple(map(number, range(span.start.const, span.stop.const, span.step))))

    def inlined(self, callee: Any, label: str) -> Value:
        """Run a function of the user's where it is called."""
        if callee is None or self.depth == MOST_CALLS_INSIDE:
            raise self.state.refused(f"the call of `{label}`")
        inner = Scope(callee.facts)
        runner = type(self)(self.state, inner, self.depth + 1)
        for key, argument in zip(callee.function.parameters, callee.arguments, strict=True):
            tree = argument if isinstance(argument, gast.AST) else gast.Constant(argument, None)
            inner.given.append(self.kept(self.evaluated(tree)))
            runner.bind_name(key, inner.given[-1])
        runner.run(callee.facts.function.tree.body)
        return Known(None) if inner.returned is None else inner.returned


def as_items(value: Value) -> Value:
    """Return what a list holds now, of a list of which that is known."""
    return Display(tuple(value.items)) if isinstance(value, Listed) else value


def constant(found: Any) -> Value:
    """Return a literal, or a constant from outside, as a value."""
    if isinstance(found, (bool, int, float)) and type(found) in (bool, int, float):
        return number(found)
    if type(found) is np.float64:
        return Number(Num(float(found)), "np")
    if type(found) is np.float32:
        return Number(Num(float(found), single=True), "f4")
    if isinstance(found, tuple):
        return Items(tuple(map(constant, found)))
    return Known(found)
