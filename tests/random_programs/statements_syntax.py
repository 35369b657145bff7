"""Syntax that much else is written with: `match`, walrus, stars, generators."""

from __future__ import annotations

from tests.random_programs.expressions import (
    condition,
    expression,
    scalar,
    scalar_atom,
    vector_atom,
)
from tests.random_programs.language import SCALAR, Writer, index, list_of
from tests.random_programs.statements import deep, statement, write_body


@statement(4)
def match_of_an_integer(w: Writer) -> bool | None:
    if deep(w):
        return False
    y, k = w.module.fresh("y"), w.module.fresh("k")
    w.line(f"{y} = {scalar(w, 1)}")
    w.bind(y, SCALAR)
    n = w.module.size
    subject = expression(w, index(n))
    if w.chance(0.5):
        w.line(f"for {k} in range({n}):")
        w.indent, subject = w.indent + 1, k
    w.line(f"match {subject}:")
    for case in ["case 0:", f"case 1 | -1 if {condition(w)}:", "case _:"]:
        w.indent += 1
        with w.block(case):
            w.line(f"{y} = {w.pick([f'{y} * {scalar_atom(w)}', scalar(w, 1), w.number()])}")
            if w.chance(0.3):
                write_body(w, 1)
        w.indent -= 1
    w.indent -= subject == k
    return None


STRUCTURES = (
    """
match ({s}, {r}):
    case (p, q) if p > q:
        {y} = p * q
    case (p, q):
        {y} = p - q * {t}
""",
    """
match [{s}, {r}, {t}]:
    case [first, *rest]:
        {y} = first * sum(rest)
""",
    """
match {{"sort": {flag}, "p": {s}, "q": {r}}}:
    case {{"sort": True, "p": p}}:
        {y} = p * p
    case {{"sort": False, "p": p, **rest}}:
        {y} = p * rest["q"]
""",
    """
match {s}:
    case float() as p:
        {y} = p * {r}
    case _:
        {y} = {t}
""",
)


@statement(4)
def match_of_a_structure(w: Writer) -> bool | None:
    if deep(w):
        return False
    y = w.module.fresh("y")
    s, r, t = scalar(w, 1), scalar_atom(w), scalar_atom(w)
    w.paste(w.pick(STRUCTURES).format(y=y, s=s, r=r, t=t, flag=condition(w)))
    w.bind(y, SCALAR)
    return None


WALRUS = (
    "{y} = 0.0\nif (top := {s}) > {r}:\n    {y} = top * {t}\n{y} = {y} + top",
    "{y} = sum([half for t in {v} if (half := t * {s}) > {r}])",
    "{y} = [last := {s}, last * {t}][1] + last",
    "{k} = 0\n{y} = {s}\nwhile ({k} := {k} + 1) < 3 and ({y} := {y} * {t}) < 9.0:\n"
    "    {y} = {y} + {r}",
    "{y} = np.sin(inner := {s}) * inner",
    "{y} = (part := {v})[0] * np.sum(part[1:])",
)


@statement(6)
def walrus_in_a_place(w: Writer) -> bool | None:
    if deep(w) or w.is_nested:
        return False
    y, k = w.module.fresh("y"), w.module.fresh("k")
    parts = {"s": scalar(w, 1), "r": scalar_atom(w), "t": scalar_atom(w)}
    w.paste(w.pick(WALRUS).format(y=y, k=k, v=vector_atom(w, w.module.size), **parts))
    w.bind(y, SCALAR)
    return None


STARRED = (
    "def {g}(*parts, k={n}, **more):",
    "    return sum(parts) * k + sum(more.values()) * len(parts)",
)
CALLS = (
    "{g}({s}, {r})",
    "{g}(*{v})",
    "{g}({s}, *[{r}, {t}], k={s})",
    "{g}(*({s}, {r}), **{{'k': {t}, 'q': {s}}})",
    "{g}(*{v}, *{v}, more={r})",
    "max(*[{s}, {r}])",
    "sum([*{v}, {s}])",
    "sum({{**{{'a': {s}}}, 'b': {r}}}.values())",
)


@statement(6)
def stars(w: Writer) -> bool | None:
    if deep(w) or w.is_nested:
        return False
    g, n = w.module.fresh("starred"), w.module.size
    for line in STARRED:
        w.line(line.format(g=g, n=w.number()))
    text = w.pick(CALLS).format(
        g=g, s=scalar_atom(w), r=scalar_atom(w), t=scalar_atom(w), v=vector_atom(w, n)
    )
    w.assign("s", SCALAR, text)
    if w.chance(0.4):
        a, rest = w.module.fresh("a"), w.module.fresh("rest")
        w.line(f"{a}, *{rest} = {vector_atom(w, n)}")
        w.bind(a, SCALAR)
        w.bind(rest, list_of(SCALAR, n - 1))
    return None


GENERATOR = """
def {g}(values, start):
    total = start
    for t in values:
        {skip}
        total = total * 0.5 + t * {s}
        yield total
    {end}
"""
USES = (
    "{y} = sum({g}({v}, {r}))",
    "{y} = 0.0\nfor item in {g}({v}, {r}):\n    {y} += item * {t}",
    "{y} = 1.0\nfor item in {g}({v}, {r}):\n    if item > {t}:\n        break\n    {y} *= item",
    "{y} = sum([k * item for k, item in enumerate({g}({v}, {r}))])",
    "{y} = max([*{g}({v}, {r}), {t}])",
    "{y} = next({g}({v}, {r}), {t})",
    "{y} = sum(a * b for a, b in zip({g}({v}, {r}), {v}))",
)


@statement(6)
def generator(w: Writer) -> bool | None:
    if deep(w) or w.is_nested:
        return False
    g, y = w.module.fresh("items"), w.module.fresh("y")
    w.captured |= set(w.bound())
    skip = w.pick(
        ["pass", f"if t > {w.number()}:\n            continue", "if t > 1.5:\n            break"]
    )
    end = w.pick(["pass", "yield total * 2.0", "yield from values"])
    v = vector_atom(w, w.module.size)
    w.paste(GENERATOR.format(g=g, skip=skip, end=end, s=scalar_atom(w)))
    w.paste(w.pick(USES).format(g=g, y=y, v=v, r=scalar_atom(w), t=scalar_atom(w)))
    w.bind(y, SCALAR)
    return None
