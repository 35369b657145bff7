"""What an expression is, in words: the names of temporaries are made of them.

An operation is named as one would say it: `exp_z` for `np.exp(z)`, `z_squared` for `z * z`, `f_p` for
`f @ p`, `one_minus_u` for `1.0 - u`. Within another name a call is its function alone, as long as that
tells it apart: `sum_exp` for `np.sum(np.exp(z))`. What would be long is named after its operation and
the first names of the user's that it reads: `exp_low_a` for `np.exp((low - a) / gamma)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.tree.build import is_same_tree
from tapeless.tree.trees import Expr, Tree

_MOST_WORDS = 4
_MOST_LETTERS = 20
_MOST_NAMES = 2
_NUMBERS = {
    0: "zero", 0.25: "quarter", 0.5: "half", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five",
    6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten",
}  # fmt: skip
_BETWEEN = {
    gast.Add: "plus", gast.Sub: "minus", gast.Div: "over", gast.FloorDiv: "over", gast.Mod: "mod",
    gast.Pow: "to", gast.Eq: "equals", gast.NotEq: "differs", gast.Lt: "below", gast.LtE: "up_to",
    gast.Gt: "above", gast.GtE: "from", gast.In: "in", gast.NotIn: "not_in", gast.Is: "is",
    gast.IsNot: "is_not", gast.BitAnd: "and", gast.BitOr: "or", gast.And: "and", gast.Or: "or",
}  # fmt: skip
_LONG = {
    gast.Add: "sum", gast.Sub: "difference", gast.Mult: "product", gast.MatMult: "product",
    gast.Div: "ratio", gast.Pow: "power",
}  # fmt: skip
_POWERS = {2: ("squared",), 3: ("cubed",)}
_INNER = ("1", "-1")


@dataclass(frozen=True)
class Words:
    """What is said of an expression.

    Attributes
    ----------
    words
        All of it.
    within
        What is said of it within another name.
    names
        The user's names that it reads, in order.
    joined
        Whether it holds words that would be read otherwise beside a factor: `a_plus_b`.
    whole
        Whether that is all that there is to say.
    """

    words: tuple[str, ...]
    within: tuple[str, ...]
    names: tuple[str, ...]
    joined: bool = False
    whole: bool = True

    @property
    def label(self) -> str:
        """The words as one name."""
        return "_".join(self.words)

    @property
    def fits(self) -> bool:
        """Whether they are few and short."""
        return len(self.words) <= _MOST_WORDS and len(self.label) <= _MOST_LETTERS


NOTHING = Words((), (), ())


def describe(tree: Expr, of_name: Callable[[str], Words]) -> Words:
    """Say what an expression is.

    Parameters
    ----------
    tree
        An expression.
    of_name
        What is said of a name: `words_of_name` of one that the user wrote, nothing of a module.

    Returns
    -------
    Words, none where there is nothing to say.

    Examples
    --------
    >>> from tapeless.tree.build import quote_expression
    >>> for text in ("np.exp(-x)", "z * z", "f @ p", "1.0 - u", "np.sum(np.exp(z))", "u[1:-1]"):
    ...     of_name = lambda key: NOTHING if key == "np" else words_of_name(key)
    ...     print(describe(quote_expression(text), of_name).label)
    exp_minus_x
    z_squared
    f_p
    one_minus_u
    sum_exp
    u_inner
    """
    return _DESCRIBED.get(type(tree), _nothing)(tree, of_name)


def words_of_name(key: str) -> Words:
    """Return what is said of a name that the user wrote: itself."""
    words = _spelled(key)
    return Words(words, words, words)


def _spelled(text: str) -> tuple[str, ...]:
    found = re.sub(r"\W+", "_", text).strip("_").lower()
    return (found,) if found else ()


def _nothing(tree: Tree, of_name: Any) -> Words:
    return NOTHING


def _composed(
    parts: list[Words], *words: tuple[str, ...], instead: tuple[str, ...], joined: bool = False
) -> Words:
    """Put words together; where they are many, say the operation and the first names."""
    names = tuple(dict.fromkeys(key for part in parts for key in part.names))
    said = sum(words, ())
    made = Words(said, said, names, joined)
    if said and made.fits and all(p.words and p.whole for p in parts):
        return made
    short = tuple(dict.fromkeys(w for key in names[:_MOST_NAMES] for w in _spelled(key)))
    for count in range(len(short), -1, -1):
        said = (*short[:count], *instead)
        if len("_".join(said)) <= _MOST_LETTERS:
            break
    return Words(said, said, names, whole=False)


def _name(tree: Expr, of_name: Callable[[str], Words]) -> Words:
    return of_name(tree.id)


def _constant(tree: Expr, of_name: Any) -> Words:
    value = tree.value
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value in _NUMBERS:
        words = (_NUMBERS[value],)
        return Words(words, words, ())
    return NOTHING


def _unary(tree: Expr, of_name: Callable[[str], Words]) -> Words:
    operand = describe(tree.operand, of_name)
    word = "not" if isinstance(tree.op, (gast.Not, gast.Invert)) else "minus"
    if operand.joined:
        return _composed([operand], instead=("negated",))
    return _composed([operand], (word,), operand.within, instead=("negated",))


def _binary(tree: Expr, of_name: Callable[[str], Words]) -> Words:
    left, right = describe(tree.left, of_name), describe(tree.right, of_name)
    kind = type(tree.op)
    instead = (_LONG.get(kind, "combined"),)
    for number, other in ((tree.left, right), (tree.right, left)):
        if type(number) is gast.Constant and not describe(number, of_name).words:
            return _with_number(kind, other)
    if kind is gast.Pow or (kind is gast.Mult and is_same_tree(tree.left, tree.right)):
        exponent = getattr(tree.right, "value", None) if kind is gast.Pow else 2
        if exponent in _POWERS and not left.joined:
            return _composed([left], left.within, _POWERS[exponent], instead=("squared",))
    alike = left.within == right.within
    first, second = (left.words, right.words) if alike else (left.within, right.within)
    if first == second or right.joined:
        return _composed([left, right], instead=instead)
    if kind in (gast.Mult, gast.MatMult) and not left.joined:
        return _composed([left, right], first, second, instead=instead)
    if kind not in _BETWEEN or (left.joined and kind is not gast.Add):
        return _composed([left, right], instead=instead)
    words = first, (_BETWEEN[kind],), second
    return _composed([left, right], *words, instead=instead, joined=True)


def _with_number(kind: type, other: Words) -> Words:
    """Say what a number without a word, such as 0.01, does to an operand."""
    word = "shifted" if kind in (gast.Add, gast.Sub) else "scaled"
    word = "power" if kind is gast.Pow else word
    return _composed([other], other.within, (word,), instead=(word,))


def _compared(tree: Expr, of_name: Callable[[str], Words]) -> Words:
    parts = [describe(p, of_name) for p in (tree.left, *tree.comparators)]
    if len(parts) > 2:
        return _composed(parts, instead=("test",))
    word = (_BETWEEN[type(tree.ops[0])],)
    return _composed(parts, parts[0].within, word, parts[1].within, instead=("test",), joined=True)


def _either(tree: Expr, of_name: Callable[[str], Words]) -> Words:
    parts = [describe(p, of_name) for p in tree.values]
    word = (_BETWEEN[type(tree.op)],)
    words = sum((word + p.within for p in parts), ())[1:]
    return _composed(parts, words, instead=("test",), joined=True)


def _attribute(tree: Expr, of_name: Callable[[str], Words]) -> Words:
    owner = describe(tree.value, of_name)
    attribute = _spelled(tree.attr)
    if owner.words in ((), ("self",)):
        return Words(attribute, attribute, attribute)
    return _composed([owner], owner.within, attribute, instead=attribute)


def _item(tree: Expr, of_name: Callable[[str], Words]) -> Words:
    owner = describe(tree.value, of_name)
    places = tree.slice.elts if type(tree.slice) is gast.Tuple else [tree.slice]
    words: list[str] = []
    for place in places:
        words += [w for w in _place(place, of_name) if w not in words[-1:]]
    made = _composed([owner], owner.within, tuple(words), instead=("part",))
    told = type(tree.slice) is gast.Constant
    return Words(made.words, made.words if told else owner.within, made.names)


def _place(tree: Expr, of_name: Callable[[str], Words]) -> tuple[str, ...]:
    if type(tree) is gast.Slice:
        if tree.lower is None and tree.upper is None:
            return ()
        ends = tuple("" if p is None else gast.unparse(p).strip() for p in (tree.lower, tree.upper))
        return ("inner",) if ends == _INNER else ("part",)
    if type(tree) is gast.Constant and tree.value in (None, Ellipsis):
        return ()
    if type(tree) is gast.Constant and type(tree.value) in (int, str):
        return _spelled(str(tree.value))
    if type(tree) is gast.Name:
        return of_name(tree.id).words
    return ("item",)


def _call(tree: Expr, of_name: Callable[[str], Words]) -> Words:
    function = tree.func
    operands = [*tree.args]
    converted = converted_by(tree)
    if converted is not None:
        return describe(converted, of_name)
    if type(function) is gast.Attribute and _root(function, of_name).words:
        operands = [function.value, *operands]
    label = function.attr if type(function) is gast.Attribute else getattr(function, "id", "")
    plain = re.sub(r"_(fwd|rev|jvp)(_\d+)?$", "", label)
    word = _spelled(plain)
    said = [found for p in operands if (found := describe(p, of_name)).names or word in _OF_NUMBERS]
    said = [*{found.within: found for found in said}.values()]
    parts = said[: 1 if label != plain else _MOST_NAMES]
    made = _composed(parts, word, *(p.within for p in parts), instead=())
    words = made.words if made.words[:1] == word else word + made.words
    return Words(words, word, made.names)


def converted_by(tree: Expr) -> Any:
    """Return what a call gives as numbers of another class; None for any other expression.

    Examples
    --------
    >>> from tapeless.tree.build import quote_expression
    >>> for text in ("float(x)", "p.tolist()", "np.exp(x)"):
    ...     print(getattr(converted_by(quote_expression(text)), "id", None))
    x
    p
    None
    """
    if type(tree) is not gast.Call or tree.keywords:
        return None
    key = getattr(tree.func, "id", getattr(tree.func, "attr", ""))
    if key == "tolist" and type(tree.func) is gast.Attribute and not tree.args:
        return tree.func.value
    converts = key in ("float", "float64", "floats_of") and len(tree.args) == 1
    return tree.args[0] if converts else None


_OF_NUMBERS = (("sqrt",), ("log",), ("exp",))  # of which a number is said: `sqrt_two`


def _root(tree: Expr, of_name: Callable[[str], Words]) -> Words:
    """Say what a dotted name starts with; nothing of a module."""
    while type(tree) is gast.Attribute:
        tree = tree.value
    return describe(tree, of_name)


def _listed(tree: Expr, of_name: Callable[[str], Words]) -> Words:
    return _composed([describe(p, of_name) for p in tree.elts], instead=("items",))


def _chosen(tree: Expr, of_name: Callable[[str], Words]) -> Words:
    return _composed([describe(p, of_name) for p in (tree.body, tree.orelse)], instead=("chosen",))


_DESCRIBED: dict[type, Callable[[Any, Any], Words]] = {
    gast.Name: _name,
    gast.Constant: _constant,
    gast.UnaryOp: _unary,
    gast.BinOp: _binary,
    gast.Compare: _compared,
    gast.BoolOp: _either,
    gast.Attribute: _attribute,
    gast.Subscript: _item,
    gast.Call: _call,
    gast.Tuple: _listed,
    gast.List: _listed,
    gast.IfExp: _chosen,
}
