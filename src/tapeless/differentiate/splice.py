"""Splicing: the body of a rule put where it is used, partially evaluated.

A rule, its `grad`, or a runtime helper is a Python function. To splice it its parameters are
replaced by the expressions at hand, its locals by fresh names, and its `if`s are folded as far as
the kinds of the arguments decide them. What is then a straight line ending in one return is inlined;
anything else stays a call.

    unbroadcast(y_bar * np.cos(x), x)   ->   y_bar * np.cos(x)      where the shapes agree
"""

from __future__ import annotations

import inspect
import operator
import types
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field
from typing import Any, cast

import gast
import numpy as np

from tapeless.analysis.abstract import Value
from tapeless.analysis.facts import Bindings
from tapeless.analysis.interpret.class_values import as_object
from tapeless.analysis.interpret.run import Interpretation
from tapeless.differentiate.broadcasts import sum_over_broadcast
from tapeless.differentiate.straight_lines import (
    IsGiven,
    bind,
    binds_names,
    has_scope,
    is_docstring,
    literal_truth,
    number,
    runs_through,
)
from tapeless.externals import MISSING, External, Externals, constant, is_runtime, resolve
from tapeless.kinds import UNKNOWN, Array, Inert, Region, Tuple
from tapeless.ranks import dims_of, literal
from tapeless.rules.declare import find_rule
from tapeless.rules.on_demand import subpackage_of
from tapeless.rules.traits import traits_of
from tapeless.runtime import unbroadcast
from tapeless.set_in_texts import is_set_in_text, module_with
from tapeless.source.texts import Text, text_of
from tapeless.specialize.program import AnalysedProgram
from tapeless.tree.build import assign, const, fill, filled, name, unshared
from tapeless.tree.classes import ATOMS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds, binds_in_block, parameters, reads
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree

Environment = dict[str, Value]


@dataclass
class Splicer:
    """Splices functions into one target function.

    Attributes
    ----------
    target
        The function that is being written; its externals grow by what is spliced in.
    names
        The names taken in it.
    module
        What names mean in the other functions of the module.
    for_higher_order
        Whether the text is differentiated again: helpers with partials of their own stay calls.
    holders
        The regions of classes and modules whose attributes vary.
    """

    target: CoreFunction
    program: AnalysedProgram
    names: Names
    module: Externals = field(default_factory=dict)
    inlining: list[Any] = field(default_factory=list)
    for_higher_order: bool = False
    holders: Set[Region] = frozenset()

    def __post_init__(self) -> None:
        self.own = self.target.names()
        self.taken_before = set(self.names.taken)
        self.interpreter = Interpretation(self.target, self.program)

    def external(self, value: Any, wish: str) -> str:
        """Return the name by which the target reaches an object, importing it where needed."""
        for key, present in self.seen_externals():
            if present.value is value:
                return key
        wish = wish if wish.isidentifier() else "function"  # a lambda
        key = self.free_name(wish, value)
        self.target.externals[key] = constant(value, wish)
        return key

    def seen_externals(self) -> list[tuple[str, External]]:
        """List the externals that no local name of the target hides."""
        found, local = self.target.externals.items(), self.target.local
        return [(key, present) for key, present in found if key not in local]

    def renamed_externals(
        self, names: Iterable[str], externals: Externals, local: Set[str]
    ) -> dict[str, Any]:
        """Return how those of some names are called here that are looked up outside."""
        return {
            key: self.changing(externals[key]) or self.adopt(key, externals)
            for key in names
            if key in externals and key not in local
        }

    def changing(self, external: External) -> Any:
        """Write a name that functions bind anew as the attribute of its module; None for any other."""
        module = module_with(external.owner) if isinstance(external.owner, dict) else None
        if module is None or not is_set_in_text(module, external.key):
            return None
        label = self.external(module, module.__name__.rpartition(".")[2])
        return gast.Attribute(name(label), external.key, gast.Load())

    def adopt(self, key: str, externals: Externals) -> str:
        outer = externals[key]
        value = outer.value
        for present, known in self.seen_externals():
            if known.owner is outer.owner and known.key == outer.key and outer.owner is not None:
                return present
            if known.value is value and value is not MISSING:
                return present
        own = getattr(value, "__name__", "") if isinstance(outer.owner, types.CellType) else ""
        wish = own if own.isidentifier() and callable(value) else key
        found = self.free_name(wish, value)  # in a closure its own name says more
        self.target.externals[found] = outer
        return found

    def free_name(self, wish: str, value: Any) -> str:
        """Return a name that means nothing else in the target, nor in the module."""
        elsewhere = self.module.get(wish)
        same = elsewhere is None or elsewhere.value is value
        given = wish in self.names.taken and wish not in self.taken_before
        if same and not given and wish not in self.own and wish not in self.target.externals:
            self.names.taken.add(wish)
            return wish
        return self.names.fresh(wish)

    def evaluate(self, tree: Tree, env: Bindings) -> Value:
        """Return what is known of an expression in the target."""
        found = self.interpreter.eval(tree, cast("Environment", env))  # which binds nothing
        kind = as_object(found.kind, self.holders)
        return found if kind is found.kind else Value(kind, True)

    def inline(
        self, text: Text, bindings: dict[str, Any], env: Environment, blocks: bool = False
    ) -> tuple[list[Any], Any] | None:
        """Inline a function's body for given arguments.

        With `blocks` the body may hold any statements: loops, branches and stores stay as they are
        written. Only its last statement may return.

        Returns
        -------
        The statements and the expression returned, or None where it does not fold to a straight
        line.
        """
        body = [s for s in unshared(text.tree.body) if not is_docstring(s)]
        if blocks:
            body = [IsGiven(text.tree).visit(s) for s in body]
        local = binds_in_block(body) if blocks else text.bound
        holes: dict[str, Any] = {}
        before: list[Any] = []
        for parameter in parameters(text.tree):
            if parameter in local:
                fresh = self.names.fresh(parameter)
                before.append(assign(fresh, unshared(bindings[parameter])))
                holes[parameter] = fresh
            else:
                holes[parameter] = bindings[parameter]
        all_local = local | set(parameters(text.tree))
        nested = {s.name for s in body if type(s) is gast.FunctionDef} if not blocks else set()
        for key in sorted(local - set(parameters(text.tree)) - nested):
            holes[key] = self.names.fresh(key)
        holes |= self.renamed_externals(text.reads, text.externals, all_local)
        body = [fill(s, holes) for s in body]
        folded = self.fold_block([*before, *body], dict(env), blocks)
        if folded is None or not folded or type(folded[-1]) is not gast.Return:
            return None
        return folded[:-1], folded[-1].value

    def fold_block(
        self, block: list[Stmt], env: Environment, blocks: bool = False
    ) -> list[Any] | None:
        """Fold the `if`s of a block; None where one that matters is not decided."""
        made: list[Any] = []
        for i, statement in enumerate(block):
            if has_scope(statement):
                return None
            if type(statement) is gast.If:
                truth = self.truth(_KnownCalls(self, env).visit(statement.test), env)
                if truth is not None:
                    chosen = statement.body if truth else statement.orelse
                    rest = self.fold_block([*chosen, *block[i + 1 :]], env, blocks)
                    return None if rest is None else made + rest
                if not blocks:
                    return None
            if isinstance(statement, (gast.Assign, gast.Return)) and statement.value is not None:
                statement.value = _ChoiceFolder(self, env).visit(statement.value)
            if type(statement) is gast.Return:
                return [*made, statement]
            if type(statement) is gast.FunctionDef:
                made.append(statement)
                continue
            if blocks and runs_through(statement):
                self.learn_statement(statement, env)
                made.append(statement)
                continue
            if type(statement) is not gast.Assign or not binds_names(statement):
                return None
            self.learn(statement.targets[0], statement.value, env)
            made.append(statement)
        return made

    def learn(self, place: Tree, value: Expr, env: Environment) -> None:
        if type(place) is gast.Name:
            env[place.id] = self.evaluate(value, env)
        else:
            for key in binds(place):
                env[key] = Value(UNKNOWN)

    def learn_statement(self, statement: Stmt, env: Environment) -> None:
        """Remember what a statement of any sort says about the names that it binds."""
        if type(statement) is gast.Assign and len(statement.targets) == 1:
            self.learn(statement.targets[0], statement.value, env)
            return
        if type(statement) is gast.AugAssign and type(statement.target) is gast.Name:
            key = statement.target.id
            if key in env and not isinstance(env[key].kind, Array):  # that is changed in place
                operands = gast.BinOp(name(key), statement.op, statement.value)
                env[key] = self.evaluate(operands, env)
            return
        ways = [env, env]
        if type(statement) is gast.If:
            ways = [self.learned(block, env) for block in (statement.body, statement.orelse)]
        for key in binds(statement):
            a, b = (way.get(key) for way in ways)
            same = type(statement) is gast.If and a is not None and a == b
            env[key] = a if a is not None and same else Value(UNKNOWN)

    def learned(self, block: list[Stmt], env: Environment) -> Environment:
        """Return what is known at the end of a block."""
        made = dict(env)
        for statement in block:
            self.learn_statement(statement, made)
        return made

    def truth(self, test: Expr, env: Environment) -> bool | None:
        """Decide a test where the kinds tell."""
        if type(test) is gast.BoolOp:
            parts = [self.truth(part, env) for part in test.values]
            decisive = type(test.op) is gast.Or
            if any(part is decisive for part in parts):
                return decisive
            return None if None in parts else not decisive
        if type(test) is gast.UnaryOp and type(test.op) is gast.Not:
            inner = self.truth(test.operand, env)
            return None if inner is None else not inner
        decided = literal_truth(test)
        if decided is not None:
            return decided
        kind = self.evaluate(test, env).kind
        if isinstance(kind, Inert) and kind.what in ("bool", "None"):
            return kind.value if kind.what == "bool" else False
        return None

    def fold_helpers(self, tree: Tree, env: Environment, statements: list[Stmt]) -> Any:
        """Inline the runtime helpers in an expression where they fold to one expression."""
        return _HelperFolder(self, env, statements).visit(tree)

    def known_result(self, call: Expr, env: Bindings) -> Any:
        """Return what a helper comes to whose arguments are literals or known of a kind.

        Returns
        -------
        A literal, or None where the result is not known, or is none.
        """
        found = self.resolve(call.func)
        if call.keywords or not call.args or type(call.args[0]) not in (gast.Constant, gast.Tuple):
            return None
        if found is isinstance and type(call.args[0]) is gast.Constant:
            wanted = self.resolve(call.args[1])
            known = isinstance(wanted, type)
            return const(isinstance(call.args[0].value, wanted)) if known else None
        if not is_runtime(found):
            return None
        values = [literal(self.evaluate(arg, env).kind) for arg in call.args]
        try:
            return None if any(v is ... for v in values) else as_literal(found(*values))
        except (IndexError, TypeError, ValueError):
            return None  # the arguments do not fit: the call raises when it runs, if it does

    def is_helper(self, function: Any, args: list[Expr]) -> bool:
        """Whether a callable is one of the runtime functions that may be inlined."""
        if not is_runtime(function) or not inspect.isfunction(function):
            return False
        known = traits_of(function)
        rule = find_rule(function) if self.for_higher_order else None
        keeps_partials = rule is not None and rule.form == "elementwise"
        if keeps_partials and known.literals:
            given = [args[i] for i in known.literals if i < len(args)]
            keeps_partials = len(given) < len(known.literals) or None in map(number, given)
        return not keeps_partials and not known.says_more

    def resolve(self, tree: Tree) -> Any:
        """Return the object that an expression in the target stands for."""
        return resolve(tree, self.target.externals, self.target.local)


_FOLDED: dict[type, Callable[[Any, Any], Any]] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul,
}  # fmt: skip


def as_literal(value: Any) -> Any:
    """Write whole numbers, strings, None and tuples of these; None for anything else."""
    if value is None or type(value) in (bool, int, str):
        return const(value)
    if type(value) is not tuple:
        return None
    items = [as_literal(item) for item in value]
    return None if None in items else gast.Tuple(items, gast.Load())


class _KnownCalls(Transformer):
    """Writes what calls of literals come to."""

    def __init__(self, splicer: Splicer, env: Environment) -> None:
        self.splicer = splicer
        self.env = env

    def visit_Call(self, tree: Tree) -> Any:
        return self.splicer.known_result(tree, self.env) or self.generic_visit(tree)


class _ChoiceFolder(Transformer):
    """Takes the side of `a if test else b` that the kinds tell."""

    def __init__(self, splicer: Splicer, env: Environment) -> None:
        self.splicer = splicer
        self.env = env

    def visit_IfExp(self, tree: Tree) -> Any:
        truth = self.splicer.truth(tree.test, self.env)
        if truth is None:
            return self.generic_visit(tree)
        return self.visit(tree.body if truth else tree.orelse)


# Called with the first operand, the dimensions of all of them, and the name of NumPy.
_WRITTEN_BY_DIMS: dict[Any, Callable[..., Any]] = {unbroadcast: sum_over_broadcast}


class _HelperFolder(Transformer):
    def __init__(self, splicer: Splicer, env: Environment, statements: list[Stmt]) -> None:
        self.splicer = splicer
        self.env = env
        self.statements = statements

    def visit_BinOp(self, tree: Tree) -> Any:
        """Fold literals, as in `n - 1` for a literal exponent."""
        tree = self.generic_visit(tree)
        if type(tree.left) is gast.Constant and type(tree.right) is gast.Constant:
            a, b = tree.left.value, tree.right.value
            if type(tree.op) in _FOLDED and not isinstance(a, str) and not isinstance(b, str):
                return gast.Constant(_FOLDED[type(tree.op)](a, b), None)
        if type(tree.op) is gast.Pow and getattr(tree.right, "value", None) == 1:
            return tree.left
        return tree

    def visit_Subscript(self, tree: Tree) -> Any:
        """Take an item out of a display, as in `(y_bar,)[0]`."""
        tree = self.generic_visit(tree)
        at = getattr(tree.slice, "value", None)
        if type(tree.value) is gast.Tuple and type(at) is int and at < len(tree.value.elts):
            if all(type(item) in ATOMS for item in tree.value.elts):
                return tree.value.elts[at]
        return tree

    def visit_Call(self, tree: Tree) -> Any:
        known = self.splicer.known_result(tree, self.env)
        if known is not None:
            return known
        tree = self.generic_visit(tree)
        found = self.splicer.resolve(tree.func)
        if found is float and type(tree.args[0]) is gast.Constant:
            return gast.Constant(float(tree.args[0].value), None)
        if found is np.reshape and len(tree.args) == 2 and self.has_shape(*tree.args):
            return tree.args[0]
        if found is MISSING or not self.splicer.is_helper(found, tree.args):
            tree.keywords = [k for k in tree.keywords if not _is_default(found, k)]
            return tree
        by_dims = self.written_by_dims(found, tree.args)
        if by_dims is not None:
            return by_dims
        text = text_of(found)
        if text is None or found in self.splicer.inlining:
            return tree
        bindings = _bind(text.tree, tree)
        if bindings is None:
            return tree
        self.splicer.inlining.append(found)
        try:
            return self.folded(text, bindings, tree)
        finally:
            self.splicer.inlining.pop()

    def has_shape(self, tree: Expr, shape: Expr) -> bool:
        """Whether an array has a shape already."""
        dims = dims_of(self.splicer.evaluate(tree, self.env).kind)
        asked = self.splicer.evaluate(shape, self.env).kind
        items = asked.items if isinstance(asked, Tuple) else ()
        return bool(dims) and dims == tuple(getattr(item, "value", None) for item in items)

    def written_by_dims(self, found: Any, operands: list[Any]) -> Any:
        """Write what a helper does for operands of known dimensions, if that depends on these."""
        write = _WRITTEN_BY_DIMS.get(found)
        if write is None:
            return None
        dims = [dims_of(self.splicer.evaluate(tree, self.env).kind) for tree in operands]
        return write(operands[0], *dims, self.splicer.external(np, "np")) if all(dims) else None

    def folded(self, text: Text, bindings: dict[str, Any], tree: Tree) -> Any:
        names: dict[str, Any] = {}
        shared: list[Any] = []
        env = dict(self.env)
        for key, value in bindings.items():
            found = number(value)
            if found is not None:
                names[key] = gast.Constant(found, None)
            elif isinstance(value, (gast.Name, gast.Constant, gast.Tuple, gast.List)):
                names[key] = value
            else:
                fresh = self.splicer.names.fresh("v")
                env[fresh] = self.splicer.evaluate(value, self.env)
                shared.append((fresh, value))
                names[key] = name(fresh)
        made = self.splicer.inline(text, names, env)
        if made is None:
            return tree
        written, result = made
        statements: list[Stmt] = []
        for statement in written:
            statement.value = self.splicer.fold_helpers(statement.value, env, statements)
            self.splicer.learn(statement.targets[0], statement.value, env)
            statements.append(statement)
        folder = _HelperFolder(self.splicer, env, statements)
        result = folder.visit(result)
        decides = any(type(s) is gast.If for s in text.tree.body)
        if type(result) is gast.Call and not decides:
            if self.splicer.is_helper(self.splicer.resolve(result.func), result.args):
                return tree  # its name says more than that of the one that it calls
        counted = [*statements, gast.Expr(result)]
        holes: dict[str, Any] = {}
        for fresh, value in shared:
            uses = sum(reads(s).count(fresh) for s in counted)
            if uses <= 1:
                holes[fresh] = value
            else:
                self.statements.append(assign(fresh, value))
                self.env[fresh] = env[fresh]
        for statement in statements:
            made_statement = filled(statement, holes)
            self.statements.append(made_statement)
            self.splicer.learn(made_statement.targets[0], made_statement.value, self.env)
        return filled(result, holes)


def _bind(tree: gast.FunctionDef, call: Expr) -> dict[str, Any] | None:
    """Bind the arguments of a call to the parameters of a helper, which are all its own."""
    if tree.args.vararg or tree.args.kwarg:
        return None
    if any(type(arg) is gast.Starred for arg in call.args):
        return None
    return bind(tree, call.args, {k.arg: k.value for k in call.keywords})


def _is_default(function: Any, keyword: Expr) -> bool:
    """Whether a keyword argument is a literal that a function of NumPy or SciPy takes by itself."""
    of_scipy = subpackage_of(function) != ""
    written_in_python = getattr(function, "__wrapped__", function if of_scipy else None)
    module = str(getattr(written_in_python, "__module__", ""))
    if not isinstance(written_in_python, types.FunctionType):
        return False
    if not module.startswith(("numpy", "scipy")):
        return False
    parameter = inspect.signature(written_in_python).parameters.get(keyword.arg)
    try:
        given = gast.literal_eval(keyword.value)
    except ValueError:
        return False
    return parameter is not None and repr(parameter.default) == repr(given)
