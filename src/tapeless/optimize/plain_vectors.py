"""Short vectors are taken apart and put together as one writes it by hand.

p_0, p_1 = floats_of(p)                  ->      p_0, p_1 = p.tolist()
q_0 = floats_of(q)[0]                    ->      q_0 = float(q[0])
return vector_of((p_0_bar, p_1_bar))     ->      return np.array([p_0_bar, p_1_bar])

This is done last: what is differentiated again keeps the functions that have rules.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.externals import Externals, constant, is_one_of
from tapeless.optimize.context import Context
from tapeless.optimize.rows import entry_of, is_vector_of_doubles
from tapeless.runtime import DOTS, NORMS, floats_of, vector_of
from tapeless.tree.blocks import all_blocks
from tapeless.tree.build import call, name, quote_expression
from tapeless.tree.classes import SIMPLE
from tapeless.tree.names import all_names, binds, nodes, reads
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr


def plain_vectors(function: gast.FunctionDef, context: Context, externals: Externals) -> None:
    """Write vectors plainly; NumPy may be added to the `externals`.

    Examples
    --------
    >>> import gast
    >>> from tapeless.kinds import Array
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f_grad(p):
    ...     p_0, p_1 = floats_of(p)
    ...     return vector_of((p_1, p_0))
    ... ''').body[0]
    >>> known = {"floats_of": floats_of, "vector_of": vector_of}
    >>> context = Context(lambda tree: known.get(tree.id), kind_of=lambda key: Array((2,)))
    >>> plain_vectors(function, context, {})
    >>> print(unparse(function), end="")
    def f_grad(p):
        p_0, p_1 = p.tolist()
        return np.array([p_1, p_0])
    """
    plain = _Plain(function, context, externals)
    plain.visit(function)
    if plain.made:
        for block in all_blocks(function.body):
            _nest_displays(function, block, plain.made, context)


class _Plain(Transformer):
    def __init__(self, function: Any, context: Context, externals: Externals) -> None:
        self.taken = all_names(function)
        self.context = context
        self.externals = externals
        self.made: list[Expr] = []  # the calls that make arrays

    def numpy(self) -> str | None:
        """Return the name of NumPy; None where it means something else."""
        for key, external in self.externals.items():
            if external.value is np:
                return key
        if "np" in self.externals or "np" in self.taken:
            return None
        self.externals["np"] = constant(np, "numpy")
        return "np"

    def visit_Subscript(self, tree: Expr) -> Any:
        """Read one entry of a vector, where no others are asked for."""
        given = tree.value.args if type(tree.value) is gast.Call else []
        listed = len(given) == 1 and self.context.resolve(tree.value.func) is floats_of
        i: Any = tree.slice.value if type(tree.slice) is gast.Constant else None
        plain = listed and type(i) is int and is_vector_of_doubles(given[0], self.context)
        if plain and self.context.resolve(name("float")) is float:
            return gast.copy_location(call("float", entry_of(self.visit(given[0]), i)), tree)
        return self.generic_visit(tree)

    def visit_Call(self, tree: Expr) -> Any:
        self.generic_visit(tree)
        found = self.context.resolve(tree.func)
        if is_one_of(found, (*DOTS.values(), *NORMS.values())):
            return self.of_vectors(tree, found)
        if not is_one_of(found, (np.array, floats_of, vector_of)) or len(tree.args) != 1:
            return tree
        [given] = tree.args
        if found is floats_of:
            if not is_vector_of_doubles(given, self.context):
                return tree
            return gast.copy_location(
                gast.Call(gast.Attribute(given, "tolist", gast.Load()), [], []), tree
            )
        if type(given) is gast.Tuple and not tree.keywords:
            tree.args = [_listed(given)]
        self.made.append(tree)
        numpy = self.numpy() if found is vector_of else None
        if numpy is not None:
            tree.func = gast.Attribute(name(numpy), "array", gast.Load())
        return tree

    def of_vectors(self, tree: Expr, found: Any) -> Any:
        """Write the product or the norm of vectors of numbers as NumPy's function of arrays."""
        numpy = self.numpy()
        if numpy is None:
            return tree
        half = len(tree.args) // 2
        dot = is_one_of(found, tuple(DOTS.values()))
        parts = [tree.args[:half], tree.args[half:]] if dot else [tree.args]
        vectors = [
            quote_expression("np.array(v)", np=name(numpy), v=gast.List(part, gast.Load()))
            for part in parts
        ]
        template = "np.dot(a, b)" if dot else "np.linalg.norm(a)"
        made = quote_expression(template, np=name(numpy), a=vectors[0], b=vectors[-1])
        return gast.copy_location(made, tree)


def _nest_displays(function: Any, block: list[Any], made: list[Expr], context: Context) -> None:
    """Write a list of numbers that is only made an array of where that is done."""
    for s in [s for s in block if type(s) is gast.Assign and type(s.value) is gast.List]:
        place = s.targets[0]
        if type(place) is not gast.Name or not context.temporaries(place.id):
            continue
        if any(type(p) not in _NUMBERS for p in nodes(s.value)):
            continue
        mentions = [p for p in nodes(function) if type(p) is gast.Name and p.id == place.id]
        calls = [call for call in made if getattr(call.args[0], "id", "") == place.id]
        if len(mentions) != 2 or len(calls) != 1:
            continue
        start = next(i for i, other in enumerate(block) if other is s)
        operands = set(reads(s.value))
        for other in block[start + 1 :]:
            if any(part is calls[0] for part in nodes(other)):
                if type(other) in SIMPLE:
                    calls[0].args = [s.value]
                    del block[start]
                break
            if type(other) not in SIMPLE or binds(other) & operands:
                break


_NUMBERS = frozenset({gast.Name, gast.Constant, gast.BinOp, gast.UnaryOp, gast.List})


def _listed(tree: Expr) -> Any:
    """Return tuples within tuples as lists."""
    if type(tree) is not gast.Tuple:
        return tree
    return gast.copy_location(gast.List(list(map(_listed, tree.elts)), tree.ctx), tree)
