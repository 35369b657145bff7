"""Long loops: the states before their steps are found again, from few that are kept.

A loop that is written out keeps what each of its steps computed. Here a step is run again when it is
reversed, so that only the states between the steps are kept, and of these only a few (`Snapshots`). The
loop below is differentiated as it stands; what it keeps its states in is all that is special about it.

A state is handed on in parts, as values: arrays that are copied, in tuples. So a step may store into what it
is given, and what belongs to one step is let go before the next one is reversed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tapeless.recompute import recompute_grad
from tapeless.runtime import Snapshots, form_of, from_parts, parts_of

State = TypeVar("State")


@recompute_grad
def step_on_parts(parts: Any, i: int, step: Any, form: Any, args: Any) -> Any:
    """Run a step on a state that is given in parts, and is given back so."""
    return parts_of(step(from_parts(parts, form), i, *args), form)


def checkpoint_loop(
    step: Callable[..., State], state: State, n: int, *args: Any, snapshots: int | None = None
) -> State:
    """Run ``state = step(state, i, *args)`` for i = 0, ..., n - 1, with a gradient of little memory.

    A gradient of a loop keeps something of each step. This one keeps a few states, and finds the others
    again by running steps from there (binomial checkpointing). With s snapshots and r repetitions of
    each step it reverses C(s + r, s) steps.

    Parameters
    ----------
    step : callable
        Returns the next state. It is called with the state, the number of the step and `args`. It may
        store into the state that it is given; it must not store into `args`, draw random numbers, or use
        state outside that it changes.
    state : number, array, or tuple, dict or dataclass of such
        The state before the first step, which is copied. All states have its form.
    n : int
        The number of steps.
    *args
        What all steps are given. Gradients reach them, and what `step` captures.
    snapshots : int, optional
        How many states are kept at most, beside the one at which the loop is. By default the fewest with
        which a gradient runs `step` at most 4 n times in all; that is about ``(6 n) ** (1 / 3)``.

    Returns
    -------
    The state after the last step.

    Raises
    ------
    TypeError
        If a state holds something else, or its form changes.
    ValueError
        If there are no snapshots.
    GradientError
        When a derivative is written, if a step cannot run twice.

    Notes
    -----
    The theory is that of `revolve` [1]_. With the least r for which ``n <= C(s + r, s)``, a gradient runs
    ``n + 1 + r n - C(s + r, s + 1)`` steps: n for the value, one for each step that is reversed, the rest
    to find states again. No schedule with s snapshots needs fewer. Tangents are carried along in a plain
    loop. Second derivatives keep all states.

    References
    ----------
    .. [1] A. Griewank and A. Walther, "Algorithm 799: revolve: an implementation of checkpointing for
       the reverse or adjoint mode of computational differentiation", ACM Transactions on Mathematical
       Software 26 (2000), 19-45.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> def decay(u, i, rate):
    ...     return u - 0.01 * rate * u
    >>> def final(rate):
    ...     return np.sum(tl.checkpoint_loop(decay, np.ones(3), 100, rate))
    >>> round(float(tl.grad(final)(2.0)), 6)
    -0.405978
    """
    kept = Snapshots(n, snapshots)  # noqa: F841  # a derivative pushes the states to it
    form = form_of(state)
    parts = parts_of(state, form)
    for i in range(n):
        parts = step_on_parts(parts, i, step, form, args)
    whole: State = from_parts(parts, form)
    return whole
