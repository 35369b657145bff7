"""What holds along the ways of control, said beside the lines that it holds at."""

import gast
import pytest

from tapeless.errors import InternalError
from tapeless.tree.assigned import Assigned
from tapeless.tree.blocks import every_block
from tapeless.tree.flow import Forward
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import nodes


def parsed(text):
    """Return the body of a function, and the words beside each of its lines."""
    beside = {}
    for i, line in enumerate(text.splitlines(), 1):
        if "#" in line:
            beside[i] = set(line.split("#")[1].split())
    return gast.parse(text).body, beside


# Beside each line: what is live after it.
LIVE = {
    "break leads behind the loop, past its else": """
while c:
    y = 1               # y c x
    if c:
        break
    y = 2               # c x
else:
    y = x               # y
z = y                   #
""",
    "continue leads to the head": """
for i in n:
    a = b               # a i
    if i:
        b = i           # b
        continue
    b = a               # b
""",
    "a handler may take over anywhere in the body": """
x = 1                   # x f
try:
    x = f(x)            # x f
    y = f(x)            # y
except ValueError:
    y = x               # y
z = y                   #
""",
    "finally is on every way out": """
for i in n:             # done
    try:
        if i:
            done = i    # done
            break
        done = 0        # done
    finally:
        log(done)       # done
z = done                #
""",
    "return leads nowhere": """
def f():
    return g
""",
}


@pytest.mark.parametrize("text", LIVE.values(), ids=LIVE)
def test_liveness(text):
    block, beside = parsed(text)
    function = gast.FunctionDef(
        "f", gast.arguments([], [], None, [], [], None, []), block, [], None
    )
    found = Liveness(function)
    outside = {"f", "ValueError", "log"}
    for s in nodes(function):
        if getattr(s, "lineno", None) in beside and s in found.after:
            words = beside[s.lineno]
            assert found.live_after(s) - outside == words - outside, gast.dump(s)


# Beside each line: what is surely bound in front of it.
BOUND = {
    "a loop may make no trip": """
for i in n:             #
    y = i               # i
z = 1                   #
""",
    "a loop that only a break leaves has bound what stands before the break": """
while True:             #
    y = 1               #
    if c:               # y
        break           # y
    z = 2               # y
z = y                   # y
""",
    "a handler starts with what was bound before the body": """
x = 1                   #
try:                    # x
    y = f(x)            # x
    z = y               # x y
except ValueError as e:
    y = 2               # x e
    z = 3               # x e y
w = z                   # x y z
""",
    "what finally binds is bound behind it, and on the way out by a jump": """
for i in n:             #
    try:                # i
        x = 1           # i
        break           # i x
    finally:
        y = 2           # i
    z = 3               # i y x z w
w = 4                   #
""",
}


@pytest.mark.parametrize("text", BOUND.values(), ids=BOUND)
def test_definite_assignment(text):
    block, beside = parsed(text)
    found = Assigned(block, ())
    for s in (part for inner, _ in every_block(block) for part in inner):
        if s.lineno in beside:
            assert found.before[s] == beside[s.lineno], gast.dump(s)


def test_an_analysis_that_does_not_settle_says_so():
    class Counts(Forward[int]):
        def join(self, a, b):
            return max(a, b)

        def simple(self, s, state):
            return state + 1

    block, _ = parsed("for i in n:\n    x = i")
    with pytest.raises(InternalError, match="the head of the loop in line 1 does not settle"):
        Counts().block(block, 0)
