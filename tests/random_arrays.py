"""Random programs on arrays, run as they are and as loops: their values, and their gradients.

    python -m tests.random_arrays --seed 1 --count 300
    python -m tests.random_arrays --seed 1 --count 30 --jit          compiled by Numba
    python -m tests.random_arrays --seed 1 --count 30 --parts        cut into parts

Each is run with arguments of several sizes, 0 and 1 among them, in single precision, with negative strides,
with arrays that overlap, that are broadcast, or too short. What is returned, or the class of what is raised,
and what is left in the arguments must be the same. Loops that are joined and loops that are not must agree
bit for bit.
"""

from __future__ import annotations

import argparse
import linecache
import random
from collections import Counter
from contextlib import contextmanager

import gast
import numpy as np
from array_programs import Program

import tapeless as tl
import tapeless.operators as operators
from tapeless.lower import NotLowered, lowered
from tapeless.lower.compiled import with_loops
from tapeless.operators.parts import Parts
from tapeless.specialize.program import AnalysedProgram

KINDS = ("strided", "overlapping", "one", "short", "narrow")
TOLERANCE = {np.float64: (1e-9, 1e-11), np.float32: (2e-3, 2e-4)}


def made(text: str, label: str):
    """Make the function of a text, whose lines can be found."""
    filename = f"<random arrays {label}>"
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    namespace = {"np": np}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["program"]


def arguments(n: int, seed: int, kind: str = "", dtype: type = np.float64):
    """Return arguments of some size."""
    rng = np.random.default_rng(seed)
    x, y, m = rng.normal(size=n), rng.normal(size=n), rng.normal(size=(n, n))
    u, places = float(rng.normal()), rng.integers(-max(n, 1), max(n, 1), size=n)
    if dtype is not np.float64:
        x, y, m, u = (dtype(z) for z in (x, y, m, u))
    if kind == "strided":
        x, y, m = x[::-1].copy()[::-1], np.repeat(y, 2)[::2], np.asfortranarray(m)
    elif kind == "overlapping" and n:
        memory = np.concatenate([x, y[:1]])
        x, y = memory[:-1], memory[1:]
    elif kind == "one":
        y = y[:1]
    elif kind == "short":
        y = y[: max(n - 1, 0)]
    elif kind == "narrow":
        m = m[:, :1]
    return x, y, m, u, places


def must_not_run(*_):
    raise AssertionError("the NumPy text runs")


def outcome(f, given):
    """Return what a call returns, or the class of what it raises, and what it leaves."""
    try:
        found = f(*given)
    except AssertionError:
        raise
    except Exception as error:
        found = type(error)
    return found, *given[:3]


def differ(a, b, tolerance: tuple[float, float] | None) -> bool:
    """Whether two outcomes differ; without a tolerance, by a bit."""
    if isinstance(a, type) or isinstance(b, type):
        return a is not b
    if isinstance(a, tuple):
        return len(a) != len(b) or any(differ(p, q, tolerance) for p, q in zip(a, b, strict=True))
    if np.shape(a) != np.shape(b):
        return True
    is_mixed = type(a) is float and type(b) is not float  # Python's on one way, NumPy's on another
    if not is_mixed and np.asarray(a).dtype != np.asarray(b).dtype:
        return True
    if tolerance is None:
        return not np.array_equal(a, b, equal_nan=True)
    return not np.allclose(a, b, rtol=tolerance[0], atol=tolerance[1], equal_nan=True)


def check(plain, jit: bool = False) -> str:
    """Return "agrees" or why a function is not lowered; raise AssertionError where loops are wrong."""
    for n, dtype in ((5, np.float64), (3, np.float64), (4, np.float32)):
        sample = arguments(n, 0, dtype=dtype)
        try:
            found, apart = (lowered(plain, sample, joined=joined) for joined in (True, False))
        except NotLowered as refusal:
            return refusal.reason
        _check_one(plain, found, apart, n, dtype, jit)
    return "agrees"


def _check_one(plain, found, apart, n: int, dtype: type, jit: bool) -> None:
    strict = with_loops(found, must_not_run, "program", jit=jit)
    unfused = with_loops(apart, must_not_run, "program", jit=False)
    lenient = with_loops(found, plain, "program", jit=jit)
    for seed in (1, 2, 3):
        a = outcome(plain, arguments(n, seed, dtype=dtype))
        if isinstance(a[0], type):
            continue
        b = outcome(strict, arguments(n, seed, dtype=dtype))
        assert not differ(a, b, TOLERANCE[dtype]), f"size {n}: {a} is {b} as loops\n{found.text}"
        if not jit:
            c = outcome(unfused, arguments(n, seed, dtype=dtype))
            assert not differ(c, b, None), f"size {n}: unfused {c} is {b} fused\n{found.text}"
    others = [(n + 2, "strided"), (n, "strided"), (n - 2, ""), (1, ""), (0, "")]
    for size, kind in (*others, *((n, kind) for kind in KINDS[1:])):
        for seed in (1, 2):
            a = outcome(plain, arguments(size, seed, kind, dtype))
            b = outcome(lenient, arguments(size, seed, kind, dtype))
            tolerance = TOLERANCE[dtype]
            assert not differ(a, b, tolerance), (
                f"size {size}, {kind}: {a} is {b} as loops\n{found.text}"
            )


def check_in_parts(plain, seed: int, jit: bool = False) -> str:
    """Cut a function around what is refused, or any of its statements, and run its parts as loops."""
    sample = arguments(5, 0)
    try:
        lowered(plain, sample)
    except NotLowered as found:
        refusal = found
    else:
        refusal = anywhere(plain, seed)
    parts = Parts(lambda line: None, loops="compiled" if jit else "text")
    opened = parts.opened(refusal, plain)
    if opened is None:
        return "nothing to lower"
    with reported():
        return _check_parts(plain, parts, opened)


@contextmanager
def reported():
    """Let mistakes in lowering be seen."""

    def write(*args, **keywords):
        try:
            return lowered(*args, **keywords)
        except (NotLowered, tl.TapelessError):
            raise
        except Exception as error:
            raise KeyboardInterrupt from error

    before, operators.parts.lowered = operators.parts.lowered, write
    try:
        yield
    finally:
        operators.parts.lowered = before


def _check_parts(plain, parts: Parts, opened) -> str:
    for dtype in (np.float64, np.float32):
        _check_run(plain, opened.run, dtype)
    _check_run(plain, opened.settled().run, np.float64)
    return "agrees in parts" if parts.has_loops else "agrees, no part is lowered"


def anywhere(plain, seed: int) -> NotLowered:
    """Refuse any statement of a function."""
    core = AnalysedProgram(one_exit=True, scalarize=False).core(plain)
    statements = [p for p in gast.walk(core.tree) if isinstance(p, gast.stmt)][1:]
    refusal = NotLowered("asked for", statement=random.Random(seed).choice(statements))
    refusal.function = core
    return refusal


def _check_run(plain, run, dtype) -> None:
    for size, kind in ((5, ""), (3, "strided"), (1, ""), (0, ""), *((4, k) for k in KINDS)):
        for seed in (1, 2):
            a = outcome(plain, arguments(size, seed, kind, dtype))
            b = outcome(run, arguments(size, seed, kind, dtype))
            assert not differ(a, b, TOLERANCE[dtype]), f"size {size}, {kind}: {a} is {b} in parts"


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jit", action="store_true")
    parser.add_argument("--parts", action="store_true", help="cut them, and run parts as loops")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(given.seed, given.seed + given.count):
        text = Program(seed).text()
        f = made(text, str(seed))
        for label, plain in (("value", lambda f=f: f), ("gradient", lambda f=f: gradient(f))):
            try:
                with np.errstate(all="ignore"):
                    if given.parts:
                        counts[f"{label}: {check_in_parts(plain(), seed, given.jit)}"] += 1
                    else:
                        counts[f"{label}: {check(plain(), given.jit)}"] += 1
            except AssertionError as error:
                counts[f"{label}: WRONG"] += 1
                print(f"seed {seed}, {label}\n{text}\n{error}\n")
            except tl.TapelessError as error:
                counts[f"{label}: {str(error).splitlines()[0]}"] += 1
    for reason, count in counts.most_common():
        print(f"{count:5} {reason}")


def gradient(f):
    """Return the text of a gradient as a function."""
    return tl.grad(f, wrt=(0, 1, 2, 3), scalarize=False).serving(arguments(5, 0)).function


if __name__ == "__main__":
    main()
