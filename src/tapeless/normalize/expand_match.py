"""`match` becomes a chain of `if`s: a pattern is a test and bindings.

match e:                          subject = e
    case (a, b) if a > 0: B1  ->  matched = False
    case {"k": k}: B2             if isinstance(subject, (list, tuple)) and len(subject) == 2:
                                      a = subject[0]; b = subject[1]
                                      if a > 0: matched = True; B1
                                  if not matched: ...
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.errors import UnsupportedSyntaxError
from tapeless.externals import MISSING
from tapeless.normalize.hidden_builtins import hidden_builtins
from tapeless.tree.build import as_load, assign, at_line_of, const, name, quote_expression
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree

_ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


class _Expander(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.function = function
        self.names = Names(function.names() | _captures(function.tree))
        self.hidden = hidden_builtins(function, self.names)

    def visit_Match(self, tree: Tree) -> Any:
        subject = self.names.fresh("subject")
        made = [assign(subject, tree.subject), *self.cases(subject, tree.cases)]
        return [self.visit(at_line_of(s, tree)) for s in made]

    def cases(self, subject: str, cases: list[Any]) -> list[Any]:
        if not cases:
            return []
        first, rest = cases[0], cases[1:]
        test, bindings = self.pattern(first.pattern, name(subject))
        if first.guard is None:
            return _if(test, [*bindings, *first.body], self.cases(subject, rest))
        others = self.cases(subject, rest)
        matched = self.names.fresh("matched")
        chosen = gast.If(first.guard, [assign(matched, const(True)), *first.body], [])
        made = [assign(matched, const(False)), *_if(test, [*bindings, chosen], [])]
        if others:
            made.append(gast.If(gast.UnaryOp(gast.Not(), name(matched)), others, []))
        return made

    def pattern(self, tree: Tree, value: Expr) -> tuple[Any, list[Any]]:
        """Return the test of a pattern, None if it always matches, and what it binds."""
        found: tuple[Any, list[Any]] = getattr(self, f"of_{type(tree).__name__}")(tree, value)
        return found

    def of_MatchValue(self, tree: Tree, value: Expr) -> tuple[Any, list[Any]]:
        return gast.Compare(value, [gast.Eq()], [tree.value]), []

    def of_MatchSingleton(self, tree: Tree, value: Expr) -> tuple[Any, list[Any]]:
        return gast.Compare(value, [gast.Is()], [const(tree.value)]), []

    def of_MatchAs(self, tree: Tree, value: Expr) -> tuple[Any, list[Any]]:
        bound = [] if tree.name is None else [assign(tree.name, as_load(value))]
        if tree.pattern is None:
            return None, bound
        test, inner = self.pattern(tree.pattern, value)
        return test, [*inner, *bound]

    def of_MatchOr(self, tree: Tree, value: Expr) -> tuple[Any, list[Any]]:
        parts = [self.pattern(part, as_load(value)) for part in tree.patterns]
        if any(bindings for _, bindings in parts):
            self.refuse(tree, "an or-pattern that binds names is not supported yet")
        tests = [test for test, _ in parts]
        return (None if None in tests else gast.BoolOp(gast.Or(), tests)), []

    def of_MatchSequence(self, tree: Tree, value: Expr) -> tuple[Any, list[Any]]:
        stars = [i for i, part in enumerate(tree.patterns) if type(part) is gast.MatchStar]
        count = const(len(tree.patterns) - len(stars))
        tests: list[Any] = [self.quoted("isinstance(v, (list, tuple))", v=value)]
        text = "len(v) >= n" if stars else "len(v) == n"
        tests.append(self.quoted(text, v=value, n=count))
        bindings: list[Any] = []
        for i, part in enumerate(tree.patterns):
            if type(part) is gast.MatchStar:
                after = len(tree.patterns) - 1 - i
                if part.name is not None:
                    rest = self.quoted("list(v[i:len(v) - n])", v=value, i=const(i),
                                            n=const(after))  # fmt: skip
                    bindings.append(assign(part.name, rest))
                continue
            at = i if not stars or i < stars[0] else i - len(tree.patterns)
            self.add(part, self.quoted("v[i]", v=value, i=const(at)), tests, bindings)
        return _all(tests), bindings

    def of_MatchMapping(self, tree: Tree, value: Expr) -> tuple[Any, list[Any]]:
        tests: list[Any] = [self.quoted("isinstance(v, dict)", v=value)]
        bindings: list[Any] = []
        for key, part in zip(tree.keys, tree.patterns, strict=True):
            tests.append(gast.Compare(key, [gast.In()], [as_load(value)]))
            self.add(part, self.quoted("v[k]", v=value, k=key), tests, bindings)
        if tree.rest is not None:
            text = "{k: d for k, d in v.items() if k not in keys}"
            holes = {key: self.names.fresh(key) for key in ("k", "d")}
            known = gast.Tuple([as_load(k) for k in tree.keys], gast.Load())
            rest = self.quoted(text, v=value, keys=known, **holes)
            bindings.append(assign(tree.rest, rest))
        return _all(tests), bindings

    def of_MatchClass(self, tree: Tree, value: Expr) -> tuple[Any, list[Any]]:
        cls = self.function.resolve(tree.cls)
        if cls is MISSING or not isinstance(cls, type):
            self.refuse(tree, "which class this pattern names is not known")
        tests: list[Any] = [self.quoted("isinstance(v, c)", v=value, c=tree.cls)]
        bindings: list[Any] = []
        if cls in _ITSELF and len(tree.patterns) == 1:
            self.add(tree.patterns[0], as_load(value), tests, bindings)
            return _all(tests), bindings
        attributes = [*getattr(cls, "__match_args__", ())[: len(tree.patterns)], *tree.kwd_attrs]
        parts = [*tree.patterns, *tree.kwd_patterns]
        for key, part in zip(attributes, parts, strict=True):
            self.add(part, gast.Attribute(as_load(value), key, gast.Load()), tests, bindings)
        return _all(tests), bindings

    def quoted(self, text: str, **holes: Any) -> Any:
        """Write an expression that calls builtins, whatever the function calls its own names."""
        return quote_expression(text, **self.hidden, **holes)

    def add(self, part: Tree, value: Expr, tests: list[Any], bindings: list[Any]) -> None:
        test, inner = self.pattern(part, value)
        if test is not None:
            tests.append(test)
        bindings += inner

    def refuse(self, tree: Tree, reason: str) -> None:
        fix = "write it as `if`/`elif`"
        raise self.function.error(tree, reason, fix, UnsupportedSyntaxError)


def _captures(tree: Tree) -> set[str]:
    """Collect the names that patterns bind."""
    found = {getattr(p, "rest" if type(p) is gast.MatchMapping else "name", None)
             for p in nodes(tree)
             if isinstance(p, (gast.MatchMapping, gast.MatchAs, gast.MatchStar))}  # fmt: skip
    return {key for key in found if key}


def _all(tests: list[Any]) -> Any:
    return tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)


def _if(test: Expr, body: list[Any], orelse: list[Any]) -> list[Any]:
    return body if test is None else [gast.If(test, body, orelse)]


def expand_match(function: CoreFunction) -> CoreFunction:
    """Write `match` statements as `if`s.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function(
    ...     'def f(x, k):\\n    match k:\\n        case 0:\\n            return x\\n'
    ...     '        case _:\\n            return -x'))
    >>> print(unparse(expand_match(f).tree).strip())
    def f(x, k):
        subject = k
        if subject == 0:
            return x
        else:
            return -x
    """
    expander = _Expander(function)
    return function.with_body(expander.listed(function.tree.body))
