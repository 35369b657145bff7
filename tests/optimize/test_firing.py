"""Each pass of the optimizer changes something in a golden text or a pair: one that never does is idle."""

from tests.optimize import firing

TEXTS = """
arrays-likelihood-grad
arrays-mirrored-grad
attempts-until_missing-grad
branches-always_left-grad
branches-early-grad
branches-fallback-grad
calls-defaults-grad
calls-defaults-jvp
calls-nested-jvp
calls-recursive-grad
containers-dict_read-grad
containers-tuple_returned-grad
halves-alike-grad
halves-idle_comment-jvp
halves-idle_half-grad
halves-stored_by_a_callee-grad
iterators-by_hand-grad
loops-narrowed-grad
loops-with_jumps-grad
objects-constant_stiffness-grad
practice-arm-grad
practice-filtered-grad
ranks-first_scaled-grad
ranks-normalized-grad
stores-in_place-grad
stores-views-grad
vectors-relaxed-grad
vectors-sheared-grad
vectors-tumbling-grad
g06_mutation
g13_return_in_loop
g18_adjoint_memory
g19_second_order_loop
g22_outer_state
"""


def test_each_pass_fires_in_a_golden_text_or_a_pair(monkeypatch):
    monkeypatch.setenv("TAPELESS_CACHE", "0")
    fired = firing.watch(monkeypatch)
    for text in TEXTS.split():
        firing.write(text)
    # `python -m tests.optimize.firing` tells in which texts a pass fires
    assert sorted(set(firing.NAMES) - fired) == []
