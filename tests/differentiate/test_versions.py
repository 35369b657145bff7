"""Mistakes put into the tool, one at a time: the verifier of versions or a replay reports each."""

import gast
import numpy as np
import pytest

import tapeless as tl
from tapeless.analysis.facts import Callee
from tapeless.differentiate import entry
from tapeless.differentiate.reverse import (
    branches,
    calls,
    container_methods,
    headers,
    jumps,
    record,
    split,
    stores,
)
from tapeless.differentiate.reverse import rematerialize as redo
from tapeless.differentiate.reverse import run as reverse_run
from tapeless.differentiate.reverse.mirrored import Branch, Step
from tapeless.differentiate.reverse.record import Recorder
from tapeless.differentiate.reverse.saves import Saves
from tapeless.errors import InternalError
from tapeless.normalize.three_address import Flattener
from tapeless.specialize import run as specialize_run
from tapeless.specialize.vectors_as_floats import VectorsAsFloats
from tapeless.testing import ReplayMismatchError, check_replay
from tapeless.tree.build import name

X = np.array([1.0, 3.0, 2.0, 4.0])


# Programs that need what the mistakes take away


def largest(x):
    best, y = 0, 0.0
    for i in range(1, 4):
        if x[i] > x[best]:
            best = i
        y += x[best] ** 2
    return y


def moved(x):
    i = 0
    w = x[i] ** 2
    if x[i] > 0:
        i += 1
    return w + x[i] ** 3


def clipped(a):
    d = 1.0
    x = a * d
    if d > 0.9:
        d = 0.5
    return x * d * a


def counted(x):
    n, y = 0, x
    for _ in range(3):
        for _ in range(2):
            n += 1
        y = y * np.sin(n * x)
    return y


def shrunk(x, n=3):
    y = x
    for i in range(n):
        y = y * np.sin(x * (i + 1))
    n = 1
    return y * n * x


def halved(x):
    y, k = x, 0
    while y > 0.3:
        y = y * y * 0.5
        k += 1
        if k > 5:
            break
        y = y * np.cos(x)
    return y * k


def updated(x):
    y = x * 1.0
    for i in range(3):
        y[i] = np.sin(y[i]) * y[i + 1]
    return np.sum(y * y)


def step(y):
    y[0] = y[0] * y[1]
    return np.sum(y)


def stepped(x):
    y = x * 2.0
    a = np.sum(y * y)
    b = step(y)
    return a * b * y[0]


def renamed(x):
    z = x * x
    x = np.sin(z)
    x = x * z
    return np.sum(x * z)


class Body:
    def __init__(self, rate):
        self.rate = rate


def aged(x):
    body = Body(2.0)
    y = 1.0
    for _ in range(3):
        y = y * body.rate * x
        body.rate = body.rate * x
    return y


def scaled(x):
    total = 1.0
    for i in range(3):
        total = total * (x[i] + 2.0)
    return total


def listed(x):
    items, y = [x[0], x[1]], 1.0
    for item in items:
        y = y * np.sin(item * y)
    items.append(y)
    last = items.pop(0)
    return y * last * items[1]


def emptied(x):
    items, y = [x[0], x[1], x[2]], 1.0
    for item in items:
        y = y * np.sin(item * y)
    last = items.pop()
    return y * last * items[1]


def stored(x):
    y = x * 1.0
    y[0] = y[1]
    a = y * y
    return np.sum(a * y)


def cut(x):
    x = np.ones(2)
    return np.sum(x) * 2.0


def raised(x):
    y = x * x
    w = y * y
    y = np.exp(w * 0.01)
    return np.sum(y)


def once(x):
    d, y = 1.0, x
    if d > 0.5:
        y = y * np.sin(y)
        d = 0.0
    return y * (d + 1.0)


def until(x):
    y = 0.0
    for i in range(4):
        y = y + x * (i + 1.0)
        if y > 2.0:
            break
        y = y + x * x
    return y


def zeroed(x):
    y = x * 1.0
    for i in range(3):
        z = y * y
        y[i] = z[i + 1]
    return np.sum(y * x)


# Mistakes


def unrestored(monkeypatch, kept=lambda item: True):
    """Saves are made, and some are never restored."""
    save = Saves.save

    def forgetting(self, names):
        saves, restores = save(self, names)
        return (saves, restores) if not kept(self) else (saves, [])

    monkeypatch.setattr(Saves, "save", forgetting)


def drop_restores(monkeypatch):
    unrestored(monkeypatch)


def drop_restores_outside_loops(monkeypatch):
    unrestored(monkeypatch, lambda saving: not saving.depth)


def drop_restores_in_loops(monkeypatch):
    unrestored(monkeypatch, lambda saving: saving.depth)


def save_nothing(monkeypatch):
    monkeypatch.setattr(Saves, "save", lambda self, names: ([], []))


def save_after_the_statement(monkeypatch):
    do_step = Recorder.do_Step

    def late(self, item, live):
        own = list(item.forward)
        after = do_step(self, item, live)
        if self.inserting and item.forward[len(item.forward) - len(own) :] == own:
            saves = item.forward[: len(item.forward) - len(own)]
            item.forward = [*own, *saves] if not _jumps(own) else [*saves, *own]
        return after

    monkeypatch.setattr(Recorder, "do_Step", late)


def _jumps(statements):
    return bool(statements) and isinstance(statements[-1], gast.Return | gast.Break | gast.Continue)


def restore_before_the_mirror(monkeypatch):
    do_step = Recorder.do_Step

    def early(self, item, live):
        own = list(item.reverse)
        after = do_step(self, item, live)
        if self.inserting:
            item.reverse = [*item.reverse[len(own) :], *own]
        return after

    monkeypatch.setattr(Recorder, "do_Step", early)


def forget_what_a_branch_overwrites(monkeypatch):
    monkeypatch.setattr(Recorder, "as_one_step", lambda self, item, live: live)


def need_no_test(monkeypatch):
    do_branch = Recorder.do_Branch

    def forgetting(self, item, live):
        own = item.reverse_test
        item.reverse_test = gast.Constant(True, None)
        after = do_branch(self, item, live)
        item.reverse_test = own
        return after

    monkeypatch.setattr(Recorder, "do_Branch", forgetting)


def write_every_test_again(monkeypatch):
    monkeypatch.setattr(branches, "can_be_redone", lambda sweep, s, test: True)
    need_no_test(monkeypatch)


def need_no_bounds(monkeypatch):
    do_loop = Recorder.do_Loop

    def forgetting(self, item, live):
        if item.header is None:
            return do_loop(self, item, live)
        own, item.header.iter = item.header.iter, gast.Constant((), None)
        after = do_loop(self, item, live)
        item.header.iter = own
        return after

    monkeypatch.setattr(Recorder, "do_Loop", forgetting)


def keep_nothing_of_loops(monkeypatch):
    monkeypatch.setattr(record, "keep", lambda saving, item, kept: None)


def drop_undo(monkeypatch):
    monkeypatch.setattr(stores, "restore_old", lambda sweep, s, place, old: None)


def save_what_is_stored(monkeypatch):
    """The old value is kept once it is overwritten."""
    reverse_store = stores._reverse_store

    def late(sweep, s, place, kind):
        made = reverse_store(sweep, s, place, kind)
        return [made[-1], *made[:-1]]

    monkeypatch.setattr(stores, "_reverse_store", late)


def forget_appended(monkeypatch):
    append = container_methods._reverse_append

    def forgetting(sweep, s, key, value, active, owner):
        before = len(sweep.out)
        made = append(sweep, s, key, value, active, owner)
        sweep.out[before:] = [r for r in sweep.out[before:] if not _pops(r, key)]
        return made

    monkeypatch.setattr(container_methods, "_reverse_append", forgetting)


def _pops(s, key):
    func = getattr(getattr(s, "value", None), "func", None)
    return getattr(getattr(func, "value", None), "id", None) == key


def forget_popped(monkeypatch):
    pop = container_methods._reverse_pop

    def forgetting(sweep, s, key, active, owner):
        before = len(sweep.out)
        made = pop(sweep, s, key, active, owner)
        sweep.out[before:] = [r for r in sweep.out[before:] if not _pops(r, key)]
        return made

    monkeypatch.setattr(container_methods, "_reverse_pop", forgetting)


def forget_calls(monkeypatch):
    """A call that stores is not reversed."""
    monkeypatch.setattr(specialize_run, "spliced_call", lambda *args: None)
    monkeypatch.setattr(calls, "_reverse_of_call", lambda *args: None)


def redo_what_changed(monkeypatch):
    """What was stored into, or bound anew, is read again instead of kept."""
    monkeypatch.setattr(redo._Readers, "changes", lambda self, statements: False)
    monkeypatch.setattr(redo, "_newly_kept", lambda sweep, items, value: 0)


def other_branch(monkeypatch):
    branch = reverse_run.BLOCKS[gast.If]

    def inverted(sweep, s):
        made = branch(sweep, s)
        for item in made:
            if isinstance(item, Branch) and item.reverse_test is not None:
                item.reverse_test = gast.UnaryOp(gast.Not(), item.reverse_test)
        return made

    monkeypatch.setitem(reverse_run.BLOCKS, gast.If, inverted)


def one_trip_less(monkeypatch):
    header = headers.Header.plain_range

    def shorter_header(self):
        found = header(self)
        if found:
            place = gast.Slice(gast.Constant(1, None), None, None)
            listed = gast.Call(name("list"), [self.tree.iter], [])
            self.tree.iter = gast.Subscript(listed, place, gast.Load())
        return found

    monkeypatch.setattr(headers.Header, "plain_range", shorter_header)


def trips_forwards(monkeypatch):
    header = headers.Header.plain_range

    def forwards(self):
        found = header(self)
        if found:
            self.tree.iter = self.tree.iter.args[0]
        return found

    monkeypatch.setattr(headers.Header, "plain_range", forwards)


def rest_always(monkeypatch):
    rest = jumps.guarded_rest

    def unguarded(sweep, s, following):
        made = rest(sweep, s, following)
        made.reverse_test = gast.Constant(True, None)
        return made

    monkeypatch.setattr(reverse_run, "guarded_rest", unguarded)


def final_reads_are_not_recorded(monkeypatch):
    whole = Recorder.record

    def forgetting(self, items):
        last, *others = items
        whole(self, others)
        return items

    monkeypatch.setattr(Recorder, "record", forgetting)


def swap_two_statements(monkeypatch):
    """The mirror of a store stands where that of the next statement belongs."""
    write = split.forward_sweep
    swapped = set()

    def reordering(items):
        steps = [i for i, item in enumerate(items) if isinstance(item, Step) and item.reverse]
        stored = [i for i in steps if _is_store(items[i].statement) and i + 1 < len(items)]
        for i in stored:
            if i + 1 in steps and id(items[i]) not in swapped:
                swapped.update((id(items[i]), id(items[i + 1])))
                a, b = items[i], items[i + 1]
                a.reverse, b.reverse = b.reverse, a.reverse
        return write(items)

    monkeypatch.setattr(split, "forward_sweep", reordering)


class Outside:
    def __init__(self):
        self.rate = 2.0


outside = Outside()
history = []


def bump():
    outside.rate = outside.rate * 1.5


def scaled_outside(x):
    before = outside.rate
    y = x * outside.rate
    bump()
    y = y * outside.rate
    outside.rate = before
    return y


def forget_stores_outside(monkeypatch):
    """A callee is taken to change only what it is given."""
    monkeypatch.setattr(specialize_run, "spliced_call", lambda *args: None)
    monkeypatch.setattr(Callee, "stores_outside_itself", property(lambda self: frozenset()))


def squared(x):
    return np.sum(x * x)


def read_live_arguments(monkeypatch):
    """A pullback reads the arrays that it was given, not what was kept of them."""
    monkeypatch.setattr(split, "may_change", lambda sweep, values, key: False)


def with_its_squares(x):
    y = np.zeros(())
    y[...] = np.sum(x * x)
    return y


def undo_what_is_returned(monkeypatch):
    """What a function returns goes back with the rest."""
    monkeypatch.setattr(entry, "may_be_undone", lambda facts, undone: False)


def stored_late(x):
    y = np.array([1.0, 2.0])
    k = 0
    y[k] += x * (k := 1)
    return np.sum(y * y) + k


def read_places_late(monkeypatch):
    """`place op= value` reads the owner and the index after the value."""
    place = Flattener.place
    monkeypatch.setattr(Flattener, "place", lambda self, tree, later=None: place(self, tree))


def turned(x):
    v = x * 2.0
    w = np.cross(v, x)
    u = w * v + x
    u = u * v - x
    return np.sum(u * u) + u[0]


def leave_vectors_together(monkeypatch):
    """The entries of short vectors are read, and nothing binds them."""
    monkeypatch.setattr(VectorsAsFloats, "taken_apart", lambda self, key: [])


def _is_store(s):
    return isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Subscript | gast.Attribute)


MUTATIONS = [
    (drop_restores, moved, X), (drop_restores_outside_loops, renamed, X),
    (drop_restores_in_loops, largest, X), (save_nothing, clipped, 1.3),
    (save_after_the_statement, counted, 1.3), (restore_before_the_mirror, raised, X),
    (forget_what_a_branch_overwrites, moved, X), (forget_what_a_branch_overwrites, counted, 1.3),
    (forget_what_a_branch_overwrites, clipped, 1.3), (write_every_test_again, once, 1.3),
    (need_no_bounds, shrunk, 1.3), (keep_nothing_of_loops, halved, 1.3), (drop_undo, updated, X),
    (drop_undo, aged, 1.3), (drop_undo, zeroed, X), (save_what_is_stored, updated, X),
    (save_what_is_stored, aged, 1.3), (forget_appended, listed, X), (forget_popped, emptied, X),
    (forget_calls, stepped, X), (redo_what_changed, aged, 1.3), (other_branch, once, 1.3),
    (one_trip_less, updated, X), (trips_forwards, scaled, X), (rest_always, until, 0.8),
    (final_reads_are_not_recorded, cut, X), (swap_two_statements, stored, X),
    (forget_stores_outside, scaled_outside, 1.3), (read_live_arguments, squared, X),
    (undo_what_is_returned, with_its_squares, X), (read_places_late, stored_late, 1.3),
    (leave_vectors_together, turned, X[:3]),
]  # fmt: skip


def steered_in_an_attempt(x, scaled):
    for _ in range(2):
        x = x  # noqa: PLW0127
    if scaled:
        try:
            x = x * 2.0
        finally:
            pass
    return np.sum(x * x)


@pytest.mark.parametrize("x", [1.5, np.float64(1.5), np.float32(1.5), [0.6, 1.2], X])
@pytest.mark.parametrize("scaled", [False, True])
def test_what_is_not_known_is_not_reported(x, scaled):
    x = x if np.ndim(x) == 0 else np.array(x)
    wanted = (8.0 if scaled else 2.0) * x
    np.testing.assert_allclose(tl.grad(steered_in_an_attempt)(x, scaled), wanted)


@pytest.mark.parametrize("function", dict.fromkeys(case[1] for case in MUTATIONS))
def test_without_mistakes(function):
    x = next(case[2] for case in MUTATIONS if case[1] is function)
    check_replay(function, x)


@pytest.mark.parametrize(
    ("mutation", "function", "x"),
    [pytest.param(*case, id=f"{case[0].__name__}-{case[1].__name__}") for case in MUTATIONS],
)
def test_is_reported(monkeypatch, mutation, function, x):
    mutation(monkeypatch)
    with pytest.raises((InternalError, ReplayMismatchError)) as caught:
        check_replay(function, x)
    assert "test_versions.py" in str(caught.value) or function.__name__ in str(caught.value)


def test_is_reported_before_anything_runs(monkeypatch):
    leave_vectors_together(monkeypatch)
    with pytest.raises(InternalError, match="would read"):
        tl.source(turned, like=(X[:3],))
