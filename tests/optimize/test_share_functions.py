"""Functions that do the same are written once, also where they call each other."""

import gast
import numpy as np

import tapeless as tl
from tapeless.optimize.share_functions import share_functions
from tapeless.source.printer import unparse


def shared(text, kept):
    return "".join(map(unparse, share_functions(gast.parse(text).body, kept)))


def test_functions_that_call_each_other():
    text = """
def even(n):
    return odd(n - 1)
def odd(n):
    return even_1(n) + 1
def even_1(n):
    return odd_1(n - 1)
def odd_1(n):
    return even_1(n) + 1
def f(n):
    return even(n)
"""
    assert [f.name for f in share_functions(gast.parse(text).body, "f")] == ["even", "odd", "f"]


def test_one_text_that_calls_what_differs():
    text = """
def a(n):
    return n
def b(n):
    return n + 1
def f(n):
    return a(n)
def f_1(n):
    return b(n)
def g(n):
    return f(n) + f_1(n)
"""
    assert shared(text, "g").count("def") == 5


def test_the_shortest_name_is_kept():
    text = """
def f_1(n):
    return f_1(n)
def f(n):
    return f_1(n)
def g(n):
    return f(n) + f_1(n)
"""
    assert shared(text, "g").count("f_1") == 0


def power(u, n):
    if n == 0:
        return u * 0.0 + 1.0
    h = power(u, n // 2)
    return h * h * u if n % 2 else h * h


def test_a_recursion_is_written_once():
    text = tl.source(lambda x: np.sum(power(x, 3)), "grad", like=(np.ones(3),))
    assert text.count("def power_fwd") == text.count("def power_rev") == 1
