"""A custom gradient that returns in several branches, written as one that returns once.

    def leaky(x):                               def leaky(x):
        if x > 0:                                   positive = x > 0
            return x, lambda dy: dy                 if positive:
        return 0.1 * x, lambda dy: 0.1 * dy             value = x
                                        ->          else:
                                                        value = 0.1 * x
                                                    def grad(dy):
                                                        if positive:
                                                            g = dy
                                                        else:
                                                            g = 0.1 * dy
                                                        return g
                                                    return value, grad

Which way the call went is known where `grad` runs, so the branches of the two bodies are the same. What
one branch alone binds and its `grad` reads is None on the other ways.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.source.texts import Text
from tapeless.tree.build import assign, const, filled, name
from tapeless.tree.classes import DEFINITIONS, DISPLAYS
from tapeless.tree.endings import blocks_of, falls_through
from tapeless.tree.names import Names, all_names, binds_in_block, free_names, reads
from tapeless.tree.trees import Expr, Stmt, Tree
from tapeless.tree.truths import is_truth


class NotOneGradError(Exception):
    """Why the ways through a custom gradient cannot be written as one."""


def with_one_grad(text: Text) -> Text:
    """Write a custom gradient so that it returns once, at its end.

    Raises
    ------
    NotOneGradError
        If it returns inside a loop, or its grad functions differ in what they take or return.
    """
    if sum(type(part) is gast.Return for part in own_parts(text.tree.body)) < 2:
        return text
    tree = copy.deepcopy(text.tree)
    joiner = _Joiner(Names(all_names(tree) | set(text.externals)))
    forward, reverse = joiner.block(in_tails(tree.body), {})
    values = [name(v) for v in joiner.values]
    gradients: Any = [name(g) for g in joiner.gradients]
    returned = gast.Tuple(gradients, gast.Load()) if joiner.shown else gradients[0]
    label = joiner.names.fresh("grad")
    grad = gast.FunctionDef(
        label, joiner.arguments, [*reverse, gast.Return(returned)], [], None, None, []
    )
    grad.lineno = joiner.line
    late = sorted(free_names(grad) & _bound_on_some_ways(forward))
    tree.body = [
        *(assign(key, const(None)) for key in late),
        *forward,
        grad,
        gast.Return(gast.Tuple([*values, name(label)], gast.Load())),
    ]
    return Text(tree, text.externals)


def own_parts(body: list[Any]) -> list[Any]:
    """List the statements of a function's body at any depth, those of nested functions left out."""
    found: list[Any] = []
    for statement in body:
        found.append(statement)
        if type(statement) not in DEFINITIONS:
            for block in blocks_of(statement):
                found += own_parts(block)
    return found


def in_tails(block: list[Any]) -> list[Any]:
    """Move what follows a branch that returns, or defines functions, into its arms."""
    for i, s in enumerate(block):
        if type(s) is not gast.If:
            continue
        rest = block[i + 1 :]
        inside = own_parts([*s.body, *s.orelse])
        if any(isinstance(part, (gast.Return, gast.FunctionDef)) for part in inside):
            s.body = in_tails([*s.body, *copy.deepcopy(rest)] if falls_through(s.body) else s.body)
            s.orelse = in_tails([*s.orelse, *rest] if falls_through(s.orelse) else s.orelse)
            return block[: i + 1]
    return block


def _bound_on_some_ways(block: list[Any]) -> set[str]:
    """Collect the names that branches bind and that are not bound before them."""
    before: set[str] = set()
    found: set[str] = set()
    for s in block:
        if type(s) is gast.If:
            found |= binds_in_block([s]) - before
        else:
            before |= binds_in_block([s])
    return found


@dataclass
class _Joiner:
    """Joins the ways through a custom gradient.

    Attributes
    ----------
    values, gradients
        The names that stand for what `f` and `grad` return.
    shown
        Whether the gradients are returned as a tuple.
    arguments, line
        The parameters of the joint grad, and where the first one is written.
    """

    names: Names
    values: list[str] = field(default_factory=list)
    gradients: list[str] = field(default_factory=list)
    shown: bool = False
    arguments: Any = None
    line: int | None = None

    def block(self, block: list[Any], visible: dict[str, Any]) -> tuple[list[Any], list[Any]]:
        """Write a block that ends a way, or several, for the forward and for the reverse body."""
        visible = dict(visible)
        forward: list[Any] = []
        for s in block[:-1]:
            if type(s) is gast.FunctionDef:
                visible[s.name] = s
            elif any(isinstance(part, (gast.Return, gast.FunctionDef)) for part in own_parts([s])):
                raise NotOneGradError("it returns inside a loop or `with` block")
            else:
                forward.append(s)
        used = {n for s in forward for n in reads(s)}
        if used & set(visible):
            raise NotOneGradError("it calls a function defined in it")
        last = block[-1]
        if type(last) is gast.Raise:
            return block, [gast.Pass()]
        if type(last) is gast.If:
            return self.branch(forward, last, visible)
        if type(last) is not gast.Return:
            raise NotOneGradError("it returns inside a loop or `with` block")
        value, reverse = self.way(last, visible)
        return [*forward, *value], reverse

    def branch(
        self, forward: list[Any], s: Stmt, visible: dict[str, Any]
    ) -> tuple[list[Any], list[Any]]:
        test = self.names.fresh("test")
        yes, no = self.block(s.body, visible), self.block(s.orelse, visible)
        branch = gast.If(name(test), yes[0], no[0])
        binding = assign(test, s.test if is_truth(s.test) else _truth_of(s.test))
        binding.lineno = branch.lineno = getattr(s, "lineno", None)
        return [*forward, binding, branch], [gast.If(name(test), yes[1], no[1])]

    def way(self, s: Stmt, visible: dict[str, Any]) -> tuple[list[Any], list[Any]]:
        """Write `return value, grad` as assignments to the joint names."""
        if type(s.value) is not gast.Tuple or len(s.value.elts) < 2:
            raise NotOneGradError("what it returns is not written as a pair")
        *values, last = s.value.elts
        if any(type(v) is gast.Lambda or getattr(v, "id", "") in visible for v in values):
            raise NotOneGradError("its branches return a jvp")
        grad = _as_definition(last, visible)
        self.values = self.values or [self.names.fresh("value") for _ in values]
        if len(values) != len(self.values):
            raise NotOneGradError("its branches differ in the number of results")
        forward = [assign(key, v) for key, v in zip(self.values, values, strict=True)]
        for made in forward:
            made.lineno = getattr(s, "lineno", None)
        return forward, self.of_grad(grad)

    def of_grad(self, grad: Any) -> list[Any]:
        """Write the body of one grad with the joint parameters and results."""
        holes: dict[str, Any] = {}
        taken = [p.id for p in [*grad.args.posonlyargs, *grad.args.args]]
        if self.arguments is None:
            self.line = getattr(grad, "lineno", None)
            self.arguments = copy.deepcopy(grad.args)
            if not _has_more(grad.args):
                for p in [*self.arguments.posonlyargs, *self.arguments.args]:
                    p.id = self.names.fresh(p.id)
        joint = [p.id for p in [*self.arguments.posonlyargs, *self.arguments.args]]
        if _has_more(grad.args) or _has_more(self.arguments):
            if gast.dump(grad.args) != gast.dump(self.arguments):
                raise NotOneGradError("its grad functions differ in what they take")
        elif len(taken) != len(joint):
            raise NotOneGradError("its grad functions differ in what they take")
        holes |= dict(zip(taken, joint, strict=True))
        own = {p.id for p in [*grad.args.kwonlyargs, grad.args.vararg] if p is not None}
        for key in sorted(binds_in_block(grad.body) - set(taken) - own):
            holes[key] = self.names.fresh(key)
        *body, last = [filled(copy.deepcopy(s), holes) for s in grad.body]
        if type(last) is not gast.Return or any(
            type(part) is gast.Return for part in own_parts(body)
        ):
            raise NotOneGradError("its grad has more than one way through")
        return [*body, *self.returned(last.value)]

    def returned(self, value: Any) -> list[Any]:
        shown = type(value) in DISPLAYS
        parts = list(value.elts) if shown else [value]
        if any(part is None or type(part) is gast.Starred for part in parts):
            raise NotOneGradError("how many gradients its grad returns is not visible")
        if not self.gradients:
            self.shown = shown
            self.gradients = [self.names.fresh("g") for _ in parts]
        if shown != self.shown or len(parts) != len(self.gradients):
            raise NotOneGradError("its grad functions differ in what they return")
        return [assign(key, part) for key, part in zip(self.gradients, parts, strict=True)]


def _truth_of(test: Expr) -> Any:
    """Write a test as a truth value: what it is asked of may have changed when `grad` runs."""
    return gast.IfExp(test, const(True), const(False))


def _has_more(a: Any) -> bool:
    """Whether a signature has more than positional parameters without defaults."""
    return bool(a.vararg or a.kwonlyargs or a.kwarg or a.defaults)


def _as_definition(tree: Tree, visible: dict[str, Any]) -> Any:
    """Return the definition of the grad that a `return` names or writes out."""
    if type(tree) is gast.Lambda:
        made = gast.FunctionDef("grad", tree.args, [gast.Return(tree.body)], [], None, None, [])
        made.lineno = getattr(tree, "lineno", None)
        return made
    found = visible.get(getattr(tree, "id", ""))
    if found is None or found.decorator_list:
        raise NotOneGradError("its grad is not a def or lambda of its own")
    return found
