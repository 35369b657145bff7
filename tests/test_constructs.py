"""What programs of strangers hold, construct by construct, in the forms in which they write it.

Each program is right in reverse mode, in forward mode and at second order, by central differences and by
the product of cotangents and tangents, or it is refused as `refused.txt` says: then the refusal names
its line and a way out, and the program that goes this way is right. `pytest --update-golden` writes the
list anew; the diff is reviewed like code.
"""

import pathlib

import pytest

from tests.constructs import functions, iteration, precision, records, state
from tests.constructs.derivatives import MODES, forward, outcome, reverse

FAMILIES = (functions, state, iteration, precision, records)
PROGRAMS = [f for family in FAMILIES for row in family.ROWS.values() for f in row]
WAYS_OUT = {f: way for family in FAMILIES for f, way in family.WAYS_OUT.items()}
REFUSED = pathlib.Path(__file__).with_name("constructs") / "refused.txt"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_right_or_refused_as_listed(f, update_golden):
    found = {mode: outcome(f, mode) for mode in MODES}
    lines = [f"{f.__name__}, {mode}: {reason}" for mode, reason in found.items() if reason]
    kept = REFUSED.read_text().splitlines() if REFUSED.exists() else []
    own = [line for line in kept if line.startswith(f"{f.__name__}, ")]
    if update_golden and lines != own:
        others = [line for line in kept if line not in own]
        REFUSED.write_text("\n".join(sorted([*others, *lines])) + "\n")
        own = lines
    assert sorted(lines) == sorted(own)
    assert not found["reverse"] or f in WAYS_OUT, "a way out that is tested"
    if not found["reverse"] and not found["forward"]:
        assert abs(reverse(f) - forward(f)) < 1e-9 * (1.0 + abs(forward(f)))


@pytest.mark.parametrize("way", dict.fromkeys(WAYS_OUT.values()), ids=lambda f: f.__name__)
def test_ways_out(way):
    assert [outcome(way, mode) for mode in MODES] == [None, None, None]


def test_that_each_construct_has_neighbours():
    assert all(len(row) >= 4 for family in FAMILIES for row in family.ROWS.values())
