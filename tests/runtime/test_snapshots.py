"""Snapshots: the schedule is the best there is, and a stack of them gives back each state."""

import copy
import functools

import pytest

from tapeless.runtime import (
    Snapshots,
    fewest_snapshots,
    reach,
    repetitions_of,
    steps_run_again,
    steps_to_next,
)


@functools.cache
def fewest_steps(steps, snapshots):
    """Return the least number of steps of any schedule, by trying all places of the next snapshot."""
    if steps <= 1:
        return 0
    if snapshots == 1:
        return steps * (steps - 1) // 2
    return min(
        m + fewest_steps(steps - m, snapshots - 1) + fewest_steps(m, snapshots)
        for m in range(1, steps)
    )


class Counter:
    """A loop whose state is the number of its step."""

    def __init__(self, states):
        self.states = states
        self.runs = 0
        self.most = 0

    def __call__(self, state, i):
        assert state == i
        self.runs += 1
        self.most = max(self.most, len(self.states.kept))
        return state + 1, "saved"

    def forward(self, steps):
        state = 0
        for _ in range(steps):
            self.states.append(state)
            self.most = max(self.most, len(self.states.kept))
            state = state + 1
        return state


@pytest.mark.parametrize("steps", range(41))
def test_each_state_comes_back_by_the_fewest_steps(steps):
    for snapshots in range(1, steps + 3):
        loop = Counter(Snapshots(steps, snapshots))
        loop.forward(steps)
        assert [loop.states.pop(loop) for _ in range(steps)] == list(reversed(range(steps)))
        again = fewest_steps(steps, snapshots) - max(steps - 1, 0)
        assert loop.runs == again, snapshots
        assert loop.most <= snapshots


@pytest.mark.parametrize("snapshots", range(1, 12))
def test_the_formula_is_the_minimum(snapshots):
    for steps in range(1, 120):
        assert steps_run_again(steps, snapshots) == fewest_steps(steps, snapshots)


def test_how_far_it_reaches():
    for s in range(1, 8):
        for r in range(7):
            assert repetitions_of(reach(s, r), s) == r
            assert repetitions_of(reach(s, r) + 1, s) == r + 1
    assert 0 < steps_to_next(10**6, 20) < 10**6


@pytest.mark.parametrize("steps", [1, 2, 3, 10, 41, 100, 1000, 10_000, 10**6])
def test_by_default_each_step_runs_four_times_at_most(steps):
    def runs(snapshots):
        return 1 + steps + steps_run_again(steps, snapshots)

    s = fewest_snapshots(steps)
    assert runs(s) <= 4 * steps
    assert s == 1 or runs(s - 1) > 4 * steps


def test_ten_thousand_steps():
    assert fewest_snapshots(10_000) == 37
    assert Snapshots(10_000).most == 37
    assert repetitions_of(10_000, 8) == 8  # as many snapshots as repetitions: of order log n


def test_a_copy_is_popped_by_itself():
    loop = Counter(Snapshots(20, 3))
    loop.forward(20)
    for _ in range(2):
        made = loop.states.copied_by(copy.copy)
        assert [made.pop(loop) for _ in range(20)] == list(reversed(range(20)))
    assert len(loop.states.kept) == 3


@pytest.mark.parametrize("steps", [0, -3])
def test_no_steps(steps):
    assert Snapshots(steps).kept == []


def test_no_snapshots():
    with pytest.raises(ValueError, match="a loop needs at least 1 snapshot, not 0"):
        Snapshots(3, 0)
