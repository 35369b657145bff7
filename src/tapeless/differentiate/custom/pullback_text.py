"""The text of a pullback: the body of `f`, with every return turned into one of what `grad` gives.

What the gradients do not depend on is left out, for `f` itself has run already. What `grad` takes and
returns must be visible: the call of `grad` is written from its signature and the kind of the value.
"""

from __future__ import annotations

import copy
import functools
import inspect
from typing import Any

import gast

from tapeless.analysis.repeatable import unrepeatable
from tapeless.differentiate.custom.branches import in_tails, own_parts
from tapeless.differentiate.custom.callees import forward_callee
from tapeless.differentiate.custom.customs import Custom, NotSplicedError, slots_of
from tapeless.differentiate.custom.open_text import Entry, check_returns
from tapeless.differentiate.custom.outputs import counted, is_none, outputs_of, upstream_of
from tapeless.differentiate.custom.read_variables import UnknownReadsError, variables_read
from tapeless.differentiate.writer import Writer
from tapeless.externals import constant
from tapeless.kinds import (
    UNKNOWN,
    Dict,
    Kind,
    List,
    Sequence,
    Tuple,
    differentiable,
    is_number,
)
from tapeless.protocol.authors import Key
from tapeless.protocol.gradients import check_gradient_count, fit_gradient, fit_structure
from tapeless.protocol.pullbacks import variables_read_by
from tapeless.source.texts import Text, text_of
from tapeless.tree.build import assign, const, filled, name, quote_expression, target
from tapeless.tree.classes import DISPLAYS, ENDING
from tapeless.tree.names import (
    Names,
    all_names,
    binds,
    binds_in_block,
    free_names,
    nodes,
    parameters,
    reads,
)
from tapeless.tree.trees import Expr, Stmt, Tree
from tapeless.variables import check_listed


class PullbackText:
    """Writes one pullback."""

    def __init__(
        self, sweep: Writer, s: Stmt, custom: Custom, entries: list[Entry], kind: Kind,
        wanted: tuple[Key, ...],
    ) -> None:  # fmt: skip
        assert custom.text is not None
        self.sweep = sweep
        self.s = s
        self.custom = custom
        self.text: Text = custom.text
        self.entries = entries
        self.bound = entries[max(custom.skipped, custom.offset) :]
        self.kind = kind
        self.wanted = wanted
        self.names = Names(all_names(self.text.tree) | set(self.text.externals))
        self.upstream = self.names.fresh("upstream")
        self.externals = dict(self.text.externals)
        self.checks: list[Any] = []

    def write(self, captured: list[str]) -> gast.FunctionDef:
        tree = copy.deepcopy(self.text.tree)
        own = parameters(tree)
        rebound = set(own) & binds_in_block(tree.body)
        self.given = {p: self.names.fresh(f"{p}_given") if p in rebound else p for p in own}
        before = [assign(self.given[p], name(p)) for p in own if p in rebound]
        inner = self.single_exit(self.sliced(self.block(in_tails(tree.body), {})))
        body = [*before, *self.checks, *inner]
        label = self.sweep.module.names.fresh(f"{self.custom.label.strip('<>_')}_pull")
        arguments = gast.arguments(
            [gast.Name(p, gast.Param(), None, None) for p in [self.upstream, *own, *captured]],
            [], None, [], [], None, [],
        )  # fmt: skip
        made = gast.FunctionDef(label, arguments, body, [], None, None, [])
        made.lineno = getattr(tree, "lineno", 1)
        return made

    def block(self, statements: list[Stmt], visible: dict[str, Any]) -> list[Any]:
        """Turn the returns of a block, and of the blocks in it, into returns of gradients."""
        made: list[Any] = []
        visible = dict(visible)
        for s in statements:
            if type(s) is gast.Return:
                made += self.returned(s, visible)
                continue
            if type(s) is gast.FunctionDef:
                visible[s.name] = s
            else:
                for field in ("body", "orelse", "finalbody"):
                    inner = getattr(s, field, None)
                    if inner:
                        setattr(s, field, self.block(inner, visible))
                        for key in binds(s) & set(visible):
                            visible.pop(key)
            made.append(s)
        return made

    def sliced(self, body: list[Stmt]) -> list[Any]:
        """Leave out what the gradients do not depend on: `f` itself has run already."""
        own = set(parameters(self.text.tree))
        needed: set[str] = set()
        kept: list[Any] = []
        for s in reversed(body):
            if type(s) is gast.If and s is body[-1]:
                s.body, s.orelse = self.sliced(s.body), self.sliced(s.orelse)
            if type(s) is gast.FunctionDef and s.name not in needed:
                continue
            jumps = any(type(part) in ENDING for part in own_parts([s]))
            local = set(reads(s)) | binds(s)
            if not jumps and not binds(s) & needed and not local & (needed - own):
                continue
            needed |= free_names(s) if type(s) is gast.FunctionDef else set(reads(s))
            kept.insert(0, s)
        return kept

    def single_exit(self, body: list[Stmt]) -> list[Any]:
        """Return at the end only, where every return stands at an end of a branch."""
        result = self.names.fresh("gradients_of_all")

        def replaced(block: list[Stmt]) -> list[Any] | None:
            if block and type(block[-1]) is gast.Return:
                return [*block[:-1], assign(result, block[-1].value)]
            if block and type(block[-1]) is gast.If:
                last = block[-1]
                yes, no = replaced(last.body), replaced(last.orelse)
                if yes is None or no is None:
                    return None
                return [*block[:-1], gast.If(last.test, yes, no)]
            return block if block and type(block[-1]) is gast.Raise else None

        returns = [part for part in own_parts(body) if type(part) is gast.Return]
        made = replaced(body) if len(returns) > 1 else None
        left = [part for part in own_parts(made or []) if type(part) is gast.Return]
        if made is None or left:
            return body
        return [*made, gast.Return(name(result))]

    def returned(self, s: Stmt, visible: dict[str, Any]) -> list[Any]:
        value = s.value
        if type(value) is not gast.Tuple or len(value.elts) < 2:
            raise NotSplicedError("what it returns is not written as a pair")
        grad = value.elts[-1]
        if len(value.elts) == 3 and self.signatures(value.elts[1]):
            grad = value.elts[1]
        signatures = self.signatures(grad)
        if not signatures:
            raise NotSplicedError("its grad is not a def or lambda of its own")
        calls = {gast.dump(self.call(grad, a)): self.call(grad, a) for a, _ in signatures}
        counts = {self.count(value, a) for a, returns in signatures for value in returns}
        if len(calls) > 1 or len(counts) > 1:
            raise NotSplicedError("its grad functions differ in what they take or return")
        [call], [count] = calls.values(), counts
        gradients = self.names.fresh("gradients")
        inlined = self.inlined(_definition(call.func, visible), call)
        statements, call = inlined or ([], call)
        if any(self.returns_pair(a, value) for a, returns in signatures for value in returns):
            call = call.elts[0] if inlined else gast.Subscript(call, const(0), gast.Load())
        shown = self.shown(call, s)
        if shown is None and count == 0 and len(self.bound) > 1 and self.all_are_required():
            names = [self.names.fresh("g") for _ in self.bound]
            place = gast.Tuple([target(g) for g in names], gast.Store())
            check = quote_expression(
                "check(g, f, ps)", check=self.external(check_gradient_count), g=gradients,
                f=const(self.custom.label),
                ps=gast.List([const(e.name) for e in self.bound], gast.Load()),
            )  # fmt: skip
            statements = [
                *statements, assign(gradients, call), gast.Expr(check),
                gast.Assign([place], name(gradients), None),
            ]  # fmt: skip
            shown = [name(g) for g in names]
        by_key = {e.key: e for e in self.bound}
        parts = [self.fitted(by_key[k], gradients, count, shown) for k in self.wanted]
        bare = parts[0] if len(parts) == 1 else gast.Tuple(parts, gast.Load())
        if shown is None:
            statements = [*statements, assign(gradients, call)]
        made = [*statements, gast.Return(bare)]
        for statement in made:
            statement.lineno = getattr(s, "lineno", None)
        return made

    def shown(self, call: Expr, s: Stmt) -> list[Any] | None:
        """Return the gradients that a display shows: one structure, if the only argument is a sequence."""
        if not _shows_items(call):
            return None
        kinds = [self.sweep.operand_kind(self.s, entry.tree) for entry in self.bound]
        several = len(call.elts) > 1 and not is_none(call.elts[-1])
        if several and len(kinds) == 1 and isinstance(kinds[0], (List, Sequence, Tuple)):
            return [call]
        return counted(self.sweep, self.s, self.custom, self.bound, self.wanted, call.elts, s)

    def inlined(self, grad: Expr, call: Expr) -> tuple[list[Any], Any] | None:
        """Put the body of a nested `grad` where it is called, if it is a straight line."""
        if grad is None or grad.decorator_list or grad.args.vararg or grad.args.kwarg:
            return None
        *body, last = [part for part in grad.body if not _is_text(part)]
        named = [p.id for p in [*grad.args.posonlyargs, *grad.args.args, *grad.args.kwonlyargs]]
        bound = dict(zip(named, call.args, strict=False)) | {k.arg: k.value for k in call.keywords}
        straight = all(type(part) is gast.Assign for part in body)
        if not straight or type(last) is not gast.Return or set(bound) != set(named):
            return None
        if any(type(part) is gast.Lambda for s in grad.body for part in nodes(s)):
            return None
        local = binds_in_block(body)
        holes: dict[str, Any] = {k: self.names.fresh(k) for k in sorted(local - set(named))}
        start: list[Any] = []
        for parameter, given in bound.items():
            if parameter in local:
                holes[parameter] = self.names.fresh(parameter)
                start.append(assign(holes[parameter], given))
            else:
                holes[parameter] = given
        filled_body = [filled(part, holes) for part in [*start, *body]]
        return filled_body, filled(last.value, holes)

    def signatures(self, grad: Expr) -> list[tuple[Any, list[Any]]]:
        """List the signatures that `grad` may have, and the expressions that it may return."""
        if type(grad) is gast.Lambda:
            return [(grad.args, [grad.body])]
        if type(grad) is not gast.Name:
            return []
        found = [
            d
            for d in nodes(self.text.tree)
            if type(d) is gast.FunctionDef and d.name == grad.id and d is not self.text.tree
        ]
        if not found and grad.id in self.externals:
            value = self.externals[grad.id].value
            text = text_of(value) if inspect.isfunction(value) else None
            found = [text.tree] if text is not None else []
        return [(d.args, self.results(d)) for d in found]

    def results(self, grad: Expr) -> list[Any]:
        check_returns(self.custom, grad)
        returns = [r for r in own_parts(grad.body) if type(r) is gast.Return]
        values = [r.value for r in returns]
        if grad.decorator_list:
            values = [v.elts[0] if type(v) is gast.Tuple and v.elts else v for v in values]
        return values

    def count(self, value: Expr, a: Tree) -> int:
        """Return the number of gradients that an expression shows; 0 for a bare one."""
        if self.returns_pair(a, value):
            value = value.elts[0]
        return len(value.elts) if _shows_items(value) else 0

    def returns_pair(self, a: Tree, value: Expr) -> bool:
        """Whether `grad` returns the gradients of Variables beside those of the arguments."""
        if not _takes_variables(a):
            return False
        pair = type(value) is gast.Tuple and len(value.elts) == 2
        if self.listed is not None:
            if not pair:
                raise NotSplicedError("it does not show a pair (grad_xs, grad_vars)")
            return True
        empty = pair and type(value.elts[1]) in DISPLAYS and not value.elts[1].elts
        return empty or pair and len(self.bound) == 1

    @functools.cached_property
    def listed(self) -> Any:
        """The list of the Variables that the forward body reads; None where it reads none."""
        kinds = {e.name: self.sweep.operand_kind(self.s, e.tree) for e in self.entries}
        try:
            found = variables_read(self.text, kinds, self.sweep.known.heap)
        except UnknownReadsError:
            return name(self.listed_by_a_run())
        if not found:
            return None
        listed = gast.List(copy.deepcopy(found), gast.Load())
        if not all(type(v) is gast.Name for v in listed.elts):
            self.checks = [gast.Expr(quote_expression(
                "check(f, vs)", check=self.external(check_listed), f=const(self.custom.label),
                vs=copy.deepcopy(listed),
            ))]  # fmt: skip
        return listed

    def listed_by_a_run(self) -> str:
        """Bind the list that a second run of `f` tells, where the text does not."""
        function = self.custom.function
        why = "which Variables it reads is known at run time only"
        if not inspect.isfunction(function):
            raise NotSplicedError(f"{why}, and it is defined inside another function")
        hindrance = unrepeatable(forward_callee(self.sweep, self.s, self.custom))
        if hindrance is not None:
            raise NotSplicedError(f"{why}, and it {hindrance[0]}")
        a = self.text.tree.args
        passed = [name(self.given[p.id]) for p in [*a.posonlyargs, *a.args]]
        if a.vararg is not None:
            passed.append(gast.Starred(name(self.given[a.vararg.id]), gast.Load()))
        keywords = [gast.keyword(p.id, name(self.given[p.id])) for p in a.kwonlyargs]
        if a.kwarg is not None:
            keywords.append(gast.keyword(None, name(self.given[a.kwarg.id])))
        listing, author = self.external(variables_read_by), self.external(function)
        call = gast.Call(name(listing), [name(author), *passed], keywords)
        bound = self.names.fresh("variables_read")
        self.checks = [assign(bound, call)]
        return bound

    def given_variables(self, a: Tree) -> list[Any]:
        """Write `variables=[w, b]`, where `grad` takes it."""
        if not _takes_variables(a):
            return []
        if self.listed is not None:
            return [gast.keyword("variables", copy.deepcopy(self.listed))]
        required = {p.id for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is None}
        positional = [p.id for p in [*a.posonlyargs, *a.args]]
        required |= set(positional[: len(positional) - len(a.defaults)])
        return [gast.keyword("variables", const(None))] if "variables" in required else []

    def call(self, grad: Expr, a: Tree) -> Any:
        """Write the call of `grad`."""
        upstream = name(self.upstream)
        positional = [p.id for p in [*a.posonlyargs, *a.args]]
        named = [p for p in positional if p != "variables"]
        variables = self.given_variables(a)
        if any(p.id == "upstream" for p in a.kwonlyargs):
            inputs = [self.input(e) for e in self.bound] if a.vararg is not None else []
            keywords = [gast.keyword("upstream", upstream), *variables]
            return gast.Call(copy.deepcopy(grad), inputs, keywords)
        if [p for p in a.kwonlyargs if p.id != "variables"] or a.kwarg and not variables:
            raise NotSplicedError("its grad takes keywords of its own")
        outputs = outputs_of(self.kind)
        if isinstance(self.kind, Dict):
            return self.call_with_dict(grad, a, variables)
        if self.kind == UNKNOWN and len(named) == 1 and a.vararg is None:
            outputs = [self.kind]
        if outputs is None:
            raise NotSplicedError("the structure of its value is not known")
        required = len([p for p in positional[: len(positional) - len(a.defaults)] if p in named])
        fits = required <= len(outputs) and (len(outputs) <= len(named) or a.vararg is not None)
        parts: list[Any] = [upstream]
        if isinstance(self.kind, Tuple) and fits:
            parts = [upstream_of(name(self.upstream), i, k) for i, k in enumerate(outputs)]
        elif not fits:
            raise NotSplicedError("its grad takes the upstreams together")
        return gast.Call(copy.deepcopy(grad), parts, variables)

    def call_with_dict(self, grad: Expr, a: Tree, variables: list[Expr]) -> Any:
        """Write the call of `grad` for a dict of outputs: one for each, by their keys, or all."""
        slots = slots_of(self.sweep, self.kind)
        if not slots or not all(is_number(v.kind) for v in slots.values()):
            raise NotSplicedError("the structure of its value is not known")
        named = [p.id for p in [*a.posonlyargs, *a.args] if p.id != "variables"]
        required = len(named) - len(a.defaults)
        upstream = name(self.upstream)
        parts: list[Any] = [
            gast.Subscript(name(self.upstream), const(k), gast.Load()) for k in sorted(slots)
        ]
        if not required <= len(parts) or (len(parts) > len(named) and a.vararg is None):
            parts = [upstream]
        return gast.Call(copy.deepcopy(grad), parts, variables)

    def input(self, entry: Entry) -> Any:
        """Write a parameter as `f` was given it."""
        own, _, rest = entry.name.partition("[")
        if own not in self.given:  # an item of **kwargs
            options = self.text.tree.args.kwarg.id
            return gast.Subscript(name(self.given[options]), const(own), gast.Load())
        tree: Any = name(self.given[own])
        if rest:
            tree = gast.Subscript(tree, const(int(rest.rstrip("]"))), gast.Load())
        return tree

    def all_are_required(self) -> bool:
        """Whether `grad` must return a gradient for every parameter."""
        kinds = [self.sweep.operand_kind(self.s, e.tree) for e in self.bound]
        return not any(e.optional for e in self.bound) and all(map(differentiable, kinds))

    def fitted(self, entry: Entry, gradients: str, count: int, shown: list[Expr] | None) -> Any:
        place = self.bound.index(entry)
        g: Any = name(gradients)
        if shown is not None and place < len(shown):
            g = shown[place]
        elif count > 0 and place < count:
            g = gast.Subscript(g, const(place), gast.Load())
        elif count > 0 or len(self.bound) > 1 and count == 0:
            raise NotSplicedError("how many gradients its grad returns is not visible")
        numeric = is_number(self.sweep.operand_kind(self.s, entry.tree))
        fit = fit_gradient if numeric else fit_structure
        return quote_expression(
            "fit(g, x, f, p)", fit=self.external(fit), g=g, x=self.input(entry),
            f=const(self.custom.label), p=const(entry.name),
        )  # fmt: skip

    def external(self, value: Expr) -> str:
        """Return the name by which the pullback reaches a function of the tool's."""
        for key, known in self.externals.items():
            if known.value is value:
                return key
        fresh = self.names.fresh(value.__name__)
        self.externals[fresh] = constant(value, value.__name__)
        return fresh


def _definition(func: Expr, visible: dict[str, Any]) -> Any:
    """Return the nested definition that a name or a lambda stands for."""
    if type(func) is gast.Lambda:
        return gast.FunctionDef("grad", func.args, [gast.Return(func.body)], [], None, None, [])
    return visible.get(getattr(func, "id", ""))


def _is_text(statement: Tree) -> bool:
    return type(statement) is gast.Expr and type(statement.value) is gast.Constant


def _shows_items(tree: Tree) -> bool:
    """Whether an expression is a tuple or list whose items are written out."""
    if type(tree) not in DISPLAYS:
        return False
    return not any(type(item) is gast.Starred for item in tree.elts)


def _takes_variables(a: Tree) -> bool:
    named = [p.id for p in [*a.posonlyargs, *a.args, *a.kwonlyargs]]
    return "variables" in named or a.kwarg is not None
