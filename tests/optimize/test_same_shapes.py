"""Which numbers are left to broadcast: an expression must have its shape without them."""

import gast
import numpy as np
import pytest

from tapeless import runtime
from tapeless.optimize import Context
from tapeless.optimize.same_shapes import drop_broadcasts
from tapeless.source.printer import unparse

FOUND = {"np.sin": np.sin, "np.shape": np.shape, **vars(runtime)}
LINES = {
    "beside": ("x_bar = y_bar * x", True),
    "further off": ("x_bar = w * (y_bar * 2.0 - x)", True),
    "behind a sign": ("x_bar = -(-(y_bar * 0.5)) * x", True),
    "alone": ("x_bar = y_bar * 2.0", False),
    "twice": ("x_bar = y_bar * y_bar", False),
    "twice, beside": ("x_bar = y_bar * y_bar * x", True),
    "elsewhere, too": ("x_bar = -(-(y_bar * x)) + w * g(y_bar)", False),
    "beside what is spread": ("x_bar = y_bar * unreduce(3.0, np.shape(x), None, False)", True),
    "in a power": ("x_bar = x * y_bar**x", False),
}


@pytest.mark.parametrize("line, is_left", LINES.values(), ids=list(LINES))
def test_names_of_spread_numbers(line, is_left):
    text = f"""
def f(x, w):
    y_bar = unreduce(2.0, np.shape(x), None, False)
    {line}
    return x_bar
"""
    function = gast.parse(text).body[0]
    drop_broadcasts(function, Context(lambda tree: FOUND.get(gast.unparse(tree))))
    assert ("y_bar = 2.0" in unparse(function)) is is_left
    assert ("unreduce(3.0" in unparse(function)) is ("unreduce(3.0" in line)


def test_what_is_left_a_number_gives_no_shape():
    text = """
def f(x):
    y_bar = unreduce(2.0, np.shape(x), None, False)
    x_bar = y_bar * x
    return x_bar, y_bar_1 * unreduce(3.0, np.shape(x), None, False)
"""
    function = gast.parse(text.replace("y_bar_1", "(y_bar + x * 0.0) * y_bar")).body[0]
    drop_broadcasts(function, Context(lambda tree: FOUND.get(gast.unparse(tree))))
    assert "y_bar = 2.0" in unparse(function)
    assert "y_bar * 3.0" in unparse(function)
