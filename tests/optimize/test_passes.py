# ruff: noqa: E501
"""Each pass on small texts: what it changes, and what it must leave alone."""

import math

import gast
import numpy as np
import pytest

from tapeless import runtime
from tapeless.externals import MISSING
from tapeless.kinds import UNKNOWN, Array, Real, Size
from tapeless.optimize import Context, drop_unused_state, optimize
from tapeless.optimize.append_items import append_items
from tapeless.optimize.carry_signs import carry_signs
from tapeless.optimize.construct_plainly import construct_plainly
from tapeless.optimize.count_finished_trips import count_finished_trips
from tapeless.optimize.drop_repeated_constants import drop_repeated_constants
from tapeless.optimize.drop_restores import drop_restores
from tapeless.optimize.eliminate_dead_code import eliminate_dead_code, eliminate_dead_saves
from tapeless.optimize.empty_stacks import empty_stacks
from tapeless.optimize.fill_slots import fill_slots
from tapeless.optimize.iterate_saves import go_through_saves
from tapeless.optimize.join_selections import join_selections
from tapeless.optimize.join_tests import join_tests
from tapeless.optimize.join_updates import choose_values, join_updates, raise_pushes
from tapeless.optimize.keep_shapes import keep_shapes
from tapeless.optimize.list_entries import list_entries
from tapeless.optimize.merge_saves import merge_handed_saves, merge_saves
from tapeless.optimize.propagate_copies import propagate_copies, unite_names
from tapeless.optimize.renest import renest
from tapeless.optimize.simplify import simplify
from tapeless.optimize.skip_zeros import skip_zeros
from tapeless.source.printer import unparse

KINDS = {
    "s": Real(), "t": Real(), "a": Array((3,)), "n": UNKNOWN, "i": Array((2,), "i"),
    "b": Array((Size(0),)), "c": Array((Size(0),)),
}  # fmt: skip


def resolve(tree):
    if isinstance(tree, gast.Attribute) and isinstance(tree.value, gast.Attribute):
        return getattr(resolve(tree.value), tree.attr, MISSING)
    if isinstance(tree, gast.Attribute) and isinstance(tree.value, gast.Name):
        return getattr({"np": np, "math": math}.get(tree.value.id), tree.attr, MISSING)
    if getattr(tree, "id", None) in ("copied", "matmul_left_bar", "matmul_right_bar"):
        return getattr(runtime, tree.id)
    builtins = {f.__name__: f for f in (range, len, enumerate, reversed, zip, list, max, abs)}
    return builtins.get(getattr(tree, "id", None), MISSING)


def is_temporary(key):
    return key[0] == "v" or "_bar" in key or key.startswith(("saved", "trips", "old"))


def run(pass_, text, reverse=True):
    body = "\n".join("    " + line for line in text.strip("\n").splitlines())
    function = gast.parse(f"def f(x, y, s, g, n):\n{body}\n").body[0]
    context = Context(resolve, is_temporary, lambda key: KINDS.get(key, UNKNOWN), reverse)
    before = unparse(function)
    made = pass_(function, context)
    function = function if isinstance(made, bool) else made
    assert made or unparse(function) == before, "it says that it changed nothing"
    made = unparse(function).splitlines()[1:]
    return "\n".join(line[4:] for line in made)


def counted(
    *, mark="1", jump="break", last="0", test="end != 1", after="", before="", back="range(trips)"
):
    """Two loops, of which the first says where its trips end."""
    forward = (
        f"trips = 0\nsaved = []\nfor i in range(n):\n    trips += 1\n{before}"
        f"    if h(i):\n        saved.append({mark})\n        {jump}\n    h(s)\n    saved.append({last})"
    )
    return f"{forward}\nfor i in {back}:\n    end = saved.pop()\n    if {test}:\n        h(a)\n{after}".strip()


UNCOUNTED = "trips = 0\nfor i in range(n):\n    if h(i):\n        break\n    h(s)\n    trips += 1\nfor i in range(trips):\n    h(a)"


CHANGED = [
    (count_finished_trips, counted(), UNCOUNTED),
    (count_finished_trips, counted(test="end not in (1,)"), UNCOUNTED),
    (count_finished_trips, counted(after="    if end != 1:\n        h(s)"), UNCOUNTED + "\n    h(s)"),
    (propagate_copies, "v = x\nreturn v * v", "v = x\nreturn x * x"),
    (propagate_copies, "v_bar = 0.0\nv_bar += x\nreturn v_bar", "v_bar = 0.0\nv_bar = 0.0 + x\nreturn v_bar"),
    (propagate_copies, "v = x\nif s:\n    y = v\nreturn y", "v = x\nif s:\n    y = x\nreturn y"),
    (propagate_copies, "v = x\nx[0] = s\nreturn v", "v = x\nx[0] = s\nreturn x"),
    (unite_names, "v_bar = h(x)\nx_bar = v_bar\nreturn x_bar", "x_bar = h(x)\nx_bar = x_bar\nreturn x_bar"),
    (unite_names, "v_bar = h(x)\nw_bar = v_bar\nx_bar = v_bar\nreturn x_bar, w_bar",
     "x_bar = h(x)\nw_bar = x_bar\nx_bar = x_bar\nreturn x_bar, w_bar"),
    (simplify, "v = 1.0 * s * s\nx_bar = v + -y\nh(x_bar)", "v = s * s\nx_bar = v - y\nh(x_bar)"),
    (simplify, "g_bar = s * -1.0\ng_bar += -(s * x)\nreturn g_bar", "g_bar = -s\ng_bar -= s * x\nreturn g_bar"),
    (simplify, "v = s * x + s * x\nreturn v", "v = 2.0 * s * x\nreturn v"),
    (simplify, "v_bar = np.sum(-a, axis=0, keepdims=True)\nh(v_bar)",
     "v_bar = -np.sum(a, axis=0, keepdims=True)\nh(v_bar)"),
    (simplify, "v_bar = np.sum(a, axis=1, keepdims=True)[:, 0]\nh(v_bar)", "v_bar = np.sum(a, axis=1)\nh(v_bar)"),
    (simplify, "v_bar = 0.5 * s * (2.0 * a)\nh(v_bar)", "v_bar = s * a\nh(v_bar)"),
    (simplify, "v_bar = s / np.shape(np.tanh(a))[0]\nh(v_bar)", "v_bar = s / len(a)\nh(v_bar)"),
    (simplify, "v_bar = 2.0 * a\nreturn np.array(v_bar)", "v_bar = 2.0 * a\nreturn v_bar"),
    (eliminate_dead_code, "v = x * x\nreturn x", "return x"),
    (eliminate_dead_code, "if s > 1:\n    v = x\nreturn x", "return x"),
    (eliminate_dead_code, "v_bar = np.zeros_like(x)\nv_bar[0] += s\nreturn x", "return x"),
    (eliminate_dead_code, "v_bar = np.zeros_like(x)\nv_bar = x * x\nreturn v_bar", "v_bar = x * x\nreturn v_bar"),
    (drop_repeated_constants, "v = 0.0\nif s:\n    v = 0.0\n    h(v)\nreturn v", "v = 0.0\nif s:\n    h(v)\nreturn v"),
    (drop_repeated_constants, "v = 0.0\nif s:\n    v = 0.0\nreturn v", "v = 0.0\nif s:\n    pass\nreturn v"),
    (simplify, "g_bar = np.zeros_like(a)\nnp.add.at(g_bar, i, 1.0 * a[i])\nreturn g_bar",
     "g_bar = np.zeros_like(a)\nnp.add.at(g_bar, i, a[i])\nreturn g_bar"),
    (renest, "v = x @ y\nh = np.tanh(v)\nreturn h", "h = np.tanh(x @ y)\nreturn h"),
    (renest, "v = x[0]\nsaved = []\nsaved.append(s)\ny = 2.0 * v\nh(y)\nz = saved.pop()\nh(z)",
     "saved = []\nsaved.append(s)\ny = 2.0 * x[0]\nh(y)\nz = saved.pop()\nh(z)"),
    (renest, "v = s * s\nx[0] = s\ny = v + 1.0\nreturn y", "x[0] = s\ny = s * s + 1.0\nreturn y"),
    (join_updates, "x_bar = s * y\nx_bar += x\nreturn x_bar", "x_bar = s * y + x\nreturn x_bar"),
    (join_updates, "b.v = b.v + s\nb.v = b.v + t * y + np.sum(x)", "b.v = b.v + s + t * y + np.sum(x)"),
    (eliminate_dead_code, "u = []\nfor i in range(3):\n    u.append(s)\nfor v in u:\n    h(v)\nfor i in range(3):\n    s = s * s\n    h(s)\n    u.pop()",
     "u = []\nfor i in range(3):\n    u.append(s)\nfor v in u:\n    h(v)\nfor i in range(3):\n    s = s * s\n    h(s)"),
    (simplify, "v_bar = -(-0.5) * s\nh(v_bar)", "v_bar = 0.5 * s\nh(v_bar)"),
    (simplify, "v_bar = np.roll(a, --1)\nh(v_bar)", "v_bar = np.roll(a, 1)\nh(v_bar)"),
    (simplify, "v_bar = 2.0 / math.prod(np.shape(n**2))\nh(v_bar)", "v_bar = 2.0 / np.size(n)\nh(v_bar)"),
    (simplify, "v_bar = matmul_left_bar(1.0, x, x) + matmul_right_bar(1.0, x, x)\nh(v_bar)", "v_bar = 2.0 * x\nh(v_bar)"),
    (simplify, "v_bar = 1.0 * (a / len(b))\nh(v_bar)", "v_bar = a / len(b)\nh(v_bar)"),
    (simplify, "v_bar = s / t if -0.5 else 0.0\nh(v_bar)", "v_bar = s / t\nh(v_bar)"),
    (simplify, "v = s * a + a * s\nh(v)", "v = 2.0 * s * a\nh(v)"),
    (simplify, "v = copied(list(2.0 * x))\nh(v)", "v = list(2.0 * x)\nh(v)"),
    (append_items, "v_bar = [0.0] * len(y)\nfor k_bar, s in enumerate(zip(range(3), y)):\n    h(s)\n    v_bar[k_bar] = v_bar[k_bar] + s * s\nh(v_bar)",
     "v_bar = []\nfor s in zip(range(3), y):\n    h(s)\n    v_bar.append(s * s)\nh(v_bar)"),
    (keep_shapes, "saved = []\nfor i in range(n):\n    saved.append((s, b))\n    b = h(b)\nfor i in range(n):\n    s, b = saved.pop()\n    h(s, np.shape(b), np.zeros_like(b))",
     "saved = []\nfor i in range(n):\n    saved.append((s, b.shape))\n    b = h(b)\nfor i in range(n):\n    s, v_00 = saved.pop()\n    h(s, v_00, np.zeros(v_00))"),
    (go_through_saves, "saved = []\nfor i in range(n):\n    saved.append(s)\nwhile saved:\n    v = saved.pop()\n    h(v)",
     "saved = []\nfor i in range(n):\n    saved.append(s)\nfor v in reversed(saved):\n    h(v)"),
    (go_through_saves, "saved = []\nfor i in range(n):\n    saved.append(s)\nfor i, t in zip(range(n), x):\n    h(i)\n    v = saved.pop()\n    h(v)",
     "saved = []\nfor i in range(n):\n    saved.append(s)\nfor i, v in zip(range(n), reversed(saved)):\n    h(i)\n    h(v)"),
    (fill_slots, "b_bar.p = 0.0\nb_bar.q = b_bar.q + s\nb_bar.p = b_bar.p + s * a\nreturn s", "b_bar.q = b_bar.q + s\nb_bar.p = s * a\nreturn s"),
    (fill_slots, "b_bar.p = 0.0\nb_bar.p = b_bar.p + np.transpose(a) + s * a\nreturn s", "b_bar.p = np.transpose(a) + s * a\nreturn s"),
    (fill_slots, "v = b_bar.p\nb_bar.p = 0.0\nx.p = y\nb_bar.p = b_bar.p + v\nh(v, b_bar)", "v = b_bar.p\nx.p = y\nh(v, b_bar)"),
    (fill_slots, "v = b_bar.p\nb_bar.p = 0.0\nx.q = s\nb_bar.p = b_bar.p + v\nh(v, b_bar)", "v = b_bar.p\nx.q = s\nh(v, b_bar)"),
    (carry_signs, "v_bar = -s\nx_bar = y + v_bar * a\nz_bar = v_bar * t\nreturn x_bar, z_bar",
     "x_bar = y - s * a\nz_bar = -s * t\nreturn x_bar, z_bar"),
    (carry_signs, "v_bar = -s\nx_bar = t / v_bar if v_bar else 0.0\nx_bar -= -v_bar @ a\nreturn x_bar",
     "x_bar = t / -s if s else 0.0\nx_bar -= s @ a\nreturn x_bar"),
    (carry_signs, "v_bar = -s\nx_bar = v_bar * y + v_bar * t - v_bar\nreturn x_bar", "x_bar = -s * t - s * y + s\nreturn x_bar"),
    (carry_signs, "v_bar = -s\nw_bar = -v_bar\nx_bar = y + w_bar - v_bar\nreturn x_bar",
     "w_bar = s\nx_bar = y + w_bar + s\nreturn x_bar"),
    (carry_signs, "v_bar = -s\nv_bar = y - v_bar\nreturn v_bar", "v_bar = y + s\nreturn v_bar"),
    (carry_signs, "v_bar = -g\nw_bar = -v_bar\nx_bar = y * w_bar\nv_bar = -g\nx_bar = x_bar - v_bar\nreturn x_bar",
     "w_bar = g\nx_bar = y * w_bar\nx_bar = x_bar + g\nreturn x_bar"),
    (carry_signs, "if s:\n    v_bar = -s\n    x_bar = y + v_bar\nelse:\n    w_bar = -t\n    x_bar = y - w_bar\nreturn x_bar",
     "if s:\n    x_bar = y - s\nelse:\n    x_bar = y + t\nreturn x_bar"),
    (join_selections, "x_bar = np.where(y, 0.0, a)\nx_bar -= np.where(y, a, 0.0)\nreturn x_bar",
     "x_bar = np.where(y, -a, a)\nreturn x_bar"),
    (join_selections, "x_bar = np.where(y, a, 0.0)\nx_bar += np.where(y, 0.0, -a)\nx_bar += s\nreturn x_bar",
     "x_bar = np.where(y, a, -a)\nx_bar += s\nreturn x_bar"),
    (join_selections, "return np.where(y, a, 0.0) - np.where(y, 0.0, -a)", "return np.where(y, a, a)"),
    (join_selections, "return np.where(y, a, 0.0) + np.where(y, 0.0, a) * 0.1", "return np.where(y, a, a * 0.1)"),
    (join_selections, "return 2.0 * np.where(y, a, 0.0) - np.where(y, 0.0, a) / t", "return np.where(y, 2.0 * a, -(a / t))"),
    (join_selections, "v_bar = np.where(y, 1.0, 0.0)\nv_bar += np.where(y, 0.0, a) * b", "v_bar = np.where(y, 1.0, a * b)"),
    (choose_values, "if s > 0:\n    v = x\nelse:\n    v = y\nh(v)", "v = x if s > 0 else y\nh(v)"),
    (skip_zeros, "v_bar = 0.0\nif s > 0:\n    v_bar = g\nx_bar[0] -= s * v_bar\ny_bar[1] += a", "v_bar = 0.0\nif s > 0:\n    v_bar = g\n    x_bar[0] -= s * v_bar\ny_bar[1] += a"),
    (skip_zeros, "v_bar = 0.0\nif s > 0:\n    v_bar = g\nv_1_bar = v_bar @ a\nfor i in range(3):\n    x_bar[i] += v_1_bar[i]", "v_bar = 0.0\nif s > 0:\n    v_bar = g\n    v_1_bar = v_bar @ a\n    for i in range(3):\n        x_bar[i] += v_1_bar[i]"),
    (skip_zeros, "v_bar = 0.0\nif s > 0:\n    v_bar = g\nv_1_bar = 2.0 * v_bar\nx_bar[0] += v_1_bar\nv_2_bar = s * v_bar\nh(v_2_bar)", "v_bar = 0.0\nif s > 0:\n    v_bar = g\n    v_1_bar = 2.0 * v_bar\n    x_bar[0] += v_1_bar\nv_2_bar = s * v_bar\nh(v_2_bar)"),
    (join_tests, "if not s < 1:\n    v = x\nif s < 1:\n    v = y\nh(v)", "if s < 1:\n    v = y\nelse:\n    v = x\nh(v)"),
    (join_tests, "if s < 1:\n    v = x\nif s < 1:\n    v = v * y\nif s < 1:\n    h(v)", "if s < 1:\n    v = x\n    v = v * y\n    h(v)"),
    (join_tests, "if n != 1:\n    v_bar = x\nif n != 1:\n    h(v_bar)", "if n != 1:\n    v_bar = x\n    h(v_bar)"),
    (list_entries, "b = h(x)\ns, t = b\nb_bar = np.zeros_like(b)\nb_bar[1] -= t\nb_bar[0] += s\nh(b_bar)", "b = h(x)\ns, t = b\nb_bar = np.array([s, -t])\nh(b_bar)"),
    (drop_restores, "b = np.zeros(3)\nb[0] = s\nb_bar = np.zeros_like(b)\nh(np.sum(b_bar), np.shape(b))", "b = np.zeros(3)\nb_bar = np.zeros_like(b)\nh(np.sum(b_bar), np.shape(b))"),
]  # fmt: skip

UNTOUCHED = [
    *((count_finished_trips, counted(**given)) for given in [
        {"jump": "continue"}, {"jump": "return s"}, {"mark": "s"}, {"last": "2"}, {"test": "end != 2"},
        {"test": "end == 1"}, {"after": "    h(s)"}, {"after": "    h(end)"}, {"after": "h(trips)"}, {"back": "y"},
        {"after": "    x = s\nh(x)"}, {"before": "    h(trips)\n"}, {"before": "    for t in y:\n        if t:\n            saved.append(1)\n            break\n"},
    ]),
    (join_selections, "x_bar = np.where(y, 0.0, a)\nx_bar -= np.where(s, a, 0.0)\nreturn x_bar"),
    (join_selections, "x_bar = np.where(y, a, 0.0)\nx_bar += np.where(y, a, 0.0)\nreturn x_bar"),
    (join_selections, "x_bar = np.where(y, 0.0, a)\nx_bar += np.where(y, x_bar, 0.0)\nreturn x_bar"),
    (join_selections, "x_bar = np.where(y, 0.0, a)\nx_bar += np.where(y, i, 0.0)\nreturn x_bar"),
    (join_selections, "x_bar = np.where(h(y), 0.0, a)\nx_bar += np.where(h(y), a, 0.0)\nreturn x_bar"),
    (join_selections, "x_bar = np.where(y, 0.0, s)\nx_bar -= np.where(y, s, 0.0)\nreturn x_bar"),
    (join_selections, "return np.where(y, a, 0.0) + np.where(y, a, 0.0) * 0.1"),
    (join_selections, "return np.where(y, a, 0.0) + 0.1 / np.where(y, 0.0, a)"),
    (carry_signs, "v_bar = -s\ns = t\nx_bar = y + v_bar\nreturn x_bar"),
    (carry_signs, "w_bar = h(x)\nv_bar = -w_bar\nx_bar = -v_bar\nx_bar += y\nreturn x_bar, w_bar"),
    (carry_signs, "v_bar = -g\nx_bar = -v_bar\nreturn x_bar"),
    (carry_signs, "v_bar = -g\ng[0] = t\nx_bar = y + v_bar\nreturn x_bar"),
    (carry_signs, "v_bar = -g\nh(g)\nx_bar = y + v_bar\nreturn x_bar"),
    (carry_signs, "v_bar = -s\nh(y + v_bar)\nreturn y"),
    (carry_signs, "v_bar = -s\nv_bar += y\nx_bar = t - v_bar\nreturn x_bar"),
    (carry_signs, "v_bar = -s\nx_bar = y + v_bar\nif t:\n    x_bar = x_bar - v_bar\nreturn x_bar"),
    (carry_signs, "v_bar = -s\nx_bar = y + v_bar\nz_bar = v_bar * t\nw_bar = v_bar * x\nreturn x_bar, z_bar, w_bar"),
    (carry_signs, "v_bar = -s\nz_bar = v_bar * t\nreturn z_bar"),
    (carry_signs, "v_bar = -s\nx_bar += v_bar * t\nx_bar += v_bar * t\nreturn x_bar"),
    (carry_signs, "v_bar = -s\ny[v_bar] = y - v_bar\nreturn y"),
    (drop_repeated_constants, "v = 0.0\nif s:\n    v = 1.0\nv = 0.0\nreturn v"),
    (drop_repeated_constants, "v = 0.0\nfor i in range(3):\n    v = 0.0\n    v += s\n    h(v)"),
    (drop_repeated_constants, "v = 0.0\nv += s\nv = 0.0\nreturn v"),
    (drop_repeated_constants, "v = 0.0\nv = -0.0\nv = 0\nreturn v"),
    (drop_repeated_constants, "v = 0.0\ntry:\n    v = h(x)\nexcept TypeError:\n    pass\nv = 0.0\nreturn v"),
    (drop_repeated_constants, "v = 0.0\nwhile s:\n    if x:\n        v = 0.0\n        break\n    v = h(x)\nreturn v"),
    (simplify, "v_bar = np.sum(-a, 0)\nh(v_bar)"),
    (simplify, "v_bar = np.sum(-a, initial=1.0)\nh(v_bar)"),
    (simplify, "v_bar = np.sum(a, axis=1, keepdims=True)[:, 1]\nh(v_bar)"),
    (simplify, "v_bar = np.sum(a, axis=0, keepdims=True)[:, 0]\nh(v_bar)"),
    (simplify, "v_bar = 0.1 * (0.3 * a)\nh(v_bar)"),
    (simplify, "v_bar = 2.0 * a\nreturn v_bar, np.array(v_bar)"),
    (simplify, "g_bar = 1.0 * a\nnp.add.at(g_bar, i, s)\nreturn a"),
    (simplify, "g_bar = np.zeros_like(a)\nnp.add.at(g_bar, i, 1.0 * g_bar)\nreturn g_bar"),
    (eliminate_dead_code, "np.add.at(x, i, s)\nreturn y"),
    (propagate_copies, "v = x\nx = y\nreturn v"),
    (propagate_copies, "v = x\nx += y\nreturn v"),
    (propagate_copies, "v = x\nfor i in range(n):\n    h(v)\n    x = y"),
    (propagate_copies, "v = x\nwhile h(v):\n    v = y"),
    (propagate_copies, "if s:\n    v = x\nelse:\n    v = y\nreturn v"),
    (propagate_copies, "v = x\nh = lambda: v\nx = y\nreturn h"),
    (propagate_copies, "v = outer\nh(x)\nreturn v"),
    (renest, "v = outer\nh(x)\nreturn v"),
    (simplify, "v = 1.0 * a\na += y\nh = v + y\nreturn h + y"),
    (merge_saves, "saved = []\nsaved_1 = []\nfor i in range(n):\n    saved.append((x, y))\n    "
     "saved_1.append(s)\nfor i in range(n):\n    s = saved_1.pop()\n    v = saved.pop()\n    h(v)"),
    (unite_names, "v_bar = h(x)\nx_bar = v_bar\nreturn x_bar, v_bar"),
    (unite_names, "v_bar = h(x)\nx_bar = h(y)\nh(x_bar)\nx_bar = v_bar\nreturn x_bar"),
    (simplify, "x_bar = 1.0 * x\nreturn x_bar"),
    (simplify, "v = 1.0 * n\nh(v)"),
    (simplify, "v_bar = matmul_left_bar(1.0, x, y)\nh(v_bar)"),
    (simplify, "v_bar = matmul_left_bar(g, x, x)\nh(v_bar)"),
    (simplify, "v = 1.0 * (n / i)\nh(v)"),
    (simplify, "v = math.prod(np.shape(x), start=2)\nh(v)"),
    (simplify, "x_bar = 1.0 * a\nx_bar += y\nreturn x_bar"),
    (simplify, "x_bar = 1.0 * a\nv = x_bar\nv[0] = 1.0\nreturn a"),
    (eliminate_dead_code, "v = x[0]\nv[0] = s\nreturn x"),
    (eliminate_dead_code, "v_bar = x[0]\nv_bar += s\nreturn x"),
    (eliminate_dead_code, "v = h(x)\nreturn x"),
    (eliminate_dead_code, "v = 1.0\nfor i in range(n):\n    h(v)\n    v = x * y"),
    (eliminate_dead_code, "v = x\ntry:\n    h(x)\nexcept TypeError:\n    return v"),
    (renest, "v = x[0]\nx[0] = s\ny = v\nreturn y"),
    (renest, "v = x * y\nx += 1.0\nh = v + 1.0\nreturn h"),
    (renest, "v = x[0]\nh(x)\ny = v + 1.0\nreturn y"),
    (renest, "v = x[0]\nz = y\nz[0] = s\nu = v * 2.0\nreturn u"),
    (renest, "v = x * y\nfor i in range(n):\n    z = v + 1.0\nreturn z"),
    (renest, "v = x * y\nif s:\n    z = v + 1.0\n    return z"),
    (renest, "v = x * y\ny = s\nu = v + 1.0\nreturn u"),
    (renest, "v = np.random.normal()\nv_1 = np.random.normal()\nreturn v_1 - v"),
    (renest, "v = x * y\nwhile h(v):\n    pass"),
    (renest, "v = x * y\nz = [v for i in x]\nh(z)"),
    (renest, "v = x[0]\nz = h(x) + v\nreturn z"),
    (join_updates, "x_bar = y[0]\nx_bar += x\nreturn x_bar"),
    (join_updates, "x_bar = y\nx_bar += x\nreturn x_bar"),
    (join_updates, "x_bar = s * y\nx_bar += x_bar * x\nreturn x_bar"),
    (choose_values, "if s > 0:\n    v = x\nelse:\n    v = y\nh(v)\nh(v)"),
    (eliminate_dead_code, "u = []\nu.append(s)\nu.pop()\nreturn len(u)"),
    (eliminate_dead_code, "u = []\nv = u\nu.append(s)\nu.pop()\nreturn v"),
    (eliminate_dead_code, "u = []\nh(u)\nfor i in range(3):\n    h(u[i])\n    u.pop()"),
    (eliminate_dead_code, "y.pop()\nreturn s"),
    (simplify, "v = x * y + y * x\nh(v)"),
    (simplify, "v = a @ a + s * a\nh(v)"),
    (simplify, "v = copied(list(x))\nh(v)"),
    (simplify, "v = copied(list([x] + [y]))\nh(v)"),
    (append_items, "v_bar = [0.0] * len(y)\nfor k_bar, s in enumerate(x):\n    v_bar[k_bar] = v_bar[k_bar] + s\nh(v_bar)"),
    (append_items, "v_bar = [0.0] * len(y)\nh(v_bar)\nfor k_bar, s in enumerate(y):\n    v_bar[k_bar] = v_bar[k_bar] + s\nh(v_bar)"),
    (append_items, "v_bar = [0.0] * len(y)\nfor k_bar, s in enumerate(y):\n    if s:\n        v_bar[k_bar] = v_bar[k_bar] + s\nh(v_bar)"),
    (append_items, "v_bar = [0.0] * len(y)\nfor k_bar, s in enumerate(y):\n    if h(s):\n        break\n    v_bar[k_bar] = v_bar[k_bar] + s\nh(v_bar)"),
    (append_items, "v_bar = [0.0] * len(y)\nfor k_bar, g in enumerate(y):\n    v_bar[k_bar] = v_bar[k_bar] + g\nh(v_bar)"),
    (append_items, "v_bar = [0.0] * len(y)\nfor k_bar, s in enumerate(y):\n    v_bar[k_bar] = v_bar[k_bar] + s\n    h(k_bar)"),
    *((keep_shapes, f"saved = []\nfor i in range(n):\n    saved.append({key})\n    {key} = h(2)\nfor i in range(n):\n    {key} = saved.pop()\n    v_bar = np.zeros_like({key})\n    h(v_bar{more}){after}")
      for key, more, after in [("b", ", b", ""), ("b", "", "\nh(b)"), ("i", "", ""), ("n", "", ""), ("b", ", np.zeros_like(b, dtype=s)", "")]),
    (go_through_saves, "saved = []\nfor i in range(n):\n    saved.append(s)\nfor i in range(n):\n    if i:\n        v = saved.pop()\n        h(v)"),
    (go_through_saves, "saved = []\nfor i in range(n):\n    saved.append(s)\nfor i in range(n):\n    h(v)\n    v = saved.pop()"),
    (go_through_saves, "saved = []\nfor i in range(n):\n    saved.append(s)\nfor i in range(n):\n    v = saved.pop()\n    if h(v):\n        break"),
    (go_through_saves, "saved = []\nfor i in range(n):\n    for j in range(3):\n        saved.append(s)\nfor i in range(n):\n    for j in range(3):\n        v = saved.pop()\n        h(v)"),
    (go_through_saves, "saved = []\nfor i in range(n):\n    saved.append(s)\n    saved.append(s)\nfor i in range(n):\n    v = saved.pop()\n    h(v)\n    v = saved.pop()\n    h(v)"),
    (fill_slots, "v = b_bar.p\nb_bar.p = 0.0\nb_bar.p = b_bar.p + v\nv += s\nh(v, b_bar)"),
    (fill_slots, "v = b_bar.p\nb_bar.p = 0.0\nv = s * v\nb_bar.p = b_bar.p + v\nv[0] = s\nh(v, b_bar)"),
    (fill_slots, "v = c_bar.p\nb_bar.p = 0.0\nb_bar.p = b_bar.p + v\nh(v, b_bar)"),
    (fill_slots, "v = b_bar.p\nb_bar.p = 0.0\nv_bar.p = y\nb_bar.p = b_bar.p + v\nh(v, b_bar)"),
    (fill_slots, "b_bar.p = 0.0\ns = b_bar.p * s\nb_bar.p = b_bar.p + s * a\nreturn s"),
    (fill_slots, "b_bar.p = 0.0\nh(x)\nb_bar.p = b_bar.p + s * a\nreturn s"),
    (fill_slots, "b_bar.p = 0.0\nv = [b_bar]\nb_bar.p = b_bar.p + s * a\nreturn s"),
    (fill_slots, "c_bar = b_bar\nb_bar.p = 0.0\ns = c_bar.p\nb_bar.p = b_bar.p + s * a\nreturn s"),
    (fill_slots, "b_bar.p = 0.0\nb_bar = c_bar\nb_bar.p = b_bar.p + s * a\nreturn s"),
    (fill_slots, "b_bar.p = 0.0\nfor i in range(n):\n    b_bar.p = b_bar.p + s * a\nreturn s"),
    (fill_slots, "v = y * y\nb_bar.p = 0.0\nb_bar.p = b_bar.p + v\nreturn v"),
    (fill_slots, "v = y * y\nb_bar.p = 0.0\nb_bar.p = b_bar.p + v\nv += s"),
    (fill_slots, "v_bar = np.zeros_like(x.p)\nb_bar.p = v_bar\nv_1_bar = np.zeros_like(x.p)\nv_1_bar[1:] += a\nb_bar.p = b_bar.p + v_1_bar"),
    (fill_slots, "v_bar = np.zeros_like(x.p)\nb_bar.p = v_bar + a\nc_bar.q = b_bar.p\nv_1_bar = np.zeros_like(x.p)\nv_1_bar[1:] += a\nb_bar.p = b_bar.p + v_1_bar"),
    (fill_slots, "v_bar = np.zeros_like(x.p)\nb_bar.p = v_bar + a\nx.p = y\nv_1_bar = np.zeros_like(x.p)\nv_1_bar[1:] += a\nb_bar.p = b_bar.p + v_1_bar"),
    (fill_slots, "b_bar.p = s * a\nv_1_bar = np.zeros_like(x.p)\nv_1_bar[1:] += a\nb_bar.p = b_bar.p + v_1_bar"),
    (skip_zeros, "v_bar = 0.0\nif s > 0:\n    v_bar = g\nx_bar[0] += s * v_bar + s"),
    (skip_zeros, "v_bar = 0.0\nif s > 0:\n    v_bar = g\nx_bar[0] += s / v_bar"),
    (skip_zeros, "v_bar = 0.0\nif s > 0:\n    v_bar = g\nx_bar[0] += np.exp(v_bar)"),
    (skip_zeros, "x_bar = 0.0\nv_bar = 0.0\nif s > 0:\n    v_bar = x\nx_bar += v_bar\nh(x_bar)"),
    (skip_zeros, "v_bar = 0.0\nif s > 0:\n    v_bar = g\nx_bar[0] *= v_bar"),
    (skip_zeros, "v_bar = s\nif s > 0:\n    v_bar = g\nx_bar[0] += v_bar"),
    (skip_zeros, "v_bar = 0.0\nh(v_bar)\nv_bar = s\nif s > 0:\n    v_bar = g\nx_bar[0] += v_bar"),
    (skip_zeros, "v_bar = 0.0\nif s > 0:\n    v_bar = g\nelse:\n    h(x)\nx_bar[0] += v_bar"),
    (skip_zeros, "v_bar = 0.0\nif s > 0:\n    v_bar = g\nv_1_bar = 2.0 * v_bar\nh(v_1_bar)"),
    (skip_zeros, "v_bar = 0.0\nif s > 0:\n    v_bar = g\nx_bar[h(y)] += v_bar"),
    (join_tests, "if not s < 1:\n    s = g\nif s < 1:\n    v = y"),
    (join_tests, "if not x < 1:\n    h(x)\nif x < 1:\n    v = y"),
    (join_tests, "if not s < 1:\n    h(x)\nif s > 1:\n    v = y"),
    (join_tests, "if s < 1:\n    s = g\nif s < 1:\n    v = y"),
    (join_tests, "if n < 1:\n    n[0] = s\nif n < 1:\n    v = y"),
    (join_tests, "if x.n < 1:\n    h(x)\nif x.n < 1:\n    v = y"),
    (join_tests, "if h(s) < 1:\n    v = x\nif h(s) < 1:\n    v = y"),
    (list_entries, "b = h(x)\ns, t = b\nb_bar = np.zeros_like(b)\nb_bar[1] -= t\nh(b_bar)"),
    (list_entries, "b = h(x)\ns, t = b\nb_bar = np.zeros_like(b)\nb_bar[0] += t\nb_bar[0] += t\nh(b_bar)"),
    (list_entries, "b = h(x)\ns, t = b\nb_bar = np.zeros_like(b)\nb_bar[0] += b_bar[1]\nb_bar[1] += t\nh(b_bar)"),
    (list_entries, "b = h(x)\ns, *t = b\nb_bar = np.zeros_like(b)\nb_bar[0] += s\nb_bar[1] += s\nh(b_bar)"),
    (list_entries, "b = h(x)\nif n:\n    s, t = b\nb_bar = np.zeros_like(b)\nb_bar[0] += s\nb_bar[1] += s\nh(b_bar)"),
    (drop_restores, "b = np.zeros(3)\nb[0] = s\nh(b)"),
    (drop_restores, "b = np.zeros(3)\nc = b\nb[0] = s\nh(c[0])"),
    (drop_restores, "b = a\nb[0] = s\nh(np.shape(b))"),
    (drop_restores, "b = x\nb[0] = s\nh(np.shape(b))"),
    (drop_restores, "b_bar = np.zeros(3)\nb_bar[0] = s\nh(np.shape(b_bar))"),
]  # fmt: skip


OF_THE_USER = [
    ("v_old = x[i]\nx[i] = s\nreturn x", "x[i] = s\nreturn x"),
    ("v_old = x[1:].copy()\nx[1:] = s\nreturn x", "x[1:] = s\nreturn x"),
    ("for i in range(len(a)):\n    pass\nreturn x", "return x"),
    ("for i, t in enumerate(a):\n    v = a * a\nreturn x", "return x"),
    ("for t in reversed(a):\n    pass\nreturn x", "return x"),
    ("v_1 = np.where(a * s, s, a)\nreturn x", "return x"),
    ("z = 2 * np.pi\nreturn x", "return x"),
    ("z = len(a)\nreturn x", "return x"),
    ("z = max(s, t)\nz = abs(s)\nreturn x", "return x"),
    ("z = math.log(2 * math.pi)\nreturn x", "return x"),
    ("t = h(x)\nz = s / t\nh(s)\nx = s / t\nreturn x", "t = h(x)\nh(s)\nx = s / t\nreturn x"),
    (
        "for k in range(3):\n    z = a[k]\nfor k in reversed(range(3)):\n    y[k] += a[k]",
        "for k in reversed(range(3)):\n    y[k] += a[k]",
    ),
    (
        "z = b[1]\nb_bar = np.zeros_like(b)\nb_bar[1] += s\nreturn b_bar",
        "b_bar = np.zeros_like(b)\nb_bar[1] += s\nreturn b_bar",
    ),
]
KEPT_OF_THE_USER = [
    "v_old = x[i]\ny[i] = s\nreturn x",
    "v_old = x[i]\nx[1] = s\nreturn x",
    "for i in range(n):\n    pass\nreturn x",
    "for i in range(3, 0, s):\n    pass\nreturn x",
    "for i in range(3):\n    pass\nreturn i",
    "for i, t in a:\n    pass\nreturn x",
    "for t in s:\n    pass\nreturn x",
    "for t in y:\n    pass\nreturn x",
    "for i, t in zip(a, a, strict=True):\n    pass\nreturn x",
    "v = np.where(x, y, s)\nreturn x",
    "z = math.log(s)\nreturn x",
    "z = math.log(0.0)\nreturn x",
    "z = len(s)\nreturn x",
    "z = max(a, s)\nreturn x",
    "t = h(x)\nz = s / t\nif n:\n    x = s / t\nreturn x",
    "t = h(x)\nz = s / t\nx = s / t if n else s\nreturn x",
    "t = h(x)\nz = s / t\nif n:\n    return y\nx = s / t\nreturn x",
    "t = h(x)\nz = s / t\nt = h(s)\nx = s / t\nreturn x",
    "b = h(x)\nz = b[1]\nb = h(b)\nx = b[1]\nreturn x",
    "for k in range(3):\n    z = a[k]\n    h(k)\nfor k in range(2):\n    y[k] += a[k]",
    "for k in range(n):\n    z = a[k]\n    h(k)\nn = 2\nfor k in range(n):\n    y[k] += a[k]",
]


@pytest.mark.parametrize(("before", "after"), OF_THE_USER)
def test_what_of_the_user_goes(before, after):
    assert run(eliminate_dead_code, before, reverse=False) == after


@pytest.mark.parametrize("text", KEPT_OF_THE_USER)
def test_what_of_the_user_may_raise_or_be_seen_stays(text):
    assert run(eliminate_dead_code, text, reverse=False) == text


@pytest.mark.parametrize(("pass_", "before", "after"), CHANGED)
def test_what_a_pass_changes(pass_, before, after):
    assert run(pass_, before) == after


@pytest.mark.parametrize(("pass_", "text"), UNTOUCHED)
def test_what_a_pass_leaves_alone(pass_, text):
    expected = unparse(gast.parse(text)).rstrip()
    assert run(pass_, text) == expected


USERS = [
    "z = 1.0 * s\nreturn z",
    "z = x[y]\nreturn x",
    "z = x * y\nreturn x",
    "z = np.exp(x)[0]\nreturn x",
    "z = s / n\nreturn x",
    "z = h(x)\nreturn x",
    "z = x\nreturn z * z",
]


@pytest.mark.parametrize("text", USERS)
def test_what_the_user_wrote_stays(text):
    assert run(optimize, text, reverse=False) == text


LOOP = """
saved = []
saved_1 = []
for i in range(n):
    saved.append(x)
    x = np.sin(x)
    {between}
    saved_1.append(s)
for i in range(n):
    s = saved_1.pop()
    {after}
    x = saved.pop()
    h(x, s)
"""


@pytest.mark.parametrize(
    ("between", "after"),
    [
        ("s = h(s)", "h(s)\n    x = h(x)"),
        ("if h(x):\n        break", "pass"),
        ("pass", "if h(s):\n        continue"),
    ],
)
def test_stacks_that_stay_apart(between, after):
    text = LOOP.format(between=between, after=after).strip()
    assert run(merge_saves, text) == text


def test_what_is_lost_between_two_pushes_gets_another_name():
    made = run(merge_saves, LOOP.format(between="s = h(s)", after="x = h(x)"))
    assert "x_old = x\n" in made
    assert "saved.append((x_old, s))" in made
    assert "x, s = saved.pop()" in made


def test_a_stack_that_is_seen_elsewhere_is_left_alone():
    text = "saved = []\nfor i in range(n):\n    saved.append(x)\nh(saved)\nfor i in range(n):\n    v = saved.pop()"
    assert run(eliminate_dead_saves, text) == text
    assert run(merge_saves, text) == text


def test_a_counter_of_a_loop_that_may_not_push_stays():
    text = """saved = []
trips = 0
for _ in range(50):
    trips += 1
    if h(x):
        break
    saved.append(x)
    x = h(x)
for _ in reversed(range(50)[:trips]):
    x = saved.pop()
    h(x)"""
    assert run(empty_stacks, text) == text


def test_a_push_does_not_pass_what_binds_its_names():
    text = "saved = []\nfor i in range(n):\n    old = x[i]\n    x[i] = s\n    y = old\n    saved.append((old, y))"
    assert run(raise_pushes, text) == text


def test_state_is_dropped_on_both_sides_or_not_at_all():
    forward, reverse = gast.parse(
        "def f_fwd(x, c):\n    if c:\n        return x, (0, None, x)\n    h = x * x\n    return h, (1, h, x)\n"
        "def f_rev(saved, y_bar):\n    at, h, x = saved\n    if at == 0:\n        return y_bar\n"
        "    return 2.0 * x * y_bar\n"
    ).body
    assert drop_unused_state(forward, reverse)
    made = [unparse(each) for each in (forward, reverse)]
    assert "return x, (0, x)" in made[0] and "return h, (1, x)" in made[0]
    assert "at, x = saved" in made[1]
    kept = gast.parse("def f_rev(saved, y_bar):\n    at, h, x = saved\n    return saved\n").body[0]
    assert not drop_unused_state(forward, kept)


def test_a_function_that_binds_in_expressions_is_left_alone():
    text = "v = x\nif (v_1 := v):\n    y = v_1\nreturn y"
    assert run(optimize, text) == unparse(gast.parse(text)).rstrip()


def functions_of(text):
    return {f.name: f for f in gast.parse(text).body}


def texts_of(functions):
    return "\n".join(unparse(f).strip("\n") for f in functions)


HALVES = """\
def f_fwd(x, n):
    saved = []
    saved_1 = []
    for i in range(n):
        saved.append(x)
        {between}
        saved_1.append(y)
    return x, (n, saved, {handed})
def f_rev(state, x_bar):
    n, saved, saved_1 = state
    for i in range(n):
        y = saved_1.pop()
        x = saved.pop()
        g(x, y)
"""


@pytest.mark.parametrize(
    ("between", "handed", "merges"),
    [
        ("x = x * y", "saved_1", "(x, y)"),
        ("if x > 1.0:\n            return x, (i, saved, saved_1)", "saved_1", ""),
        ("y = x\n        x = x * y", "saved_1", "(x_old, y)"),
        ("x = x * y", "list(saved_1)", ""),
    ],
)
def test_stacks_of_two_halves(between, handed, merges):
    before = functions_of(HALVES.format(between=between, handed=handed))
    text = texts_of(before.values())
    assert merge_handed_saves(*before.values()) == bool(merges)
    after = texts_of(before.values())
    assert f"saved.append({merges})" in after if merges else after == text


class Scale:
    def __init__(self, a):
        self.a = a


class Keyed:
    def __init__(self, *, a):
        self.a = a


CONSTRUCTOR = """\
def init_fwd(self, a):
    self.a = a
    return None, {kept}
def init_rev(saved, y_bar, self_bar):
    v_bar = self_bar.a
    self_bar.a = 0.0
    return v_bar
def f(a):
    s = C.__new__(C)
    _, saved_init = init_fwd({what}, a)
    return init_rev(saved_init, None, h(s))
"""


@pytest.mark.parametrize(
    ("kept", "what", "cls", "plain", "zeroed"),
    [
        ("()", "s", Scale, True, False),
        ("(a,)", "s", Scale, False, False),
        ("()", "s", Keyed, False, False),
        ("()", "t", Scale, False, True),
    ],
)
def test_constructors(kept, what, cls, plain, zeroed):
    functions = functions_of(CONSTRUCTOR.format(kept=kept, what=what))
    made = construct_plainly(functions, "init_fwd", "init_rev", lambda tree: cls, 2)
    text = texts_of(made.values())
    assert ("s = C(a)" in text) == plain
    assert ("self_bar.a = 0.0" in text) == zeroed
