"""Elementary functions of several numbers at once, where the system's library has them.

Numba calls `exp` and the like number by number. The mathematical library of GNU has them for the lanes of
a vector register, too (libmvec, on x86-64). LLVM's vectorizer replaces a call in a loop by such a function
if an attribute of the call names it; the loop itself stays as it is written. So the text of loops does not
change, only what `np.exp` means in it. The functions are within 4 units in the last place; for what is
huge, tiny or no number they call those for single numbers. Where anything is missing Numba's own meaning
stays.

References
----------
.. [1] "Vector Function ABI Specification for x86", in LLVM's Language Reference under
       "vector-function-abi-variant".
"""

from __future__ import annotations

import functools
import platform
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeless.lower.loops import Call, Stmt, parts, values

NAMES = ("exp", "log", "sin", "cos", "tanh", "log1p", "expm1", "power")
OF_TWO = {"power": "pow"}  # functions of two numbers, and what the library calls them
LANES = {
    "b": 2,
    "d": 4,
    "e": 8,
}  # of doubles, by the letter of the instruction set: SSE4, AVX2, AVX512
LIBRARIES = ("libmvec.so.1", "libm.so.6")


@functools.cache
def is_there() -> bool:
    """Whether the library is there, with all that is asked of it."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return False
    try:
        from llvmlite import binding

        for library in LIBRARIES:
            binding.load_library_permanently(library)
        symbols = [_variant(name, "d", single) for name in NAMES for single in (False, True)]
        return all(binding.address_of_symbol(symbol) for symbol in symbols)
    except (ImportError, OSError, RuntimeError, AttributeError):
        return False


def _variant(name: str, letter: str, single: bool) -> str:
    """Return the symbol of a function of several numbers: twice as many of single precision."""
    lanes = LANES[letter] * (1 + single)
    given = "vv" if name in OF_TWO else "v"
    return f"_ZGV{letter}N{lanes}{given}_{_own(name, single)}"


def _own(name: str, single: bool) -> str:
    """Return the symbol of a function of single numbers."""
    return OF_TWO.get(name, name) + ("f" if single else "")


@functools.cache
def numpy_of_vectors() -> types.ModuleType:
    """Return what `np` stands for in loops: NumPy, with these functions in the place of its own."""
    if not is_there():
        return np
    made = types.ModuleType("numpy_of_vectors")
    vars(made).update(vars(np))
    vars(made).update({name: _function(name) for name in NAMES})
    return made


def calls_vectors(s: Stmt) -> bool:
    """Whether a statement itself calls a function that runs on several numbers at once."""
    found = {e.function for value in values(s) for e in parts(value) if isinstance(e, Call)}
    return not found.isdisjoint(f"np.{name}" for name in NAMES)


def mark() -> str:
    """Return what tells machine code that needs the library from other code."""
    return "libmvec" if is_there() else ""


def _function(name: str) -> Callable[..., Any]:
    """Return a function of one or two numbers whose calls name those of several."""
    import numba
    from llvmlite import ir
    from numba.core import cgutils
    from numba.extending import intrinsic

    declared: Any = cgutils.get_or_insert_function
    count = 2 if name in OF_TWO else 1

    def variants(module: Any, number: Any, single: bool) -> list[Any]:
        made = []
        for letter, lanes in LANES.items():
            vector = ir.VectorType(number, lanes * (1 + single))
            kind = ir.FunctionType(vector, [vector] * count)
            made.append(declared(module, kind, _variant(name, letter, single)))
        return made

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        module, single = builder.module, signature.args[0] == numba.types.float32
        number = ir.FloatType() if single else ir.DoubleType()
        own = _own(name, single)
        several = variants(module, number, single)
        _keep(module, several)
        call = builder.call(
            declared(module, ir.FunctionType(number, [number] * count), own), arguments
        )
        known = ",".join(
            f"_ZGV_LLVM_N{lanes * (1 + single)}{'v' * count}_{own}({f.name})"
            for lanes, f in zip(LANES.values(), several, strict=True)
        )
        for attribute in ("nounwind", "readnone", "willreturn"):
            set.add(call.attributes, attribute)
        set.add(call.attributes, f'"vector-function-abi-variant"="{known}"')
        return call

    made_known: Any = intrinsic

    @made_known  # type: ignore[untyped-decorator,unused-ignore]
    def of_number(typing_context: Any, x: Any) -> Any:
        number = numba.types.float32 if x == numba.types.float32 else numba.types.float64
        return number(number), generate

    @made_known  # type: ignore[untyped-decorator,unused-ignore]
    def of_numbers(typing_context: Any, x: Any, y: Any) -> Any:
        single = x == y == numba.types.float32
        number = numba.types.float32 if single else numba.types.float64
        return number(number, number), generate

    def function(x: Any) -> Any:
        return of_number(x)

    def function_of_two(x: Any, y: Any) -> Any:
        return of_numbers(x, y)

    compiled = numba.njit(error_model="numpy", inline="never")
    found: Callable[..., Any] = compiled(function_of_two if count == 2 else function)
    return found


def _keep(module: Any, functions: list[Any]) -> None:
    """Keep declarations that nothing calls yet: the vectorizer runs after what is unused is dropped."""
    from llvmlite import ir

    pointer = ir.IntType(8).as_pointer()
    label = "llvm.compiler.used"
    kept = [f.bitcast(pointer) for f in functions]
    old = module.globals.pop(label, None)
    if old is not None:
        known = {str(f) for f in kept}
        kept += [f for f in old.initializer.constant if str(f) not in known]
    array = ir.ArrayType(pointer, len(kept))
    if old is None:
        made = ir.GlobalVariable(module, array, label)
    else:
        made = old
        made.value_type, made.type = array, array.as_pointer()
        module.globals[label] = made
    made.linkage, made.section = "appending", "llvm.metadata"
    made.initializer = ir.Constant(array, kept)
