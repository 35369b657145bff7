"""What a generated text may read where it is not bound, and what only looks like it."""

import gast
import pytest

import tapeless as tl
from tapeless import optimize, pipeline
from tapeless.differentiate.reverse.bound import unbound_reads
from tapeless.errors import InternalError
from tapeless.tree.names import binds

UNBOUND = {
    "never before": ("t", "y = t\nt = x"),
    "in one arm": ("t", "if c:\n    t = x\ny = t"),
    "in the other arm": ("t", "if c:\n    t = x\nelse:\n    y = x\ny = t"),
    "in a loop that may make no trip": ("t", "for i in range(x):\n    t = i\ny = t"),
    "in the next trip": ("t", "for i in range(x):\n    y = t\n    t = i"),
    "in a later arm": ("t", "if c:\n    y = t\nif x:\n    t = x"),
    "where the loop was left": ("t", "while True:\n    if c:\n        break\n    t = x\ny = t"),
    "by an update": ("t", "if c:\n    t = x\nt += x"),
    "by a flag that was set anew": (
        "t",
        "b = c\nif b:\n    t = x\n    b = x\nif c:\n    b = 1\ny = t",
    ),
    "in a nested function": ("t", "def g():\n    return t\nif c:\n    t = x"),
}

BOUND = {
    "in both arms": "if c:\n    t = x\nelse:\n    t = c\ny = t",
    "under the same test": "if c:\n    t = x\nif c:\n    y = t",
    "under its opposite": "if not c:\n    t = x\nif not c:\n    y = t",
    "after a return": "if c:\n    return x\nelse:\n    t = x\ny = t",
    "after a return under the same test": "if c:\n    t = x\nif not c:\n    return x\ny = t",
    "by a flag": "k = 0\nif c:\n    k = 1\n    t = x\nif not k == 1:\n    return x\ny = t",
    "by the copy of a test": "if c:\n    t = x\n    d = c\nelse:\n    d = c\nif not d:\n    return x\ny = t",
    "in a mirrored loop": "for i in range(x):\n    t = i\nfor i in range(x):\n    y = t",
    "in an endless loop": "while True:\n    t = x\n    if c:\n        break\ny = t",
    "by the else of a loop": "for i in range(x):\n    pass\nelse:\n    t = x\ny = t",
    "in a body that may be interrupted": "try:\n    t = x\nexcept ValueError:\n    pass\ny = t",
    "in a comprehension": "y = [t for t in x]",
    "by a lambda": "y = (lambda t: t)(x)",
    "where the user's name is not": "for i in range(x):\n    y = i\n    t = i\nz = y\nz = t",
}


def parsed(body):
    inner = "\n".join(f"    {line}" for line in body.splitlines())
    return gast.parse(f"def f(x, c):\n{inner}\n").body[0]


@pytest.mark.parametrize("case", UNBOUND)
def test_is_found(case):
    wanted, body = UNBOUND[case]
    found = unbound_reads(parsed(body), {"x", "c", "y", "z", "i"})
    assert found[0][1] == wanted


@pytest.mark.parametrize("case", BOUND)
def test_is_not_found(case):
    assert unbound_reads(parsed(BOUND[case]), {"x", "c", "y", "z", "i"}) == []


def test_tangents_stand_beside_their_primals():
    text = parsed("for i in range(x):\n    y_dot = i\n    y = i\nz_dot = y_dot\nz = y")
    assert unbound_reads(text, {"x", "c", "y", "z", "i"}, paired=True) == []
    assert unbound_reads(text, {"x", "c", "y", "z", "i"})


def test_a_derivative_is_refused(monkeypatch):
    def forgetting(function, context):
        made = optimize.optimize(function, context)
        made.body = [s for s in made.body if "y_bar" not in binds(s) or isinstance(s, gast.For)]
        return made

    def f(x):
        y = x * x
        for _ in range(2):
            y = y * x
        return y

    monkeypatch.setattr(pipeline, "optimize", forgetting)
    with pytest.raises(InternalError, match="would read `y_bar` where it may not be bound"):
        tl.grad(f)(1.5)
