"""Reverse mode: from a core-language function to its two sweeps.

The reverse sweep applies the transposed Jacobian of each statement, last statement first: for
`y = f(x)` the cotangent of `y` is taken, multiplied by the partial, and added to the adjoint of `x`
(Griewank and Walther, "Evaluating Derivatives", ch. 3). Each kind of statement has one method here;
calls, control flow and stores have files of their own.
"""

from __future__ import annotations

import inspect
import operator
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, any_slot
from tapeless.analysis.facts import Facts
from tapeless.analysis.indexing import is_basic_index
from tapeless.analysis.interpret.items import item_of
from tapeless.analysis.ranks import may_return_view
from tapeless.analysis.repeatable import added_to
from tapeless.differentiate.accumulate import Adjoint, Adjoints, Holds
from tapeless.differentiate.items import Item, Step
from tapeless.differentiate.shadows import Shadows, definitions, shadows_of
from tapeless.differentiate.writer import Writer
from tapeless.kinds import (
    Array,
    Dict,
    Instance,
    Integer,
    Items,
    Kind,
    List,
    Number,
    Real,
    Sequence,
    differentiable,
    is_container,
    is_number,
    is_outside,
    regions_of,
    regions_within,
)
from tapeless.rules.declare import find_rule
from tapeless.source.externals import MISSING
from tapeless.tree.build import as_load, assign, at_line_of, const, name, quote, quote_expression
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, reads
from tapeless.variables import is_variable

OPERATORS: dict[str, Any] = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv,
    "Pow": operator.pow, "MatMult": operator.matmul, "Mod": operator.mod,
    "FloorDiv": operator.floordiv, "USub": operator.neg, "UAdd": operator.pos,
    "BitAnd": operator.and_, "BitOr": operator.or_, "BitXor": operator.xor,
    "Invert": operator.invert, "LShift": operator.lshift, "RShift": operator.rshift,
}  # fmt: skip


class Sweep(Writer):
    """Writes both sweeps of one function.

    Attributes
    ----------
    function, facts
        The function and what is known about it.
    adjoints
        What each adjoint holds at the present point of the reverse sweep.
    out
        The reverse statements written so far in the present block.
    undone
        The regions in which the reverse sweep undoes stores.
    """

    def __init__(self, function: CoreFunction, facts: Facts, module: Any, names: Names) -> None:
        facts = replace(
            facts,
            before=dict(facts.before),
            results=dict(facts.results),
            callees=dict(facts.callees),
        )
        super().__init__(function, facts, module, names, module.externals)
        self.shadows: Shadows = shadows_of(function, facts)
        self.forced_memory: frozenset[Any] = module.memory_regions(function, facts)
        self.definitions = definitions(function)
        self.adjoints = Adjoints(self)
        self.bars: dict[str, str] = {}
        self.bound: set[str] = set()
        self.depth = 0
        self.memory: str | None = None
        self.loops: list[Any] = []
        self.seed: Any = None
        self.item_places: dict[str, Any] = {}
        self.undone: set[Any] = set()
        self.counters: set[str] = set()
        self.spliced_names: set[str] = set()  # of custom gradients, as their authors wrote them

    def bar(self, primal: str, kind: Kind | None = None) -> str:
        """Give the name of the adjoint of a name."""
        asked = kind is not None and self.has_shadow(kind) and self.in_memory(kind)
        key = f"{primal} in memory" if asked else primal
        if key not in self.bars:
            self.bars[key] = self.names.fresh(f"{primal}_bar")
        found = self.bars[key]
        if kind is not None:
            self.adjoints.primals[found] = primal, kind
        return found

    def twin(self, key: str) -> str:
        """Give what is known to have the shape and dtype of a temporary, or the temporary.

        A parameter is preferred, then what was bound first: the temporary itself may be dead.
        """
        _, kind = self.adjoints.primals.get(self.bars.get(key, ""), ("", Kind()))
        if key in self.function.own_names or not isinstance(kind, Array):
            return key
        entering = self.facts.before.get(self.function.tree.body[0], {})
        known = [(p, entering.get(p, NOTHING).kind) for p in self.function.parameters]
        known += [
            (s.targets[0].id, self.facts.results[s].kind)
            for s in self.function.tree.body
            if isinstance(s, gast.Assign)
            and isinstance(s.targets[0], gast.Name)
            and s in self.facts.results
        ]
        for other, found in known:
            alike = isinstance(found, Array) and (found.dims, found.dtype) == (
                kind.dims,
                kind.dtype,
            )
            if alike and len(self.definitions[other]) == 1:
                return other
        return key

    def memory_name(self) -> str:
        """Give the name of the adjoint memory."""
        if self.memory is None:
            self.memory = self.names.fresh("bars")
        return self.memory

    # Facts

    def varies(self, value: Value) -> bool:
        """Say whether a value carries a derivative."""
        varied = value.varied or bool(regions_of(value.kind) & self.facts.varied)
        return varied and differentiable(value.kind)

    def value(self, statement: Any, key: str) -> Value:
        """Give what is known of a name as control comes to a statement."""
        found = self.facts.before.get(statement, {}).get(key, NOTHING)
        if found is NOTHING and key in self.function.externals:
            found = self.splicer.evaluate(name(key), {})
        return Value(found.kind, self.varies(found))

    def is_active(self, statement: Any, tree: Any) -> bool:
        """Say whether an operand carries a derivative at a statement."""
        return isinstance(tree, gast.Name) and self.value(statement, tree.id).varied

    def is_cut(self, s: Any) -> bool:
        """Say whether the cotangent of what a statement binds may hold zeros that something cut."""
        return s in self.module.cut or self.has_shadow(self.result(s).kind)

    def has_shadow(self, kind: Kind) -> bool:
        """Say whether values of a kind have a shadow rather than a value adjoint."""
        return is_container(kind) or (
            isinstance(kind, Array | Number) and self.facts.is_stored(kind)
        )

    def in_memory(self, kind: Kind) -> bool:
        """Say whether the adjoint of a thing is asked from the adjoint memory."""
        return bool(regions_of(kind) & (self.shadows.in_memory | self.forced_memory))

    def is_logged(self, s: Any, kind: Kind) -> bool:
        """Say whether what a store overwrites is kept, to be put back in the reverse sweep."""
        return bool(regions_of(kind))

    def slots_are_numbers(self, kind: Kind) -> bool:
        """Say whether the slots of a container hold numbers or things without derivative only."""
        slot = any_slot(self.facts.heap, regions_of(kind), "slots").kind
        if isinstance(kind, Instance | Dict):
            held = [v.kind for r in regions_of(kind) for v in self.facts.heap.get(r, {}).values()]
            return all(is_number(k) or not differentiable(k) for k in held)
        return is_number(slot) or not differentiable(slot)

    # Blocks

    def block(self, statements: list[Any]) -> list[Item]:
        """Write both sweeps of a block, last statement first."""
        from tapeless.differentiate.control_flow import guarded_rest, may_jump

        made: list[Item] = []
        for i, s in enumerate(statements):
            if may_jump(s, self.loops) and i + 1 < len(statements):
                made = [guarded_rest(self, s, statements[i + 1 :])]
                statements = statements[: i + 1]
                break
        for s in reversed(statements):
            made = [*self.item(s), *made]
        return made

    def item(self, statement: Any) -> list[Item]:
        """Write both sweeps of one statement."""
        from tapeless.differentiate import control_flow, stores, variables
        from tapeless.differentiate.calls import bound_items
        from tapeless.differentiate.customs import unmarked

        statement = unmarked(self, statement)
        if self.adds_to_log(statement):
            return [Step(statement, [statement])]
        if variables.assigned_owner(self, statement) is not None and not self.is_assignment(
            statement
        ):
            return self.items(variables.expanded_assignment(self, statement))
        reads, statement = variables.with_values_read(self, statement)
        if reads:
            return self.items([*reads, statement])
        spread = bound_items(self, statement)
        if spread:
            return self.items([*spread, statement])
        kind = type(statement).__name__
        handler = getattr(control_flow, f"do_{kind}", None)
        if handler is not None:
            return list(handler(self, statement))
        if kind == "AugAssign":
            return list(stores.reverse_augmented(self, statement))
        outer, self.out = self.out, []
        forward = getattr(self, f"do_{kind}")(statement)
        step = Step(statement, [statement] if forward is None else forward, self.out)
        for made in [*step.forward, *step.reverse]:
            at_line_of(made, statement)
        self.out = outer
        return [step]

    def items(self, statements: list[Any]) -> list[Item]:
        """Write both sweeps of what replaces one statement: bindings of new names, and the rest."""
        for s in statements[:-1]:
            if isinstance(s, gast.Assign):
                self.definitions.setdefault(s.targets[0].id, [s])
        made: list[Item] = []
        for s in reversed(statements):
            made = [*self.item(s), *made]
        return made

    def is_assignment(self, s: Any) -> bool:
        """Say whether a statement is `w.assign(v)` with a name or literal for `v`, and no more."""
        if not isinstance(s, gast.Expr) or s.value.func.attr != "assign" or s.value.keywords:
            return False
        named = isinstance(s.value.func.value, gast.Name)
        return named and not is_variable(self.operand_kind(s, s.value.args[0]))

    def adds_to_log(self, s: Any) -> bool:
        """Say whether a statement adds to what nothing is computed from: it is not undone."""
        key = added_to(s)
        regions = frozenset() if key is None else regions_of(self.operand_kind(s, name(key)))
        return bool(regions - self.facts.stored) and all(map(is_outside, regions))

    # Simple statements

    def do_Pass(self, s: Any) -> None:
        """Nothing happens."""

    def do_Assert(self, s: Any) -> None:
        """An assertion is checked in the forward sweep only."""

    def do_Raise(self, s: Any) -> None:
        """An exception leaves the forward sweep."""

    def do_FunctionDef(self, s: Any) -> None:
        """A nested function is differentiated where it is called."""

    def do_Expr(self, s: Any) -> list[Any] | None:
        from tapeless.differentiate import calls, customs, stores, variables

        if not isinstance(s.value, gast.Call):
            return None
        if s in self.facts.callees:
            return calls.reverse_call(self, s, None)
        if customs.custom_of(self, s) is not None:
            return None
        if isinstance(s.value.func, gast.Attribute):
            owner = self.operand_kind(s, s.value.func.value)
            if is_variable(owner):
                return variables.reverse_assignment(self, s)
            if is_container(owner) or isinstance(owner, Array | Number):
                return stores.reverse_method(self, s, owner)
        self.check_effect_call(s)
        return None

    def check_effect_call(self, s: Any) -> None:
        """Refuse a call, made for its effect, whose effect on active values is not known."""
        found = self.function.resolve(s.value.func)
        rule = None if found is MISSING else find_rule(found)
        if found == np.add.at:
            self.add_at(s)
            return
        active = [a for a in [*s.value.args, s.value.func] if self.is_active(s, a)]
        if rule is None and active:
            self.no_gradient(s, s.value.func)
        if active and any(k.arg == "out" for k in s.value.keywords):
            self.refuse(s, "`out=` is not supported yet", "assign the result")

    def add_at(self, s: Any) -> None:
        """Reverse `np.add.at(a, index, v)`: the cotangent of `v` is gathered."""
        owner, index, value = s.value.args
        if self.is_active(s, value) and self.value(s, owner.id).varied:
            slot = gast.Subscript(self.shadow(s, owner.id), index, gast.Load())
            helper = self.runtime("unbroadcast")
            g = quote_expression("f(g, x)", f=helper, g=slot, x=value.id)
            self.contribute(s, value.id, Adjoint(g), False)
        back = quote("np.subtract.at(a, i, v)", np=self.numpy, a=owner, i=index, v=value)
        self.out.append(back[0])

    def do_Assign(self, s: Any) -> list[Any] | None:
        from tapeless.differentiate import calls, customs, stores, variables

        place = s.targets[0]
        if isinstance(place, gast.Tuple):
            return self.unpack(s, place)
        if isinstance(place, gast.Subscript):
            return stores.reverse_item_store(self, s)
        if isinstance(place, gast.Attribute):
            return stores.reverse_attribute_store(self, s)
        if s in self.facts.callees:
            return calls.reverse_call(self, s, place.id)
        if variables.reads_values(self, s):
            variables.reverse_values(self, s, place.id)
            return None
        if isinstance(s.value, gast.Call) and isinstance(s.value.func, gast.Attribute):
            owner = self.operand_kind(s, s.value.func.value)
            if is_container(owner) and not isinstance(owner, Instance):
                return stores.reverse_container_method(self, s, owner)
        custom = customs.custom_of(self, s)
        if custom is not None:
            return customs.reverse_custom(self, s, place.id, custom)
        value = self.result(s)
        if not value.varied:
            self.forget(place.id)
            return None
        if isinstance(s.value, gast.Subscript) and self.looks_up_adjoint(s):
            self.forget(place.id)
            return None
        y = self.take(s, place.id, value.kind)
        if y is None:
            return None
        if self.has_shadow(value.kind) and self.may_copy(s) and self.aliases_operand(s):
            self.where_copied(s, place.id, y)
            operand = next(k for k in reads(s.value) if k in self.facts.before[s])
            check = quote_expression("f(x)", f=self.runtime("check_layout"), x=operand)
            return [gast.Expr(check), s]
        self.expression(s, s.value, place.id, y)
        return None

    def where_copied(self, s: Any, key: str, y: Adjoint) -> None:
        """Pass the cotangent of what may be a view on to the operand only where it is a copy."""
        operand = next(k for k in reads(s.value) if k in self.facts.before[s])
        outer, self.out = self.out, []
        self.shadow(s, operand)
        outer += self.out
        self.out = []
        self.expression(s, s.value, key, y)
        body, self.out = self.out, outer
        shared = quote_expression("np.may_share_memory(a, b)", np=self.numpy, a=key, b=operand)
        self.out.append(gast.If(gast.UnaryOp(gast.Not(), shared), body, []))

    # Taking and adding

    def forget(self, key: str) -> None:
        """A name is bound to something without derivative: its adjoint starts anew before."""
        for bar, (primal, _) in self.adjoints.primals.items():
            if primal == key:
                self.adjoints.set(bar, Holds.NOTHING)
        self.bound.discard(key)

    def take(self, s: Any, key: str, kind: Kind) -> Adjoint | None:
        """Take the cotangent out of the name that a statement binds.

        Returns
        -------
        None where the cotangent is zero: nothing after the statement depends on the value.
        """
        bar = self.bar(key, kind)
        if self.has_shadow(kind):
            return self.take_shadow(s, key, kind)
        holds = self.adjoints.holds(bar)
        if holds is Holds.NOTHING:
            return None
        if holds is Holds.BROADCASTS:
            small = self.adjoints.small[bar]
            self.adjoints.set(bar, Holds.NOTHING)
            return Adjoint(small, True)
        self.owned_when_taken = holds is Holds.OWNED
        self.adjoints.set(bar, Holds.NOTHING)
        return Adjoint(name(bar))

    owned_when_taken = False

    def take_shadow(self, s: Any, key: str, kind: Kind) -> Adjoint | None:
        """Take the shadow of a thing where the thing is made; an alias has none of its own."""
        bar = self.bar(key, kind)
        self.owned_when_taken = True
        if key in self.shadows.paths and not self.in_memory(kind):
            self.bound.discard(key)
            return None
        if self.in_memory(kind):
            self.bound.discard(key)
            made = self.facts.results.get(s)
            fresh = isinstance(s.value, gast.List | gast.Dict) or not self.aliases_operand(s)
            if made is None or not (fresh or self.may_copy(s)):
                return None
            memory = self.memory_name()
            self.out.append(assign(bar, quote_expression("m[x]", m=memory, x=key)))
            return Adjoint(name(bar))
        if self.adjoints.holds(bar) is Holds.NOTHING:
            return None
        self.adjoints.materialize(bar)
        self.adjoints.set(bar, Holds.NOTHING)
        return Adjoint(name(bar))

    def aliases_operand(self, s: Any) -> bool:
        """Say whether the result of a statement may share memory with an operand."""
        if not self.can_alias(s, s.value):
            return False
        made = regions_within(self.result(s).kind)
        env = self.facts.before.get(s, {})
        for key in reads(s.value):
            if key in env:
                kind = env[key].kind
                if made & regions_within(kind):
                    return True
                if is_container(kind) and made & _held(self.facts, kind):
                    return True
        return False

    def can_alias(self, s: Any, tree: Any) -> bool:
        """Say whether an expression of this form can give something that exists already."""
        if isinstance(tree, gast.Subscript):
            owner = self.operand_kind(s, tree.value)
            basic = is_basic_index(tree.slice, lambda part: self.operand_kind(s, part))
            return not isinstance(owner, Array | Number) or basic
        if isinstance(tree, gast.Call):
            found = self.function.resolve(tree.func)
            if isinstance(found, type) and inspect.getattr_static(found, "__new__") is _MAKES:
                return False  # an object is made
            label = getattr(found, "__name__", getattr(tree.func, "attr", ""))
            rule = None if found is MISSING else find_rule(found)
            array_method = isinstance(tree.func, gast.Attribute) and isinstance(
                self.operand_kind(s, tree.func.value), Array | Number
            )
            return may_return_view(label) if rule is not None or array_method else True
        return isinstance(tree, gast.Name | gast.Attribute | gast.IfExp | gast.BoolOp)

    def may_copy(self, s: Any) -> bool:
        """Say whether NumPy decides at run time between a view and a copy of the operand."""
        if not isinstance(s.value, gast.Call):
            return False
        found = self.function.resolve(s.value.func)
        label = getattr(found, "__name__", getattr(s.value.func, "attr", ""))
        return label in _MAY_COPY

    def shadow(self, s: Any, key: str) -> Any:
        """Give the expression of a shadow that may be written to in place."""
        kind = self.value(s, key).kind if s is not None else NOTHING.kind
        if isinstance(kind, Number) and self.may_be_scalar(key):
            self.refuse(
                s,
                f"whether `{key}` is an array or a number is not known here",
                "annotate the parameters, or give like=",
            )
        bar = self.bar(key, kind)
        if key in self.item_places:
            return self.item_places[key]
        if self.in_memory(kind):
            if key not in self.bound:
                memory = self.memory_name()
                self.out.append(assign(bar, quote_expression("m[x]", m=memory, x=key)))
                self.bound.add(key)
            return name(bar)
        if key in self.shadows.paths:
            path = self.shadows.paths[key]
            [definition] = self.definitions[key]
            if isinstance(path, gast.Name):
                return self.shadow(definition, path.id)
            owner = self.shadow(definition, path.value.id)
            return type(path)(
                owner, path.slice if hasattr(path, "slice") else path.attr, gast.Load()
            )
        self.adjoints.ensure_owned(bar)
        return name(bar)

    def may_be_scalar(self, key: str) -> bool:
        """Say whether a name of unknown rank may hold an element rather than a view."""
        for definition in self.definitions.get(key, []):
            value = getattr(definition, "value", None)
            if isinstance(value, gast.Subscript) and not isinstance(value.slice, gast.Slice):
                return True
            if isinstance(definition, gast.For):
                return True
        return False

    def contribute(self, s: Any, key: str, contribution: Adjoint, fresh: bool) -> None:
        """Add a contribution to the adjoint of an operand."""
        kind = self.value(s, key).kind
        bar = self.bar(key, kind)
        if contribution.is_zero:
            return
        if isinstance(kind, Items):
            contribution = self.without_memory(key, kind, contribution)
        if not self.has_shadow(kind):
            self.adjoints.add(bar, contribution, fresh)
            return
        if is_container(kind) and not isinstance(kind, Instance):
            slot = any_slot(self.facts.heap, regions_of(kind), "slots").kind
            if self.has_shadow(slot) and self.in_memory(slot):
                adder = self.runtime("add_to_items")
                call = quote_expression(
                    "add(m, b, x, g)", add=adder, m=self.memory_name(), b=self.shadow(s, key),
                    x=key, g=contribution.expression,
                )  # fmt: skip
                self.out.append(gast.Expr(call))
                return
        owned = key not in self.shadows.paths and not self.in_memory(kind)
        if owned and key not in self.item_places:
            if self.adjoints.holds(bar) is Holds.NOTHING and not (fresh or contribution.broadcasts):
                copier = self.runtime("copied") if is_container(kind) else None
                g = contribution.expression
                copied = (
                    quote_expression("copied(g)", copied=copier, g=g)
                    if copier
                    else quote_expression("np.array(g)", np=self.numpy, g=g)
                )
                self.adjoints.add(bar, Adjoint(copied), True)
                return
            if self.adjoints.holds(bar) is Holds.SHARED:
                self.adjoints.ensure_owned(bar)
            self.adjoints.add(bar, contribution, fresh)
            return
        place = self.shadow(s, key)
        g = contribution.expression
        if is_container(kind):
            adder = self.runtime("add_to")
            self.out.append(gast.Expr(quote_expression("add_to(x, g)", add_to=adder, x=place, g=g)))
            return
        self.out.append(Adjoints.added(_in_place(place), g))

    def without_memory(self, key: str, kind: Items, contribution: Adjoint) -> Adjoint:
        """Add the cotangents of items that have theirs in the adjoint memory; keep the rest."""
        places = [
            const(i)
            for i, item in enumerate(kind.items)
            if self.has_shadow(item) and self.in_memory(item)
        ]
        if not places:
            return contribution
        rest = self.names.fresh(f"{key}_bar")
        call = quote_expression(
            "f(m, x, g, p)", f=self.runtime("remember_items"), m=self.memory_name(), x=key,
            g=contribution.expression, p=gast.Tuple(places, gast.Load()),
        )  # fmt: skip
        self.out.append(assign(rest, call))
        return Adjoint(name(rest))

    def full(self, y: Adjoint, key: str) -> Any:
        """Give a cotangent at the full shape of the value."""
        if not y.broadcasts:
            return y.expression
        return quote_expression(
            "np.broadcast_to(g, np.shape(y))", np=self.numpy, g=y.expression, y=key
        )

    # Expressions

    def expression(self, s: Any, tree: Any, key: str, y: Adjoint) -> None:
        """Reverse `key = tree`, given the cotangent of `key`."""
        from tapeless.differentiate import calls

        kind = type(tree).__name__
        if isinstance(tree, gast.Name):
            owned, self.owned_when_taken = self.owned_when_taken, False
            self.contribute(s, tree.id, y, owned and not y.broadcasts)
        elif isinstance(tree, gast.BinOp | gast.UnaryOp):
            self.operator(s, tree, key, y)
        elif isinstance(tree, gast.Subscript):
            self.read_item(s, tree, key, y)
        elif isinstance(tree, gast.Attribute):
            self.read_attribute(s, tree, key, y)
        elif isinstance(tree, gast.Tuple | gast.List):
            self.display(s, tree.elts, y, key)
        elif isinstance(tree, gast.Dict):
            self.dict_display(s, tree, y)
        elif isinstance(tree, gast.Call):
            calls.reverse_known_call(self, s, tree, key, y)
        elif kind not in ("Constant", "Compare", "JoinedStr", "BoolOp"):
            self.refuse(s, f"`{gast.unparse(tree)}` cannot be differentiated yet", "rewrite it")

    def operator(self, s: Any, tree: Any, key: str, y: Adjoint) -> None:
        from tapeless.differentiate import rules

        operands = [tree.left, tree.right] if isinstance(tree, gast.BinOp) else [tree.operand]
        kinds = [self.operand_kind(s, o) for o in operands]
        if any(isinstance(k, Instance) for k in kinds):
            self.refuse(s, "operators of user classes are not supported yet", "call the method")
        if any(isinstance(k, List | Items | Sequence) for k in kinds):
            self.joined(s, tree, kinds, key, y)
            return
        function = OPERATORS[type(tree.op).__name__]
        rules.apply(self, s, function, operands, {}, key, y)

    def joined(self, s: Any, tree: Any, kinds: list[Kind], key: str, y: Adjoint) -> None:
        """Reverse `a + b` and `a * n` of lists and tuples."""
        g = y.expression
        if isinstance(tree.op, gast.Mult) and isinstance(kinds[1], Integer):
            folder = self.runtime("fold_repeats")
            bars = quote_expression("fold(g, len(x))", fold=folder, g=g, x=tree.left)
            self.contribute(s, tree.left.id, Adjoint(bars), True)
            return
        if not isinstance(tree.op, gast.Add):
            self.refuse(s, "this operator on a list cannot be differentiated", "use an array")
        for operand, text in ((tree.left, "g[:len(x)]"), (tree.right, "g[len(x):]")):
            if self.is_active(s, operand):
                part = quote_expression(text, g=g, x=tree.left)
                self.contribute(s, operand.id, Adjoint(part), True)

    def unpack(self, s: Any, place: Any) -> list[Any] | None:
        """Reverse `a, b = v`: the adjoints go back to their places in `v`."""
        value = self.facts.results[s]
        source = s.value
        active = self.result(s).varied and self.is_active(s, source)
        parts: list[tuple[int, Adjoint, str]] = []
        for i, item in enumerate(place.elts):
            kind = self._item_kind(value, i)
            if not active or not differentiable(kind):
                self.forget(item.id)
                continue
            if self.has_shadow(kind):
                self.bound.discard(item.id)
                if not self.in_memory(kind):
                    taken = self.take_unpacked_shadow(item.id, kind)
                    if taken is not None:
                        parts.append((i, taken, item.id))
                continue
            y = self.take(s, item.id, kind)
            if y is not None:
                parts.append((i, y, item.id))
        if not parts:
            return None
        kind = value.kind
        if (
            isinstance(kind, Items)
            and self.adjoints.holds(self.bar(source.id, kind)) is Holds.NOTHING
        ):
            self.assemble(s, source.id, kind, parts, place)
            return None
        for i, y, key in parts:
            self.add_to_item(s, source.id, const(i), y, key)
        return None

    def take_unpacked_shadow(self, key: str, kind: Kind) -> Adjoint | None:
        bar = self.bar(key, kind)
        if self.adjoints.holds(bar) is Holds.NOTHING:
            return None
        self.adjoints.materialize(bar)
        self.adjoints.set(bar, Holds.NOTHING)
        return Adjoint(name(bar))

    def _item_kind(self, value: Value, i: int) -> Kind:
        return item_of(self.splicer.interpreter, value, Integer(i), None).kind

    def assemble(self, s: Any, key: str, kind: Items, parts: Any, place: Any) -> None:
        """Write the adjoint of a tuple as a list of the adjoints of its items."""
        bar = self.bar(key, kind)
        known = {i: (y, item) for i, y, item in parts}
        elements = []
        for i, inner in enumerate(kind.items):
            if i in known:
                y, item = known[i]
                elements.append(self.full(y, item))
            elif not differentiable(inner):
                elements.append(const(None))
            else:
                elements.append(self.adjoints.zero_of(place.elts[i].id, inner))
        self.out.append(assign(bar, gast.List(elements, gast.Load())))
        self.adjoints.set(bar, Holds.OWNED)

    def display(self, s: Any, items: list[Any], y: Adjoint, key: str) -> None:
        """Reverse a tuple or list display."""
        for i, item in enumerate(items):
            if not self.is_active(s, item):
                continue
            kind = self.value(s, item.id).kind
            if self.has_shadow(kind) and self.in_memory(kind):
                continue
            part = gast.Subscript(y.expression, const(i), gast.Load())
            self.contribute(s, item.id, Adjoint(self.full_slot(part, item, kind)), False)

    def full_slot(self, part: Any, item: Any, kind: Kind) -> Any:
        """Bring what a slot holds, perhaps an untouched 0.0, to the shape of the value."""
        if isinstance(kind, Real):
            return part
        filler = self.runtime("full")
        return quote_expression("full(g, x)", full=filler, g=part, x=item)

    def dict_display(self, s: Any, tree: Any, y: Adjoint) -> None:
        """Reverse a dict display."""
        for key, item in zip(tree.keys, tree.values, strict=True):
            if not self.is_active(s, item):
                continue
            if key is None:
                self.refuse(s, "`**` in a dict display cannot be differentiated yet", "use a loop")
            kind = self.value(s, item.id).kind
            if self.has_shadow(kind) and self.in_memory(kind):
                continue
            part = gast.Subscript(y.expression, key, gast.Load())
            self.contribute(s, item.id, Adjoint(self.full_slot(part, item, kind)), False)

    # Reads of parts

    def read_item(self, s: Any, tree: Any, key: str, y: Adjoint) -> None:
        """Reverse `key = owner[index]`."""
        if isinstance(self.operand_kind(s, tree.value), Instance):
            self.refuse(s, "`__getitem__` of an object cannot be differentiated", "call a function")
        if not self.is_active(s, tree.value):
            return
        self.add_to_item(s, tree.value.id, tree.slice, y, key)

    def add_to_item(self, s: Any, owner: str, index: Any, y: Adjoint, key: str) -> None:
        """Add a cotangent to a slot of the adjoint of a container, tuple or array."""
        kind = self.value(s, owner).kind
        if kind == Kind():
            self.refuse(
                s, f"what `{owner}` is is not known here", "annotate the parameters, or give like="
            )
        if isinstance(kind, Instance):
            self.refuse(s, "`__getitem__` of a user class is not supported yet", "call a method")
        place = self.buffer(s, owner)
        slot = gast.Subscript(
            place, as_load(index) if hasattr(index, "ctx") else index, gast.Load()
        )
        if isinstance(kind, Array | Number) or not (
            is_container(kind) or isinstance(kind, Items | Sequence)
        ):
            self.add_to_array(s, slot, y, kind, key)
            return
        g = self.full(y, key)
        if isinstance(index, gast.Slice):
            adder = self.runtime("add_to_slice")
            call = quote_expression("add(x, i, g)", add=adder, x=place, i=_slice_call(index), g=g)
            self.out.append(gast.Expr(call))
            return
        inner = self.result(s).kind if isinstance(s, gast.Assign) else self.kind_after(s, key)
        if is_number(inner) or key != owner and is_number(self.kind_after(s, key)):
            self.out.append(assign(as_store_place(slot), gast.BinOp(slot, gast.Add(), g)))
        else:
            adder = self.runtime("add")
            added = quote_expression("add(x, g)", add=adder, x=slot, g=g)
            self.out.append(assign(as_store_place(slot), added))

    def kind_after(self, s: Any, key: str) -> Kind:
        """Give the kind of a name that a statement binds."""
        _, kind = self.adjoints.primals.get(self.bars.get(key, ""), ("", Kind()))
        return kind

    def add_to_array(self, s: Any, slot: Any, y: Adjoint, kind: Kind, key: str) -> None:
        """Add to the places of an array's adjoint that an index selects."""
        if self.repeats(s, slot.slice):
            call = quote_expression(
                "np.add.at(x, i, g)", np=self.numpy, x=slot.value, i=slot.slice, g=y.expression
            )
            self.out.append(gast.Expr(call))
            return
        self.out.append(Adjoints.added(slot, y.expression))

    def repeats(self, s: Any, index: Any) -> bool:
        """Say whether an index may select one place twice."""
        from tapeless.analysis.indexing import index_items

        for item in index_items(index):
            if isinstance(item, gast.Slice) or self.counts(item):
                continue
            kind = self.operand_kind(s, item)
            if isinstance(kind, Array) and kind.dtype == "b":
                continue
            if isinstance(kind, Array | Number | List | Sequence) or kind == Kind():
                return True
        return False

    def counts(self, index: Any) -> bool:
        """Say whether an index is made of counters of the tool's own, so that it is one integer."""
        if isinstance(index, gast.BinOp) and isinstance(index.op, gast.Add | gast.Sub):
            return self.counts(index.left) and self.counts(index.right)
        if isinstance(index, gast.Call):
            return self.splicer.resolve(index.func) is len
        if isinstance(index, gast.Constant):
            return type(index.value) is int
        return getattr(index, "id", None) in self.counters

    def buffer(self, s: Any, owner: str) -> Any:
        """Give an adjoint of which parts may be written to in place."""
        kind = self.value(s, owner).kind
        if self.has_shadow(kind):
            return self.shadow(s, owner)
        bar = self.bar(owner, kind)
        self.adjoints.ensure_owned(bar)
        return name(bar)

    def read_attribute(self, s: Any, tree: Any, key: str, y: Adjoint) -> None:
        """Reverse `key = owner.attribute`."""
        from tapeless.differentiate import rules

        if not self.is_active(s, tree.value):
            return
        kind = self.value(s, tree.value.id).kind
        if isinstance(kind, Instance):
            place = gast.Attribute(self.shadow(s, tree.value.id), tree.attr, gast.Load())
            g = self.full(y, key)
            inner = self.result(s).kind
            added = (
                gast.BinOp(place, gast.Add(), g)
                if is_number(inner)
                else quote_expression("add(x, g)", add=self.runtime("add"), x=place, g=g)
            )
            self.out.append(assign(as_store_place(place), added))
        elif isinstance(kind, Items):
            index = kind.cls._fields.index(tree.attr)  # type: ignore[attr-defined]
            self.add_to_item(s, tree.value.id, const(index), y, key)
        else:
            descriptor = getattr(np.ndarray, tree.attr, None)
            if descriptor is None or find_rule(descriptor) is None:
                self.refuse(s, f"no gradient for .{tree.attr}", "use a NumPy function")
            rules.apply(self, s, descriptor, [tree.value], {}, key, y)

    def do_Return(self, s: Any) -> None:
        """The seed goes to the value that is returned."""
        if self.seed is None or not self.is_active(s, s.value):
            return
        self.seed(self, s)


_MAKES = vars(object)["__new__"]
_MAY_COPY = {"reshape", "ravel", "asarray", "ascontiguousarray", "asanyarray", "array"}


def _held(facts: Facts, kind: Kind) -> frozenset[Any]:
    slot = any_slot(facts.heap, regions_of(kind), "held").kind
    found = set(regions_of(slot))
    for region in regions_of(kind):
        for value in facts.heap.get(region, {}).values():
            found |= regions_of(value.kind)
    return frozenset(found)


def _in_place(place: Any) -> Any:
    """Write to a view that is not a name, such as `a_bar.T`, through its items."""
    if isinstance(place, gast.Attribute):
        return gast.Subscript(place, const(...), gast.Load())
    return place


def as_store_place(place: Any) -> Any:
    """Copy a subscript or attribute as a place that is bound."""
    from tapeless.tree.build import as_store

    return as_store(place)


def _slice_call(index: Any) -> Any:
    parts = [const(None) if p is None else p for p in (index.lower, index.upper, index.step)]
    return gast.Call(name("slice"), parts, [])
