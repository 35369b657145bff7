"""Small programs with what is known of them beside their lines.

    a = x * 2.0
    row = a[1:]      # varied: x a
    row[0] = 1.0     # shares a: row

A comment says what holds when control comes to its line: of which names, and of no others.
"""

import inspect
import re

import gast

from tapeless.analysis.abstract import Abstraction, Value
from tapeless.specialize.program import AnalysedProgram
from tapeless.tree.names import nodes

SAID = re.compile(r"# (?P<word>\w+)(?: (?P<of>\w+))?: ?(?P<names>.*)$")


def said(function):
    """List what the comments of a function say: the line, the word, of what, the names."""
    lines, first = inspect.getsourcelines(function)
    found = [(first + i, SAID.search(line)) for i, line in enumerate(lines)]
    return [(i, m["word"], m["of"], set(m["names"].split())) for i, m in found if m]


def facts_of(function, *args, wrt=(0,)):
    """Analyse a function for the kinds of arguments, of which some are independents."""
    program, heap = AnalysedProgram(splices_calls=False), {}
    values = tuple(
        Value(Abstraction(heap, i in wrt)(x, ("argument", i)), i in wrt) for i, x in enumerate(args)
    )
    return program.analyse(program.core(function), values, heap)


def values_at(facts, line):
    """Map the names that are the user's to what they may be as control comes to a line."""
    here = [
        s
        for s in nodes(facts.function.tree)
        if isinstance(s, gast.stmt) and getattr(s, "lineno", None) == line and s in facts.before
    ]
    names = facts.function.primal.__code__.co_varnames
    return {key: value for key, value in facts.before[here[0]].items() if key in names}
