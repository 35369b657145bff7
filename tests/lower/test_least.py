"""What Numba is told of the variables of loops is true, and lets it run blocks on several numbers at once."""

import ast

import numpy as np
import pytest

import tapeless as tl
from tapeless.lower.least import NAME, with_least


def told(text):
    return [
        (call.args[0].id, call.args[1].value)
        for call in ast.walk(with_least(text))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == NAME
    ]


@pytest.mark.parametrize(
    ("over", "least"),
    [
        ("range(n)", []),
        ("range(2, n)", []),
        ("range(k, n)", [("i", 2)]),
        ("range(k)", []),
        ("range(k, -1, -1)", []),
        ("range(-2, n)", []),
        ("range(n - 3, n)", []),
        ("range(a, n)", []),
        ("range(n, a, -1)", []),
    ],
)
def test_only_what_is_known_is_told(over, least):
    text = f"for k in range(2, n):\n    for i in {over}:\n        y[i] = 1.0"
    assert told(text) == least


def test_a_variable_is_known_in_its_own_loop_only():
    text = "for i in range(n):\n    for j in range(i, n):\n        y[j] = 1.0\n"
    assert told(text) == [("j", 0)]
    assert told(text + "for j in range(i, n):\n    y[j] = 1.0") == [("j", 0)]


def test_nothing_is_told_of_what_is_bound_elsewhere():
    inner = "    for i in range(k, n):\n        y[i] = 1.0\n"
    assert told(f"for k in range(n):\n{inner}") == [("i", 0)]
    assert told(f"for k in range(n):\n    k -= 2\n{inner}") == []
    assert told(f"for k in range(n):\n  for k in range(a, n):\n{inner}") == []


def from_the_end(x):
    total = 0.0
    for k in range(-2, 3):
        total += k * x[k] * x[k]
    return total


def down(x):
    total = 0.0
    for k in range(len(x) - 1, -3, -1):
        total += k * x[k] * x[k]
    return total


@pytest.mark.parametrize("f", [from_the_end, down])
def test_numbers_that_count_from_the_end_still_do(f):
    pytest.importorskip("numba")
    x = np.linspace(0.5, 2.0, 6)
    np.testing.assert_allclose(
        tl.grad(f, compile="numba")(x), tl.grad(f)(x), rtol=1e-13, atol=1e-13
    )


def long_formula(a, b, c, d, e):
    """Six arrays in, five out: more than LLVM compares by pairs if each may be in two places."""
    p = np.exp(-a * b) / (1.0 + c * c)
    q = np.log(1.0 + d * d) * p
    return np.sum(np.sqrt(1.0 + p * q) * e)


def test_a_sum_in_blocks_over_many_arrays():
    pytest.importorskip("numba")
    rng = np.random.default_rng(0)
    given = rng.normal(size=(5, 1000))
    plain, loops = (
        tl.grad(long_formula, wrt=(0, 1, 2, 3, 4), **option)(*given)
        for option in ({}, {"compile": "numba"})
    )
    for a, b in zip(plain, loops, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
