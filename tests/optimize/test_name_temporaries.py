"""Names of temporaries say what they are, clash with none, and are the same in both halves."""

import gast
import numpy as np
import pytest

import tapeless as tl
from tapeless.optimize.describe import NOTHING, describe, words_of_name
from tapeless.optimize.name_temporaries import (
    Naming,
    name_all_temporaries,
    name_temporaries,
)
from tapeless.source.printer import unparse
from tapeless.tree.build import quote_expression


def definition(text):
    return gast.parse(text).body[0]


def named(text, own, primal=None, taken=()):
    function = definition(text)
    return unparse(name_temporaries(function, Naming(function, frozenset(own), primal), taken))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("np.linalg.det(s)", "det_s"),
        ("np.exp((low - a) / gamma)", "exp_low_a"),
        ("x ** 3 - x", "x_cubed_minus_x"),
        ("-0.5 * x", "minus_half_x"),
        ("a / (b + c)", "a_b_ratio"),
        ("u[2:] - 2.0 * u[1:-1] + u[:-2]", "u_sum"),
        ("weights[:, None] * rho", "weights_rho"),
        ("self.angle", "angle"),
        ("h.T", "h_t"),
        ("table['a'] * table['b']", "table_a_table_b"),
        ("x[i + 1]", "x_item"),
        ("kernel_fwd(q, h)", "kernel_q"),
        ("q < 1.0", "q_below_one"),
        ("0.01 * x", "x_scaled"),
        ("2.5", ""),
    ],
)
def test_words(text, label):
    def of_name(key):
        return NOTHING if key == "np" else words_of_name(key)

    assert describe(quote_expression(text), of_name).label == label


def test_names_of_others_are_neither_taken_nor_hidden():
    text = """
def f(x, exp_x, v_2):
    v = np.exp(x)
    v_1 = np.sum(x)
    v_3 = lambda v_4: v_4 * v
    return exp_x * v * v_2 * v_1 * v_3(x)
"""
    made = named(text, ["x", "exp_x", "v_2"], taken=["sum_x"])
    assert "exp_x_1 = np.exp(x)" in made
    assert "sum_x_1 = np.sum(x)" in made
    assert "value = lambda v_4: v_4 * exp_x_1" in made
    assert "return exp_x * exp_x_1 * v_2 * sum_x_1 * value(x)" in made


def test_adjoints_follow_primals_also_folded_ones():
    text = """
def f_grad(x):
    v_1 = np.sin(x)
    v_1_bar = 2.0 * v_1
    v_2_bar = v_1_bar * 3.0
    x_bar_2 = v_2_bar + v_1_bar
    return x_bar_2
"""
    primal = definition(
        "def f(x):\n    v_1 = np.sin(x)\n    v_2 = np.exp(x)\n    return v_2 * v_1\n"
    )
    made = named(text, ["x"], primal)
    for line in ("sin_x_bar = 2.0 * sin_x", "exp_x_bar = sin_x_bar * 3.0", "return x_bar\n"):
        assert line in made


def test_halves_agree():
    text = """
def f_fwd(x):
    saved_4 = []
    v = np.cos(x)
    for i in range(3):
        saved_4.append((np.exp(x), v))
    return v, (saved_4, v)


def f_rev(saved, y_bar):
    saved_4, v_7 = saved
    for v_8, v_9 in reversed(saved_4):
        y_bar = y_bar * v_8 * v_9 * v_7
    return y_bar
"""
    forward, reverse = gast.parse(text).body
    own = frozenset(["x", "i"])
    namings = {f.name: Naming(f, own) for f in (forward, reverse)}
    made = "".join(map(unparse, name_all_temporaries(namings, {"f_rev": "f_fwd"}, ())))
    assert "saved.append((np.exp(x), cos_x))" in made
    assert "saved_1, cos_x = saved" in made
    assert "for exp_x, cos_x_1 in reversed(saved_1):" in made


def softened(z, y):
    exp_z = np.exp(-z)
    return np.sum(np.log(1.0 + np.exp(z)) * y * exp_z) / np.sum(np.exp(z) ** 2)


def test_no_name_is_a_number():
    z, y = np.array([0.3, -0.2]), np.array([1.0, 2.0])
    text = tl.source(softened, wrt=0, like=(z, y))
    assert " v_" not in text and " v =" not in text
    tl.testing.check_grads(softened, z, y)


def test_items_of_what_has_no_name():
    text = "def f(x):\n    v_2_0_1, v_2_1_1 = np.ix_(x, x)\n    return v_2_0_1 * v_2_1_1\n"
    assert "return ix_x * ix_x_1" in named(text, ["x"])
