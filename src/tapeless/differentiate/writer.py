"""What both modes know of the function that they write: facts, names, refusals.

The reverse sweep and the tangent statements are written from the same facts, with the same names for
NumPy and for the runtime helpers, and refused by the same errors. Rules, custom gradients and Variables
need no more than this of a writer.
"""

from __future__ import annotations

import difflib
import functools
import sys
import types
from collections import Counter
from typing import Any, NoReturn

import gast
import numpy as np

import tapeless.runtime
from tapeless.analysis.abstract import NOTHING, Value, is_adjoint_memory, reachable
from tapeless.analysis.calls import Called
from tapeless.analysis.facts import Facts
from tapeless.analysis.interpret.attributes import ADJOINTS_BY_NAME
from tapeless.analysis.interpret.class_values import holder_set_in_texts
from tapeless.analysis.interpret.draws import drawing_method
from tapeless.analysis.interpret.resolution import entered, meaning_of
from tapeless.differentiate.known import Known
from tapeless.differentiate.splice import Splicer
from tapeless.errors import GradientError, NoGradientError, UnknownAttributeError
from tapeless.externals import MISSING, Externals, is_one_of
from tapeless.joins import may_be_listed
from tapeless.kinds import (
    LOG,
    UNKNOWN,
    Array,
    Dict,
    Instance,
    Kind,
    List,
    Number,
    Real,
    Sparse,
    is_number,
    regions_of,
)
from tapeless.origins import is_of_the_tool
from tapeless.rules.declare import Rule, is_built_in, released
from tapeless.rules.on_demand import subpackage_of
from tapeless.rules.reasons import reason_without
from tapeless.sorts import TABLES
from tapeless.tree.build import as_load
from tapeless.tree.classes import DOTTED
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes, reads
from tapeless.tree.trees import Expr, Stmt, Tree

_DROPPED = "its derivative is dropped"
_NO_RULE = (
    "register one with tl.register_gradient, or wrap the value in tl.stop_gradient if it is to count "
    f"as a constant: {_DROPPED}"
)
INSTEAD_OF_METHODS = {
    "list": "use append, insert, pop, and reads and stores of items",
    "dict": "read and store items by their keys; `table.pop(key)` takes one out",
}
_CLASSES: dict[type[Kind], type] = {Array: np.ndarray, Real: np.float64, List: list, Dict: dict}


class Writer:
    """Writes a derivative of one function.

    Attributes
    ----------
    function, facts
        The function and what is known about it.
    known
        What is known of its statements, and of those that were made for them.
    module
        What it is written into.
    names
        The names taken in it.
    out
        Statements written so far in the present block.
    dots
        The names of the tangents; there are none in reverse mode.
    """

    def __init__(
        self, function: CoreFunction, facts: Facts, module: Any, names: Names, externals: Externals
    ) -> None:
        self.function = function
        self.facts = facts
        self.known = Known(facts)
        self.program = module.program
        self.module = module
        self.names = names
        self.splicer = Splicer(
            function,
            module.program,
            names,
            externals,
            for_higher_order=module.for_higher_order,
            holders=module.holders,
        )
        self.splicer.interpreter.heap = self.known.heap
        self.splicer.interpreter.displays |= facts.displays
        self.splicer.interpreter.varied = self.known.varied
        self.out: list[Any] = []
        self.dots: dict[str, str] = {}
        self.marked_values: dict[Any, Any] = {}  # of the calls of custom gradients, where marked

    # Names of helpers

    @property
    def numpy(self) -> str:
        """The name by which the function reaches NumPy."""
        return self.splicer.external(np, "np")

    def runtime(self, key: str) -> str:
        """The name by which the function reaches a runtime helper."""
        return self.splicer.external(getattr(tapeless.runtime, key), key)

    @functools.cached_property
    def unread(self) -> str:
        """The name for what nobody reads: `_`, unless the user reads what that is bound to."""
        return self.names.fresh("_") if "_" in reads(self.function.tree) else "_"

    # Facts

    @functools.cached_property
    def held_fixed(self) -> frozenset[str]:
        """The names that are bound once and read once, by what holds a value fixed."""
        externals = self.function.externals
        holding = {k for k, e in externals.items() if released(e.value) is not e.value}
        if not holding:
            return frozenset()
        body = nodes(self.function.tree, nested=False)
        named = Counter(part.id for part in body if type(part) is gast.Name)
        calls = [part for part in body if type(part) is gast.Call and len(part.args) == 1]
        held = [c.args[0] for c in calls if type(c.func) is gast.Name and c.func.id in holding]
        return frozenset(arg.id for arg in held if type(arg) is gast.Name and named[arg.id] == 2)

    def varies(self, value: Value) -> bool:
        """Whether a value carries a derivative."""
        raise NotImplementedError

    @functools.cached_property
    def dtypes(self) -> set[str]:
        """The codes of the dtypes of all that the function meets, as far as they are known."""
        kinds = [v.kind for v in self.known.results.values()]
        kinds += [v.kind for _, v in self.known.met]
        mixed = {"c?" for kind in kinds if isinstance(kind, Number) and kind.may_be_complex}
        return mixed | {getattr(kind, "dtype", "") for kind in kinds}

    @functools.cached_property
    def meets_complex(self) -> bool:
        """Whether anything in the function is, or is computed from, what may be complex."""
        return any(code[:1] == "c" for code in self.dtypes)

    @functools.cached_property
    def meets_single(self) -> bool:
        """Whether anything in the function is known to be in single precision."""
        return not self.dtypes.isdisjoint(("f4", "c8"))

    def value(self, statement: Stmt, key: str) -> Value:
        """Return what is known of a name as control comes to a statement."""
        raise NotImplementedError

    def is_active(self, statement: Stmt, tree: Tree) -> bool:
        """Whether an operand carries a derivative."""
        raise NotImplementedError

    def result(self, statement: Stmt) -> Value:
        """Return what is known of the result of a statement."""
        found = self.known.results.get(statement, NOTHING)
        return Value(found.kind, self.varies(found))

    def call(self, s: Stmt) -> Called:
        """Return what the call that a statement makes means; of one that was made it is found out once."""
        tree = s.value
        if tree not in self.known.calls:
            self.known.calls[tree] = self._meaning(s, tree)
        return self.known.calls[tree]

    def _meaning(self, s: Stmt, tree: Expr) -> Called:
        found, kind = self.function.resolve(tree.func), UNKNOWN
        if found is MISSING and type(tree.func) in DOTTED:
            named = tree.func if type(tree.func) is gast.Name else tree.func.value
            kind = self.operand_kind(s, named)
        if s in self.known.callees:
            return entered(tree.func, found, kind)
        return meaning_of(tree, found, kind)

    def operand_kind(self, s: Stmt, tree: Tree) -> Kind:
        """Return the kind of an operand as control comes to a statement."""
        if type(tree) is gast.Name and tree.id in self.known.before.get(s, {}):
            return self.value(s, tree.id).kind
        return self.splicer.evaluate(tree, self.known.before.get(s, {})).kind

    def takes_attribute_away(self, s: Stmt) -> bool:
        """Whether a statement deletes an attribute of an object, which the text names."""
        taking = is_one_of(self.call(s).found, (delattr, object.__delattr__))
        if not taking or len(s.value.args) != 2:
            return False
        owner, label = s.value.args
        literal = type(label) is gast.Constant and isinstance(label.value, str)
        return literal and isinstance(self.operand_kind(s, owner), Instance)

    def is_message(self, s: Stmt, call: Expr) -> bool:
        """Whether a call writes a message to a log, whatever it is given."""
        func = call.func
        return type(func) is gast.Attribute and self.operand_kind(s, func.value) == LOG

    def looks_up_adjoint(self, s: Stmt) -> bool:
        """Whether a statement asks the memory of a first derivative for an adjoint.

        What it gives is a view of a buffer, and has its own adjoint in the memory of this one.
        """
        return is_adjoint_memory(self.operand_kind(s, s.value.value))

    # Refusals

    def refuse(self, statement: Stmt, reason: str, fix: str, cls: Any = GradientError) -> NoReturn:
        """Raise an error that points to the user's line."""
        raise self.function.error(statement, reason, fix, cls)

    def no_gradient(self, s: Stmt, func: Any) -> Any:
        """Raise the error for a call of something that has no rule."""
        self.refuse_typo(s, func)
        found = self.function.resolve(func)
        if found is MISSING and type(func) is gast.Attribute:
            return self.no_method(s, func)
        if found is MISSING:
            return self.refuse_unknown_call(s, func)
        if found is getattr and is_of_the_tool(self.function.filename):
            return self.refuse(s, *ADJOINTS_BY_NAME)
        known = reason_without(found)
        reason = f"no gradient for {qualified_name(found)}" + (f": {known}" if known else "")
        return self.refuse(s, reason, _NO_RULE, NoGradientError)

    def check_parameter(self, s: Stmt, rule: Rule, parameter: str, operand: Tree) -> None:
        """Refuse to differentiate in a parameter of which a rule says that it has no derivative.

        In forward mode what does not vary may have a tangent, too: zero, beside what does in one object.
        """
        known = reason_without(rule.primal, parameter) if is_built_in(rule) else None
        if known is not None and self.may_vary(s, operand):
            label = qualified_name(rule.primal)
            self.refuse(
                s,
                f"no gradient for {label} in `{parameter}`: {known}",
                f"pass tl.stop_gradient({parameter}) if it is to count as a constant: {_DROPPED}",
                NoGradientError,
            )

    def may_vary(self, s: Stmt, operand: Tree) -> bool:
        """Whether an operand may change with the independents, or hold what does."""
        key = operand.id if type(operand) is gast.Name else ""
        value = self.known.before.get(s, {}).get(key, NOTHING)
        if value is NOTHING:  # not a name of the function's own: what has a derivative may vary
            return True
        return self.facts.carries_derivative(value) or bool(
            reachable([value.kind], self.known.heap) & self.facts.varied
        )

    def refuse_unknown_call(self, s: Stmt, func: Any) -> Any:
        """Raise the error for a call of something that the text does not tell."""
        reason = f"what {self.spelled(func, 'this')} calls is not known"
        fix = "call the function by its name, or the method on its object"
        return self.refuse(s, reason, fix, NoGradientError)

    def no_method(self, s: Stmt, func: Any) -> Any:
        """Raise the error for a method that has no rule."""
        shown = self.spelled(func, "").strip("`") or f"the method .{func.attr}"
        known = reason_without(drawing_method(self.operand_kind(s, func.value), func.attr))
        reason = f"no gradient for {shown}" + (f": {known}" if known else "")
        return self.refuse(s, reason, _NO_RULE, NoGradientError)

    def no_attribute(self, s: Stmt, tree: Tree) -> Any:
        """Raise the error for an attribute through which no derivative is known."""
        self.refuse_typo(s, tree)
        return self.refuse(
            s,
            f"no gradient for .{tree.attr}",
            "write what it gives as a function of arrays and numbers, or read it with "
            f"tl.stop_gradient if it is to count as a constant: {_DROPPED}",
            NoGradientError,
        )

    def refuse_typo(self, s: Stmt, tree: Tree) -> None:
        """Raise the error for an attribute that does not exist, with the name that was meant."""
        if type(tree) is not gast.Attribute:
            return
        owner = self.function.resolve(tree.value)
        if isinstance(owner, (types.ModuleType, type)):
            label = "module" if isinstance(owner, types.ModuleType) else "class"
            what, names = f"{label} '{owner.__name__}'", set(dir(owner))
            found = hasattr(owner, tree.attr)
        else:
            kind = self.operand_kind(s, tree.value)
            known = _class_of(kind)
            if known is None:
                return
            label = "float" if known is np.float64 else known.__name__
            more = TABLES if known is dict else ()
            what, names = f"'{label}' object", set(dir(known)).union(*map(dir, more))
            for region in regions_of(kind):
                names |= {str(slot) for slot in self.known.heap.get(region, ())}
            found = tree.attr in names
        if found:
            return
        close = difflib.get_close_matches(tree.attr, sorted(names), n=1)
        fix = f"did you mean '{close[0]}'?" if close else "check the spelling"
        reason = f"{what} has no attribute '{tree.attr}'"
        self.refuse(s, reason, fix, UnknownAttributeError)

    def check_sparse(self, s: Stmt, operands: list[Expr]) -> None:
        """Refuse a sparse array whose entries are stored into: it is taken for one that stays as it is."""
        stored = self.facts.stored | self.facts.stored_elsewhere
        for tree in operands:
            kind = self.operand_kind(s, tree) if isinstance(tree, gast.Name) else UNKNOWN
            if isinstance(kind, Sparse) and kind.regions & stored:
                self.refuse(
                    s,
                    f"the entries of the sparse array {self.spelled(tree, 'here')} are stored into",
                    "make one of the new entries, csr_array((data, A.indices, A.indptr), shape=A.shape); "
                    "of a constant one, use a copy that is made when all is stored: A = A.copy()",
                )

    def refuse_operator(self, s: Stmt, kinds: list[Kind]) -> None:
        """Refuse an operator of objects whose class does not say in Python what it means."""
        found = next((k for k in kinds if isinstance(k, Instance)), None)
        if found is not None:
            label = found.alternatives[0].cls.__name__
            self.refuse(
                s,
                f"what this operator means for objects of class {label} is not written in Python",
                "write it with the numbers that the objects hold, or define the operator in the class",
            )

    def refuse_list_operator(self, s: Stmt) -> Any:
        """Refuse an operator by which NumPy makes an array of a list, or that a list does not have."""
        return self.refuse(
            s,
            "a list, tuple or dict stands beside this operator",
            "make an array of it first: np.array(items)",
        )

    def refuse_perhaps_listed(self, s: Stmt, kinds: list[Kind]) -> None:
        """Refuse an operator that joins lists on one way, and computes with arrays on another.

        Beside an array or a float, it does not join them.
        """
        if any(map(may_be_listed, kinds)) and not any(
            isinstance(kind, (Array, Number, Real)) for kind in kinds
        ):
            self.refuse(
                s,
                "whether lists or tuples are joined here, or numbers computed, is not known",
                "make arrays of them on all ways: np.array(items)",
            )

    def refuse_index(self, s: Stmt, kind: Kind) -> Any:
        """Refuse `[...]` of an object whose class does not say in Python what it means."""
        cls = getattr(kind, "cls", object)
        return self.refuse(
            s,
            f"what `[...]` means for objects of class {cls.__name__} is not written in Python",
            reason_without(cls) or "index a list, dict or array that the object holds",
        )

    def refuse_unknown_rank(self, s: Stmt, place: Expr) -> Any:
        """Refuse `place op= value` where it may change an array or bind a new number."""
        return self.refuse(
            s,
            f"whether {self.spelled(place, 'what changes here')} is an array or a number is not known here",
            "annotate the parameters, give like=, or write the assignment out",
        )

    def refuse_unknown_store(self, s: Stmt, place: Expr) -> Any:
        """Refuse a store of what varies into what is not known, or into a class or module."""
        owner = getattr(place, "value", place)
        if isinstance(self.function.resolve(owner), (types.ModuleType, type)):
            self.refuse_outer_attribute(s, place)
        shown = self.spelled(owner, "this")
        return self.refuse(
            s,
            f"what {shown} is, which is stored into here, is not known",
            "annotate the parameters, or give like=",
        )

    def stores_into_holder(self, s: Stmt, place: Expr, kind: Kind) -> bool:
        """Whether a store binds an attribute of a class or module to what stays as it is.

        What is read of it has a name, so that nothing need be undone; what varies is read by nobody here.
        """
        held = reachable([self.operand_kind(s, s.value)], self.known.heap)
        return holder_set_in_texts(kind, place.attr) is not None and held.isdisjoint(
            self.facts.stored
        )

    def refuse_outer_attribute(self, s: Stmt, place: Expr) -> Any:
        """Refuse a store into an attribute of a class, a module or another thing without known slots."""
        fix = "keep it in an attribute of an object, or in an item of a list or dict"
        if is_number(self.operand_kind(s, place.value)):
            shown = self.spelled(place.value, "y").strip("`")
            fix = f"bind a new array, as in {shown} = {shown}.reshape(n), or store into its entries"
        what = self.spelled(as_load(place), "this")
        reason = f"{what} is stored into, and how that can be undone is not known"
        return self.refuse(s, reason, fix)

    def refuse_construction(self, s: Stmt, cls: type) -> Any:
        """Refuse the making of an object of which it is not known what it holds."""
        built_in = cls.__module__ in ("builtins", "itertools", "collections")
        return self.refuse(
            s,
            f"what `{cls.__name__}(...)` keeps of what carries a derivative is not known",
            "keep it in a list" if built_in else "give the class an `__init__` written in Python",
        )

    def refuse_arguments(self, s: Stmt, rule: Any, args: list[Any], keywords: Any) -> Any:
        """Refuse a call that gives more than a rule takes: by name, in number, or by a star."""
        label = getattr(rule.primal, "__name__", str(rule.primal))
        star = next((a for a in args if type(a) is gast.Starred), None)
        if star is not None:
            shown = self.spelled(star, "the starred argument")
            return self.refuse(
                s,
                f"how many arguments {shown} passes is not known here",
                "pass them one by one or in a tuple",
            )
        taken = rule.parameters
        extra = sorted(set(keywords) - set(taken))
        if extra:
            return self.refuse(
                s,
                f"the rule of {label} does not know `{extra[0]}`",
                f"leave `{extra[0]}` out, and write what it does around the call",
            )
        return self.refuse(
            s,
            f"the rule of {label} takes {len(taken)} argument{'s' * (len(taken) != 1)}, and "
            f"{len(args) + len(keywords)} are given",
            "pass what it takes, and write what the others do around the call",
        )

    def wrote(self, key: str) -> bool:
        """Whether the user wrote a name, as against those that desugaring added."""
        return self.function.wrote(key)

    def spelled(self, tree: Tree, otherwise: str) -> str:
        """Return an expression as a message shows it, if all its names are the user's."""
        return self.function.spelled(tree, otherwise)

    def what_is(self, key: str) -> str:
        """Return what a message says of what a name holds; nothing of a name that is not the user's."""
        return f"what `{key}` is" if self.wrote(key) else "what this line takes a part of"


def _class_of(kind: Kind) -> type | None:
    """Return a class of which a value of this kind surely is, None where that is not known."""
    if isinstance(kind, Instance):
        hooked = kind.choices or hasattr(kind.cls, "__getattr__")
        return None if hooked else kind.cls
    return next((cls for each, cls in _CLASSES.items() if isinstance(kind, each)), None)


def qualified_name(found: Any) -> str:
    """Return the dotted name of a callable, for messages."""
    module = getattr(found, "__module__", None)
    short = getattr(found, "__name__", "")
    outer = (
        str(module).split(".")[:3] if subpackage_of(found) else []
    )  # such as scipy.sparse.linalg
    for public in (".".join(outer), subpackage_of(found)):
        if public and getattr(sys.modules.get(public), short, None) is found:
            module = public
    label = getattr(found, "__qualname__", getattr(found, "__name__", repr(found)))
    if getattr(sys.modules.get(str(module)), short, None) is found:
        label = short  # also what is there as a method of a hidden object, as in numpy.random
    return f"{module}.{label}" if module and module != "builtins" else str(label)
