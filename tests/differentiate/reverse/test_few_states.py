"""Loops of which few states are kept: what takes the place of the saves, and where nothing does."""

import numpy as np

import tapeless as tl

U = np.linspace(0.1, 0.9, 5)
GRID = np.linspace(0.2, 0.4, 5)


def step(u, i, k):
    return u + k * np.sin(u) * i


def of_a_grid(u, i, k):
    return u + k * np.sin(u) * GRID


def final(u, k):
    return np.sum(tl.checkpoint_loop(step, u, 9, k))


def final_on_a_grid(u, k):
    return np.sum(tl.checkpoint_loop(of_a_grid, u, 9, k))


def loops_of(text):
    """Return the lines of the loops in both halves of the long loop."""
    halves = text.partition("def checkpoint_loop_fwd")[2].partition("def final")[0]
    lines = halves.splitlines()
    return [line.strip() for line in lines if line.startswith("        ")]


def test_states_are_pushed_and_found_again():
    assert loops_of(tl.source(final, like=(U, 0.1), wrt=(0, 1))) == [
        "step_on_parts_parts_i = step_on_parts(parts, i, step, form, args)",
        "kept.append(parts)",
        "parts = step_on_parts_parts_i",
        "parts = kept.pop(step_on_parts_fwd, step, form, args)",
        "_, saved_step_on_parts = step_on_parts_fwd(parts, i, step, form, args)",
        "parts_bar_1, args_bar_1 = step_on_parts_rev(saved_step_on_parts, parts_bar)",
        "parts_bar = parts_bar_1",
        "args_bar = add(args_bar, args_bar_1)",
    ]


def test_a_pullback_keeps_all_where_a_step_reads_what_may_change():
    within = tl.source(final_on_a_grid, like=(U, 0.1))
    assert "kept.pop" in within
    pullback = tl.source(final_on_a_grid, like=(U, 0.1), mode="vjp")
    assert "kept.pop" not in pullback and "saved.append" in pullback
    _, pull = tl.vjp(final_on_a_grid, U, 0.1)
    before = tl.grad(final_on_a_grid)(U, 0.1)
    GRID[0] += 1.0
    np.testing.assert_array_equal(pull(1.0)[0], before)
    GRID[0] -= 1.0


def test_all_states_are_kept_where_a_derivative_is_differentiated_again():
    text = tl.source(lambda u, k: np.sum(tl.grad(final)(u, k)), like=(U, 0.1))
    assert "kept.pop" not in text
