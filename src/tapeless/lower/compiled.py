"""Loops compiled by Numba, with the NumPy text behind them.

Numba loses what the user's code promises where it fails: which exception, at which line. So whatever raises
in compiled code is run again by the NumPy text, with the arguments as they were: it raises as it always did,
or returns. The same text serves where arrays that are stored into share memory with others, and where a
constant from outside has changed.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import tapeless.lower.least as least
import tapeless.lower.overlaps as overlaps
import tapeless.lower.triangular as triangular
from tapeless.errors import TapelessWarning
from tapeless.lower import Lowered
from tapeless.lower.loops import GIVEN, Result
from tapeless.lower.measured import faster
from tapeless.lower.vector_math import numpy_of_vectors
from tapeless.runtime.memory import overlaps_itself
from tapeless.source.loader import load

Converter = Callable[[Any, Sequence[Any]], Any]
RAISED_BY_LOOPS = (ArithmeticError, ValueError, IndexError, MemoryError)


def is_installed() -> bool:
    """Whether Numba can be imported."""
    return importlib.util.find_spec("numba") is not None


def with_loops(
    lowered: Lowered, plain: Callable[..., Any], label: str, jit: bool = True,
    file: str | None = None, measures: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that runs compiled loops, and the NumPy text where they do not serve.

    Parameters
    ----------
    lowered
        The loops.
    plain
        The function that they were made of.
    label
        The name of the user's function, for the message where Numba does not compile the loops.
    jit
        Whether Numba compiles them; else they run as they are.
    file
        A file that holds the text, beside which machine code is kept.
    measures
        Whether the NumPy text runs where it is found to be faster.

    Examples
    --------
    >>> from tapeless.lower import lowered
    >>> def double(x):
    ...     return 2.0 * x
    >>> quick = with_loops(lowered(double, [np.ones(3)]), double, "double", jit=False)
    >>> quick(np.array([1.0, 4.0]))
    array([2., 8.])
    """
    if jit:
        function = _compiled(lowered, file)
    else:
        function = load(lowered.text, lowered.name)[lowered.name]
    run = _with_fallback(lowered, function, _converter(lowered.result), plain, label, jit)
    if not measures or lowered.measured_from is None:
        return run
    return faster(run, plain, lowered.stored, lowered.measured_from)


def _compiled(lowered: Lowered, file: str | None) -> Callable[..., Any]:
    """Return the function that Numba compiles, and keeps the code of beside a file."""
    import numba

    _say_nothing_of_layouts()
    label = f"tapeless_loops_{Path(file).stem}" if file else "tapeless_loops"
    module = ModuleType(label)
    if file:
        sys.modules[label] = module  # where Numba looks for the names of kept code
    tree, tested = least.with_least(lowered.text), bool(lowered.apart)
    if tested:
        count = len(module_parameters(tree, lowered.name))
        overlaps.with_test(tree, lowered.name, count, lowered.apart, lowered.arrays)
    exec(compile(tree, file or f"<{label}>", "exec", dont_inherit=True), vars(module))
    vars(module).update({"np": numpy_of_vectors(), least.NAME: least.at_least()})
    if hasattr(module, triangular.NAME):
        setattr(module, triangular.NAME, triangular.solver())
    compiled = numba.njit(error_model="numpy", cache=file is not None)
    made: Callable[..., Any] = compiled(vars(module)[lowered.name])
    if not tested:
        return made
    inner = numba.njit(error_model="numpy")
    vars(module).update({lowered.name: made, **overlaps.names_of_test(inner)})
    guarded: Callable[..., Any] = compiled(vars(module)[overlaps.PREFIX + lowered.name])
    return guarded


@functools.cache
def _say_nothing_of_layouts() -> None:
    """Let Numba not tell the user that loops which nobody wrote would like other layouts."""
    from numba.core.errors import NumbaPerformanceWarning

    warnings.filterwarnings("ignore", category=NumbaPerformanceWarning, module=".*tapeless.*")


def module_parameters(tree: ast.Module, name: str) -> list[str]:
    """Return the parameters of a function of a module."""
    found = next(s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == name)
    return [p.arg for p in found.args.args]


def _with_fallback(
    lowered: Lowered, loops: Callable[..., Any], convert: Converter,
    plain: Callable[..., Any], label: str, jit: bool,
) -> Callable[..., Any]:  # fmt: skip
    works = True
    serves = functools.partial(_serves, lowered, looks=not jit)  # compiled loops look themselves
    kept_anew = lowered.stored if lowered.raises or not jit else ()

    def failed(error: Exception) -> None:
        nonlocal works
        if not isinstance(error, RAISED_BY_LOOPS):
            works = False
            _tell(label, error)

    def run(*arguments: Any) -> Any:
        if works:
            try:
                return convert(loops(*arguments), arguments)
            except Exception as error:
                failed(error)
        return plain(*arguments)

    def run_with_care(*arguments: Any) -> Any:
        given = (*arguments, *(outside.now() for outside in lowered.outside))
        if not works or not serves(given):
            return plain(*arguments)
        kept = [(arguments[i], arguments[i].copy()) for i in kept_anew]
        try:
            return convert(loops(*given), arguments)
        except BaseException as error:
            for x, before in kept:
                x[...] = before
            if not isinstance(error, Exception):
                raise
            failed(error)
        return plain(*arguments)

    plainly = not (lowered.baked or lowered.apart or lowered.outside or lowered.texts)
    return run if plainly else run_with_care


def _tell(label: str, error: Exception) -> None:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line for line in lines if not line.startswith("Failed in")), type(error).__name__)
    warnings.warn(
        f"Numba does not compile the loops of '{label}': {told}. The NumPy text runs instead.",
        TapelessWarning,
        stacklevel=4,
    )


def _serves(lowered: Lowered, arguments: Sequence[Any], looks: bool) -> bool:
    """Whether the loops mean the same for what they are given.

    No constant changed, no text says something else, no array outside is of another kind; and, if it is
    looked for, no memory is shared.
    """
    if lowered.baked and not all(constant.holds for constant in lowered.baked):
        return False
    if lowered.texts and not lowered.serves_texts(arguments):
        return False
    outside = arguments[len(arguments) - len(lowered.outside) :]
    if any(x is None for x in outside):
        return False
    for i in lowered.apart:
        if not _is_apart(arguments[i]):
            return False
    pairs = [(i, k) for i in lowered.apart for k in lowered.arrays if k != i] if looks else []
    return not any(np.may_share_memory(arguments[i], arguments[k]) for i, k in pairs)


def _is_apart(x: np.ndarray[Any, Any]) -> bool:
    """Whether each entry of an array that is stored into has memory of its own, and may be written."""
    flags = x.flags
    return flags.writeable and (flags.c_contiguous or not overlaps_itself(x))


def _converter(result: Result) -> Converter:
    """Return what turns results of compiled code into those of NumPy, told what it was given."""
    if isinstance(result, tuple):
        if all(item == "array" for item in result):
            return lambda y, given: y
        parts = [_converter(item) for item in result]
        return lambda y, given: tuple(
            [part(item, given) for part, item in zip(parts, y, strict=True)]
        )
    if result in ("array", "None"):
        return lambda y, given: y
    if result.startswith(GIVEN):
        position = int(result.removeprefix(GIVEN))
        return lambda y, given: given[position]
    kind = _CLASSES.get(result, np.float64)
    return lambda y, given: kind(y)


_CLASSES: dict[str, Callable[[Any], Any]] = {
    "py": float, "int": int, "np int": np.int64, "f4": np.float32,
}  # fmt: skip
