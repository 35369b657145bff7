"""The outcome of a program: what each mode of differentiation makes of it.

The reference are central differences of every entry of every argument, at two step sizes, whose
difference estimates their error. A point where they do not settle, or where the slopes to the left
and to the right differ, is a bad sample and says nothing. Beside the numbers are compared, bit for
bit, the value, the arguments and the state outside with those of one plain call, and the results of
a pullback that is called twice.
"""

from __future__ import annotations

import copy
import random
import re
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import tapeless as tl
import tapeless.testing.replay
from tapeless.errors import InternalError
from tests import laws
from tests.random_programs.program import (
    Loaded,
    OutsideState,
    Program,
    contents_of,
    difference,
    loaded,
    put_back,
)

RIGHT, PARTLY, REFUSED, WRONG, CRASHED, BAD, SLOW = (
    "right",
    "right, refused in one mode",
    "refused",
    "wrong",
    "crashed",
    "bad sample",
    "slow",
)
FINDS = (WRONG, CRASHED, SLOW)
NEARER = 64  # how much shorter the step is that tells a wave from a slope
LARGEST = 1e9  # a slope beyond which rounding decides
MODES = ("reverse", "forward", "second", "replay")
CALLS_OF_A_REPLAY = 8


class BadSampleError(Exception):
    """The program does not run, or is not smooth, where it is checked."""


class WrongError(Exception):
    """A derivative, or what is left after it, is not what it must be."""


class TimeLimitError(BaseException):
    """Took too long; not an `Exception`, so that no program catches it."""


@dataclass(frozen=True)
class Verdict:
    """What became of a program in one mode."""

    status: str
    detail: str = ""


@dataclass
class Outcome:
    """What became of a program in all modes that were tried."""

    verdicts: dict[str, Verdict] = field(default_factory=dict)

    @property
    def status(self) -> str:
        found = [verdict.status for verdict in self.verdicts.values()]
        for status in (CRASHED, WRONG, SLOW):
            if status in found:
                return status
        first_order = [self.verdicts[m].status for m in MODES[:2] if m in self.verdicts]
        if REFUSED in first_order:
            return PARTLY if RIGHT in first_order else REFUSED
        return RIGHT if RIGHT in first_order else BAD

    def refusals(self) -> list[str]:
        """The reasons of refusals, with names and numbers blanked."""
        return [
            f"{mode}: {blanked(verdict.detail)}"
            for mode, verdict in self.verdicts.items()
            if verdict.status == REFUSED
        ]

    def find(self) -> tuple[str, Verdict] | None:
        """The mode and the verdict that should not be."""
        for mode, verdict in self.verdicts.items():
            if verdict.status in FINDS:
                return mode, verdict
        return None


def blanked(reason: str) -> str:
    """Blank names and numbers, so that equal reasons read alike."""
    reason = reason.splitlines()[0]
    return re.sub(r"\d+", "#", re.sub(r"`[^`]*`|'[^']*'", "`_`", reason))


# A program, in every mode


def check_program(
    program: Program, folder: Path, modes: tuple[str, ...] = MODES[:2], limit: float = 20.0
) -> Outcome:
    """Return the outcome of a program; what is random about it follows from the label."""
    outcome = Outcome()
    runs = False
    try:
        with time_limit(limit), quiet(), loaded(program, folder) as subject:
            references = [reference_of(subject, args) for args in subject.samples]
            runs = True
            for mode in modes:
                if mode != "second" or outcome.verdicts["reverse"].status == RIGHT:
                    outcome.verdicts[mode] = verdict_of(mode, subject, references, program.label)
    except TimeLimitError:
        status = SLOW if runs else BAD
        outcome.verdicts["time"] = Verdict(status, f"took more than {limit} s")
    except Exception as error:  # the program itself: nothing of the tool has run yet
        outcome.verdicts["plain"] = Verdict(BAD, f"{type(error).__name__}: {error}")
    return outcome


def verdict_of(mode: str, subject: Loaded, references: list[Reference], label: str) -> Verdict:
    rng = random.Random(f"{mode} {label}")
    try:
        CHECKS[mode](subject, references, rng)
    except InternalError as error:
        return Verdict(CRASHED, f"InternalError: {error}")
    except tl.TapelessError as error:
        return Verdict(REFUSED, str(error.args[0]) if error.args else str(error))
    except WrongError as error:
        return Verdict(WRONG, str(error))
    except BadSampleError as error:
        return Verdict(BAD, str(error))
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.name}"
        return Verdict(CRASHED, f"{type(error).__name__}: {error} in {where}")
    return Verdict(RIGHT)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop after so many seconds of processor time."""

    def stop(*_: object) -> None:
        raise TimeLimitError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# The reference


@dataclass(frozen=True)
class Reference:
    """What the function is at one sample: its value, and its derivative by differences."""

    args: tuple[Any, ...]
    wrt: tuple[int, ...]
    value: Any
    outside: list[dict[tuple[str, str], Any]]
    """The state outside after a call, and the same with the arguments in it as they were."""
    y_bar: Any
    gradient: list[np.ndarray]
    """By float leaf of the arguments, of the inner product of `y_bar` and the value."""
    error: list[np.ndarray]


def plain_call(f: Callable[..., Any], outside: OutsideState, args: tuple[Any, ...]) -> Any:
    outside.restore()
    return f(*copy.deepcopy(args))


def reference_of(subject: Loaded, args: tuple[Any, ...]) -> Reference:
    f, outside = subject.function, subject.outside
    wrt = laws.positions_with_floats(args)
    outside.is_changed = True
    before = outside.snapshot()
    outside.restore()
    given = copy.deepcopy(args)
    contents = contents_of(given)
    value = copy.deepcopy(f(*given))
    finite = all(np.all(np.isfinite(leaf)) for leaf in laws.float_leaves((value, given)))
    after = [outside.snapshot()]
    put_back(contents)  # derivatives leave the arguments unchanged: those kept outside, too
    after.append(outside.snapshot())
    changed = outside.difference(before) is not None
    expect_same_way(laws.float_leaves(value), plain_call(f, outside, laws.in_double(args)))
    y_bar = seed_like(value)
    if not wrt or not laws.float_leaves(value):
        raise BadSampleError("no floats to differentiate")
    if not finite:
        raise BadSampleError("a value that is not finite, or left so in an argument")
    seeds = laws.float_leaves(y_bar)
    outside.restore()
    outside.is_changed = changed

    def weighed(moved: tuple[Any, ...]) -> float:
        return laws.tree_inner(laws.float_leaves(plain_call(f, outside, moved)), seeds)

    gradient, error = differences(weighed, laws.in_double(args))
    return Reference(args, wrt, value, after, y_bar, gradient, error)


def expect_same_way(single: list[Any], in_double: Any) -> None:
    """Refuse a sample that takes another way in double precision, where differences are taken.

    A number of NumPy's in single precision is no `float`, and one in double precision is.
    """
    double = laws.float_leaves(in_double)
    if len(single) != len(double) or not all(
        np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-3, atol=1e-3, equal_nan=True)
        for a, b in zip(single, double, strict=True)
    ):
        raise BadSampleError("another value in double precision")


def is_scalar(value: Any) -> bool:
    return laws.is_float(value) and np.ndim(value) == 0


def seed_like(value: Any) -> Any:
    """Return a seed whose entries are neither small nor equal, so that no error hides behind one."""
    rng = np.random.default_rng(7)

    def draw(x: Any) -> Any:
        numbers = rng.uniform(0.6, 1.6, size=np.shape(x)) * rng.choice([-1.0, 1.0], np.shape(x))
        return np.asarray(numbers, x.dtype) if isinstance(x, np.ndarray) else type(x)(numbers)

    return silenced(laws.map_floats(draw, value))


def silenced(seed: Any) -> Any:
    """Return a seed without what is not compared: complex numbers, and what objects hold."""
    parts = laws.children(seed)
    if parts is not None:
        return laws.rebuilt(seed, {key: silenced(part) for key, part in parts.items()})
    if np.iscomplexobj(seed):
        return seed * 0
    return None if hasattr(seed, "__dict__") or hasattr(seed, "__slots__") else seed


def differences(
    function: Callable[[tuple[Any, ...]], float], args: tuple[Any, ...]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Differentiate a function to a number with respect to every float entry of its arguments."""
    gradient, error = [], []
    for at, leaf in enumerate(laws.float_leaves(args)):
        found = [
            slope(lambda step, at=at, entry=entry: function(moved(args, at, entry, step)))
            for entry in np.ndindex(np.shape(leaf))
        ]
        gradient.append(np.reshape([best for best, _ in found], np.shape(leaf)))
        error.append(np.reshape([bound for _, bound in found], np.shape(leaf)))
    return gradient, error


def moved(args: tuple[Any, ...], at: int, entry: tuple[int, ...], step: float) -> tuple[Any, ...]:
    """Return the arguments with one entry of one leaf moved by a step."""
    leaves = iter(range(len(laws.float_leaves(args))))

    def move(x: Any) -> Any:
        if next(leaves) != at:
            return x
        if not isinstance(x, np.ndarray):
            return x + step
        x = x.copy()
        x[entry] += step
        return x

    result: tuple[Any, ...] = laws.map_floats(move, args)
    return result


def slope(phi: Callable[[float], float]) -> tuple[float, float]:
    """Return the slope at 0 and a bound of its error; refuse a kink or a jump."""
    here = phi(0.0)
    try:
        best, error = laws.central_difference(phi)
    except AssertionError as bad:
        raise BadSampleError(str(bad)) from None
    if abs(best) > LARGEST:
        raise BadSampleError(f"a bad sample: a slope of {best}")
    step = laws.STEP
    bend = abs(phi(step) - 2.0 * here + phi(-step)) / step
    if not bend <= 0.02 * (1.0 + abs(best)):
        raise BadSampleError(f"a bad sample: the slopes differ by {bend} at a kink")
    nearer = (phi(step / NEARER) - phi(-step / NEARER)) * NEARER / (2.0 * step)
    rounding = NEARER * 1e-14 * abs(here) / step
    if not abs(nearer - best) <= 4.0 * error + 1e-5 * (1.0 + abs(best)) + rounding:
        raise BadSampleError(f"a bad sample: slopes of {best} and {nearer}: it turns too fast")
    return best, error


# Reverse mode


def check_reverse(subject: Loaded, references: list[Reference], rng: random.Random) -> None:
    """Check `vjp`, or `grad` or `value_and_grad`, at every sample; there and back if several."""
    f = subject.function
    ways: list[str] = ["vjp"]
    if all(is_scalar(r.value) for r in references):
        ways = ["grad", "grad", "vjp", "value_and_grad"]
    way = rng.choice(ways)
    wrt = references[0].wrt
    gradient = {
        "grad": lambda: tl.grad(f, wrt=wrt),
        "value_and_grad": lambda: tl.value_and_grad(f, wrt=wrt),
        "vjp": lambda: None,
    }[way]()
    for reference in references + references[-2::-1]:
        if way == "vjp":
            check_pullback(subject, reference)
        else:
            check_gradient(subject, reference, gradient, with_value=way == "value_and_grad")


def check_pullback(subject: Loaded, reference: Reference) -> None:
    subject.outside.restore()
    args = copy.deepcopy(reference.args)
    y, pullback = tl.vjp(subject.function, *args)
    expect_same(y, reference.value, "the value of vjp")
    expect_kept(subject, reference, args, "the forward sweep")
    y_bar = copy.deepcopy(reference.y_bar)
    bars = pullback(y_bar)
    kept = copy.deepcopy(bars)
    expect_same(y, reference.value, "the value of vjp after the pullback")
    expect_same(y_bar, reference.y_bar, "the seed after the pullback")
    expect_kept(subject, reference, args, "the reverse sweep")
    expect_same(pullback(y_bar), kept, "the pullback called twice")
    expect_same(bars, kept, "the first cotangents after the second pullback")
    cotangents = tuple(bars[i] for i in reference.wrt)
    expect_gradient(reference, cotangents, reference.gradient, reference.error)


def check_gradient(
    subject: Loaded, reference: Reference, gradient: Callable[..., Any], with_value: bool
) -> None:
    subject.outside.restore()
    args = copy.deepcopy(reference.args)
    found = gradient(*args)
    if with_value:
        value, found = found
        expect_same(value, reference.value, "the value of value_and_grad")
    expect_kept(subject, reference, args, "grad")
    weight = float(reference.y_bar)
    wanted = [leaf / weight for leaf in reference.gradient]
    error = [leaf / abs(weight) for leaf in reference.error]
    expect_gradient(reference, found, wanted, error)


def expect_same(found: Any, wanted: Any, what: str) -> None:
    place = difference(found, wanted)
    if place is not None:
        raise WrongError(f"{what}{place}")


def expect_kept(subject: Loaded, reference: Reference, args: tuple[Any, ...], what: str) -> None:
    """Expect the arguments as they were, and the state outside as one plain call leaves it."""
    expect_same(args, reference.args, f"the arguments after {what}")
    found = [subject.outside.difference(state) for state in reference.outside]
    if None not in found:
        raise WrongError(f"the state outside after {what}: {found[0]}")


def expect_gradient(
    reference: Reference, found: Any, wanted: list[np.ndarray], error: list[np.ndarray]
) -> None:
    """Expect cotangents of the structure, shape and dtype of the arguments, and near the reference."""
    like = tuple(reference.args[i] for i in reference.wrt)
    try:
        leaves = laws.leaves_like(like, found, "the gradient")
    except AssertionError as problem:
        raise WrongError(str(problem)) from None
    agreement = laws.AGREEMENT[laws.least_dtype(reference.args)]
    # in single precision, sums cancel at the size of the whole gradient
    scale = max((float(np.max(np.abs(one), initial=0.0)) for one in wanted), default=0.0)
    for at, (got, want, bound) in enumerate(zip(leaves, wanted, error, strict=True)):
        tolerance = bound + 10 * agreement * (1.0 + scale)
        if not np.all(np.abs(np.asarray(got, float) - want) <= tolerance):
            raise WrongError(f"the gradient of leaf {at}: got {got!r}, want {want!r}")


# Forward mode


def check_forward(subject: Loaded, references: list[Reference], rng: random.Random) -> None:
    for reference in references:
        subject.outside.restore()
        args = copy.deepcopy(reference.args)
        seed = np.random.default_rng(rng.randrange(2**32))
        tangents = tuple(
            laws.random_like(seed, arg, blank=True) if i in reference.wrt else None
            for i, arg in enumerate(args)
        )
        kept = copy.deepcopy(tangents)
        y, y_dot = tl.jvp(subject.function, args, tangents)
        expect_same(y, reference.value, "the value of jvp")
        expect_same(tangents, kept, "the tangents after jvp")
        expect_kept(subject, reference, args, "jvp")
        try:
            leaves = laws.leaves_like(reference.value, y_dot, "the tangent")
        except AssertionError as problem:
            raise WrongError(str(problem)) from None
        got = laws.tree_inner(leaves, laws.float_leaves(reference.y_bar))
        dots = laws.float_leaves(tangents)
        want = laws.tree_inner(reference.gradient, dots)
        size = laws.tree_size(reference.gradient, dots)
        bound = laws.tree_size(reference.error, dots)
        agreement = laws.AGREEMENT[laws.least_dtype(reference.args)]
        if not abs(got - want) <= bound + 10 * agreement * (1.0 + size):
            raise WrongError(f"the tangent, seeded: got {got!r}, want {want!r}")


# Second order


def check_second(subject: Loaded, references: list[Reference], rng: random.Random) -> None:
    """Check forward over reverse, and sometimes reverse over reverse, against differences of `grad`."""
    reference = references[0]
    args, wrt = reference.args, reference.wrt
    if laws.least_dtype(args) != np.float64 or not is_scalar(reference.value):
        return
    outside = subject.outside
    gradient = tl.grad(subject.function, wrt=wrt)
    weights = laws.random_like(np.random.default_rng(3), tuple(args[i] for i in wrt))
    weight_leaves = laws.float_leaves(weights)

    def weighed(moved_args: tuple[Any, ...]) -> float:
        found = plain_call(gradient, outside, moved_args)
        like = tuple(moved_args[i] for i in wrt)
        return laws.tree_inner(laws.leaves_like(like, found, "the gradient"), weight_leaves)

    wanted, error = differences(weighed, args)
    bound = [one + 1e-7 * (1.0 + np.abs(want)) for one, want in zip(error, wanted)]
    if rng.random() < 0.7 or any(laws.children(args[i]) is not None for i in wrt):
        check_forward_over_reverse(subject, reference, gradient, weight_leaves, wanted, bound)
    else:
        check_reverse_over_reverse(subject, reference, weights, wanted, bound)


def check_forward_over_reverse(
    subject: Loaded,
    reference: Reference,
    gradient: Callable[..., Any],
    weights: list[Any],
    wanted: list[np.ndarray],
    bound: list[np.ndarray],
) -> None:
    subject.outside.restore()
    args = copy.deepcopy(reference.args)
    seed = np.random.default_rng(5)
    tangents = tuple(
        laws.random_like(seed, arg, blank=True) if i in reference.wrt else None
        for i, arg in enumerate(args)
    )
    _, dots = tl.jvp(gradient, args, tangents)
    expect_kept(subject, reference, args, "jvp of grad")
    like = tuple(args[i] for i in reference.wrt)
    try:
        leaves = laws.leaves_like(like, dots, "the tangent of the gradient")
    except AssertionError as problem:
        raise WrongError(str(problem)) from None
    got = laws.tree_inner(leaves, weights)
    moves = laws.float_leaves(tangents)
    want = laws.tree_inner(wanted, moves)
    if not abs(got - want) <= laws.tree_size(bound, moves) + 1e-6 * laws.tree_size(leaves, weights):
        raise WrongError(f"jvp of grad, weighed: got {got!r}, want {want!r}")


def check_reverse_over_reverse(
    subject: Loaded,
    reference: Reference,
    weights: Any,
    wanted: list[np.ndarray],
    bound: list[np.ndarray],
) -> None:
    subject.outside.restore()
    args = copy.deepcopy(reference.args)
    at = reference.wrt[0]
    product = laws.gradient_along(tl.grad(subject.function, wrt=at), weights[0])
    found = tl.grad(product, wrt=at)(*args)
    expect_kept(subject, reference, args, "grad of grad")
    got = float(np.sum(np.asarray(found) * weights[0]))
    # only the block of the first argument is asked for: difference it alone
    gradient = tl.grad(subject.function, wrt=at)

    def along(step: float) -> float:
        moved_args = (*args[:at], *laws.shifted(args[at : at + 1], weights, step), *args[at + 1 :])
        return float(np.sum(plain_call(gradient, subject.outside, moved_args) * weights[0]))

    want, error = slope(along)
    if not abs(got - want) <= error + 1e-6 * (1.0 + abs(want)):
        raise WrongError(f"grad of grad, weighed twice: got {got!r}, want {want!r}")


# Replay


def check_replay(subject: Loaded, references: list[Reference], rng: random.Random) -> None:
    """Check that the reverse sweep of a pullback, or a gradient, reads what the forward sweep had.

    Their results are not compared with those of the texts as printed: differences were.
    """
    observed = tapeless.testing.replay.Observed(subject.function)
    ways = [observed.check_pullback]
    if all(is_scalar(r.value) for r in references):
        ways.append(observed.check_gradient)
    way = rng.choice(ways)
    for reference in references:
        check_that_it_runs_on(subject, reference)
        subject.outside.restore()
        try:
            way(copy.deepcopy(reference.args), compare=False)
        except (AssertionError, tapeless.testing.DerivativeMismatchError) as error:
            raise WrongError(f"replay: {error}") from None


def check_that_it_runs_on(subject: Loaded, reference: Reference) -> None:
    """Refuse a program that fails once it has changed the state outside: a replay calls it again."""
    subject.outside.restore()
    try:
        for _ in range(CALLS_OF_A_REPLAY):
            subject.function(*copy.deepcopy(reference.args))
    except Exception as error:
        raise BadSampleError(f"fails when it is called again: {error}") from None


CHECKS = {
    "reverse": check_reverse,
    "forward": check_forward,
    "second": check_second,
    "replay": check_replay,
}
