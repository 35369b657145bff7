"""From a tree to text that reads as if a person had written it.

astunparse prints every tree, but brackets every operation and writes each statement in one line.
This subclass keeps its frame, a method per kind of syntax that `dispatch` calls by name, and
differs in two ways.

*Brackets come from precedence.* An expression is printed at the level that its place demands, and
bracketed only if its own level is lower. Spelling follows black: double quotes, `h**2`, and
`x[a + 1 : b]`.

*Lines break where black breaks them.* The text of an expression carries invisible marks that say where a
line may break; see `line_breaks`.

Trees of gast and of `ast` are both accepted. A comment is a statement of its own, see `comment`.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import astunparse
import gast

from tapeless.source.line_breaks import (
    BIT_AND_BREAK,
    BIT_OR_BREAK,
    BIT_XOR_BREAK,
    COMMA,
    COMPARE_BREAK,
    FOR_BREAK,
    INDENT,
    LINE_LENGTH,
    LOGIC_BREAK,
    POWER_BREAK,
    SHIFT_BREAK,
    SUM_BREAK,
    TERM_BREAK,
    TERNARY_BREAK,
    flat,
    optional,
    split_line,
    unbroken,
)
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
    YIELD,
    hugs_power,
    is_power,
    level_of,
)
from tapeless.tree.comments import is_comment

_LEVEL_BREAK = {
    BIT_OR: BIT_OR_BREAK,
    BIT_XOR: BIT_XOR_BREAK,
    BIT_AND: BIT_AND_BREAK,
    SHIFT: SHIFT_BREAK,
    SUM: SUM_BREAK,
    TERM: TERM_BREAK,
    POWER: POWER_BREAK,
}


def unparse(tree: ast.AST) -> str:
    """Print a tree of gast or of `ast` as Python.

    Parameters
    ----------
    tree : module, statement or expression
        Names, constants and structure are taken as they are; positions are ignored.

    Returns
    -------
    str
        Modules and statements end with a line break, expressions do not.

    Examples
    --------
    >>> import gast
    >>> print(unparse(gast.parse("y=(x**(2)) [1:(n+1) , ::3]; w=( -(a@b) , 'c')")), end="")
    y = (x**2)[1 : n + 1, ::3]
    w = (-(a @ b), "c")
    """
    if _is_gast(tree):
        tree = gast.gast_to_ast(tree)
    printer = Printer(tree)
    return printer.result()


def _is_gast(tree: ast.AST) -> bool:
    return getattr(gast, type(tree).__name__, None) is type(tree)


class _CannotQuote(Exception):
    """A string cannot be written without a backslash or one of the quotes around it."""


class Printer(astunparse.Unparser):  # type: ignore[misc, unused-ignore]
    """Prints the tree of a module, a statement or an expression; see `unparse`."""

    def __init__(self, tree: ast.AST) -> None:
        self.f = io.StringIO()
        self._indent = 0
        self._lines: list[str] = []
        self._quotes_around: tuple[str, ...] = ()
        self._expression: str | None = None
        if isinstance(tree, ast.expr | ast.Slice):
            self._expression = flat(self.text(tree, YIELD))
        elif isinstance(tree, ast.stmt):
            self._block([tree])
        else:
            written = self.dispatch(tree)
            self._expression = None if written is None else flat(written)

    def result(self) -> str:
        """The text that was printed."""
        if self._expression is not None:
            return self._expression
        return "".join(line + "\n" for line in self._lines)

    def dispatch(self, tree: ast.AST) -> Any:
        """Call the method of this kind of syntax: statements write lines, the rest gives text."""
        return getattr(self, "_" + type(tree).__name__)(tree)

    def text(self, tree: ast.AST, level: int) -> str:
        """An expression at the level of its place, bracketed if its own level is lower."""
        if isinstance(tree, ast.NamedExpr):
            bare = level == NAMED
        else:
            bare = level_of(tree) >= level
        written: str = self.dispatch(tree)
        return written if bare else f"({written})"

    def _listed(self, trees: Iterable[ast.AST], level: int = TEST) -> str:
        return COMMA.join(self.text(tree, level) for tree in trees)

    # Modules

    def _Module(self, t: ast.Module) -> None:
        self._block(t.body, documented=True)

    def _Interactive(self, t: ast.Interactive) -> None:
        self._block(t.body)

    def _Expression(self, t: ast.Expression) -> str:
        return self.text(t.body, TUPLE)

    # Blocks and blank lines

    def _block(self, body: list[ast.stmt], documented: bool = False, owner: str = "") -> None:
        previous: ast.stmt | None = None
        has_docstring = documented and bool(body) and _is_docstring(body[0])
        for position, statement in enumerate(body):
            docstring = has_docstring and position == 0
            if previous is not None:
                after_docstring = has_docstring and position == 1 and owner != "def"
                self._blank(self._blank_lines(previous, body[position:], after_docstring))
            elif self._indent and not owner and _starts_with_definition(body):
                self._blank(1)
            if docstring:
                self._docstring(statement)
            else:
                self.dispatch(statement)
            previous = statement

    def _blank(self, count: int) -> None:
        self._lines.extend([""] * count)

    def _blank_lines(
        self, previous: ast.stmt, following: list[ast.stmt], after_docstring: bool
    ) -> int:
        around_definition = 1 if self._indent else 2
        if _ends_with_definition(previous):
            return around_definition
        if not is_comment(previous) and _starts_with_definition(following):
            return around_definition
        if _is_import(previous) and not _is_import(following[0]):
            return 1
        return int(after_docstring)

    def _indented(self, body: list[ast.stmt], documented: bool = False, owner: str = "") -> None:
        self._indent += 1
        self._block(body, documented, owner)
        if all(is_comment(statement) for statement in body):
            self._line("pass")
        self._indent -= 1

    def _clause(self, head: str, body: list[ast.stmt], after: list[ast.stmt] | None = None) -> None:
        """A head with its block; `after` is the block before it in the same statement."""
        if after and _ends_with_definition(after[-1]):
            self._blank(1)
        self._line(head + ":")
        self._indented(body)

    def _line(self, text: str, definition: bool = False) -> None:
        self._lines.extend(split_line(text, self._indent, definition))

    def _docstring(self, statement: ast.stmt) -> None:
        assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        first, *others = _docstring_text(str(statement.value.value)).split("\n")
        self._lines.append(INDENT * self._indent + first)
        self._lines.extend(others)

    # Statements

    def _Expr(self, t: ast.Expr) -> None:
        if is_comment(t):
            assert isinstance(t.value, ast.Constant)
            indent = INDENT * self._indent
            lines = str(t.value.value).split("\n")
            self._lines.extend(f"{indent}# {line}".rstrip() for line in lines)
        else:
            self._line(optional(self.text(t.value, YIELD)))

    def _Import(self, t: ast.Import) -> None:
        self._line("import " + ", ".join(map(self.dispatch, t.names)))

    def _ImportFrom(self, t: ast.ImportFrom) -> None:
        names = COMMA.join(map(self.dispatch, t.names))
        names = names if names == "*" else optional(names)
        self._line(f"from {'.' * (t.level or 0)}{t.module or ''} import {names}")

    def _alias(self, t: ast.alias) -> str:
        return t.name + (f" as {t.asname}" if t.asname else "")

    def _Assign(self, t: ast.Assign) -> None:
        targets = [self.text(target, TUPLE) for target in t.targets]
        for place, target in enumerate(t.targets):
            if isinstance(target, ast.Tuple) and len(target.elts) > 1:
                targets[place] = optional(targets[place])
        unpacks = any(isinstance(target, ast.Tuple | ast.List) for target in t.targets)
        value = self.text(t.value, YIELD) if unpacks else self._assigned(t.value)
        self._line(" = ".join([*targets, optional(value)]))

    def _assigned(self, value: ast.expr) -> str:
        """A value bound to one name: a tuple is easier to see in brackets there."""
        return self.text(value, TEST if isinstance(value, ast.Tuple) else YIELD)

    def _AugAssign(self, t: ast.AugAssign) -> None:
        symbol, _ = BINARY[type(t.op)]
        value = optional(self._assigned(t.value))
        self._line(f"{self.text(t.target, TEST)} {symbol}= {value}")

    def _AnnAssign(self, t: ast.AnnAssign) -> None:
        target = self.text(t.target, TEST)
        if isinstance(t.target, ast.Name) and not t.simple:
            target = f"({target})"
        line = f"{target}: {self.text(t.annotation, TEST)}"
        if t.value is not None:
            line += " = " + optional(self._assigned(t.value))
        self._line(line)

    def _Return(self, t: ast.Return) -> None:
        self._line(self._keyword_line("return", t.value, TUPLE))

    def _keyword_line(self, keyword: str, value: ast.expr | None, level: int) -> str:
        return keyword if value is None else f"{keyword} {optional(self.text(value, level))}"

    def _Pass(self, t: ast.Pass) -> None:
        self._line("pass")

    def _Break(self, t: ast.Break) -> None:
        self._line("break")

    def _Continue(self, t: ast.Continue) -> None:
        self._line("continue")

    def _Delete(self, t: ast.Delete) -> None:
        self._line("del " + ", ".join(self.text(target, TEST) for target in t.targets))

    def _Assert(self, t: ast.Assert) -> None:
        line = "assert " + optional(self.text(t.test, TEST))
        if t.msg is not None:
            line += ", " + optional(self.text(t.msg, TEST))
        self._line(line)

    def _Global(self, t: ast.Global) -> None:
        self._line("global " + ", ".join(t.names))

    def _Nonlocal(self, t: ast.Nonlocal) -> None:
        self._line("nonlocal " + ", ".join(t.names))

    def _Raise(self, t: ast.Raise) -> None:
        line = self._keyword_line("raise", t.exc, TEST)
        if t.cause is not None:
            line += " from " + optional(self.text(t.cause, TEST))
        self._line(line)

    def _If(self, t: ast.If) -> None:
        self._clause("if " + optional(self.text(t.test, NAMED)), t.body)
        before = t.body
        while len(t.orelse) == 1 and isinstance(t.orelse[0], ast.If):
            t = t.orelse[0]
            self._clause("elif " + optional(self.text(t.test, NAMED)), t.body, before)
            before = t.body
        self._else(t.orelse, before)

    def _else(self, body: list[ast.stmt], before: list[ast.stmt]) -> None:
        if body:
            self._clause("else", body, before)

    def _While(self, t: ast.While) -> None:
        self._clause("while " + optional(self.text(t.test, NAMED)), t.body)
        self._else(t.orelse, t.body)

    def _For(self, t: ast.For, prefix: str = "") -> None:
        target, items = self.text(t.target, TUPLE), optional(self.text(t.iter, TEST))
        self._clause(f"{prefix}for {target} in {items}", t.body)
        self._else(t.orelse, t.body)

    def _AsyncFor(self, t: ast.AsyncFor) -> None:
        self._For(t, "async ")  # type: ignore[arg-type]

    def _With(self, t: ast.With, prefix: str = "") -> None:
        items = COMMA.join(map(self.dispatch, t.items))
        only = t.items[0]
        if len(t.items) == 1 and only.optional_vars is None and items.startswith("("):
            # A lone bracketed tuple would be read as several items.
            items = f"({items})" if isinstance(only.context_expr, ast.Tuple) else items
        self._clause(f"{prefix}with {optional(items)}", t.body)

    def _AsyncWith(self, t: ast.AsyncWith) -> None:
        self._With(t, "async ")  # type: ignore[arg-type]

    def _withitem(self, t: ast.withitem) -> str:
        text = self.text(t.context_expr, TEST)
        return text if t.optional_vars is None else f"{text} as {self.text(t.optional_vars, TEST)}"

    def _Try(self, t: ast.Try, star: str = "") -> None:
        self._clause("try", t.body)
        before = t.body
        for handler in t.handlers:
            self._clause(self._handler_head(handler, star), handler.body, before)
            before = handler.body
        self._else(t.orelse, before)
        if t.finalbody:
            self._clause("finally", t.finalbody, t.orelse or before)

    def _TryStar(self, t: Any) -> None:
        self._Try(t, "*")

    def _handler_head(self, t: ast.ExceptHandler, star: str) -> str:
        if t.type is None:
            return "except" + star
        name = f" as {t.name}" if t.name else ""
        return f"except{star} {self.text(t.type, TEST)}{name}"

    # Definitions

    def _FunctionDef(self, t: ast.FunctionDef, prefix: str = "") -> None:
        self._decorators(t.decorator_list)
        result = "" if t.returns is None else f" -> {self.text(t.returns, TEST)}"
        head = f"{prefix}def {t.name}{self._type_params(t)}({self.dispatch(t.args)}){result}:"
        self._definition(head, t.body, "def")

    def _AsyncFunctionDef(self, t: ast.AsyncFunctionDef) -> None:
        self._FunctionDef(t, "async ")  # type: ignore[arg-type]

    def _ClassDef(self, t: ast.ClassDef) -> None:
        self._decorators(t.decorator_list)
        bases = COMMA.join([*map(self.dispatch, t.bases), *map(self.dispatch, t.keywords)])
        bases = f"({bases})" if bases else ""
        self._definition(f"class {t.name}{self._type_params(t)}{bases}:", t.body, "class")

    def _definition(self, head: str, body: list[ast.stmt], owner: str) -> None:
        if _is_stub(body) and len(flat(head)) + 4 + 4 * self._indent <= LINE_LENGTH:
            self._line(head + " ...")
        else:
            self._line(head, definition=True)
            self._indented(body, documented=True, owner=owner)

    def _decorators(self, decorators: list[ast.expr]) -> None:
        for decorator in decorators:
            self._line("@" + self.text(decorator, TEST))

    def _type_params(self, t: Any) -> str:
        params = getattr(t, "type_params", None)
        return f"[{COMMA.join(map(self.dispatch, params))}]" if params else ""

    def _TypeAlias(self, t: Any) -> None:
        value = optional(self.text(t.value, TEST))
        self._line(f"type {self.text(t.name, TEST)}{self._type_params(t)} = {value}")

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

    def _parameter(self, arg: ast.arg, default: ast.expr | None) -> str:
        written: str = self.dispatch(arg)
        if default is None:
            return written
        equals = "=" if arg.annotation is None else " = "
        return written + equals + self.text(default, TEST)

    def _arg(self, t: ast.arg) -> str:
        return t.arg if t.annotation is None else f"{t.arg}: {self.text(t.annotation, TEST)}"

    # Matching

    def _Match(self, t: ast.Match) -> None:
        self._line(f"match {optional(self.text(t.subject, TUPLE))}:")
        self._indent += 1
        before: list[ast.stmt] | None = None
        for case in t.cases:
            guard = "" if case.guard is None else f" if {optional(self.text(case.guard, NAMED))}"
            self._clause(f"case {self.dispatch(case.pattern)}{guard}", case.body, before)
            before = case.body
        self._indent -= 1

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

    # Expressions: each gives its text, without brackets of its own

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

    # Constants and strings

    def _Constant(self, t: ast.Constant) -> str:
        value = t.value
        if value is Ellipsis:
            return "..."
        if isinstance(value, str):
            return self._quoted(value, "")
        if isinstance(value, bytes):
            return self._quoted(value.decode("latin-1"), "b")
        if isinstance(value, float | complex):
            return _number(value)
        if isinstance(value, tuple):
            return f"({COMMA.join(map(self._folded, value))}{',' if len(value) == 1 else ''})"
        if isinstance(value, frozenset):
            return f"frozenset({{{COMMA.join(sorted(map(self._folded, value)))}}})"
        return repr(value)

    def _folded(self, value: object) -> str:
        return self.text(ast.Constant(value), TEST)  # type: ignore[arg-type]

    def _quoted(self, content: str, prefix: str) -> str:
        for quote in _quotes_for(content):
            if not self._quotes_around:
                return unbroken(prefix + quote + _escaped(content, quote, prefix) + quote)
            body = content if "\n" in content and len(quote) == 3 else _escaped(content, quote)
            if "\\" not in body and self._may_quote(quote + body):
                return unbroken(prefix + quote + body + quote)
        raise _CannotQuote

    def _may_quote(self, text: str) -> bool:
        """Whether text may stand in the braces of the f-strings around it, before Python 3.12."""
        return not any(
            around[0] in text if len(around) == 1 else around in text or text.endswith(around[0])
            for around in self._quotes_around
        )

    def _JoinedStr(self, t: ast.JoinedStr) -> str:
        literal = "".join(str(part.value) for part in t.values if isinstance(part, ast.Constant))
        for quote in _quotes_for(literal):
            if quote[0] in "".join(self._quotes_around):
                continue
            try:
                with self._inside(quote):
                    text = f"f{quote}{self._pieces(t.values, quote)}{quote}"
            except _CannotQuote:
                continue
            if not self._quotes_around or ("\\" not in text and self._may_quote(text)):
                return unbroken(text)
        if self._quotes_around:
            raise _CannotQuote
        # From Python 3.12 on, any string may stand in braces.
        with self._outside():
            return unbroken(f'f"{self._pieces(t.values, chr(34))}"')

    @contextmanager
    def _inside(self, quote: str) -> Iterator[None]:
        before = self._quotes_around
        self._quotes_around = (*before, quote)
        try:
            yield
        finally:
            self._quotes_around = before

    @contextmanager
    def _outside(self) -> Iterator[None]:
        before = self._quotes_around
        self._quotes_around = ()
        try:
            yield
        finally:
            self._quotes_around = before

    def _pieces(self, values: list[ast.expr], quote: str) -> str:
        return "".join(self._piece(value, quote) for value in values)

    def _piece(self, value: ast.expr, quote: str) -> str:
        if isinstance(value, ast.Constant):
            return _escaped(str(value.value), quote).replace("{", "{{").replace("}", "}}")
        assert isinstance(value, ast.FormattedValue)
        expression = flat(self.text(value.value, TEST))
        if _has_open_colon(value.value) and not expression.startswith("("):
            expression = f"({expression})"
        if expression.startswith("{"):
            expression = " " + expression
        if expression.endswith("}"):
            expression += " "
        conversion = "" if value.conversion == -1 else "!" + chr(value.conversion)
        spec = ""
        if isinstance(value.format_spec, ast.JoinedStr):
            spec = ":" + self._pieces(value.format_spec.values, quote)
        return f"{{{expression}{conversion}{spec}}}"

    def _FormattedValue(self, t: ast.FormattedValue) -> str:
        return self._JoinedStr(ast.JoinedStr([t]))


# What an expression is


def _is_simple_slice(t: ast.Slice) -> bool:
    operands = (ast.Name, ast.Constant, ast.List, ast.Tuple, ast.UnaryOp)
    simple = (*operands, ast.unaryop, ast.expr_context)
    parts = (part for part in (t.lower, t.upper, t.step) if part is not None)
    return all(
        isinstance(each, simple) and not isinstance(each, ast.Not)
        for part in parts
        for each in ast.walk(part)
    )


def _has_open_colon(tree: ast.AST) -> bool:
    return any(isinstance(part, ast.Lambda | ast.NamedExpr) for part in ast.walk(tree))


def _number(value: float | complex) -> str:
    if value != value and not isinstance(value, complex):
        return "(1e309 - 1e309)"
    return repr(value).replace("inf", "1e309").replace("nan", "(1e309 - 1e309)")


# Strings


def _quotes_for(content: str) -> list[str]:
    """The quotes to try, those that black prefers first."""
    if content.count('"') > content.count("'"):
        return ["'", '"', '"""', "'''"]
    return ['"', "'", '"""', "'''"]


_SHORT_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escaped(content: str, quote: str, prefix: str = "") -> str:
    return "".join(
        "\\" + character if character == quote[0] else _escaped_character(character, prefix)
        for character in content
    )


def _escaped_character(character: str, prefix: str = "") -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    code = ord(character)
    if character.isprintable() and (code < 127 or not prefix):
        return character
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _docstring_text(content: str) -> str:
    lines = ("".join(map(_escaped_character, line)) for line in content.split("\n"))
    text = "\n".join(lines).replace('"""', '\\"\\"\\"')
    if text.endswith('"'):
        text = text[:-1] + '\\"'
    return f'"""{text}"""'


# What a statement is


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
        and not is_comment(statement)
    )


def _is_stub(body: list[ast.stmt]) -> bool:
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        return False
    return isinstance(body[0].value, ast.Constant) and body[0].value.value is Ellipsis


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _starts_with_definition(statements: list[ast.stmt]) -> bool:
    """Whether a definition comes next, with or without comments above it."""
    code = next((each for each in statements if not is_comment(each)), None)
    return isinstance(code, _DEFINITION)


def _ends_with_definition(statement: ast.stmt) -> bool:
    """Whether the last line of a statement is in the body of a definition that it holds."""
    if isinstance(statement, _DEFINITION):
        return True
    if isinstance(statement, ast.Match):
        return bool(statement.cases) and _ends_with_definition(statement.cases[-1].body[-1])
    for blocks in ("finalbody", "orelse", "handlers", "body"):
        block = getattr(statement, blocks, None)
        if block:
            last = block[-1].body[-1] if blocks == "handlers" else block[-1]
            return _ends_with_definition(last)
    return False
