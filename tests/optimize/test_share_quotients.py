"""A quotient is read again only while it, and what it was made of, is what it was."""

import gast
import numpy as np
import pytest

import tapeless as tl
from tapeless.optimize import Context
from tapeless.optimize.share_quotients import share_quotients
from tapeless.source.printer import unparse

X, Y = np.array([0.5, -1.5, 2.0]), np.array([1.5, 0.7, -0.3])


def shared(body):
    function = gast.parse(f"def f(g_bar, y, m):\n{body}").body[0]
    context = Context(temporaries=lambda key: key.endswith("_bar"), reverse=True)
    changed = share_quotients(function, context)
    return changed, unparse(function)


@pytest.mark.parametrize("between", ["x_bar += 1.0", "g_bar *= 2.0", "m = 2.0 * m", "y(m)"])
def test_not_once_a_part_has_changed(between):
    changed, _ = shared(f"    x_bar = g_bar / m\n    {between}\n    m_bar = g_bar * y / m\n")
    assert not changed


def test_not_where_the_name_would_be_a_second_one():
    changed, _ = shared("    x_bar = g_bar / m\n    m_bar = g_bar / m\n    m_bar += x_bar\n")
    assert not changed


def test_a_guarded_quotient_is_read_under_its_guard():
    changed, text = shared(
        "    x_bar = g_bar / m if g_bar else 0.0\n"
        "    m_bar = -g_bar * y / m if g_bar else 0.0\n"
        "    n_bar = g_bar * y / m\n"
    )
    assert changed
    assert "m_bar = -x_bar * y if g_bar else 0.0" in text
    assert "n_bar = g_bar * y / m" in text


def test_not_where_a_loop_changes_a_part_later():
    changed, _ = shared(
        "    x_bar = g_bar / m\n"
        "    for i in range(3):\n"
        "        m_bar = g_bar * y / m\n"
        "        g_bar = g_bar + m_bar\n"
    )
    assert not changed


def softmax(x):
    e = np.exp(x)
    return np.sum(e / np.sum(e) * Y)


def ratio_of_itself(x):
    y = x / (1.0 + x * x)
    return np.sum(y * y)


def in_place(x):
    y = x * 1.0
    y /= 2.0 + np.sin(x)
    return np.sum(y**3)


def in_a_loop(x):
    y = x
    for _ in range(3):
        y = y / (1.0 + y * y)
    return np.sum(y)


def at_a_pole(x):
    return np.sum(np.where(x > 0.0, x / np.maximum(x, 0.0), 0.0) * x)


@pytest.mark.parametrize("f", [softmax, ratio_of_itself, in_place, in_a_loop, at_a_pole])
def test_derivative(f):
    tl.check_grads(f, X)
    tl.check_grads(f, X, replay=True)


def test_text():
    text = tl.source(softmax, like=(X,))
    assert text.count(" / ") == 2  # one in each sweep
