"""From a function and kinds to the text of a derivative: the list of stages, top to bottom."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Abstraction, Asked, Heap, Value, reachable
from tapeless.analysis.cuts import State
from tapeless.analysis.derivation import Request
from tapeless.analysis.facts import Callee, Facts
from tapeless.analysis.interpret.class_values import holders_of_what_varies
from tapeless.analysis.logs import without_logs
from tapeless.analysis.private import Private
from tapeless.analysis.read_by_grads import check_read_at_last, outside_read_by
from tapeless.analysis.special_methods import check_special_methods
from tapeless.analysis.stand_ins import check_stand_ins
from tapeless.derivative import Derivative
from tapeless.details import in_argument
from tapeless.differentiate.custom.changes import check_custom_calls
from tapeless.differentiate.entry import kind_of_scalar, write_gradient, write_pullback
from tapeless.differentiate.forward.function import write_tangent
from tapeless.differentiate.module import Given, Module
from tapeless.differentiate.refusals import let_refusals_through
from tapeless.differentiate.reverse.bound import unbound_reads
from tapeless.differentiate.reverse.split import write_split
from tapeless.errors import PLEASE_REPORT, InternalError
from tapeless.externals import Resolver, resolve
from tapeless.journal import Journal
from tapeless.kinds import (
    UNKNOWN,
    UNREACHED,
    Array,
    Count,
    Inert,
    Instance,
    Integer,
    Kind,
    Number,
    Real,
    Sequence,
    Tuple,
    differentiable,
    moving,
)
from tapeless.normalize import refuse_generator
from tapeless.optimize import (
    Context,
    called_on_new,
    construct_plainly,
    drop_handed_parts,
    drop_idle_comments,
    drop_idle_halves,
    drop_unread_parameters,
    drop_unused_state,
    hand_over_less,
    iterate_saves,
    merge_handed_saves,
    optimize,
    return_early,
    write_plainly,
)
from tapeless.optimize.analyses import effects_of, version_of
from tapeless.optimize.name_temporaries import Naming, name_all_temporaries
from tapeless.optimize.plain_divisors import plain_divisors
from tapeless.optimize.share_functions import share_functions
from tapeless.origins import is_generated, is_of_the_tool, origin_of, sweep_of
from tapeless.ranks import rank
from tapeless.runtime import divisor
from tapeless.sizes import counts, for_arguments_at_hand
from tapeless.source.complete import imports_of
from tapeless.source.printer import unparse
from tapeless.source.spans import Provenance, Written, provenance_of
from tapeless.source.trace import passed, print_pass, trace
from tapeless.specialize.program import AnalysedProgram
from tapeless.specialize.promised import annotated_kinds, kinds_for_scalar, values_of
from tapeless.tree.comments import Role
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds_in_block, free_names, parameters, reads

__all__ = ["print_pass", "trace", "write", "write_for_kinds"]


def argument_kinds(
    arguments: list[Any], heap: Heap, independent: list[bool], integers: bool, asked: Asked = ()
) -> list[Kind]:
    """Return the kinds of actual arguments, filling the heap.

    With `integers` those that are independents, or are held by one in lists, tuples and dicts, count as
    real numbers.
    """
    kinds = []
    for i, (argument, active) in enumerate(zip(arguments, independent, strict=True)):
        places = in_argument(i) if for_arguments_at_hand() else None
        abstraction = Abstraction(heap, active, True, asked, real_integers=active and integers)
        kind = abstraction(argument, ("argument", i), places=places)
        kinds.append(with_counts(kind, argument, i))
    return kinds


def with_counts(kind: Kind, argument: Any, position: int) -> Kind:
    """Note how long a short vector is, or the rows of an array of short ones, that is an argument."""
    if not isinstance(kind, Array) or kind.dtype != "f8" or len(kind.dims) not in (1, 2):
        return kind
    axis, last = len(kind.dims) - 1, kind.dims[-1]
    if isinstance(last, int) or not counts(argument.shape[axis]):
        return kind
    count = Count(argument.shape[axis], frozenset([(position, axis)]))
    return replace(kind, dims=(*kind.dims[:-1], replace(last, count=count)))


def write(
    function: Callable[..., Any], mode: str, request: Request, arguments: list[Any] | None,
    label: str, program: AnalysedProgram | None = None, journal: Journal | None = None,
) -> Derivative:  # fmt: skip
    """Write the derivative of a function.

    Parameters
    ----------
    function
        A Python function.
    mode
        "grad" or "value_and_grad".
    request
        The independents and what is returned.
    arguments
        One value per parameter, whose kinds are used; None to use annotations only.
    label
        The name of the derivative function.
    journal
        What observes it while it runs.
    """
    program = program or AnalysedProgram(one_exit=mode != "jvp")
    core = program.core(function)
    refuse_generator(function, core)
    heap: Heap = {}
    active = [p in request.wrt for p in core.parameters]
    integers = mode in ("grad", "value_and_grad")
    if arguments is None:
        kinds = annotated_kinds(core, heap, active)
    else:
        kinds = argument_kinds(arguments, heap, active, integers, request.variables or ())
    given = _given(core.parameters, arguments, integers)
    if given.integers & set(request.wrt):  # which count as real numbers: arrays of them do not
        program.scalarize = False
    return write_for_kinds(
        function,
        mode,
        request,
        kinds,
        heap,
        label,
        program,
        given=given,
        journal=journal,
    )


def _given(parameters: list[str], arguments: list[Any] | None, integers: bool) -> Given:
    """Tell what is known of arguments that their kinds do not say; `integers` count as real numbers."""
    if arguments is None:
        return Given(nothing=True)
    named = dict(zip(parameters, arguments, strict=True))
    return Given(
        frozenset(p for p, x in named.items() if np.isscalar(x) and type(x) is not float),
        frozenset(p for p, x in named.items() if integers and holds_integers(x)),
    )


def holds_integers(x: Any) -> bool:
    """Whether a value is an integer, or a list, tuple or dict that holds one.

    Examples
    --------
    >>> holds_integers([1.0, {"n": 2}]), holds_integers([1.0, True])
    (True, False)
    """
    if isinstance(x, dict):
        return any(map(holds_integers, x.values()))
    if isinstance(x, (list, tuple)):
        return any(map(holds_integers, x))
    return isinstance(x, (int, np.integer)) and not isinstance(x, bool)


def write_for_kinds(
    function: Callable[..., Any], mode: str, request: Request, kinds: list[Kind], heap: Heap,
    label: str, program: AnalysedProgram, for_higher_order: bool = False, given: Given | None = None,
    journal: Journal | None = None,
) -> Derivative:  # fmt: skip
    """Write the derivative of a function for kinds of its parameters.

    With `for_higher_order` the values of custom gradients stay marked with their rules, and adjoints
    are added out of place: the text that higher orders start from. With a `journal` the derivative is
    observed, and left as it is written: what is observed is not shortened.
    """
    core = program.core(function)
    core = replace(core, externals=dict(core.externals))
    program.cores[function] = core
    program.wrt_variables = request.variables or ()
    program.splices_calls = not for_higher_order
    given = given or Given()
    if given.nothing and mode in ("grad", "value_and_grad"):
        kinds = kinds_for_scalar(program, core, kinds, heap, request)
    values = values_of(core, kinds, request)
    heap = with_independents(heap, [v.kind for v in values if v.varied])
    facts = program.analyse(core, values, heap)
    check_custom_calls(facts, program)
    check_special_methods(facts)
    check_stand_ins(facts, values, heap)
    facts = without_logs(facts, program.known)
    core = facts.function
    module = Module(
        program, frozenset(facts.stored), write_split, holders_of_what_varies(facts),
        for_higher_order, given=given, journal=journal, public=mode == "vjp",
    )  # fmt: skip
    module.root = Callee(core, values, heap, tuple(core.parameters), facts, {})
    if mode != "jvp":
        module.find_cuts(module.root, State.CUT if mode == "vjp" else State.FULL)
    if mode == "jvp":
        write_tangent(module, core, facts, values, label)
    elif mode == "vjp":
        write_pullback(module, core, facts, values, heap, label, request.variables)
    else:
        check_scalar(core, facts.returned.kind, request.has_aux)
        write_gradient(module, core, facts, values, heap, request, label)
    check_read_at_last(module.readers, module.stored)
    finish(module)
    check_bound(module, core, mode == "jvp")
    name_all(module, label)
    write_divisors(module)
    if not module.for_higher_order:
        let_refusals_through(module)
    return _as_derivative(module, facts, values, heap, label)


def _as_derivative(
    module: Module, facts: Facts, values: tuple[Value, ...], heap: Heap, label: str
) -> Derivative:
    """Print a module that is written, and tell what its callers must know of it."""
    core, program = facts.function, module.program
    text = render(module)
    stored = frozenset(i for i, v in enumerate(values) if reachable([v.kind], heap) & facts.stored)
    varied = frozenset(p for p, v in zip(core.parameters, values, strict=True) if v.varied)
    origins = provenance(text, module, core)
    places = frozenset(r for r in facts.stored if r[0] == "argument")
    outside = None
    if module.public and module.readers:
        outside = outside_read_by(module.readers, module.handed, program.known, module.stored)
    details = frozenset(program.details)
    return Derivative(
        text, label, module.externals, stored, places, varied, origins, outside, details
    )


def with_independents(heap: Heap, kinds: list[Kind]) -> Heap:
    """Let vary all that independents hold, whatever varies where their derivative is taken."""
    made = dict(heap)
    for region in reachable(kinds, heap) & set(heap):
        slots = heap[region].items()
        made[region] = {
            k: Value(moving(v.kind), v.varied or differentiable(v.kind)) for k, v in slots
        }
    return made


def provenance(text: str, module: Module, core: CoreFunction) -> Provenance:
    """Tell where the parts of a text come from, and to which sweep its lines belong.

    A derivative of a derivative has the sweeps of the first one, where it has none of its own.

    The lines of the tool's own helpers come from the line that defines the function differentiated.
    """
    sweeps: dict[str, Role] = {}
    for split in filter(None, module.splits.values()):
        sweeps |= {split.forward: Role.FORWARD, split.reverse: Role.REVERSE}
    for key, dots in module.dots.items():
        if dots and not is_generated(module.filenames[key]):
            sweeps.setdefault(key, Role.FORWARD)
    written = [
        Written(
            f, module.filenames[f.name], sweeps.get(f.name), module.dots.get(f.name, frozenset())
        )
        for f in module.functions
    ]
    found = provenance_of(text, written)
    define = core.filename, getattr(core.tree, "lineno", 1)

    def users(place: tuple[str, int]) -> tuple[str, int]:
        place = define if is_of_the_tool(place[0]) else place
        return (origin_of(*place) or place) if is_generated(place[0]) else place

    spans = []
    for span in found.spans:
        filename, lineno = users((span.filename, span.lineno))
        spans.append(span._replace(filename=filename, lineno=lineno))
    lines = {line: users(place) for line, place in found.lines.items()}
    inner = {line: sweep for line, place in found.lines.items() if (sweep := sweep_of(*place))}
    return replace(found, spans=tuple(spans), lines=lines, sweeps={**inner, **found.sweeps})


def finish(module: Module) -> None:
    """Shorten the functions of a module, each by itself and the halves of a split together."""
    for function in module.functions:
        passed("differentiate", function, "derivative")
    if module.journal is not None:
        return
    contexts = {f.name: context_of(module, f) for f in module.functions}
    made = {f.name: optimize(f, contexts[f.name]) for f in module.functions}
    if not module.for_higher_order:
        made = {key: return_early(f, contexts[key]) for key, f in made.items()}
    for split in module.splits.values():
        if split is None or split.forward not in made:
            continue
        halves = split.forward, split.reverse
        both = made[split.forward], made[split.reverse]
        is_pure = effects_of(both[0], contexts[split.forward]).is_pure
        trimmed = drop_handed_parts(*both, is_pure)
        dropped = drop_unused_state(*both) or trimmed
        if merge_handed_saves(*both) or dropped:
            made |= {key: optimize(made[key], contexts[key]) for key in halves}
    if not module.for_higher_order:
        made = with_plain_calls(module, made, contexts)
        made = {key: iterate_saves(f, contexts[key]) for key, f in made.items()}
        splits = [(s.forward, s.reverse) for s in module.splits.values() if s is not None]
        in_halves = {key for pair in splits for key in pair}
        made = hand_over_less(made, splits, contexts)
        for key, f in made.items():
            numbers = key not in in_halves and module.program.scalarize
            write_plainly(f, contexts[key], module.externals, key not in in_halves, numbers)
    module.functions = [
        drop_idle_comments(made[f.name]) for f in module.functions if f.name in made
    ]


def name_all(module: Module, label: str) -> None:
    """Name the temporaries of all functions of a module, and write those once that are alike."""
    if module.journal is not None:
        return
    splits = [split for split in module.splits.values() if split is not None]
    modules = {k for k, e in module.externals.items() if isinstance(e.value, types.ModuleType)}
    halves = {split.reverse: split.forward for split in splits}
    namings = {
        f.name: Naming(
            f,
            own=module.known[f.name][0],
            primal=module.primals.get(f.name),
            is_module=modules.__contains__,
        )
        for f in module.functions
    }
    taken = {*module.externals, *namings}
    functions = name_all_temporaries(namings, halves, taken)
    for key, naming in namings.items():
        dots = module.dots.get(key, frozenset())
        module.dots[key] = frozenset(naming.names.get(dot, dot) for dot in dots)
    module.functions = share_functions(functions, label)


def write_divisors(module: Module) -> None:
    """Write out by what Python divides, unless the text is differentiated again."""
    numpy = [key for key, external in module.externals.items() if external.value is np]
    asked = any(external.value is divisor for external in module.externals.values())
    if module.journal is None and not module.for_higher_order and asked and numpy:
        for function in module.functions:
            plain_divisors(function, lambda tree: resolve(tree, module.externals, set()), numpy[0])


def check_bound(module: Module, core: CoreFunction, paired: bool) -> None:
    """Check that generated functions read no name of the tool's own where it may not be bound."""
    outside = {*module.externals, *(f.name for f in module.functions), *vars(builtins)}
    for function in module.functions:
        users = module.known[function.name][0] if function.name in module.known else frozenset()
        nowhere = free_names(function) - outside
        users |= module.items.get(function.name, frozenset()) - nowhere
        found = unbound_reads(function, users, paired, nowhere)
        if found and function.name in module.primals:
            # what desugaring named after what its user may not have bound
            users |= {key for _, key in unbound_reads(module.primals[function.name], users)}
            found = unbound_reads(function, users, paired, nowhere)
        if found:
            statement, key = found[0]
            place = statement if hasattr(statement, "lineno") else core.tree
            raise replace(core, filename=module.filenames[function.name]).error(
                place,
                f"'{function.name}' would read `{key}` where it may not be bound",
                PLEASE_REPORT,
                InternalError,
            )


def with_plain_calls(
    module: Module, made: dict[str, Any], contexts: dict[str, Context]
) -> dict[str, Any]:
    """Drop calls of reverse halves that do nothing and what these do not read; call classes plainly."""
    if not any(module.splits.values()):
        return made
    before = {key: version_of(f, contexts[key]) for key, f in made.items()}
    halves = [split.reverse for split in module.splits.values() if split is not None]
    made = drop_idle_halves(made, halves)
    constructing, find = called_on_new(made.values()), Resolver(module.externals, set())
    for split in module.splits.values():
        if split is None or split.forward not in constructing or split.forward not in made:
            continue
        shadow = 2 + split.shadows.index(0) if 0 in split.shadows else None
        reverse = split.reverse if split.reverse in made else None
        made = construct_plainly(made, split.forward, reverse, find, shadow)
    made = drop_idle_halves(made, halves)  # what did nothing but zero the slots of what was made
    splits = [split for split in module.splits.values() if split is not None]
    after_state = {split.reverse: int(split.forward in made) for split in splits}
    drop_unread_parameters(made, after_state, find)
    made = drop_idle_halves(made, halves)
    changed = [key for key, f in made.items() if version_of(f, contexts[key]) != before[key]]
    return made | {key: optimize(made[key], contexts[key]) for key in changed}


def context_of(module: Module, function: Any) -> Context:
    """Tell the optimizer what is known of the names of a function."""
    own, kinds, returning = module.known.get(function.name, (frozenset(), {}, frozenset()))
    local = binds_in_block(function.body) | set(parameters(function))
    splits = [split for split in module.splits.values() if split is not None]
    reverse = {split.reverse for split in splits}
    reads_only = frozenset(split.reverse for split in splits if split.reads_only)
    return Context(
        resolve=Resolver(module.externals, local),
        temporaries=lambda key: key not in own,
        kind_of=lambda key: kinds.get(key, UNKNOWN),
        reverse=function.name in reverse,
        reads_only=reads_only,
        returning=returning,
        tangents=module.dots.get(function.name, frozenset()),
        private=module.private.get(function.name, Private()),
    )


def check_scalar(core: CoreFunction, kind: Kind, has_aux: bool) -> None:
    """Refuse the gradient of what is known not to be a real scalar."""
    if has_aux and isinstance(kind, (Real, Array, Number, Integer, Inert)):
        raise core.error(
            core.tree,
            f"'{core.name}' returns one value, and has_aux=True takes the first of two",
            "return (value, aux), or leave has_aux=True out",
        )
    kind = kind_of_scalar(kind, has_aux)
    if isinstance(kind, (Real, Array)) and kind.dtype in ("c8", "c16") and not rank(kind):
        raise core.error(
            core.tree,
            f"'{core.name}' returns a complex number, and only a real scalar has a gradient",
            "take the real part, y.real, or the magnitude, np.abs(y)",
        )
    if isinstance(kind, (Real, Number, Integer)) or kind in (UNKNOWN, UNREACHED):
        return
    if isinstance(kind, Array) and kind.dims == ():
        return
    labels = {Array: "an array", Tuple: "a tuple", Sequence: "a tuple", Instance: "an object"}
    what = labels.get(type(kind), f"a {type(kind).__name__.lower()}")
    if isinstance(kind, Inert):
        named = {"None": "None", "str": "a str", "bool": "a bool"}
        what = named.get(kind.what, "something without a derivative")
    raise core.error(
        core.tree,
        f"'{core.name}' returns {what}, and only a real scalar has a gradient",
        "use tapeless.vjp or tapeless.jacobian, or return a scalar",
    )


def render(module: Module) -> str:
    """Print a module: imports first, then its functions."""
    used = {n for f in module.functions for n in reads(f)}
    lines = imports_of(module.externals, used)
    body = gast.parse("\n".join(lines)).body if lines else []
    text: str = unparse(gast.Module([*body, *module.functions], []))
    return text
