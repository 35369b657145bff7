"""Checks of what reverse sweeps read, while they run: `check_replay`.

A derivative is written with calls around each statement, which keep what the forward sweep had and compare
it with what the reverse sweep finds. That needs no smoothness and no differences.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeless.journal import Journal, ReplayMismatchError, picture
from tapeless.laws import random_like
from tapeless.operators.grad import value_and_grad
from tapeless.operators.gradients import Gradients
from tapeless.operators.target import target_of
from tapeless.operators.vjp import vjp
from tapeless.runtime.boundary import as_cotangent
from tapeless.structures import is_leaf, leaves_of, rebuild


def check_replay(f: Callable[..., Any], /, *args: Any, compare: bool = True) -> None:
    """Check, statement by statement, that the reverse sweep finds what the forward sweep had there.

    The reverse sweep of a derivative goes back over the statements of a function and reads what they
    computed. Here the derivative is written with calls around each statement: in the forward sweep they
    keep what the mirrored statement will read, in the reverse sweep they compare it with what is there,
    bit for bit. The pullback is run twice, and the gradient too where the result is a real number. Before
    the pullback runs, the arrays among the arguments are filled with NaN: it keeps what it needs, and
    reads nothing that is the caller's; what was returned must stay as it is. The value must be that of
    the function, and at the end all results are compared with those of the derivatives as they are
    printed. Nothing has to be smooth, and no differences are taken.

    Parameters
    ----------
    f
        Any function that can be differentiated; what `grad` made for derivatives of higher order.
    *args
        Its arguments. They are copied.
    compare
        Whether to compare the value with that of the function, and the results with those of the
        derivatives as they are printed.

    Raises
    ------
    ReplayMismatchError
        With the first of the statements in the reverse sweep that reads what was not there in the
        forward sweep: its file and line, the name, and both values.
    TapelessError
        If the function cannot be differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> from tapeless.testing import check_replay
    >>> def f(x):
    ...     y = x * x
    ...     y[0] = np.sin(y[1])
    ...     return np.sum(y)
    >>> check_replay(f, np.array([0.5, -1.0]))
    """
    observed = Observed(f)
    observed.check_pullback(args, compare)
    observed.check_gradient(args, compare)


class Observed:
    """The derivatives of a function with calls around each statement, written once for all arguments.

    Attributes
    ----------
    f
        The function.
    pullback
        Its observed pullback.
    gradients
        Its observed gradients, by the independents.
    """

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f = f
        self.target = target_of(f)
        self.pullback = Gradients(f, "vjp", "*", None)
        self.pullback.journal = Journal()
        self.gradients: dict[tuple[str, ...], Gradients] = {}

    def check_pullback(self, args: Sequence[Any], compare: bool = True) -> None:
        """Run the pullback under observation, twice, and compare it with the one that users run."""
        f, observed, rng = self.f, self.pullback, np.random.default_rng(3)
        y = copy.deepcopy(f(*copy.deepcopy(args)))  # it may be state outside, which moves on
        seeds = iter([random_like(rng, leaf) for _, leaf in leaves_of(y)])
        y_bar = rebuild(y, seeds, lambda value: None)

        def plain() -> Any:
            value, pullback = vjp(f, *copy.deepcopy(args))
            return value, pullback(copy.deepcopy(y_bar))

        copies = tuple(copy.deepcopy(args))
        given = observed.target.arguments(copies, {})
        journal = begun(observed)
        value, pull = observed.run(given)
        returned, shown = copy.deepcopy(value), picture(value)
        spoiled = _spoil(copies, value)
        written, bars = list(journal.entries), None
        for _ in range(2):
            journal.entries = list(written)
            bars = pull(as_cotangent(copy.deepcopy(y_bar), returned))
            journal.finish()
            self.check_left_alone([("what was returned", value, shown), *spoiled])
        if compare:
            self.check_value(args, y, value)  # calls the function, which may change what it reads
        bars = tuple(bars or ())[len(observed.target.bound) :]
        kinds = {p.kind for p in observed.target.signature.parameters.values()}
        if compare and inspect.Parameter.VAR_POSITIONAL not in kinds:
            _compare_with_plain(f, plain, (value, bars[: len(args)]))

    def check_gradient(self, args: Sequence[Any], compare: bool = True) -> None:
        """Run the gradient under observation, if there is one, and compare it likewise."""
        f, target = self.f, self.target
        y = f(*copy.deepcopy(args))
        if not is_leaf(y) or np.shape(y) != () or not np.isrealobj(y):
            return
        own = list(target.signature.parameters)[len(target.bound) :]
        named = zip(own, args, strict=False)
        wrt = tuple(key for key, x in named if any(True for _ in leaves_of(x)))
        if not wrt:
            return
        if wrt not in self.gradients:
            self.gradients[wrt] = Gradients(f, "value_and_grad", wrt, None)
            self.gradients[wrt].journal = Journal()
        journal = begun(self.gradients[wrt])
        found = self.gradients[wrt](*copy.deepcopy(args))
        journal.finish()
        if compare:
            self.check_value(args, y, found[0])
            plain = value_and_grad(f, wrt)
            _compare_with_plain(f, lambda: plain(*copy.deepcopy(args)), found)

    def check_value(self, args: Sequence[Any], y: Any, value: Any) -> None:
        """Check that a derivative gives the value of the function, if that is the same at each call."""
        # of three calls two may be alike
        others = [picture(self.f(*copy.deepcopy(args))) for _ in range(2)]
        if not all(other.shows(picture(y)) for other in others):
            return
        wanted, found = ([leaf for _, leaf in leaves_of(x)] for x in (y, value))
        if len(wanted) != len(found) or not all(map(_nearly, wanted, found)):
            raise ReplayMismatchError(
                f"the derivative of {self.label} gives the value {picture(value)}, "
                f"and the function {picture(y)}"
            )

    def check_left_alone(self, things: list[tuple[str, Any, Any]]) -> None:
        """Check that a pullback has changed nothing that its caller holds."""
        for what, thing, shown in things:
            if not picture(thing).shows(shown):
                raise ReplayMismatchError(
                    f"the pullback of {self.label} changes {what}: it was {shown}, "
                    f"and is {picture(thing)}"
                )

    @property
    def label(self) -> str:
        """The name of the function."""
        return str(getattr(self.f, "__qualname__", repr(self.f)))


def _spoil(args: Any, value: Any) -> list[tuple[str, Any, Any]]:
    """Fill the arrays among arguments with NaN; return them with what they look like now.

    What is returned as well stays as it is.
    """
    results = [leaf for _, leaf in leaves_of(value) if isinstance(leaf, np.ndarray)]
    found = []
    for _, leaf in leaves_of(args):
        if not isinstance(leaf, np.ndarray) or not leaf.flags.writeable:
            continue
        if not any(np.may_share_memory(leaf, other) for other in results):
            leaf.fill(np.nan)
            found.append(("an argument", leaf, picture(leaf)))
    return found


def begun(observed: Any) -> Journal:
    """Return the journal of an observed derivative, with nothing of an earlier run in it."""
    journal: Journal = observed.journal
    journal.entries = []
    return journal


def _compare_with_plain(f: Any, plain: Callable[[], Any], found: Any) -> None:
    """Compare results, unless the function itself gives another at each call."""
    first, second = plain(), plain()
    if not picture(first).shows(picture(second)):
        return
    ours, theirs = ([leaf for _, leaf in leaves_of(x)] for x in (first, found))
    if len(ours) != len(theirs) or not all(map(_nearly, ours, theirs)):
        label = getattr(f, "__qualname__", repr(f))
        raise ReplayMismatchError(
            f"the derivative of {label} gives {picture(first)}, "
            f"and {picture(found)} before it is shortened"
        )


def _nearly(a: Any, b: Any) -> bool:
    """Whether two results differ by rounding only: a shortened text may sum in another order."""
    if np.shape(a) != np.shape(b) or np.asarray(a).dtype != np.asarray(b).dtype:
        return False
    size = float(np.max(np.abs(a), initial=1e-3, where=np.isfinite(a)))
    rounding = 1e4 * float(np.finfo(np.asarray(a).dtype).eps)
    return bool(np.allclose(a, b, rtol=0.0, atol=rounding * size, equal_nan=True))
