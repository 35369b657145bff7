"""Names that a loop binds first, and that are read in a later trip or after it.

    for v in x:                          is_bound = False
        y = v * v                        for i in range(n):
        if y > 1.0:            ->            y = x[i] * x[i]
            break                            y_1, is_bound = y, True
    return y                                 if y > 1.0: ...

Whether there was a trip is known when the loop runs, so a variable tells whether the name is bound: where it
is used that is checked. What it is bound to is known at the end of a trip: then the function is run again.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from tapeless.lower.carried import demand_alike, is_alone, seal_both
from tapeless.lower.loops import Num, Var
from tapeless.lower.state import State
from tapeless.lower.values import Array, Maybe, Number, Value, variable, zero_like

Env = dict[str, Value]


@dataclass
class Late:
    """A name that a loop binds first.

    Attributes
    ----------
    key
        The name.
    label
        What it is known by when the function is run again.
    held
        Where it is kept from trip to trip; None as long as it is not known what it is.
    """

    key: str
    label: str
    held: Maybe | None = None

    def begin(self, state: State, env: Env, old: Value | None) -> None:
        """Make place for what the name will be bound to."""
        like = old.value if isinstance(old, Maybe) else state.late.get(self.label)
        if like is None:
            return
        flag = state.fresh("is_bound")
        state.mutable.add(flag)
        there = old.there if isinstance(old, Maybe) else Num(False)
        state.assign(flag, Number(there, "bool"))
        self.held = Maybe(
            self._made(state, like, isinstance(old, Maybe)), Var(flag), is_unbound=True
        )
        env[self.key] = self.held

    def _made(self, state: State, like: Value, is_held: bool) -> Value:
        if isinstance(like, Number):
            name = state.fresh(self.key)
            state.mutable.add(name)
            return state.assign(name, like if is_held else zero_like(like))
        if not isinstance(like, Array):
            raise state.refused(f"`{self.key}`, which is bound in some trips or branches only")
        made = state.made(like.dims, like.dtype, self.key)
        state.lasting.discard(str(made.base))
        if is_held:
            state.note_copy(like, made)
            state.fill(made, like)
            seal_both(state, made, like)
        return made

    def end_trip(self, state: State, env: Env, live: Set[str], given: Sequence[Value]) -> None:
        """Keep what the name is bound to where a trip ends."""
        now = env.get(self.key)
        if now is None or now is self.held:
            return
        value = now.value if isinstance(now, Maybe) else now
        if self.held is None:
            self._learn(state, value)
            return
        assert isinstance(self.held.there, Var)
        there = now.there if isinstance(now, Maybe) else Num(True)
        held = self.held.value
        if isinstance(held, Number) and isinstance(value, Number):
            self._assign(state, held, value)
        elif isinstance(held, Array) and isinstance(value, Array):
            demand_alike(state, self.key, held, value)
            state.note_copy(value, held)
            if not is_alone(state, self.key, {**env, self.key: value}, live, given):
                seal_both(state, held, value)
            state.fill(held, value)
        else:
            raise state.refused(f"`{self.key}`, which is something else in each trip of a loop")
        state.assign(self.held.there.name, Number(there, "bool"))

    def _assign(self, state: State, held: Number, value: Number) -> None:
        form = value.form
        if held.is_whole != value.is_whole or (held.sort == "bool") != (value.sort == "bool"):
            raise state.refused(f"`{self.key}`, which is a number of several sorts")
        if value.sort == "int" and (form is None or form.symbols & state.mutable):
            raise state.refused("an integer that is carried around a loop")
        state.assign(_name_of(held), value)

    def _learn(self, state: State, value: Value) -> None:
        """Note what the name is bound to."""
        if isinstance(value, Number):
            state.late[self.label] = value
        elif isinstance(value, Array):
            if any(not dim.symbols <= state.extents.entry.keys() for dim in value.dims):
                return
            state.late[self.label] = replace(
                value, base=None, axes=(), fresh=False, uniform=Num(0.0)
            )
        else:
            return
        state.is_resorted = True

    def after(self, state: State) -> Maybe | None:
        """Return what the name stands for after the loop."""
        if self.held is None or not isinstance(self.held.value, Number):
            return self.held
        name = _name_of(self.held.value)
        return replace(self.held, value=variable(name, state.sorts[name]))


def _name_of(held: Number) -> str:
    if isinstance(held.expr, Var):
        return held.expr.name
    assert held.form is not None
    (name,) = held.form.symbols
    return name


def begin(state: State, env: Env, keys: Set[str], olds: Env) -> dict[str, Late]:
    """Make place for the names that a loop binds first."""
    made = {}
    for key in sorted(keys):
        made[key] = Late(key, state.fresh("late"))
        made[key].begin(state, env, olds.get(key))
    return made
