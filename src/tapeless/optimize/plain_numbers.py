"""Loops over numbers compute with Python's floats, which is four times as fast as with NumPy's.

    for k in range(n):                      for k in range(n):
        sine = np.sin(x)                        sine = float(np.sin(x))
        slope = 1.0 - e * sine        ->        slope = 1.0 - e * sine
        x = x - sine / slope                    slope = slope or np.float64(slope)
                                                x = x - sine / slope

Both are doubles, and both add, subtract and multiply to the same bits. A number of NumPy's is made a float
only if all that is done with it, and with what is computed from it, comes out the same:

- Python raises where it divides by zero, and NumPy does not. So what divides is a number of NumPy's where it
  is zero; and only where one of both was NumPy's before, or what used to raise would not. Of adjoints that
  need not be asked: the forward sweep has divided by the same number.
- A power may overflow, which raises, too: its operands stay as they are.
- What is stored into an array of doubles, or given to a function of NumPy's, may be either.
- What a caller gets of the author's own values keeps its class; of what the tool computes it is NumPy's.

Anything else that sees a number keeps it as it is. What is not kept are NumPy's warnings of sums and products
that overflow. To make one sort of number of the other takes about as long as it spares, and is one thing more
to read: a function in which that would be done too often is left as it is. This is done last: what is
differentiated again is NumPy's.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.externals import Externals
from tapeless.optimize.context import Context
from tapeless.optimize.listed_arrays import ListedArrays
from tapeless.optimize.names_apart import name_as_before, with_names_apart
from tapeless.optimize.nonzero import is_never_zero
from tapeless.optimize.number_flow import NumberFlow
from tapeless.optimize.python_floats import PythonFloats, Whose, with_parts
from tapeless.optimize.rows import is_taken_apart, items_of
from tapeless.optimize.values import is_adjoint, is_stack_call
from tapeless.tree.blocks import all_blocks
from tapeless.tree.build import assign, at_line_of, call, name, quote_expression
from tapeless.tree.classes import (
    ADDITIVE,
    ARITHMETIC,
    BRANCHING,
    COMPREHENSIONS,
    FUNCTIONS,
    LOOPS,
    POLYNOMIAL,
    TESTED,
    UNDERSTOOD,
    YIELDS,
)
from tapeless.tree.comments import is_comment
from tapeless.tree.names import nodes, parameters
from tapeless.tree.trees import Expr, Stmt

_STRANGE = FUNCTIONS | COMPREHENSIONS | YIELDS | {gast.NamedExpr, gast.Await}


_WORTH = 0.8  # of what loops take


def plain_numbers(function: gast.FunctionDef, context: Context, externals: Externals) -> bool:
    """Make numbers of NumPy's that loops compute with Python's floats.

    Returns
    -------
    Whether there were any.

    Examples
    --------
    >>> import gast
    >>> from tapeless.externals import constant
    >>> from tapeless.kinds import Real
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f_grad(x, e, n):
    ...     for k in range(n):
    ...         sine = np.sin(x)
    ...         slope = 1.0 - e * sine
    ...         x = x - sine / slope
    ...     x_bar = 2.0 * x
    ...     return x_bar
    ... ''').body[0]
    >>> known = {"np": np, "np.sin": np.sin, "float": float, "map": map}
    >>> context = Context(
    ...     lambda tree: known.get(gast.unparse(tree).strip()),
    ...     temporaries=lambda key: key.endswith("_bar"),
    ...     kind_of=lambda key: Real() if key in ("x", "e", "sine", "slope", "x_bar") else None,
    ... )
    >>> plain_numbers(function, context, {"np": constant(np, "numpy")})
    True
    >>> print(unparse(function), end="")
    def f_grad(x, e, n):
        for k in range(n):
            sine = float(np.sin(x))
            slope = 1.0 - e * sine
            slope = slope or np.float64(slope)
            x = x - sine / slope
        x_bar = 2.0 * x
        return np.float64(x_bar)
    """
    parts = nodes(function)
    if not any(type(part) in LOOPS for part in parts) or not all(map(_is_followed, parts[1:])):
        return False
    numpy = next((key for key in externals if context.resolve(name(key)) is np), None)
    builtins = all(context.resolve(name(f.__name__)) is f for f in (float, map))
    if numpy is None or not builtins:
        return False
    context, before = with_names_apart(function, context)
    written = _write(function, context, numpy, before)
    name_as_before(function, before)
    return written


def _write(
    function: gast.FunctionDef, context: Context, numpy: str, before: dict[str, str]
) -> bool:
    flow = NumberFlow(function, context)
    arrays = ListedArrays(function, flow, context)
    if not flow.numpys and not arrays.listed:
        return False
    written = _Writer(function, flow, context, numpy, arrays.listed).write()
    if written and arrays.listed:
        arrays.write(numpy, before.values())
    return written


def _is_followed(part: Any) -> bool:
    """Whether something binds names in no way that is not looked at here."""
    cls = type(part)
    return cls in UNDERSTOOD if isinstance(part, gast.stmt) else cls not in _STRANGE


class _Writer:
    """Writes the statements of one function."""

    def __init__(
        self, function: Any, flow: NumberFlow, context: Context, numpy: str, listed: set[str]
    ) -> None:
        self.function, self.flow, self.context = function, flow, context
        self.floats = PythonFloats(flow, context, numpy, listed)
        where = [function] if listed else [part for part in flow.parts if type(part) in LOOPS]
        self.floats.computed_with = _saved_for(_computed_with(where), flow) & flow.doubles
        self.floats.free -= flow.numpys - {
            p.id for s in where for p in nodes(s) if type(p) is gast.Name
        }
        self.converted = flow.computed_from(self._is_converted)
        self.floats.maybe_numpys = self.converted
        self.edits: list[tuple[Any, dict[str, Any]]] = []

    def write(self) -> bool:
        """Write all statements, until no name has to stay as it was."""
        before: tuple[set[str], ...] = ()
        while before != (self.floats.free, self.floats.unsure):
            before = set(self.floats.free), set(self.floats.unsure)
            self.edits = []
            self.floats.begin()
            self._block(self.function.body, False)
        if self.floats.after > _WORTH * self.floats.before:
            return False
        for s, parts in self.edits:
            for field, part in parts.items():
                setattr(s, field, part)
        self._follow_divisors(self.function.body)
        return True

    def _is_converted(self, part: Any) -> bool:
        """Whether a number of NumPy's may become Python's."""
        if type(part) is gast.Name:
            return part.id in self.flow.numpys & self.floats.free
        return self.flow.is_numpys(part)

    def _block(self, block: list[Any], in_loop: bool) -> None:
        for s in block:
            if is_comment(s):
                continue
            self.floats.in_loop = in_loop or type(s) is gast.While
            self.floats.in_adjoint = self._binds_adjoint(s)
            self._statement(s)
            if type(s) in BRANCHING:
                for inner in (s.body, s.orelse):
                    self._block(inner, in_loop or type(s) in LOOPS)

    def _binds_adjoint(self, s: Stmt) -> bool:
        """Whether a statement binds, or stores into, an adjoint."""
        places = getattr(s, "targets", None) or [getattr(s, "target", None)]
        [place, *others] = [p.value if type(p) is gast.Subscript else p for p in places]
        return not others and type(place) is gast.Name and is_adjoint(place.id, self.context)

    def _statement(self, s: Stmt) -> None:
        cls = type(s)
        if cls is gast.Assign and len(s.targets) == 1:
            self._assignment(s)
        elif cls is gast.AugAssign:
            self._update(s)
        elif cls in TESTED:
            self._edit(s, test=self.floats.test(s.test))
        elif cls is gast.Return and s.value is not None:
            self._edit(s, value=self._returned(s.value))
        elif cls is gast.Expr and type(s.value) is gast.Call and is_stack_call(s.value):
            self._push(s)
        elif cls is gast.For:
            self._edit(s, iter=self.floats.kept(s.iter))
        else:
            fields = {f: p for f in s._fields if isinstance(p := getattr(s, f, None), gast.AST)}
            self._edit(s, **{f: self.floats.kept(part) for f, part in fields.items()})

    def _edit(self, s: Stmt, **parts: Any) -> None:
        self.edits.append((s, parts))

    def _assignment(self, s: Stmt) -> None:
        place = s.targets[0]
        if type(place) is gast.Name:
            self._edit(s, value=self._bound_to(place.id, s.value))
        elif type(place) is gast.Subscript:
            store = with_parts(place, slice=self.floats.kept(place.slice))
            self._edit(s, targets=[store], value=self._stored(place, s.value))
        elif type(place) is gast.Tuple and _is_alike(place, s.value):
            pairs = zip(place.elts, s.value.elts, strict=True)
            items = [self._bound_to(each.id, value) for each, value in pairs]
            self._edit(s, value=with_parts(s.value, elts=items))
        elif is_taken_apart(s, self.context):
            self._edit(s, value=self._taken_apart(place, s.value))
        else:
            self._edit(s, value=self.floats.kept(s.value))

    def _taken_apart(self, place: Expr, vector: Any) -> Any:
        """Write a vector whose entries names are bound to: all of them may be Python's, or none."""
        keys, floats = {item.id for item in place.elts}, self.floats
        owner = vector.value if type(vector) is gast.Subscript else vector
        for _ in keys:
            floats.note_entry(owner)
        if keys <= floats.free:
            made = floats.kept(vector)
            return (
                made
                if owner.id in floats.listed
                else call(gast.Attribute(made, "tolist", gast.Load()))
            )
        floats.free -= keys
        made = floats.kept(vector)
        if owner.id not in floats.listed:
            return made
        float64 = gast.Attribute(name(floats.numpy), "float64", gast.Load())
        return call("map", float64, made)

    def _bound_to(self, key: str, value: Any) -> Any:
        """Write what a name is bound to."""
        if not self.flow.is_double(value):
            return self.floats.kept(value)
        if key not in self.floats.free:
            return self._kept_number(key, value)
        if key in self.floats.computed_with:
            return self.floats.wanted_float(value, [key])
        return self.floats.number(value, True)[0]

    def _kept_number(self, key: str, value: Any) -> Any:
        """Write a number that must stay whose it was; what is added may be computed otherwise."""
        floats = self.floats
        if self.flow.is_numpys(value) and (not floats.in_loop or floats.reads_lists(value)):
            return floats.as_numpys(floats.number(value, True))[0]
        if type(value) is gast.BinOp and type(value.op) in ADDITIVE:
            if getattr(value.left, "id", "") == key and self.flow.is_numpys(value.right):
                return with_parts(value, right=self._kept_update(value.right))
        return floats.number(value, False)[0]

    def _kept_update(self, value: Any) -> Any:
        """Write what is added to a number that must stay whose it was."""
        names = {part.id for part in nodes(value) if type(part) is gast.Name}
        given = self.flow.bound.get(value.id, []) if type(value) is gast.Name else [value]
        computed = all(type(each) in ARITHMETIC for each in given if type(each) is not gast.Name)
        if computed and names & self.converted & self.floats.free:
            return self.floats.as_numpys(self.floats.number(value, True))[0]
        return self.floats.number(value, False)[0]

    def _stored(self, place: Expr, value: Any) -> Any:
        """Write what an entry is bound to, or what is added to it."""
        key = getattr(place.value, "id", "")
        self.floats.note_entry(place.value)
        if key in self.floats.listed:
            if self.flow.is_double(value):
                return self._listed(value)
            [row] = value.args
            return with_parts(value, args=[with_parts(row, elts=list(map(self._listed, row.elts)))])
        if self.floats.holds_doubles(key):
            return self.floats.operand(value)
        return self.floats.kept(value)

    def _listed(self, value: Any) -> Any:
        """Write what an entry of a list is bound to, or what is added to it."""
        made = self.floats.wanted_float(value)
        return made if self.flow.is_floating(value) else call("float", made)

    def _update(self, s: Stmt) -> None:
        floats, place = self.floats, s.target
        if type(place) is gast.Subscript:
            store = with_parts(place, slice=floats.kept(place.slice))
            self._edit(s, target=store, value=self._stored(place, s.value))
        elif type(place) is gast.Name and floats.holds_doubles(place.id):
            plain = type(s.op) in POLYNOMIAL
            self._edit(s, value=floats.operand(s.value) if plain else floats.kept(s.value))
        elif type(place) is gast.Name and self.flow.is_double(place):
            self._edit(s, value=self._update_of_number(s))
        else:
            self._edit(s, value=floats.kept(s.value))

    def _update_of_number(self, s: Stmt) -> Any:
        floats, key = self.floats, s.target.id
        if not self.flow.is_double(s.value) or type(s.op) not in POLYNOMIAL:
            floats.free.discard(key)
            return floats.kept(s.value)
        if key in floats.free:
            wanted = key in floats.computed_with
            if wanted:
                return floats.wanted_float(s.value, [key])
            return floats.number(s.value, True)[0]
        if self.flow.is_numpys(s.value):
            return self._kept_update(s.value)
        return floats.number(s.value, False)[0]

    def _push(self, s: Stmt) -> None:
        """Write what is saved: what takes it says whether it may be either."""
        floats, stack = self.floats, s.value.func.value.id
        if stack not in self.flow.takers or not s.value.args:
            self._edit(s, value=floats.kept(s.value))
            return
        items = []
        for i, item in enumerate(items_of(s.value.args[0])):
            takers = self.flow.takers[stack].get(i, set())
            if not self.flow.is_double(item):
                items.append(floats.kept(item))
                continue
            either = takers <= floats.free
            wanted = either and bool(takers & floats.computed_with)
            items.append(
                floats.wanted_float(item, takers) if wanted else floats.number(item, either)[0]
            )
        [given] = s.value.args
        made = with_parts(given, elts=items) if type(given) is gast.Tuple else items[0]
        self._edit(s, value=with_parts(s.value, args=[made]))

    def _returned(self, value: Any) -> Any:
        """Write what a caller gets."""
        if type(value) is gast.Tuple:
            return with_parts(value, elts=[self._returned(item) for item in value.elts])
        if not self.flow.is_double(value):
            return self.floats.kept(value)
        names = {part.id for part in nodes(value) if type(part) is gast.Name}
        own = all(map(self._is_derivative, names))
        changed = bool(names & self.converted & self.floats.free)
        if self.flow.is_numpys(value) or changed and own:
            return self.floats.as_numpys(self.floats.number(value, True))[0]
        return self.floats.number(value, False)[0]

    def _is_derivative(self, key: str) -> bool:
        tangent = key.endswith("_dot") and self.context.temporaries(key)
        return tangent or is_adjoint(key, self.context)

    def _follow_divisors(self, body: list[Any]) -> None:
        """Make NumPy's each zero that divides."""
        divisors = self.floats.divisors
        for block in list(all_blocks(body)):
            made = []
            for s in block:
                made.append(s)
                key = _named(s)
                if key not in divisors or self._is_nonzero(s):
                    continue
                if type(s) is gast.Assign and type(s.value) is gast.Constant:
                    s.value = self.floats.as_numpys((s.value, Whose.PYTHONS))[0]
                else:
                    made.append(at_line_of(self._looked_at(key), s))
            block[:] = made
        given = [key for key in parameters(self.function) if key in divisors]
        start = next(i for i, s in enumerate(body) if not is_comment(s))
        body[start:start] = [at_line_of(self._looked_at(key), body[start]) for key in given]

    def _is_nonzero(self, s: Any) -> bool:
        return type(s) is gast.Assign and is_never_zero(s.value, self.context)

    def _looked_at(self, key: str) -> Any:
        numpy = name(self.floats.numpy)
        return assign(key, quote_expression("m or np.float64(m)", m=name(key), np=numpy))


def _computed_with(where: list[Any]) -> set[str]:
    """Collect the names that are added, multiplied or divided."""
    found: set[str] = set()
    for part in [part for tree in where for part in nodes(tree)]:
        if type(part) is gast.BinOp:
            found |= {getattr(x, "id", "") for x in (part.left, part.right)}
        elif type(part) is gast.AugAssign:
            found |= {getattr(x, "id", "") for x in (part.target, part.value)}
        elif type(part) is gast.UnaryOp:
            found.add(getattr(part.operand, "id", ""))
    return found


def _saved_for(names: set[str], flow: NumberFlow) -> set[str]:
    """Add the names whose numbers some names take from what was saved."""
    saved = {getattr(x, "id", "") for key in names for x in flow.taken.get(key, ())}
    return names | saved


def _is_alike(place: Expr, value: Any) -> bool:
    names = all(type(each) is gast.Name for each in place.elts)
    return names and type(value) is gast.Tuple and len(value.elts) == len(place.elts)


def _named(s: Stmt) -> str | None:
    """Return the name that an assignment, or an update, binds."""
    if type(s) is gast.Assign and len(s.targets) == 1:
        place = s.targets[0]
        popped = type(s.value) is gast.Call and is_stack_call(s.value)
    elif type(s) is gast.AugAssign:
        place, popped = s.target, False
    else:
        return None
    return place.id if type(place) is gast.Name and not popped else None
