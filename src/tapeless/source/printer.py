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
from typing import Any

import gast

from tapeless.source.expressions import Expressions
from tapeless.source.line_breaks import COMMA, INDENT, LINE_LENGTH, flat, optional, split_line
from tapeless.source.literals import docstring_text
from tapeless.source.precedence import BINARY, NAMED, TEST, TUPLE, YIELD
from tapeless.source.python_trees import python_tree
from tapeless.tree.comments import is_comment


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
        tree = python_tree(tree)
    printer = Printer(tree)
    return printer.result()


def _is_gast(tree: ast.AST) -> bool:
    return getattr(gast, type(tree).__name__, None) is type(tree)


class Printer(Expressions):
    """Prints the tree of a module, a statement or an expression; see `unparse`."""

    def __init__(self, tree: ast.AST) -> None:
        super().__init__()
        self.f = io.StringIO()
        self._indent = 0
        self._lines: list[str] = []
        self._expression: str | None = None
        if isinstance(tree, (ast.expr, ast.Slice)):
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

    def _Module(self, t: ast.Module) -> None:
        self._block(t.body, documented=True)

    def _Interactive(self, t: ast.Interactive) -> None:
        self._block(t.body)

    def _Expression(self, t: ast.Expression) -> str:
        return self.text(t.body, TUPLE)

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
        first, *others = docstring_text(str(statement.value.value)).split("\n")
        self._lines.append(INDENT * self._indent + first)
        self._lines.extend(others)

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
        unpacks = any(isinstance(target, (ast.Tuple, ast.List)) for target in t.targets)
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
        if isinstance(t.target, ast.Tuple) and len(t.target.elts) > 1:
            target = optional(target)
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

    def _Match(self, t: ast.Match) -> None:
        self._line(f"match {optional(self.text(t.subject, TUPLE))}:")
        self._indent += 1
        before: list[ast.stmt] | None = None
        for case in t.cases:
            guard = "" if case.guard is None else f" if {optional(self.text(case.guard, NAMED))}"
            self._clause(f"case {self.dispatch(case.pattern)}{guard}", case.body, before)
            before = case.body
        self._indent -= 1


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
    return isinstance(statement, (ast.Import, ast.ImportFrom))


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
