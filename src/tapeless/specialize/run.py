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

import functools
from dataclasses import replace
from typing import Any

import gast

from tapeless.analysis.facts import Callee, Facts, binds_nothing
from tapeless.analysis.interpret.folding import truth_of
from tapeless.analysis.interpret.special_calls import UNARY, has_method
from tapeless.analysis.interpret.superclasses import calls_super, is_super
from tapeless.analysis.program import Program
from tapeless.externals import is_one_of
from tapeless.kinds import (
    Region,
    Regions,
    regions_of,
)
from tapeless.normalize.split_tuples import split_tuples
from tapeless.runtime import imaginary_part
from tapeless.specialize.array_calls import joined_display
from tapeless.specialize.asked_views import flat_view
from tapeless.specialize.attempts_in_pieces import attempt_in_pieces
from tapeless.specialize.calls import call
from tapeless.specialize.containers import (
    merged_display,
)
from tapeless.specialize.copied_parts import entry_of, imaginary_of, is_read_before_stores
from tapeless.specialize.counts import count_changed, count_read
from tapeless.specialize.filled_displays import filled_displays
from tapeless.specialize.fixed_items import check_fixed_items
from tapeless.specialize.function_values import (
    bound_method,
    brings_closures,
    kept_closures,
    returned_closure,
)
from tapeless.specialize.generators import differs_from_list
from tapeless.specialize.generators_by_place import taken_by_place
from tapeless.specialize.generators_in_step import loop_in_step
from tapeless.specialize.given_lists import arrays_first
from tapeless.specialize.known_names import tested_by_name
from tapeless.specialize.loops import (
    called_first,
    loop,
    loop_over_unlike,
    loop_that_fills,
    unpacking,
)
from tapeless.specialize.loops_by_key import loop_by_key, loop_over_pairs
from tapeless.specialize.loops_over_keys import BY_NAME, loop_over_keys
from tapeless.specialize.made_customs import made_custom
from tapeless.specialize.modules import modules_named
from tapeless.specialize.operators import augmented, binary
from tapeless.specialize.properties import properties_first
from tapeless.specialize.pullback_values import is_varied_vjp, written_pullback
from tapeless.specialize.rebinding import shaped_anew
from tapeless.specialize.records import record_property
from tapeless.specialize.several_classes import by_class
from tapeless.specialize.spliced_calls import Sites, core_in_place, sites_of, spliced_call
from tapeless.specialize.starred import starred_display
from tapeless.specialize.state import Specializer
from tapeless.specialize.stores import (
    asks_for,
    attribute_store,
    calls_on_reading,
    item_store,
    spread_index,
    spread_slice,
)
from tapeless.specialize.superclasses import super_attribute
from tapeless.specialize.taken_along import check_taken_along
from tapeless.specialize.written_in_place import written_in_place
from tapeless.tree.build import assign, at_line_of, const, name
from tapeless.tree.classes import COMPOUND, DISPLAYS, LEAVING
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Expr, Stmt


def spelled_out(function: CoreFunction, facts: Facts, program: Program) -> CoreFunction | None:
    """Spell out the statements of a function whose meaning the kinds decide.

    Returns
    -------
    The function with these statements written in terms of calls and stores of single slots; None
    where there are none.
    """
    specializer = Specialization(function, facts, program)
    check_taken_along(specializer)
    specializer.keeps_closures = brings_closures(facts)
    specializer.takes_branches = not any(binds_nothing(facts.results, s) for s in facts.results)
    body = specializer.block(function.tree.body)
    if not specializer.changed and not specializer.takes_branches:
        specializer.takes_branches = True
        body = specializer.block(function.tree.body)
    if specializer.keeps_closures and not specializer.changed:
        specializer.keeps_closures = False
        body = specializer.block(function.tree.body)
    if not specializer.changed and specializer.awaits_slots:
        specializer.reads_slots = True
        body = specializer.block(function.tree.body)
    return specializer.with_body(body)


def with_loops_written_out(
    function: CoreFunction, facts: Facts, program: Program
) -> tuple[CoreFunction | None, Regions]:
    """Write out the loops of a function that is refused as it stands.

    Returns
    -------
    The function, None where no loop can be written out; and the memory, among what was there before the
    call, that must not change.
    """
    specializer = LoopsAlone(function, facts, program)
    body = specializer.block(function.tree.body)
    return specializer.with_body(body), frozenset(specializer.rests)


def looks_up_by_name(function: CoreFunction) -> bool:
    """Whether a loop sets or gets attributes by a name that the text does not say."""
    loops = [part for part in nodes(function.tree, nested=False) if type(part) is gast.For]
    calls = (part for s in loops for part in nodes(s) if type(part) is gast.Call)
    return any(
        len(call.args) > 1
        and type(call.args[1]) is gast.Name
        and is_one_of(function.resolve(call.func), BY_NAME)
        for call in calls
    )


class Specialization(Specializer):
    """One function, its statements written out where the kinds decide what they mean.

    While it `keeps_closures` local functions take along what they capture, and nothing else is written:
    they are of another kind then. Branches are taken last where a statement has nothing to bind, so far: what
    follows it may be reached once other statements are written out.
    """

    keeps_closures = False
    takes_branches = True

    def __init__(self, function: CoreFunction, facts: Facts, program: Program) -> None:
        super().__init__(function, facts, program)
        self.in_steps: dict[Any, list[Stmt]] = {}  # what stands in the place of uses of generators

    @functools.cached_property
    def sites(self) -> Sites:
        """Where the function calls others."""
        return sites_of(self.function, self.facts)

    def with_body(self, body: list[Stmt]) -> CoreFunction | None:
        """Return the function with its new body; None where nothing has changed."""
        if not self.changed:
            return None
        function = self.function
        tree = gast.FunctionDef(function.tree.name, function.tree.args, body, [], None, None, [])
        tree.lineno = getattr(function.tree, "lineno", 1)
        tree.body = filled_displays(tree, self.names.fresh)
        named = function.own_names | self.brought
        return split_tuples(replace(function, tree=tree, own_names=named))

    def block(self, statements: list[Any]) -> list[Stmt]:
        made: list[Any] = []
        for i, s in enumerate(statements):
            if s in self.in_steps:
                self.changed = True
                made += self.in_steps[s]
                continue
            self.env, self.after = self.facts.before.get(s), statements[i + 1 :]
            taken = self.taken(s)
            if taken is not None:
                self.changed = True
                made += self.block(taken)
                if made and type(made[-1]) in LEAVING:
                    break
                continue
            found = None if self.env is None or self.waits(s) else self.statement(s)
            if found is not None:
                self.changed = True
                made += [at_line_of(part, s) for part in found]
            else:
                made.append(self.inside(s))
        return made

    def truth(self, s: Any) -> bool | None:
        """Tell which branch of an `if` is taken; None where the kinds do not decide, or must not yet."""
        if type(s) is not gast.If or self.env is None or not self.takes_branches:
            return None
        return truth_of(self.value(s.test).kind)

    def taken(self, s: Stmt) -> list[Stmt] | None:
        """Return the branch of an `if` that is taken, where the kinds decide: the other was not followed.

        A property that the test reads is still called: it may store into its object.
        """
        truth = self.truth(s)
        if truth is None:
            return None
        attributes = [part for part in nodes(s.test) if type(part) is gast.Attribute]
        called = [tree for tree in attributes if calls_on_reading(self, tree)]
        kept = [at_line_of(assign(self.names.fresh("v"), tree), s) for tree in called]
        return [*kept, *(s.body if truth else s.orelse)]

    def inside(self, s: Stmt) -> Any:
        """Spell out the blocks of a compound statement."""
        if type(s) not in COMPOUND:
            return s
        before = self.changed
        self.changed = False
        fields = {}
        for key in ("body", "orelse", "finalbody"):
            if getattr(s, key, None):
                fields[key] = _up_to_raise(self.block(getattr(s, key))) or [gast.Pass()]
        if getattr(s, "handlers", None):
            fields["handlers"] = [self.handler(handler) for handler in s.handlers]
        if not self.changed:
            self.changed = before
            return s
        made = type(s)(**{key: fields.get(key, getattr(s, key)) for key in s._fields})
        return gast.copy_location(made, s)

    def waits(self, s: Stmt) -> bool:
        """Whether what stands in the blocks of a statement is written first."""
        return (
            self.uses_generator_within(s)
            or self.takes_branch_within(s)
            or self.writes_call_within(s)
        )

    def writes_call_within(self, s: Stmt) -> bool:
        """Whether a `try` holds a call that is broken off, and written in its place."""
        held = self.sites.broken_off.intersection(nodes(s)) if type(s) is gast.Try else ()
        callees = self.facts.callees
        return any(core_in_place(self, part, callees[part], self.sites) for part in held)

    def takes_branch_within(self, s: Stmt) -> bool:
        """Whether a `try` holds a branch that is taken: what is never reached needs no attempt."""
        if type(s) is not gast.Try:
            return False
        outer, found = self.env, False
        for part in nodes(s):
            self.env = self.facts.before.get(part)
            found = found or self.truth(part) is not None
        self.env = outer
        return found

    def uses_generator_within(self, s: Stmt) -> bool:
        """Whether a block of a statement holds a use of a generator, which is found as it stands."""
        held = nodes(s) if self.in_steps and type(s) in COMPOUND else ()
        return any(part in self.in_steps for part in held)

    def is_within_use(self, s: Stmt) -> bool:
        """Whether a statement stands in a block of a use of a generator, which is written anew."""
        return any(part is s for use in self.in_steps for part in nodes(use))

    def handler(self, handler: Any) -> Any:
        body = self.block(handler.body) or [gast.Pass()]
        return at_line_of(gast.ExceptHandler(handler.type, handler.name, body), handler)

    def statement(self, s: Stmt) -> list[Stmt] | None:
        """Spell out one statement; None where it stands as it is."""
        if self.keeps_closures:
            return kept_closures(self, s)
        check_fixed_items(self, s)
        named = modules_named(self, s)
        if named is not None:
            return named
        chosen = by_class(self, s)
        if chosen is not None:
            return chosen
        behind = calls_super(getattr(s, "value", None), self.function)
        callee = None if behind else self.facts.callees.get(s)  # it is spelled out first
        asked = self.asked_first(s, callee) or called_first(self, s)
        if asked is not None:
            return asked
        if callee is not None and callee.function.yields:
            in_step = self.in_step(s, callee)
            if in_step is not None:
                return in_step
        in_place = None if callee is None else written_in_place(self, s, callee)
        if in_place is None and callee is not None:
            in_place = spliced_call(self, s, callee, self.sites) or made_custom(
                self, s, callee, self.sites
            )
        if in_place is not None:
            return in_place
        if type(s) is gast.For:
            return loop_by_items(self, s) or loop(self, s)
        if type(s) is gast.AugAssign:
            return count_changed(self, s) or augmented(self, s)
        if type(s) is gast.Expr:
            return self.expression(s.value, None)
        if type(s) is gast.If:
            return tested_by_name(self, s)
        if type(s) is gast.Try:
            return attempt_in_pieces(self, s)
        if type(s) is gast.Return:
            return returned_closure(self, s)
        if type(s) is not gast.Assign:
            return None
        place = s.targets[0]
        if type(place) is gast.Name:
            return self.expression(s.value, place.id)
        if type(place) is gast.Subscript:
            return item_store(self, place, s.value)
        if type(place) is gast.Attribute:
            return shaped_anew(self, s) or attribute_store(self, place, s.value)
        return unpacking(self, s)

    def asked_first(self, s: Stmt, callee: Callee | None) -> list[Stmt] | None:
        """Ask for properties and arrays that a call is given before it."""
        if callee is None and not self.interpreter.program.asked:
            return None
        asked = properties_first(self, s)
        return asked or (None if callee is None else arrays_first(self, s))

    def in_step(self, s: Stmt, callee: Callee) -> list[Stmt] | None:
        """Write a loop over a generator in its steps, where it differs from one over a list."""
        differs = differs_from_list(self, s, callee)
        if differs is None:
            return None
        written = loop_in_step(self, s, callee, self.sites)
        written = written or taken_by_place(self, s, callee)
        if written is None:
            self.refuse(s, differs.reason, differs.fix)
        made, uses = written
        if any(self.uses_generator_within(use) or self.is_within_use(use) for use in uses):
            return None  # it is its turn when the others are written
        self.in_steps |= uses
        return made

    def expression(self, tree: Expr, to: str | None) -> list[Stmt] | None:
        if type(tree) is gast.BinOp:
            return binary(self, tree, to)
        if type(tree) is gast.UnaryOp and type(tree.op).__name__ in UNARY:
            method = UNARY[type(tree.op).__name__]
            if has_method(self.kind(tree.operand), method):
                return self.called(tree.operand, method, [], to)
        if type(tree) is gast.Subscript and has_method(self.kind(tree.value), "__getitem__"):
            first, index = self.index(tree.slice)
            return [*first, *self.called(tree.value, "__getitem__", [index], to)]
        count = None if to is None else count_read(self, tree)
        if count is not None and to is not None:
            return [assign(to, count)]
        if type(tree) is gast.Subscript and to is not None:
            joined = joined_display(self, tree, to)
            if joined is not None:
                return joined
            spread = spread_index(self, tree) or spread_slice(self, tree)
            if spread is not None:
                return [*spread[0], assign(to, spread[1])]
        if type(tree) is gast.Attribute and is_super(tree.value, self.function):
            return super_attribute(self, tree, to or self.names.fresh("v"))
        if type(tree) is gast.Attribute and asks_for(self, tree):
            return self.called(tree.value, "__getattr__", [const(tree.attr)], to)
        if type(tree) is gast.Attribute and to is not None:
            taken = bound_method(self, tree, to) or record_property(self, tree, to)
            if taken is not None:
                return taken
        viewed = None if to is None else imaginary_of(self, tree)
        if viewed is not None and to is not None and is_read_before_stores(self, to):
            copier = name(self.external(imaginary_part))
            return [assign(to, gast.Call(copier, [viewed], []))]
        copied = None if to is None else entry_of(self, tree)
        if copied is not None and to is not None and is_read_before_stores(self, to):
            return [assign(to, copied)]
        if type(tree) is gast.Attribute and tree.attr == "flat" and to is not None:
            return flat_view(self, tree, to)
        if type(tree) in DISPLAYS and to is not None:
            return starred_display(self, tree, to)
        if type(tree) is gast.Dict and None in tree.keys and to is not None:
            return merged_display(self, tree, to)
        if type(tree) is gast.Call and to is not None and is_varied_vjp(self, tree):
            return written_pullback(self, tree, to)
        if type(tree) is gast.Call:
            return call(self, tree, to)
        return None


class LoopsAlone(Specialization):
    """One function in which nothing but loops over things that are unlike is written out."""

    @functools.cached_property
    def rests(self) -> set[Region]:
        """What is gone through by the loops that are written out, as far as it comes from elsewhere."""
        return set()

    def taken(self, s: Stmt) -> list[Stmt] | None:
        return None

    def statement(self, s: Stmt) -> list[Stmt] | None:
        if type(s) is not gast.For:
            return None
        found = loop_by_items(self, s) or loop_over_unlike(self, s) or loop_that_fills(self, s)
        if found is not None:
            kinds = [self.kind(name(key)) for key in reads(s.iter)]
            self.rests |= {r for kind in kinds for r in regions_of(kind) if r[0] != "made"}
        return found


def loop_by_items(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write a loop over a dict, or over names, by what is known of each item; None for other loops."""
    return (
        loop_over_keys(specializer, s)
        or loop_by_key(specializer, s)
        or loop_over_pairs(specializer, s)
    )


def _up_to_raise(block: list[Stmt]) -> list[Stmt]:
    """Leave out what stands behind a `raise`, which is never reached."""
    ends = (i for i, s in enumerate(block) if type(s) is gast.Raise)
    return block[: next(ends, len(block)) + 1]
