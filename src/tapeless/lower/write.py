"""Loops as text: an ordinary module, which runs without Numba, slowly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gast

from tapeless.lower.affine import Affine
from tapeless.lower.loops import (
    GROWN,
    Alloc,
    Assign,
    Call,
    Cell,
    Check,
    Expr,
    If,
    Jump,
    Loop,
    Num,
    Op,
    Product,
    Program,
    Return,
    Returned,
    Stmt,
    Store,
    Var,
    While,
    Whole,
    Window,
    walk,
)
from tapeless.lower.triangular import NAME as TRIANGULAR
from tapeless.source.printer import unparse
from tapeless.tree.comments import comment

_MARK = "#: "
_DTYPES = {"f8": "", "f4": ", np.float32", "i": ", np.int64", "b": ", np.bool_"}
Origin = Callable[[int], str | None]


def written(program: Program, sizes: list[tuple[str, str]], origin: Origin) -> str:
    """Print a program of loops.

    Parameters
    ----------
    program
        The program.
    sizes
        Names of sizes, and what they name.
    origin
        Returns the user's line that a line of the text comes from which was lowered.
    """
    writer = _Writer(origin)
    lines = [f"def {program.name}({', '.join(program.parameters)}):"]
    lines += [f"    {line}" for line in _checks(program)]
    lines += [f"    {name} = {what}" for name, what in sizes]
    lines += [f"    {line}" for line in writer.block(program.body)]
    imports = ["import numpy as np"]
    if "math" in program.externals:
        imports.insert(0, "import math")
    if TRIANGULAR in program.externals:
        imports.append(f"from scipy.linalg import {TRIANGULAR}")
    tree = gast.parse("\n".join([*imports, *lines]))
    _place_comments(tree)
    module: str = unparse(tree)
    return module


def _checks(program: Program) -> Iterator[str]:
    """Write what must hold at entry: kinds of sizes, and relations among them."""
    tests = []
    for key in program.given:
        for k, dim in enumerate(program.arrays[key]):
            tests.append(f"{key}.shape[{k}] {'!= 1' if dim == Affine(1) else '< 2'}")
    if tests:
        yield f"if {' or '.join(tests)}:"
        yield "    raise ValueError('this text was written for other sizes')"
    for key in program.integers:
        yield f"if abs({key}) > 2147483648:"
        yield f"    raise OverflowError('{key} is too large')"
    made = {name for name, _ in program.quotients}
    early = [check for check in program.checks if not check[0].symbols & made]
    yield from _relations(early)
    yield from (f"{name} = {text(value)}" for name, value in program.quotients)
    yield from _relations([check for check in program.checks if check not in early])


def _relations(checks: list[tuple[Affine, str]]) -> Iterator[str]:
    for form, word in checks:
        left, right = _sides(form)
        if word == "zero":
            yield f"if {left} != {right}:"
            yield "    raise ValueError('operands could not be broadcast together')"
        else:
            yield f"if {left} < {right}:"
            yield "    raise IndexError('an axis is too short')"


def _sides(form: Affine) -> tuple[Affine, Affine]:
    """Write a form as the difference of two without minus signs."""
    left = Affine(max(form.const, 0), tuple(t for t in form.terms if t[1] > 0))
    return left, left - form


def _place_comments(tree: Any) -> None:
    for part in gast.walk(tree):
        for field in ("body", "orelse"):
            block = getattr(part, field, None)
            if not isinstance(block, list):
                continue
            for i, s in enumerate(block):
                value = s.value.value if _is_text(s) else ""
                if value.startswith(_MARK):
                    block[i] = comment(value.removeprefix(_MARK))


def _is_text(s: Any) -> bool:
    return (
        isinstance(s, gast.Expr)
        and isinstance(s.value, gast.Constant)
        and isinstance(s.value.value, str)
    )


class _Writer:
    """Writes statements as lines."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.told: tuple[str, ...] = ()

    def block(self, body: list[Stmt], in_nest: bool = False) -> list[str]:
        lines: list[str] = []
        for s in body:
            if not in_nest and _is_nest(s):
                lines += self.comments(s)
            lines += self.statement(s, in_nest)
        return lines or ["pass"]

    def comments(self, s: Stmt) -> list[str]:
        """Write the user's lines that a nest comes from, unless they stand above."""
        found = [self.origin(inner.line) for inner in walk([s]) if inner.line]
        told = tuple(dict.fromkeys(text for text in found if text))
        if told == self.told:
            return []
        self.told = told
        return [repr(_MARK + text) for text in told]

    def statement(self, s: Stmt, in_nest: bool) -> list[str]:
        if isinstance(s, Loop):
            inner = self.block(s.body, in_nest or s.made)
            return [f"for {s.var} in {_range(s)}:", *_indented(inner)]
        if isinstance(s, While):
            return [f"while {text(s.test)}:", *_indented(self.block(s.body, in_nest))]
        if isinstance(s, If):
            lines = [f"if {text(s.test)}:", *_indented(self.block(s.body, in_nest))]
            if s.orelse:
                lines += ["else:", *_indented(self.block(s.orelse, in_nest))]
            return lines
        if isinstance(s, Product) and s.function == GROWN:
            return _grown(s.array, str(s.at[0]))
        if isinstance(s, Check):
            return [f"if {_failed(s.test)}:", f"    raise {s.error}({s.message!r})"]
        return [_simple(s)]


def _is_nest(s: Stmt) -> bool:
    return isinstance(s, Loop) and s.made or isinstance(s, Product) and s.function != GROWN


def _grown(array: str, used: str) -> list[str]:
    """Write that a block of rows becomes twice as long once all are used."""
    longer = f"np.concatenate(({array}, np.empty_like({array})))"
    return [f"if {used} == len({array}):", f"    {array} = {longer}"]


def _failed(test: Expr) -> str:
    """Write that a test fails; of numbers that may be none, `not a < b` is not `b <= a`."""
    if isinstance(test, Op) and test.sign == "!=":
        return text(Op("==", test.args))
    if isinstance(test, Op) and test.sign == "<" and all(isinstance(e, Whole) for e in test.args):
        return text(Op("<=", test.args[::-1]))
    return f"not {text(test)}"


def _simple(s: Stmt) -> str:
    if isinstance(s, Assign):
        value = s.value
        if isinstance(value, Op) and value.sign in ("+", "*") and value.args[0] == Var(s.name):
            return f"{s.name} {value.sign}= {text(value.args[1])}"
        return f"{s.name} = {text(value)}"
    if isinstance(s, Store):
        return f"{text(s.cell)} {s.sign}= {text(s.value)}"
    if isinstance(s, Alloc):
        made = "zeros" if s.zeros else "empty"
        dims = str(s.dims[0]) if len(s.dims) == 1 else f"({', '.join(map(str, s.dims))})"
        return f"{s.array} = np.{made}({dims}{_DTYPES[s.dtype]})"
    if isinstance(s, Product):
        operands = ", ".join(map(text, s.operands))
        if s.function == "np.dot":
            return f"np.dot({operands}, {_matrix(s.array, s.at)})"
        if s.function == TRIANGULAR:
            operands += f", lower={s.operands[0].order == (0, 1)}, check_finite=False"
        if s.function == "np.reshape":
            operands += f", {s.array}.shape"
        return f"{s.array}[...] = {s.function}({operands})"
    if isinstance(s, Jump):
        return s.word
    assert isinstance(s, Return)
    return f"return {_returned(s.value)}"


def _matrix(array: str, at: tuple[Affine, ...]) -> str:
    return f"{array}[{', '.join(map(str, at))}]" if at else array


def _returned(value: Returned) -> str:
    inner = value.value
    if isinstance(inner, tuple):
        return f"({''.join(f'{_returned(item)}, ' for item in inner)})"
    if inner is None or isinstance(inner, str):
        return str(inner)
    return text(inner)


def _range(s: Loop) -> str:
    parts = [str(s.start), str(s.stop), str(s.step)]
    if s.step == 1:
        parts.pop()
        if s.start == Affine():
            parts.pop(0)
    return f"range({', '.join(parts)})"


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def text(e: Expr) -> str:
    """Write an expression with brackets around all that is not one word.

    Examples
    --------
    >>> text(Op("*", (Num(2.0), Op("neg", (Var("x"),)))))
    '(2.0 * (-x))'
    """
    if isinstance(e, Num):
        return f"np.float32({_number(e.value)})" if e.single else _number(e.value)
    if isinstance(e, Var):
        return e.name
    if isinstance(e, Whole):
        return f"({e.form})"
    if isinstance(e, Cell):
        return f"{e.array}[{', '.join(map(str, e.index)) or '()'}]"
    if isinstance(e, Window):
        return _matrix(e.array, e.at) + (".T" if e.order == (1, 0) else "")
    if isinstance(e, Call):
        return f"{e.function}({', '.join(map(text, e.args))})"
    args = [text(a) for a in e.args]
    if e.sign == "if":
        return f"({args[1]} if {args[0]} else {args[2]})"
    if e.sign in ("neg", "not"):
        return f"({'-' if e.sign == 'neg' else 'not '}{args[0]})"
    return f"({f' {e.sign} '.join(args)})"


def _number(value: float | int | bool) -> str:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"inf": "np.inf", "-inf": "(-np.inf)", "nan": "np.nan"}[str(value)]
    return repr(value) if isinstance(value, bool) or value >= 0 else f"({value!r})"
