"""The pullback of a custom gradient as a function of its own.

    def f(x):                                   def f_pull(upstream, x):
        e = np.exp(x)                               e = np.exp(x)
        def grad(dy):                  ->           def grad(dy):
            return dy * (1 - 1 / (1 + e))               return dy * (1 - 1 / (1 + e))
        return np.log(1 + e), grad                  return grad(upstream)

It is the body of `f`, with every `return y, grad` turned into a return of what `grad` gives. Such a
function is ordinary code. So it says what the derivatives of the rule are where the rule cannot be
spliced: its derivative in the other arguments is the next order, through what `grad` captures; and
since it is linear in its upstream, its derivative in the upstream is the tangent of `f`.
"""

from __future__ import annotations

import copy
import functools
import inspect
from dataclasses import dataclass, replace
from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.facts import Callee
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.changes_by_customs import changed_by, changed_by_text
from tapeless.analysis.interpret.summaries import call_core
from tapeless.analysis.logs import mentioned
from tapeless.analysis.repeatable import attributes_stored, draws, text_draws, unrepeatable
from tapeless.differentiate.custom import reverse as customs
from tapeless.differentiate.custom.branches import in_tails, own_parts
from tapeless.differentiate.custom.read_variables import UnknownReadsError, variables_read
from tapeless.differentiate.custom.reverse import Custom, Entry, NotSplicedError
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.differentiate.writer import Writer
from tapeless.errors import TapelessError
from tapeless.externals import Externals, constant
from tapeless.kinds import UNKNOWN, Dict, Kind, Region, Tuple, differentiable, is_number
from tapeless.protocol.authors import Key
from tapeless.protocol.gradients import check_gradient_count, fit_gradient, fit_structure
from tapeless.protocol.pullbacks import variables_read_by
from tapeless.source.texts import Text, text_of
from tapeless.tree.build import as_load, assign, const, filled, name, quote_expression, target
from tapeless.tree.function import CoreFunction
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
from tapeless.tree.trees import Expr, Stmt
from tapeless.variables import check_listed


@dataclass(frozen=True)
class Written:
    """A pullback that stands in the module.

    Attributes
    ----------
    tree, externals
        Its definition, and what its free names stand for.
    arguments
        What is passed for its parameters after the upstream.
    """

    tree: gast.FunctionDef
    externals: Externals
    arguments: list[Any]


def pullback_function(
    sweep: Writer, s: Any, key: str, custom: Custom, wanted: tuple[Key, ...]
) -> Written:
    """Write the pullback of a custom gradient for the operands at `wanted`.

    It returns their gradients, fitted: a bare one if there is one.

    Raises
    ------
    NotSplicedError
        If the text of `f` does not show what `grad` takes and returns.
    """
    if custom.text is None:
        raise NotSplicedError("its source cannot be read")
    bound = customs.bind_entries(sweep, custom)
    bindings = customs.bindings_of(custom.text.tree, bound)
    captured = captured_names(sweep, custom)
    kind = sweep.result(s).kind
    writer = _Writer(sweep, s, custom, bound, kind, wanted)
    tree = writer.write(captured)
    arguments = [bindings[p] for p in parameters(custom.text.tree)]
    arguments += [name(c) for c in captured]
    written = Written(tree, writer.externals, arguments)
    once = runs_once(sweep, s, custom)
    if once is None and text_draws(written.tree, written.externals):
        once = _Once(True)
    if once is not None and _needs_again(sweep, s, key, written, once):
        raise NotSplicedError(f"its gradient depends on {once.why}", once.fix)
    return written


@dataclass(frozen=True)
class _Once:
    """Why the forward body of a custom gradient may run once only: it draws, or it changes memory."""

    draws: bool
    changed: frozenset[Region] = frozenset()
    attributes: frozenset[str] = frozenset()

    @property
    def why(self) -> str:
        """What a gradient would depend on."""
        if self.draws:
            return "random numbers that its value has drawn"
        return "state that its body changes"

    @property
    def fix(self) -> str:
        """The way out where a gradient depends on it."""
        if self.draws:
            return "draw them outside and pass them in"
        return "pass the state as an argument and return it"

    @property
    def does(self) -> str:
        """What the body does, for a comment."""
        return "it draws random numbers" if self.draws else "it changes state"


def runs_once(sweep: Writer, s: Any, custom: Custom) -> _Once | None:
    """Return why another run of the forward body would not be what the first one was; None if it is."""
    drawn = custom.text is not None and text_draws(custom.text.tree, custom.text.externals)
    if not inspect.isfunction(custom.function):
        return _Once(True) if drawn else None
    try:
        callee = _forward_callee(sweep, s, custom)
    except (TapelessError, NotSplicedError):  # what cannot be read is called, once
        changes = any(True for _ in changed_by_text(custom.function))
        return _Once(drawn) if drawn or changes else None
    drawn, changed = drawn or draws(callee), frozenset(changed_by(callee))
    if not drawn and not changed:
        return None
    return _Once(drawn, changed, frozenset(attributes_stored(callee.facts)))


def _needs_again(sweep: Writer, s: Any, key: str, written: Written, once: _Once) -> bool:
    """Whether a pullback would do again what the forward body may do once only."""
    if text_draws(written.tree, written.externals):
        return True
    try:
        callee = _callee(sweep, s, key, core_of(sweep, written), written)
    except (TapelessError, NotSplicedError):
        return True
    if once.draws and draws(callee):
        return True
    if not once.changed:
        return not once.draws
    met = mentioned(callee, sweep.program.known, once.attributes)
    return bool(changed_by(callee) or met & once.changed)


def called_pullback(
    sweep: Writer, s: Any, key: str, custom: Custom, wanted: tuple[Key, ...], upstream: Any
) -> Any:
    """Write a call of the pullback, and the pullback into the module on first demand."""
    written = pullback_function(sweep, s, key, custom, wanted)
    counts = bindings_key(written.arguments)
    where = (custom.function, wanted, _shape(sweep.result(s).kind), counts)
    module = sweep.module
    if where not in module.pullbacks:
        module.add_text(written.tree, written.externals, custom.filename)
        module.pullbacks[where] = written.tree.name
    passed = [upstream, *copy.deepcopy(written.arguments)]
    return gast.Call(name(module.pullbacks[where]), passed, [])


def bindings_key(arguments: list[Any]) -> tuple[Any, ...]:
    """Tell apart calls with different numbers of items for `*args` and `**kwargs`."""
    return tuple(
        len(v.elts) if isinstance(v, gast.Tuple) else len(v.keys) if isinstance(v, gast.Dict) else 0
        for v in arguments
    )


def _shape(kind: Kind) -> Any:
    return kind if isinstance(kind, Dict) else len(kind.items) if isinstance(kind, Tuple) else 0


def captured_names(sweep: Writer, custom: Custom) -> list[str]:
    """List the names of the function around it that a local custom gradient reads."""
    if not isinstance(custom.function, gast.FunctionDef):
        return []
    return sorted(free_names(custom.function) & sweep.function.local)


class _Writer:
    """Writes one pullback."""

    def __init__(
        self, sweep: Writer, s: Any, custom: Custom, entries: list[Entry], kind: Kind,
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

    def block(self, statements: list[Any], visible: dict[str, Any]) -> list[Any]:
        """Turn the returns of a block, and of the blocks in it, into returns of gradients."""
        made: list[Any] = []
        visible = dict(visible)
        for s in statements:
            if isinstance(s, gast.Return):
                made += self.returned(s, visible)
                continue
            if isinstance(s, gast.FunctionDef):
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

    def sliced(self, body: list[Any]) -> list[Any]:
        """Leave out what the gradients do not depend on: `f` itself has run already."""
        own = set(parameters(self.text.tree))
        needed: set[str] = set()
        kept: list[Any] = []
        for s in reversed(body):
            if isinstance(s, gast.If) and s is body[-1]:
                s.body, s.orelse = self.sliced(s.body), self.sliced(s.orelse)
            if isinstance(s, gast.FunctionDef) and s.name not in needed:
                continue
            jumps = any(isinstance(part, gast.Return | gast.Raise) for part in own_parts([s]))
            local = set(reads(s)) | binds(s)
            if not jumps and not binds(s) & needed and not local & (needed - own):
                continue
            needed |= free_names(s) if isinstance(s, gast.FunctionDef) else set(reads(s))
            kept.insert(0, s)
        return kept

    def single_exit(self, body: list[Any]) -> list[Any]:
        """Return at the end only, where every return stands at an end of a branch."""
        result = self.names.fresh("gradients_of_all")

        def replaced(block: list[Any]) -> list[Any] | None:
            if block and isinstance(block[-1], gast.Return):
                return [*block[:-1], assign(result, block[-1].value)]
            if block and isinstance(block[-1], gast.If):
                last = block[-1]
                yes, no = replaced(last.body), replaced(last.orelse)
                if yes is None or no is None:
                    return None
                return [*block[:-1], gast.If(last.test, yes, no)]
            return block if block and isinstance(block[-1], gast.Raise) else None

        returns = [part for part in own_parts(body) if isinstance(part, gast.Return)]
        made = replaced(body) if len(returns) > 1 else None
        left = [part for part in own_parts(made or []) if isinstance(part, gast.Return)]
        if made is None or left:
            return body
        return [*made, gast.Return(name(result))]

    def returned(self, s: Any, visible: dict[str, Any]) -> list[Any]:
        value = s.value
        if not isinstance(value, gast.Tuple) or len(value.elts) < 2:
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
        shown = call.elts if _shows_items(call) else None
        if shown is not None:
            shown = customs.counted(
                self.sweep, self.s, self.custom, self.bound, self.wanted, shown, s
            )
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

    def inlined(self, grad: Any, call: Any) -> tuple[list[Any], Any] | None:
        """Put the body of a nested `grad` where it is called, if it is a straight line."""
        if grad is None or grad.decorator_list or grad.args.vararg or grad.args.kwarg:
            return None
        *body, last = [part for part in grad.body if not _is_text(part)]
        named = [p.id for p in [*grad.args.posonlyargs, *grad.args.args, *grad.args.kwonlyargs]]
        bound = dict(zip(named, call.args, strict=False)) | {k.arg: k.value for k in call.keywords}
        straight = all(isinstance(part, gast.Assign) for part in body)
        if not straight or not isinstance(last, gast.Return) or set(bound) != set(named):
            return None
        if any(isinstance(part, gast.Lambda) for s in grad.body for part in nodes(s)):
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

    def signatures(self, grad: Any) -> list[tuple[Any, list[Any]]]:
        """List the signatures that `grad` may have, and the expressions that it may return."""
        if isinstance(grad, gast.Lambda):
            return [(grad.args, [grad.body])]
        if not isinstance(grad, gast.Name):
            return []
        found = [
            d
            for d in nodes(self.text.tree)
            if isinstance(d, gast.FunctionDef) and d.name == grad.id and d is not self.text.tree
        ]
        if not found and grad.id in self.externals:
            value = self.externals[grad.id].value
            text = text_of(value) if inspect.isfunction(value) else None
            found = [text.tree] if text is not None else []
        return [(d.args, self.results(d)) for d in found]

    def results(self, grad: Any) -> list[Any]:
        customs.check_returns(self.custom, grad)
        returns = [r for r in own_parts(grad.body) if isinstance(r, gast.Return)]
        values = [r.value for r in returns]
        if grad.decorator_list:
            values = [v.elts[0] if isinstance(v, gast.Tuple) and v.elts else v for v in values]
        return values

    def count(self, value: Any, a: Any) -> int:
        """Return the number of gradients that an expression shows; 0 for a bare one."""
        if self.returns_pair(a, value):
            value = value.elts[0]
        return len(value.elts) if _shows_items(value) else 0

    def returns_pair(self, a: Any, value: Any) -> bool:
        """Whether `grad` returns the gradients of Variables beside those of the arguments."""
        if not _takes_variables(a):
            return False
        pair = isinstance(value, gast.Tuple) and len(value.elts) == 2
        if self.listed is not None:
            if not pair:
                raise NotSplicedError("it does not show a pair (grad_xs, grad_vars)")
            return True
        empty = (
            pair and isinstance(value.elts[1], gast.Tuple | gast.List) and not value.elts[1].elts
        )
        return empty or pair and len(self.bound) == 1

    @functools.cached_property
    def listed(self) -> Any:
        """The list of the Variables that the forward body reads; None where it reads none."""
        kinds = {e.name: customs.kind_of(self.sweep, self.s, e.tree) for e in self.entries}
        try:
            found = variables_read(self.text, kinds, self.sweep.known.heap)
        except UnknownReadsError:
            return name(self.listed_by_a_run())
        if not found:
            return None
        listed = gast.List(copy.deepcopy(found), gast.Load())
        if not all(isinstance(v, gast.Name) for v in listed.elts):
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
        hindrance = unrepeatable(_forward_callee(self.sweep, self.s, self.custom))
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

    def given_variables(self, a: Any) -> list[Any]:
        """Write `variables=[w, b]`, where `grad` takes it."""
        if not _takes_variables(a):
            return []
        if self.listed is not None:
            return [gast.keyword("variables", copy.deepcopy(self.listed))]
        required = {p.id for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is None}
        positional = [p.id for p in [*a.posonlyargs, *a.args]]
        required |= set(positional[: len(positional) - len(a.defaults)])
        return [gast.keyword("variables", const(None))] if "variables" in required else []

    def call(self, grad: Any, a: Any) -> Any:
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
        outputs = customs.outputs_of(self.kind)
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
            parts = [customs.upstream_of(name(self.upstream), i, k) for i, k in enumerate(outputs)]
        elif not fits:
            raise NotSplicedError("its grad takes the upstreams together")
        return gast.Call(copy.deepcopy(grad), parts, variables)

    def call_with_dict(self, grad: Any, a: Any, variables: list[Any]) -> Any:
        """Write the call of `grad` for a dict of outputs: one for each, by their keys, or all."""
        slots = customs.slots_of(self.sweep, self.kind)
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
        kinds = [customs.kind_of(self.sweep, self.s, e.tree) for e in self.bound]
        return not any(e.optional for e in self.bound) and all(map(differentiable, kinds))

    def fitted(self, entry: Entry, gradients: str, count: int, shown: list[Any] | None) -> Any:
        place = self.bound.index(entry)
        g: Any = name(gradients)
        if shown is not None and place < len(shown):
            g = shown[place]
        elif count > 0 and place < count:
            g = gast.Subscript(g, const(place), gast.Load())
        elif count > 0 or len(self.bound) > 1 and count == 0:
            raise NotSplicedError("how many gradients its grad returns is not visible")
        numeric = is_number(customs.kind_of(self.sweep, self.s, entry.tree))
        fit = fit_gradient if numeric else fit_structure
        return quote_expression(
            "fit(g, x, f, p)", fit=self.external(fit), g=g, x=self.input(entry),
            f=const(self.custom.label), p=const(entry.name),
        )  # fmt: skip

    def external(self, value: Any) -> str:
        """Return the name by which the pullback reaches a function of the tool's."""
        for key, known in self.externals.items():
            if known.value is value:
                return key
        fresh = self.names.fresh(value.__name__)
        self.externals[fresh] = constant(value, value.__name__)
        return fresh


def _forward_callee(sweep: Writer, s: Stmt, custom: Custom) -> Callee:
    """Interpret the forward body of a custom gradient as a call of it at a statement."""
    env = sweep.known.before.get(s, {})

    def argument(tree: Expr) -> Argument:
        return Argument(tree, Value(sweep.splicer.evaluate(tree, env).kind))

    keywords = {key: argument(tree) for key, tree in custom.keywords.items()}
    site = CallSite(s.value, tuple(map(argument, custom.args)), keywords)
    return _interpreted(sweep, s, sweep.program.core(custom.function), site)


def _interpreted(sweep: Writer, s: Stmt, core: CoreFunction, site: CallSite) -> Callee:
    """Interpret a call that a statement might be."""
    interpreter = sweep.splicer.interpreter
    interpreter.statement, interpreter.env = s, dict(sweep.known.before.get(s, {}))
    varied, interpreter.varied = interpreter.varied, set()
    try:
        call_core(interpreter, core, site)
    finally:
        interpreter.varied = varied
    found: Callee | None = interpreter.callees.pop(s, None)
    if found is None:
        raise NotSplicedError("the call does not fit its signature")
    return found


def _definition(func: Any, visible: dict[str, Any]) -> Any:
    """Return the nested definition that a name or a lambda stands for."""
    if isinstance(func, gast.Lambda):
        return gast.FunctionDef("grad", func.args, [gast.Return(func.body)], [], None, None, [])
    return visible.get(getattr(func, "id", ""))


def _is_text(statement: Any) -> bool:
    return isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Constant)


def _shows_items(tree: Any) -> bool:
    """Whether an expression is a tuple or list whose items are written out."""
    if not isinstance(tree, gast.Tuple | gast.List):
        return False
    return not any(isinstance(item, gast.Starred) for item in tree.elts)


def _takes_variables(a: Any) -> bool:
    named = [p.id for p in [*a.posonlyargs, *a.args, *a.kwonlyargs]]
    return "variables" in named or a.kwarg is not None


# The tangent


def transposed(
    sweep: TangentWriter, s: Any, key: str, custom: Custom, wanted: tuple[Key, ...], dots: list[Any]
) -> list[Any]:
    """Write the tangent of a custom gradient: the reverse sweep of its pullback in the upstream.

    Raises
    ------
    TapelessError, NotSplicedError
        If the pullback cannot be written, or differentiated.
    """
    module = sweep.module
    before = len(module.functions), dict(module.splits)
    try:
        return _transposed(sweep, s, key, custom, wanted, dots)
    except (TapelessError, NotSplicedError):
        del module.functions[before[0] :]
        module.splits = before[1]
        raise


def _transposed(
    sweep: TangentWriter, s: Any, key: str, custom: Custom, wanted: tuple[Key, ...], dots: list[Any]
) -> list[Any]:
    operands = dict(custom.operands)
    if not all(is_number(customs.kind_of(sweep, s, operands[k])) for k in wanted):
        raise NotSplicedError("an argument is a container")
    written = pullback_function(sweep, s, key, custom, wanted)
    callee = _callee(sweep, s, key, core_of(sweep, written), written)
    split = sweep.module.split(callee)
    result = callee.facts.returned.kind
    zero = sweep.zero(name(key), sweep.result(s).kind)
    if split is None:
        return [assign(sweep.dot(key), zero)]
    if split.memory or split.undoes or any(i > 0 for i in [*split.values, *split.shadows]):
        raise NotSplicedError("its grad keeps state")
    if len(wanted) > 1 and not isinstance(result, Tuple):
        raise NotSplicedError("how many gradients its grad returns is not visible")
    saved = sweep.names.fresh(f"saved_{custom.label}")
    forward = gast.Call(name(split.forward), [zero, *written.arguments], [])
    place = as_load(gast.Tuple([name(sweep.unread), name(saved)], gast.Load()))
    seeds: Any = dots[0] if len(dots) == 1 else gast.Tuple(dots, gast.Load())
    dot = sweep.dot(key)
    reverse = gast.Call(name(split.reverse), [name(saved), seeds], [])
    made: list[Any] = [assign(place, forward)]
    if split.values:
        return [*made, assign(dot, reverse)]
    if not split.shadows:
        return [assign(dot, zero)]
    reverse.args.append(name(dot))
    return [*made, assign(dot, copy.deepcopy(zero)), gast.Expr(reverse)]


def core_of(sweep: Writer, written: Written) -> CoreFunction:
    """Return a pullback in the core language."""
    from tapeless.normalize import normalized

    return normalized(
        CoreFunction(
            copy.deepcopy(written.tree), dict(written.externals), sweep.function.filename,
            sweep.function.lines, own_names=frozenset(all_names(written.tree)),
        )
    )  # fmt: skip


def _callee(sweep: Writer, s: Any, key: str, core: CoreFunction, written: Written) -> Callee:
    env = sweep.known.before.get(s, {})
    kind = sweep.result(s).kind
    if not is_number(kind) and not isinstance(kind, Tuple) or not differentiable(kind):
        raise NotSplicedError("the structure of its value is not known")
    upstream = Argument(gast.Constant(None, None), Value(_new(kind), True))
    others = [Argument(a, Value(sweep.splicer.evaluate(a, env).kind)) for a in written.arguments]
    return _interpreted(sweep, s, core, CallSite(s.value, (upstream, *others)))


def _new(kind: Kind, place: tuple[Any, ...] = ("upstream",)) -> Kind:
    """Return the kind of something alike that shares memory with nothing."""
    if isinstance(kind, Tuple):
        items = tuple(_new(k, (*place, i)) for i, k in enumerate(kind.items))
        return replace(kind, items=items)
    return replace(kind, regions=frozenset([place])) if hasattr(kind, "regions") else kind  # type: ignore[call-arg]
