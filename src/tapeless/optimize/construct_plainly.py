"""A constructor of which nothing is kept is called as its author called it.

An object is made in two steps, so that the forward sweep of its `__init__` can hand over what it keeps:

    kf = Filter.__new__(Filter)
    _, saved_init = init_fwd(kf, q, r)        ->      kf = Filter(q, r)

Nothing lives before it is made: no adjoint of it is read after the reverse of its constructor, which
then only gives the adjoints of the attributes away.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import gast

from tapeless.runtime import Bound, class_shown
from tapeless.tree.blocks import all_blocks, is_supported
from tapeless.tree.classes import DISPLAYS, DOTTED
from tapeless.tree.names import nodes, parameters, reads
from tapeless.tree.trees import Expr, Stmt, Tree

Resolve = Callable[[Any], Any]


def construct_plainly(
    functions: dict[str, Any], forward: str, reverse: str | None, resolve: Resolve, shadow: int | None
) -> dict[str, Any]:  # fmt: skip
    """Call a class where the forward sweep of its constructor keeps nothing, which then is left out.

    The `functions` of a module, which are changed, are known by name, and so are the halves of what may
    be a constructor; `reverse` is None where it was dropped. `resolve` gives the object that an
    expression stands for. The `shadow` of the new object is a parameter of the reverse half, by number.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> class Scale:
    ...     def __init__(self, a):
    ...         self.a = a
    >>> made = {f.name: f for f in gast.parse('''
    ... def init_fwd(self, a):
    ...     self.a = a
    ...     return None, ()
    ... def init_rev(saved, y_bar, self_bar):
    ...     v_bar = self_bar.a
    ...     self_bar.a = 0.0
    ...     return v_bar
    ... def f(a):
    ...     s = Scale.__new__(Scale)
    ...     _, saved_init = init_fwd(s, a)
    ...     return init_rev(saved_init, None, g(s))
    ... ''').body}
    >>> made = construct_plainly(made, "init_fwd", "init_rev", lambda tree: Scale, 2)
    >>> for function in made.values():
    ...     print(unparse(function), end="")
    def init_rev(y_bar, self_bar):
        v_bar = self_bar.a
        return v_bar
    def f(a):
        s = Scale(a)
        saved_init = ()
        return init_rev(None, g(s))
    """
    if not all(is_supported(f) for f in functions.values()):
        return functions
    sites = _constructions(functions, forward)
    if not sites or _makes_what_is_not_its_authors(functions, forward, resolve):
        return functions
    _drop_zeroing(functions, reverse, shadow)
    if not (_keeps_nothing(functions, forward, reverse) and _take_plainly(sites, resolve)):
        return functions
    _call_classes(sites)
    _hand_over_nothing(functions, reverse)
    return {key: f for key, f in functions.items() if key != forward}


def _take_plainly(sites: list[tuple[Any, int, Any, Any]], resolve: Resolve) -> bool:
    """Whether each class that is made in two steps takes what its constructor is given."""
    return all(_takes_plainly(resolve(cls), call) for _, _, cls, call in sites)


def _call_classes(sites: list[tuple[Any, int, Any, Any]]) -> None:
    """Call a class at each site where an object is made in two steps; an empty tuple is handed over."""
    for block, i, cls, call in sites:
        saved = block[i + 1].targets[0].elts[1]
        made = gast.Assign([block[i].targets[0]], gast.Call(cls, call.args[1:], []), None)
        block[i] = gast.copy_location(made, block[i + 1])
        block[i + 1] = gast.Assign([saved], gast.Tuple([], gast.Load()), None)


def _makes_what_is_not_its_authors(
    functions: dict[str, Any], forward: str, resolve: Resolve
) -> bool:
    """Whether a function, or one of the module that it calls, makes what its author did not make.

    Such are functions with values of their own, where its author took methods, and what stands for an object
    of a class that is not written in Python.
    """
    seen = {forward}
    todo = [forward]
    while todo:
        for part in nodes(functions[todo.pop()]):
            if type(part) is gast.Name and part.id in functions and part.id not in seen:
                seen.add(part.id)
                todo.append(part.id)
            elif type(part) in DOTTED:
                found = resolve(part)
                if found is Bound or isinstance(found, type) and class_shown(found) is not found:
                    return True
    return False


def _hand_over_nothing(functions: dict[str, Any], reverse: str | None) -> None:
    """Take what the forward half handed over out of a reverse half, if there is one, and its calls."""
    if reverse is None:
        return
    del functions[reverse].args.args[0]
    for function in functions.values():
        for part in nodes(function):
            if type(part) is gast.Call and getattr(part.func, "id", None) == reverse:
                del part.args[0]


def _constructions(functions: dict[str, Any], forward: str) -> list[tuple[Any, int, Any, Any]]:
    """Find where a forward half is called; nothing if one call does not follow a `__new__`."""
    found = []
    for function in functions.values():
        for block in all_blocks(function.body):
            for i in range(len(block) - 1):
                cls = _made_class(block[i])
                call = _call_of(block[i + 1], forward)
                if cls is None or call is None or not call.args:
                    continue
                if getattr(call.args[0], "id", None) == block[i].targets[0].id:
                    found.append((block, i, cls, call))
    mentions = sum(
        type(p) is gast.Name and p.id == forward for f in functions.values() for p in nodes(f)
    )
    return found if len(found) == mentions else []


def called_on_new(functions: Iterable[Any]) -> set[str]:
    """Name the functions whose call, with a result, follows a `__new__`: halves of constructors."""
    return {
        getattr(after.value.func, "id", "")
        for function in functions
        for block in all_blocks(function.body)
        for made, after in pairwise(block)
        if _made_class(made) is not None
        and type(after) is gast.Assign
        and type(after.value) is gast.Call
    }


def _made_class(s: Stmt) -> Any:
    """Return the class of `x = C.__new__(C)`."""
    call = getattr(s, "value", None)
    if not isinstance(s, gast.Assign) or not isinstance(call, gast.Call) or len(call.args) != 1:
        return None
    if type(s.targets[0]) is not gast.Name or getattr(call.func, "attr", None) != "__new__":
        return None
    return call.args[0]


def _call_of(s: Stmt, forward: str) -> Any:
    """Return the call of `_, saved = init_fwd(...)`."""
    call = getattr(s, "value", None)
    if type(s) is not gast.Assign or not isinstance(call, gast.Call) or call.keywords:
        return None
    place = s.targets[0]
    pair = type(place) is gast.Tuple and all(type(p) is gast.Name for p in place.elts)
    alone = pair and place.elts[0].id == "_"  # a derivative of a constructor returns what is read
    return call if alone and getattr(call.func, "id", None) == forward else None


def _keeps_nothing(functions: dict[str, Any], forward: str, reverse: str | None) -> bool:
    """Whether a forward half hands over nothing, and its reverse half is only ever called."""
    for part in nodes(functions[forward]):
        if type(part) is gast.Return:
            value = part.value
            if type(value) is not gast.Tuple or len(value.elts) != 2:
                return False
            if type(value.elts[1]) is not gast.Tuple or value.elts[1].elts:
                return False
    if reverse is None:
        return True
    half = functions[reverse]
    if parameters(half)[0] in [n for s in half.body for n in reads(s)]:
        return False
    everything = [p for f in functions.values() for p in nodes(f)]
    calls = [
        p for p in everything if type(p) is gast.Call and getattr(p.func, "id", None) == reverse
    ]
    named = [p for p in everything if type(p) is gast.Name and p.id == reverse]
    return len(calls) == len(named) and all(type(p.args[0]) is gast.Name for p in calls)


def _takes_plainly(cls: Any, call: Expr) -> bool:
    """Whether a class takes the arguments of a forward half, in their order, by position.

    A dataclass with factories does not: what fills its fields is not what its `__init__` takes.
    """
    if not isinstance(cls, type) or type(cls) is not type or dataclasses.is_dataclass(cls):
        return False
    taken = list(inspect.signature(cls.__init__).parameters.values())  # type: ignore[misc]
    plain = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in taken)
    starred = any(type(arg) is gast.Starred for arg in call.args)
    return plain and not starred and len(taken) == len(call.args)


def _drop_zeroing(functions: dict[str, Any], reverse: str | None, position: int | None) -> None:
    """Drop `b.x = 0.0` of the shadow that a reverse half gets there, where nothing later looks at `b.x`."""
    if reverse is None or position is None:
        return
    function = functions[reverse]
    shadow, body = parameters(function)[position], function.body
    for i in range(len(body) - 1, -1, -1):
        s = body[i]
        zero = type(s) is gast.Assign and type(s.value) is gast.Constant
        if not zero or s.value.value != 0.0 or type(s.targets[0]) is not gast.Attribute:
            continue
        place = s.targets[0]
        if getattr(place.value, "id", None) != shadow or len(s.targets) != 1:
            continue
        if not any(_looks_at(part, place.attr, shadow) for part in _parts(body[i + 1 :])):
            del body[i]
    function.body = body or [gast.Pass()]


def _parts(block: list[Any]) -> list[Any]:
    return [part for s in block for part in nodes(s)]


def _looks_at(part: Tree, attribute: str, shadow: str) -> bool:
    """Whether a part of a function may read an attribute of a shadow."""
    if type(part) is gast.Attribute:
        return part.attr == attribute and type(part.ctx) is gast.Load
    if type(part) is gast.Call:
        return any(getattr(arg, "id", None) == shadow for arg in part.args)
    if isinstance(part, (gast.Assign, gast.Return, gast.keyword, gast.Tuple, gast.List)):
        values = part.elts if type(part) in DISPLAYS else [part.value]
        return any(getattr(value, "id", None) == shadow for value in values)
    return False
