"""Which functions the tests of rules call, and with which of their parameters.

A call counts where its function is found by evaluating what stands before the parentheses, in the module
of the test: in a line of a grid, in a table of functions with their arguments, in `check_rule(f, ...)`, or
as it stands. A name of which a test only speaks does not count; one that a test takes by `getattr` from a
table of names does.
"""

import ast
import importlib
import inspect
from pathlib import Path

import numpy as np

from tapeless.rules.declare import find_rule, find_written
from tests.rules.grid import GRID_FILE, LINES, SAMPLES

TESTS = Path(__file__).parents[1]
FOLDERS = ("rules", "rules/scipy", "solvers")


def parameters_of(primal):
    """Return the parameters that the declaration of a function takes, None where there is none."""
    written, rule = find_written(primal), find_rule(primal)
    if written is None and (rule is None or rule.form == "zero"):
        return None
    found = list(inspect.signature(written or rule.function).parameters.values())
    return found[1:] if written is None and rule.form == "elementwise" else found


class Calls(ast.NodeVisitor):
    """Collects the calls of a text, by the functions that its names stand for."""

    def __init__(self):
        self.scope, self.called, self.named = {}, {}, set()

    def read(self, text, scope):
        self.scope = scope
        self.visit(ast.parse(text))

    def found(self, tree):
        try:
            return eval(ast.unparse(tree), dict(self.scope))
        except Exception:
            return None

    def note(self, primal, args, keywords):
        try:
            parameters = parameters_of(primal)
        except TypeError:  # what cannot be hashed has no rule
            return
        if parameters is None:
            return
        given = self.called.setdefault(primal, set())
        if not any(isinstance(arg, ast.Starred) for arg in args):
            given.update(p.name for p in parameters[: len(args)] if p.kind != p.KEYWORD_ONLY)
        given.update(keywords)

    def visit_Call(self, node):
        func, keywords = self.found(node.func), [k.arg for k in node.keywords if k.arg]
        if getattr(func, "__name__", "") == "check_rule" and node.args:
            self.note(self.found(node.args[0]), node.args[1:], keywords)
        elif self.is_method_of_array(node.func, func):
            method = getattr(np.ndarray, node.func.attr)
            self.note(method, [node.func.value, *node.args], keywords)
        elif func is not None:
            self.note(func, node.args, keywords)
        self.generic_visit(node)

    def is_method_of_array(self, tree, func):
        """Whether a call is that of a method, of an array or of what is known only while it runs."""
        if not isinstance(tree, ast.Attribute) or not hasattr(np.ndarray, tree.attr):
            return False
        return func is None or isinstance(self.found(tree.value), np.ndarray)

    def visit_Tuple(self, node):
        if len(node.elts) > 1 and isinstance(node.elts[1], ast.Tuple):
            given = node.elts[2] if len(node.elts) > 2 else None
            keys = given.keys if isinstance(given, ast.Dict) else []
            keywords = [key.value for key in keys if isinstance(key, ast.Constant)]
            self.note(self.found(node.elts[0]), node.elts[1].elts, keywords)
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            self.named.add(node.value)


def calls_in_tests(names):
    """Return the functions that are called, with the parameters that are given, and the names in tables."""
    calls = Calls()
    lines = GRID_FILE.with_name("keywords.txt").read_text(encoding="utf-8").splitlines()
    for line in [*LINES, *(line for line in lines if line[:1] not in ("#", ""))]:
        calls.read(
            line.removeprefix("refused: ").removeprefix("forward: ").removeprefix("once: "),
            {**SAMPLES, **names},
        )
    for path in (path for folder in FOLDERS for path in sorted((TESTS / folder).glob("test_*.py"))):
        module = ".".join(path.relative_to(TESTS.parent).with_suffix("").parts)
        calls.read(path.read_text(encoding="utf-8"), vars(importlib.import_module(module)))
    return calls.called, calls.named
