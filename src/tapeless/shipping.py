"""Derivatives that are sent to where tapeless is not: their text, and all that it reads.

What the text of a derivative reads of the world is sorted: a function, class or module of an installed
library is imported where it arrives, as is NumPy; a function of the user's goes along as text, with
what it reads itself; everything else goes along as a value, and stays what it was when it was sent.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import types
from collections.abc import Sequence
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Heap
from tapeless.analysis.derivation import gradients_of
from tapeless.derivative import Derivative
from tapeless.disk.homes import home_in_library
from tapeless.errors import GradientError
from tapeless.externals import MISSING, External, is_runtime
from tapeless.kinds import Array, Kind, Number, Real, Size
from tapeless.operators.gradients import Gradients
from tapeless.protocol.authors import location_of
from tapeless.ranks import rank
from tapeless.shipped import Standalone, kind_of
from tapeless.sizes import of_any_size
from tapeless.sorts import Sort, holds_others, sort_of, variables_within
from tapeless.source.complete import split_after_imports
from tapeless.source.printer import unparse
from tapeless.source.standalone import standalone as write_out
from tapeless.source.texts import text_of
from tapeless.specialize.promised import annotated_kinds, kinds_for_scalar
from tapeless.tracebacks import public

_OPERATORS = ("grad", "value_and_grad")


@public
def standalone(g: Any, *, like: tuple[Any, ...] | None = None) -> Standalone:
    """Return a derivative that can be pickled and runs where only NumPy is installed.

    It carries its own text, and what the text reads: functions of yours as text, values as they are
    now. Send it to the processes of a pool, a cluster or an MPI job; they need no tapeless.

    Parameters
    ----------
    g
        What `grad` or `value_and_grad` made, of any order.
    like
        Sample arguments, for whose kinds the text is written; arguments of other kinds are refused
        when it is called. Without them it serves numbers and real arrays of any rank, or what
        the annotations of the function say.

    Returns
    -------
    Standalone
        A function of the same arguments. Its `text` can be read.

    Raises
    ------
    GradientError
        If something that the derivative reads cannot be sent.

    Examples
    --------
    >>> import pickle, tapeless as tl
    >>> def loss(w, x):
    ...     return np.sum((x @ w) ** 2)
    >>> gradient = tl.standalone(tl.grad(loss), like=(np.ones(2), np.eye(2)))
    >>> pickle.loads(pickle.dumps(gradient))(np.array([1.0, 2.0]), np.eye(2))
    array([2., 4.])
    """
    made = _checked(g)
    samples = None if like is None else [made.target.arguments(tuple(like), {})]
    return standalone_for(made, samples)


def standalone_for(made: Gradients, samples: Sequence[list[Any]] | None) -> Standalone:
    """Return a standalone derivative that serves the kinds of each of these lists of arguments."""
    target = made.target
    versions = []
    if samples is None:
        specs = _promised(made)
        versions.append(_version(made, made.made(None).derivative, specs))
    for arguments in samples or ():
        specs = [("like", kind_of(x)) for x in arguments]
        if all(known["serves"] != specs for known in versions):
            with of_any_size():
                derivative = made.made(arguments).derivative
            versions.append(_version(made, derivative, specs))
    own = inspect.getsource(sys.modules[Standalone.__module__])
    key = f"standalone_{hashlib.sha256(own.encode()).hexdigest()[:16]}"
    parameters = [p.replace(annotation=p.empty) for p in target.signature.parameters.values()]
    signature = inspect.Signature(parameters)
    bound = target.bound, target.keywords
    return Standalone(own, key, made.title, _doc(made), signature, bound, versions)


def _doc(made: Gradients) -> str:
    return f"Compute the {made.mode} of '{made.target.label}', from a text of its own."


def _checked(g: Any) -> Gradients:
    """Return the gradient function that was given, or refuse what cannot be sent."""
    made = gradients_of(g)
    if made is None:
        raise GradientError(
            f"standalone takes a derivative, not {getattr(g, '__qualname__', repr(g))!r}",
            fix="write tl.standalone(tl.grad(f))",
        )
    if made.mode not in _OPERATORS:
        raise GradientError(
            f"a {made.mode} is made of several derivatives where it is called",
            fix="send one that tl.grad or tl.value_and_grad made",
        )
    if made.variables is not None or made.holds_variables:
        raise GradientError(
            "Variables stay in the process that made them", fix="make them parameters"
        )
    return made  # type: ignore[no-any-return]


def _version(made: Gradients, derivative: Derivative, specs: list[Any]) -> dict[str, Any]:
    """Return a derivative and the kinds of arguments that it serves."""
    for i, parameter in enumerate(made.target.signature.parameters.values()):
        default = parameter.default
        if i in derivative.stored and default is not parameter.empty and holds_others(default):
            raise GradientError(
                f"'{made.target.label}' changes the default of its parameter '{parameter.name}'",
                fix=f"pass '{parameter.name}', or make it inside the function",
            )
    location = location_of(made.target.primal)
    sorted_ = _sorted(derivative.text, derivative.externals, (), location)
    carried = frozenset([*sorted_["values"], *sorted_["functions"]])
    text = write_out(_without_imports(derivative.text, carried), carried)
    if carried:
        text = f"# Sent along: {', '.join(sorted(carried))}\n{text}"
    module = {"text": text, "name": derivative.name, "defaults": None, **sorted_}
    return {"serves": specs, "changes": bool(derivative.stored), "module": module}


def _promised(made: Gradients) -> list[tuple[Any, ...]]:
    """Return what a derivative that is written without samples serves, parameter by parameter."""
    program = made.program()
    core = program.core(made.target.function)
    active = [p in made.wrt_names for p in core.parameters]
    heap: Heap = {}
    kinds = annotated_kinds(core, heap, active)
    known = kinds_for_scalar(program, core, kinds, heap, made.request)
    return [
        ("number", varied, rank(found)) if isinstance(kind, Number) else _spec_of(made, name, kind)
        for name, kind, found, varied in zip(core.parameters, kinds, known, active, strict=True)
    ]


def _spec_of(made: Gradients, name: str, kind: Kind) -> tuple[Any, ...]:
    """Return the test that an argument keeps the promise of an annotation."""
    if isinstance(kind, Real):
        return "exact", (float, np.float64) if kind.dtype == "f8" else (np.float32,)
    if isinstance(kind, Array) and all(isinstance(d, Size) for d in kind.dims):
        codes = {"f8": "f8", "f4": "f4", "i": "i8", "b": "b1"}
        return "array", len(kind.dims), codes[kind.dtype]
    raise GradientError(
        f"what the annotation of '{name}' promises cannot be tested where '{made.title}' arrives",
        fix="give sample arguments with like=",
        **location_of(made.target.primal),
    )


def _sorted(text: str, externals: Any, within: tuple[Any, ...], location: Any) -> dict[str, Any]:
    """Sort what a text reads: values and functions that go along; the rest is imported."""
    read = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    values: dict[str, Any] = {}
    functions: dict[str, Any] = {}
    for key in sorted(read & set(externals)):
        value = externals[key].value
        if value is MISSING or is_runtime(value) or home_in_library(value):
            continue
        _check_sendable(key, value, location)
        if not isinstance(value, types.FunctionType):
            values[key] = value
        elif not within or value is not within[-1] or key != value.__name__:
            functions[key] = _as_text(key, value, within, location)
    return {"values": values, "functions": functions}


def _check_sendable(key: str, value: Any, location: Any) -> None:
    """Refuse what would not be there, or not be the same, where it arrives."""
    reason = None
    if isinstance(value, types.ModuleType):
        reason = (
            f"'{key}' is a module of yours",
            f"import what is used of it: from {key} import ...",
        )
    elif sort_of(value) is Sort.VARIABLE or variables_within(value):
        reason = f"'{key}' is or holds a Variable", "make it a parameter"
    elif gradients_of(value) is not None or type(value).__module__.startswith("tapeless"):
        reason = f"'{key}' needs tapeless to be called", "call it outside the function"
    if reason is not None:
        raise GradientError(
            f"the derivative cannot be sent: {reason[0]}", fix=reason[1], **location
        )


def _as_text(key: str, function: Any, within: tuple[Any, ...], location: Any) -> dict[str, Any]:
    """Return a function of the user's as text with what it reads."""
    found = None if function in within else text_of(function)
    if found is None:
        why = "calls itself by way of another" if function in within else "has no text"
        raise GradientError(
            f"the derivative cannot be sent: the function '{key}' {why}",
            fix="define it with `def` in a file, apart from those that it calls",
            **location,
        )
    text = unparse(gast.Module([found.tree], []))
    imports = [
        line for name, external in found.externals.items() if (line := _import_of(name, external))
    ]
    within = (*within, function)
    sorted_ = _sorted(text, found.externals, within, location)
    return {
        "text": "\n".join([*imports, "", "", text]),
        "name": found.tree.name,
        "defaults": (function.__defaults__, function.__kwdefaults__),
        **sorted_,
    }


def _import_of(key: str, external: External) -> str:
    """Write the import of what a library has; nothing for what goes along."""
    home = "" if external.value is MISSING else home_in_library(external.value)
    if not home:
        return ""
    where, _, path = home.partition("@")[0].partition(":")
    if not path:
        return f"import {where} as {key}"
    first, *rest = path.split(".")
    line = f"from {where} import {first} as {key}"
    return "\n".join([line, f"{key} = {'.'.join([key, *rest])}"]) if rest else line


def _without_imports(text: str, carried: frozenset[str]) -> str:
    """Drop the imports of names that go along."""
    head, body = split_after_imports(text)
    kept = [
        ast.unparse(s)
        for s in ast.parse(head).body
        if not {a.asname or a.name for a in getattr(s, "names", ())} & carried
    ]
    return "\n".join(kept) + f"\n\n\n{body}\n"
