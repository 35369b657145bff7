"""Expressions as text: operations, displays, calls, and the patterns of `match`.

*Brackets come from precedence.* An expression is printed at the level that its place demands, and
bracketed only if its own level is lower. The texts carry invisible marks that say where a line may break.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from tapeless.source.line_breaks import (
    BIT_AND_BREAK,
    BIT_OR_BREAK,
    BIT_XOR_BREAK,
    COMMA,
    COMPARE_BREAK,
    FOR_BREAK,
    LOGIC_BREAK,
    POWER_BREAK,
    SHIFT_BREAK,
    SUM_BREAK,
    TERM_BREAK,
    TERNARY_BREAK,
    unbroken,
)
from tapeless.source.literals import Literals
from tapeless.source.precedence import (
    AND,
    ATOM,
    AWAIT,
    BINARY,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    COMPARISON,
    FACTOR,
    NAMED,
    NOT,
    OR,
    POWER,
    SHIFT,
    SUM,
    TERM,
    TEST,
    TUPLE,
    UNARY,
    hugs_power,
    is_power,
    level_of,
)

_LEVEL_BREAK = {
    BIT_OR: BIT_OR_BREAK,
    BIT_XOR: BIT_XOR_BREAK,
    BIT_AND: BIT_AND_BREAK,
    SHIFT: SHIFT_BREAK,
    SUM: SUM_BREAK,
    TERM: TERM_BREAK,
    POWER: POWER_BREAK,
}


class Expressions(Literals):
    """Prints expressions: each method gives the text of its syntax, without brackets of its own."""

    def _Name(self, t: ast.Name) -> str:
        return t.id

    def _NamedExpr(self, t: ast.NamedExpr) -> str:
        return f"{self.text(t.target, ATOM)} := {self.text(t.value, TEST)}"

    def _Yield(self, t: ast.Yield) -> str:
        return "yield" if t.value is None else f"yield {self.text(t.value, TUPLE)}"

    def _YieldFrom(self, t: ast.YieldFrom) -> str:
        return f"yield from {self.text(t.value, TEST)}"

    def _Await(self, t: ast.Await) -> str:
        return f"await {self.text(t.value, ATOM)}"

    def _Tuple(self, t: ast.Tuple) -> str:
        if len(t.elts) > 1:
            return self._listed(t.elts)
        return f"({self._listed(t.elts)},)" if t.elts else "()"

    def _List(self, t: ast.List) -> str:
        return f"[{self._listed(t.elts)}]"

    def _Set(self, t: ast.Set) -> str:
        # `{}` is a dict: a set without elements, which no text gives, is an unpacked nothing.
        return f"{{{self._listed(t.elts)}}}" if t.elts else "{*()}"

    def _Dict(self, t: ast.Dict) -> str:
        items = [
            f"**{self.text(value, BIT_OR)}"
            if key is None
            else f"{self.text(key, TEST)}: {self.text(value, TEST)}"
            for key, value in zip(t.keys, t.values, strict=True)
        ]
        return f"{{{COMMA.join(items)}}}"

    def _Starred(self, t: ast.Starred) -> str:
        return f"*{self.text(t.value, BIT_OR)}"

    def _ListComp(self, t: ast.ListComp) -> str:
        return f"[{self._generated(self.text(t.elt, NAMED), t.generators)}]"

    def _SetComp(self, t: ast.SetComp) -> str:
        return f"{{{self._generated(self.text(t.elt, NAMED), t.generators)}}}"

    def _GeneratorExp(self, t: ast.GeneratorExp) -> str:
        return f"({self._generated(self.text(t.elt, NAMED), t.generators)})"

    def _DictComp(self, t: ast.DictComp) -> str:
        pair = f"{self.text(t.key, TEST)}: {self.text(t.value, TEST)}"
        return f"{{{self._generated(pair, t.generators)}}}"

    def _generated(self, item: str, generators: list[ast.comprehension]) -> str:
        return item + "".join(map(self.dispatch, generators))

    def _comprehension(self, t: ast.comprehension) -> str:
        keyword = "async for" if t.is_async else "for"
        target = unbroken(self.text(t.target, TUPLE))
        text = f"{FOR_BREAK}{keyword} {target} in {self.text(t.iter, OR)}"
        return text + "".join(f"{FOR_BREAK}if {self.text(test, OR)}" for test in t.ifs)

    def _IfExp(self, t: ast.IfExp) -> str:
        body, test = self.text(t.body, OR), self.text(t.test, OR)
        orelse = self.text(t.orelse, TEST)
        return f"{body}{TERNARY_BREAK}if {test}{TERNARY_BREAK}else {orelse}"

    def _Lambda(self, t: ast.Lambda) -> str:
        parameters = self.dispatch(t.args)
        head = f"lambda {unbroken(parameters)}" if parameters else "lambda"
        return f"{head}: {self.text(t.body, TEST)}"

    def _BoolOp(self, t: ast.BoolOp) -> str:
        if isinstance(t.op, ast.And):
            return f"{LOGIC_BREAK}and ".join(self.text(value, NOT) for value in t.values)
        return f"{LOGIC_BREAK}or ".join(self.text(value, AND) for value in t.values)

    def _UnaryOp(self, t: ast.UnaryOp) -> str:
        symbol = UNARY[type(t.op)]
        operand = self.text(t.operand, NOT if isinstance(t.op, ast.Not) else FACTOR)
        if is_power(t.operand) and not isinstance(t.op, ast.Not):
            operand = f"({operand})"
        return symbol + operand

    def _BinOp(self, t: ast.BinOp) -> str:
        symbol, level = BINARY[type(t.op)]
        if isinstance(t.op, ast.Pow):
            left, right = self.text(t.left, AWAIT), self.text(t.right, FACTOR)
            if hugs_power(t.left) and hugs_power(t.right) and level_of(t.left) == ATOM:
                return f"{left}**{right}"
        else:
            left, right = self.text(t.left, level), self.text(t.right, level + 1)
        return f"{left}{_LEVEL_BREAK[level]}{symbol} {right}"

    def _Compare(self, t: ast.Compare) -> str:
        text = self.text(t.left, BIT_OR)
        for comparison, operand in zip(t.ops, t.comparators, strict=True):
            symbol = COMPARISON[type(comparison)]
            text += f"{COMPARE_BREAK}{symbol} {self.text(operand, BIT_OR)}"
        return text

    def _Attribute(self, t: ast.Attribute) -> str:
        value = self.text(t.value, ATOM)
        if isinstance(t.value, ast.Constant) and type(t.value.value) in (int, float):
            value = value if value.startswith("(") else f"({value})"
        return f"{value}.{t.attr}"

    def _Call(self, t: ast.Call) -> str:
        function = self.text(t.func, ATOM)
        if len(t.args) == 1 and not t.keywords and isinstance(t.args[0], ast.GeneratorExp):
            return function + str(self.dispatch(t.args[0]))
        args = [self.text(arg, NAMED) for arg in t.args]
        return f"{function}({COMMA.join([*args, *map(self.dispatch, t.keywords)])})"

    def _keyword(self, t: ast.keyword) -> str:
        value = self.text(t.value, TEST)
        return f"**{value}" if t.arg is None else f"{t.arg}={value}"

    def _Subscript(self, t: ast.Subscript) -> str:
        index = t.slice
        if isinstance(index, ast.Tuple) and index.elts:
            written = self._listed(index.elts)
            if len(index.elts) == 1 and not isinstance(index.elts[0], ast.Starred):
                written += ","
        else:
            written = self.text(index, TEST)
        return f"{self.text(t.value, ATOM)}[{written}]"

    def _Slice(self, t: ast.Slice) -> str:
        lower, upper, step = (
            "" if part is None else self.text(part, TEST) for part in (t.lower, t.upper, t.step)
        )
        space = "" if _is_simple_slice(t) else " "
        text = lower + (space if lower else "") + ":" + (space if upper else "") + upper
        if step:
            text += (space if upper else "") + ":" + space + step
        return text

    def _TypeVar(self, t: Any) -> str:
        bound = "" if t.bound is None else f": {self.text(t.bound, TEST)}"
        return f"{t.name}{bound}{self._type_default(t)}"

    def _TypeVarTuple(self, t: Any) -> str:
        return f"*{t.name}{self._type_default(t)}"

    def _ParamSpec(self, t: Any) -> str:
        return f"**{t.name}{self._type_default(t)}"

    def _type_default(self, t: Any) -> str:
        default = getattr(t, "default_value", None)
        return "" if default is None else f" = {self.text(default, TEST)}"

    def _parameter(self, arg: ast.arg, default: ast.expr | None) -> str:
        written: str = self.dispatch(arg)
        if default is None:
            return written
        equals = "=" if arg.annotation is None else " = "
        return written + equals + self.text(default, TEST)

    def _arguments(self, t: ast.arguments) -> str:
        return COMMA.join(self._parameters(t))

    def _parameters(self, t: ast.arguments) -> Iterator[str]:
        positional = [*t.posonlyargs, *t.args]
        without = len(positional) - len(t.defaults)
        defaults = [*[None] * without, *t.defaults]
        for count, (arg, default) in enumerate(zip(positional, defaults, strict=True), 1):
            yield self._parameter(arg, default)
            if count == len(t.posonlyargs):
                yield "/"
        if t.vararg is not None:
            yield "*" + self.dispatch(t.vararg)
        elif t.kwonlyargs:
            yield "*"
        for arg, default in zip(t.kwonlyargs, t.kw_defaults, strict=True):
            yield self._parameter(arg, default)
        if t.kwarg is not None:
            yield "**" + self.dispatch(t.kwarg)

    def _arg(self, t: ast.arg) -> str:
        return t.arg if t.annotation is None else f"{t.arg}: {self.text(t.annotation, TEST)}"

    def _MatchValue(self, t: ast.MatchValue) -> str:
        return self.text(t.value, TEST)

    def _MatchSingleton(self, t: ast.MatchSingleton) -> str:
        return repr(t.value)

    def _MatchSequence(self, t: ast.MatchSequence) -> str:
        return f"[{COMMA.join(map(self.dispatch, t.patterns))}]"

    def _MatchMapping(self, t: ast.MatchMapping) -> str:
        pairs = [
            f"{self.text(key, TEST)}: {self.dispatch(pattern)}"
            for key, pattern in zip(t.keys, t.patterns, strict=True)
        ]
        if t.rest is not None:
            pairs.append(f"**{t.rest}")
        return f"{{{COMMA.join(pairs)}}}"

    def _MatchClass(self, t: ast.MatchClass) -> str:
        patterns = [self.dispatch(pattern) for pattern in t.patterns]
        for name, pattern in zip(t.kwd_attrs, t.kwd_patterns, strict=True):
            patterns.append(f"{name}={self.dispatch(pattern)}")
        return f"{self.text(t.cls, ATOM)}({COMMA.join(patterns)})"

    def _MatchStar(self, t: ast.MatchStar) -> str:
        return f"*{t.name or '_'}"

    def _MatchAs(self, t: ast.MatchAs) -> str:
        if t.pattern is None:
            return t.name or "_"
        pattern = self.dispatch(t.pattern)
        if isinstance(t.pattern, ast.MatchAs) and t.pattern.pattern is not None:
            pattern = f"({pattern})"
        return f"{pattern} as {t.name}"

    def _MatchOr(self, t: ast.MatchOr) -> str:
        return (BIT_OR_BREAK + "| ").join(map(self._alternative, t.patterns))

    def _alternative(self, pattern: ast.pattern) -> str:
        written: str = self.dispatch(pattern)
        loose = isinstance(pattern, ast.MatchOr) or (
            isinstance(pattern, ast.MatchAs) and pattern.pattern is not None
        )
        return f"({written})" if loose else written


def _is_simple_slice(t: ast.Slice) -> bool:
    operands = (ast.Name, ast.Constant, ast.List, ast.Tuple, ast.UnaryOp)
    simple = (*operands, ast.unaryop, ast.expr_context)
    parts = (part for part in (t.lower, t.upper, t.step) if part is not None)
    return all(
        isinstance(each, simple) and not isinstance(each, ast.Not)
        for part in parts
        for each in ast.walk(part)
    )
