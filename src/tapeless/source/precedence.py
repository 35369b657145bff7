"""How strongly the operators of Python bind, and how they are spelled.

An expression is bracketed where its own level is lower than the one that its place demands.
"""

from __future__ import annotations

import ast

# Levels of precedence, weakest first. `:=` is special: bare only where NAMED is asked for.

(
    YIELD,
    TUPLE,
    NAMED,
    TEST,
    OR,
    AND,
    NOT,
    COMPARE,
    BIT_OR,
    BIT_XOR,
    BIT_AND,
    SHIFT,
    SUM,
    TERM,
    FACTOR,
    POWER,
    AWAIT,
    ATOM,
) = range(18)

BINARY = {
    ast.BitOr: ("|", BIT_OR),
    ast.BitXor: ("^", BIT_XOR),
    ast.BitAnd: ("&", BIT_AND),
    ast.LShift: ("<<", SHIFT),
    ast.RShift: (">>", SHIFT),
    ast.Add: ("+", SUM),
    ast.Sub: ("-", SUM),
    ast.Mult: ("*", TERM),
    ast.Div: ("/", TERM),
    ast.FloorDiv: ("//", TERM),
    ast.Mod: ("%", TERM),
    ast.MatMult: ("@", TERM),
    ast.Pow: ("**", POWER),
}
UNARY = {ast.UAdd: "+", ast.USub: "-", ast.Invert: "~", ast.Not: "not "}
COMPARISON = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def level_of(tree: ast.AST) -> int:
    """How strongly an expression holds together."""
    if isinstance(tree, ast.BinOp):
        return BINARY[type(tree.op)][1]
    if isinstance(tree, ast.UnaryOp):
        return NOT if isinstance(tree.op, ast.Not) else FACTOR
    if isinstance(tree, ast.BoolOp):
        return AND if isinstance(tree.op, ast.And) else OR
    if isinstance(tree, ast.Tuple):
        return TUPLE if len(tree.elts) > 1 else ATOM
    if isinstance(tree, ast.Constant):
        return FACTOR if _is_negative(tree.value) else ATOM
    return _LEVELS.get(type(tree), ATOM)


_LEVELS: dict[type[ast.AST], int] = {
    ast.Yield: YIELD,
    ast.YieldFrom: YIELD,
    ast.IfExp: TEST,
    ast.Lambda: TEST,
    ast.Compare: COMPARE,
    ast.Await: AWAIT,
}


def _is_negative(value: object) -> bool:
    return isinstance(value, (int, float, complex)) and repr(value).startswith("-")


def is_power(tree: ast.AST) -> bool:
    """Whether an expression is a power."""
    return isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Pow)


def hugs_power(tree: ast.AST) -> bool:
    """Whether black writes `**` without spaces beside this operand."""
    if isinstance(tree, ast.UnaryOp) and not isinstance(tree.op, ast.Not):
        return hugs_power(tree.operand) and not isinstance(tree.operand, ast.UnaryOp)
    if isinstance(tree, ast.Constant):
        return isinstance(tree.value, (int, float, complex)) and not isinstance(tree.value, bool)
    while isinstance(tree, ast.Attribute):
        tree = tree.value
    return isinstance(tree, ast.Name)
