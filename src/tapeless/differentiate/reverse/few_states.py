"""Loops of which few states are kept: a stack that runs steps again takes the place of the one saved.

    kept = Snapshots(n)
    for i in range(n):
        kept.append(state)                          # instead of saved.append(state)
        state = step(state, i, k)

    for i in reversed(range(n)):
        state = kept.pop(step_fwd, k)               # instead of state = saved.pop()
        _, saved_step = step_fwd(state, i, k)
        state_bar, k_bar_1 = step_rev(saved_step, state_bar)

The step is one that is run again anyhow (`recompute_grad`), so its forward half finds states, too: it is
given all that the step captures, as it was. This is done last, when both sweeps are known to fit together:
the states are the same, wherever they come from. Where a derivative is differentiated again all are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import gast

from tapeless.differentiate.reverse.mirrored import Loop, Mirrored, Step
from tapeless.differentiate.reverse.saves import Saves
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.verify.forward import named, stack_of
from tapeless.origins import is_generated
from tapeless.runtime import Snapshots
from tapeless.tree.build import at_line_of, quote
from tapeless.tree.names import reads


def keep_few_states(sweep: Sweep, items: list[Mirrored], saving: Saves) -> None:
    """Let the loops of a function that makes a stack of snapshots push to it and pop from it."""
    kept = _stack_of_snapshots(sweep)
    module = sweep.module
    all_kept = module.for_higher_order or module.journal is not None
    if kept is None or all_kept or is_generated(sweep.function.filename):
        return
    for loop in [item for item in items if isinstance(item, Loop)]:
        if _is_kept_whole(sweep, loop):
            continue
        stacks = [stack for step in _steps(loop) for stack in _popped(step.reverse)]
        if len(stacks) > 1 or loop.start:
            _refuse(sweep, loop)
        if _leaves_adjoints(sweep, loop):
            sweep.refuse(
                loop.statement,
                "adjoints of what a step makes would be kept for all steps, beside those of what every "
                "step is given",
                "give the step numbers and arrays as arguments, in place of an object",
            )
        for stack in stacks:
            _replace(sweep, loop, stack, kept)
            saving.stacks.remove(stack)


def _is_kept_whole(sweep: Sweep, loop: Loop) -> bool:
    """Whether a step is not run again: what it reads outside may change before a pullback runs."""
    halves = _forward_halves(sweep)
    forward = {key for step in _steps(loop) for s in step.forward for key in reads(s)}
    return bool(halves & forward)


def _leaves_adjoints(sweep: Sweep, loop: Loop) -> bool:
    """Whether adjoints of what a step makes stay in the memory in which there are others, too."""
    module, known = sweep.module, sweep.known
    called = [known.callees[s.statement] for s in _steps(loop) if s.statement in known.callees]
    seen = [module.seen_from(sweep.function, sweep.facts, callee) for callee in called]
    return any(module.made_in_memory(c) and not module.has_own_memory(c) for c in seen)


def _forward_halves(sweep: Sweep) -> set[str]:
    return {split.forward for split in sweep.module.splits.values() if split is not None}


def _refuse(sweep: Sweep, loop: Loop) -> NoReturn:
    """Refuse what is known by more than the state: by what was made on the way to it."""
    sweep.refuse(
        loop.statement,
        "the states of this loop cannot be found again one by one",
        "let the state hold numbers and arrays, in tuples, dicts or dataclasses",
    )


def _stack_of_snapshots(sweep: Sweep) -> str | None:
    """Return the name of the stack of snapshots that a function makes."""
    for s in sweep.function.tree.body:
        call: Any = s.value if type(s) is gast.Assign else None
        if type(call) is gast.Call and sweep.function.resolve(call.func) is Snapshots:
            return str(s.targets[0].id)
    return None


def _steps(loop: Loop) -> list[Step]:
    return [item for item in loop.body if isinstance(item, Step)]


def _popped(statements: list[Any]) -> Iterator[str]:
    for s in statements:
        stack = stack_of(s.value, "pop") if type(s) is gast.Assign else None
        if stack is not None:
            yield stack


def _replace(sweep: Sweep, loop: Loop, stack: str, kept: str) -> None:
    """Push the states of a loop to another stack, and pop them with what finds them again."""
    for step in _steps(loop):
        for block in (step.forward, step.reverse):
            block[:] = [_on_snapshots(sweep, loop, s, stack, kept) for s in block]


def _on_snapshots(sweep: Sweep, loop: Loop, s: Any, stack: str, kept: str) -> Any:
    if type(s) is gast.Expr and stack_of(s.value, "append") == stack:
        [made] = quote("kept.append(state)", kept=kept, state=s.value.args[0])
        return at_line_of(made, s)
    if type(s) is not gast.Assign or stack_of(s.value, "pop") != stack:
        return s
    again = _run_again(sweep, loop, named(s.targets[0]))
    if again is None:
        _refuse(sweep, loop)
    [made] = quote("state = kept.pop()", state=s.targets[0], kept=kept)
    made.value.args = [again.func, *again.args[2:]]
    return at_line_of(made, s)


def _run_again(sweep: Sweep, loop: Loop, names: list[str | None]) -> Any:
    """Return the call that runs the step of a loop again, from a state of this name alone."""
    halves = _forward_halves(sweep)
    values = [getattr(s, "value", None) for step in _steps(loop) for s in step.reverse]
    calls: list[Any] = [v for v in values if getattr(getattr(v, "func", None), "id", "") in halves]
    fits = len(calls) == 1 and [getattr(calls[0].args[0], "id", None)] == names
    return calls[0] if fits else None
