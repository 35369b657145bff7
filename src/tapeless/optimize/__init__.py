"""Passes over generated functions: the same values, effects and errors, in shorter text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, repeat
from typing import Any

import gast

from tapeless.externals import Externals
from tapeless.optimize.add_entries import add_entries
from tapeless.optimize.analyses import effects_of, version_of
from tapeless.optimize.append_items import append_items
from tapeless.optimize.cancel_zeroing import cancel_zeroing
from tapeless.optimize.carry_signs import carry_signs
from tapeless.optimize.construct_plainly import called_on_new, construct_plainly
from tapeless.optimize.context import Context, context_within
from tapeless.optimize.count_entries import count_entries
from tapeless.optimize.count_finished_trips import count_finished_trips
from tapeless.optimize.decided_branches import take_decided_branches
from tapeless.optimize.drop_copies import drop_copies
from tapeless.optimize.drop_handed_parts import drop_handed_parts
from tapeless.optimize.drop_idle_halves import drop_idle_halves
from tapeless.optimize.drop_repeated_calls import drop_repeated_calls
from tapeless.optimize.drop_repeated_constants import drop_repeated_constants
from tapeless.optimize.drop_repeated_lookups import drop_repeated_lookups
from tapeless.optimize.drop_restores import drop_restores
from tapeless.optimize.drop_unread_parameters import drop_unread_parameters
from tapeless.optimize.drop_unused_functions import drop_idle_comments, drop_unused_functions
from tapeless.optimize.drop_unused_state import drop_unused_state
from tapeless.optimize.eliminate_dead_code import eliminate_dead_code, eliminate_dead_saves
from tapeless.optimize.empty_stacks import empty_stacks
from tapeless.optimize.fill_slots import fill_slots
from tapeless.optimize.hand_over_by_branch import hand_over_by_branch
from tapeless.optimize.iterate_saves import go_through_saves
from tapeless.optimize.join_selections import join_selections
from tapeless.optimize.join_tests import join_tests
from tapeless.optimize.join_updates import choose_values, join_updates, raise_pushes
from tapeless.optimize.keep_shapes import keep_shapes
from tapeless.optimize.let_go import let_go
from tapeless.optimize.list_at_once import list_at_once
from tapeless.optimize.list_entries import list_entries
from tapeless.optimize.merge_saves import merge_handed_saves, merge_saves
from tapeless.optimize.multiply_stacks import multiply_stacks
from tapeless.optimize.plain_memory import plain_memory
from tapeless.optimize.plain_numbers import plain_numbers
from tapeless.optimize.plain_places import plain_places
from tapeless.optimize.plain_rolls import plain_rolls
from tapeless.optimize.plain_scatters import plain_scatters
from tapeless.optimize.plain_updates import plain_updates, update_numbers
from tapeless.optimize.plain_vectors import plain_vectors
from tapeless.optimize.propagate_copies import propagate_copies, unite_names
from tapeless.optimize.read_rows import read_rows
from tapeless.optimize.renest import renest
from tapeless.optimize.return_in_branches import return_in_branches
from tapeless.optimize.same_shapes import drop_broadcasts
from tapeless.optimize.share_calls import share_calls
from tapeless.optimize.share_quotients import share_quotients
from tapeless.optimize.show_sets import show_sets
from tapeless.optimize.simplify import simplify
from tapeless.optimize.skip_zeros import skip_zeros
from tapeless.optimize.splice_returns import splice_returns
from tapeless.optimize.start_adjoints import start_adjoints
from tapeless.optimize.start_slots import start_slots
from tapeless.optimize.sum_early import sum_early
from tapeless.optimize.sum_products import sum_products
from tapeless.optimize.unpack_at_once import unpack_at_once
from tapeless.optimize.unpack_floats import unpack_floats
from tapeless.optimize.unpack_in_loops import unpack_in_loops
from tapeless.source.trace import passed, passed_within
from tapeless.tree.blocks import is_supported
from tapeless.tree.build import is_same_tree, unshared
from tapeless.tree.names import nodes

Pass = Callable[[Any, Context], bool]  # edits a function; False where it surely changed nothing

PASSES: tuple[Pass, ...] = (
    propagate_copies,
    drop_repeated_calls,
    take_decided_branches,
    unite_names,
    drop_broadcasts,
    share_quotients,
    count_entries,
    simplify,
    drop_unused_functions,
    drop_restores,
    eliminate_dead_saves,
    eliminate_dead_code,
    raise_pushes,
    skip_zeros,
    choose_values,
    renest,
    join_updates,
    drop_repeated_lookups,
    drop_repeated_constants,
    cancel_zeroing,
    drop_copies,
    read_rows,
    fill_slots,
    start_slots,
    plain_memory,
    start_adjoints,
    list_entries,
    add_entries,
    append_items,
    join_tests,
    count_finished_trips,
    merge_saves,
    unpack_at_once,
    unpack_floats,
    empty_stacks,
    join_selections,
    carry_signs,
)
_ROUNDS = 20


def optimize(function: gast.FunctionDef, context: Context) -> gast.FunctionDef:
    """Shorten a generated function until no pass finds anything more.

    Parameters
    ----------
    function
        A function definition; it is not changed.
    context
        What is known of its names.

    Returns
    -------
    A definition of an equivalent function.
    """
    if not is_supported(function):
        return function
    shortened = unshared(function)
    for local in nodes(shortened, nested=False)[1:]:  # those within them are theirs
        if type(local) is gast.FunctionDef:
            local.body = optimize(local, context_within(local, context)).body
    return _shortened(shortened, context)


def _shortened(
    function: gast.FunctionDef, context: Context, passes: tuple[Pass, ...] | None = None
) -> gast.FunctionDef:
    passes = PASSES if passes is None else passes
    version, unchanged = version_of(function, context), 0
    for each in chain.from_iterable(repeat(passes, _ROUNDS)):
        before = version
        if each(function, context):
            version = version_of(function, context)
        passed_within(each.__name__, function, "derivative")
        unchanged = unchanged + 1 if version == before else 0
        if unchanged == len(passes):
            break
    passed("optimize", function, "derivative")
    return function


def return_early(function: gast.FunctionDef, context: Context) -> gast.FunctionDef:
    """Return where the author of a shortened function with one way out returned.

    Where both sweeps stand in one function, the reverse sweep is spliced at each early return.
    """
    if not context.returning or not is_supported(function):
        return function
    spliced = splice_returns(unshared(function), context)
    spliced = return_in_branches(spliced, context)
    if is_same_tree(spliced, function):
        return function
    return _shortened(spliced, context)


def iterate_saves(function: gast.FunctionDef, context: Context) -> gast.FunctionDef:
    """Let the reverse loops of a shortened function go through what the forward loops saved."""
    if not is_supported(function) or not effects_of(function, context).stacks:
        return function
    iterating = unshared(function)
    kept = keep_shapes(iterating, context)
    if not go_through_saves(iterating, context) and not kept:
        return function
    # The saves have other names now, and nobody counts trips: there is no more than that.
    return _shortened(iterating, context, (renest, eliminate_dead_code))


def hand_over_less(
    made: dict[str, Any], halves: list[tuple[str, str]], contexts: dict[str, Context]
) -> dict[str, Any]:
    """Hand over no trips to reverse sweeps that go through saves; join what branches save."""
    for forward, reverse in halves:
        if forward not in made or reverse not in made:
            continue
        if drop_unused_state(made[forward], made[reverse]):
            passes = (eliminate_dead_code,)
            made[forward] = _shortened(unshared(made[forward]), contexts[forward], passes)
        hand_over_by_branch(made[forward], made[reverse])
    return made


def write_plainly(
    function: Any, context: Context, externals: Externals, whole: bool, numbers: bool
) -> None:
    """Write a shortened function, which is not differentiated again, as one does by hand.

    Parameters
    ----------
    function, context
        The function, which is changed, and what is known of its names.
    externals
        The objects from outside that it names; NumPy may be added to them.
    whole, numbers
        Whether it is no half of a split, and whether numbers may become Python's.
    """
    multiply_stacks(function, context)
    sum_early(function, context)
    sum_products(function, context)
    share_calls(function, context)
    plain_rolls(function, context)
    plain_scatters(function, context, externals)
    plain_updates(function, context)
    plain_vectors(function, context, externals)
    if numbers:
        plain_numbers(function, context, externals)
    if whole:
        let_go(function, context)
    update_numbers(function, context)
    unpack_in_loops(function, context)
    plain_places(function, context)
    list_at_once(function, context)
    show_sets(function, context)


__all__ = [
    "PASSES",
    "Context",
    "called_on_new",
    "construct_plainly",
    "drop_handed_parts",
    "drop_idle_comments",
    "drop_idle_halves",
    "drop_unread_parameters",
    "drop_unused_state",
    "hand_over_less",
    "iterate_saves",
    "merge_handed_saves",
    "optimize",
    "return_early",
    "write_plainly",
]
