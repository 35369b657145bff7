"""The text of an `__init__` that `dataclass` made, which has none.

It is written for the calls that pass certain fields: what a call leaves out is made by its factory, or
is the default. So no value stands for "nothing was passed", and an object that a caller passes is kept,
whatever it is.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any

import gast

from tapeless.externals import External, class_around, constant
from tapeless.normalize.post_inits import fields_in_the_end
from tapeless.sorts import stores_by_code
from tapeless.tree.build import const, has_text
from tapeless.tree.classes import Plainly
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes

_LITERAL_FACTORIES = {list: "[]", dict: "{}"}


def has_generated_init(cls: type) -> bool:
    """Whether the `__init__` of a class was made by `dataclass` rather than written."""
    init = inspect.getattr_static(cls, "__init__", None)
    return isinstance(init, types.FunctionType) and init.__code__.co_filename == "<string>"


def class_constructed_by(function: Any) -> Any:
    """Return the class whose `__init__` `dataclass` made a function to be; None for any other."""
    is_init = getattr(function, "__name__", "") == "__init__"
    if not is_init or function.__code__.co_filename != "<string>":
        return None
    cls = class_around(function)
    own = None if cls is None else vars(cls).get("__init__")
    return cls if own is function else None


def fields_passed(cls: Any, count: int, named: set[str]) -> frozenset[str]:
    """Name the fields that a call passes: so many by position, and those that it names.

    Examples
    --------
    >>> @dataclasses.dataclass
    ... class Body:
    ...     mass: float
    ...     trail: list = dataclasses.field(default_factory=list)
    >>> sorted(fields_passed(Body, 1, {"trail"}))
    ['mass', 'trail']
    """
    _, *own = inspect.signature(cls.__init__).parameters.values()
    placed = [p.name for p in own if p.kind is p.POSITIONAL_OR_KEYWORD]
    return frozenset({*placed[:count], *named} & {p.name for p in own})


def is_frozen(cls: Any) -> bool:
    """Whether nobody may store into the fields of a dataclass."""
    return bool(cls.__dataclass_params__.frozen)


def runs_code(cls: Any) -> bool:
    """Whether the construction of a dataclass does more than put the arguments into the fields."""
    fields = dataclasses.fields(cls)
    made = any(f.default_factory is not dataclasses.MISSING for f in fields)
    told = stores_by_code(cls) and not is_frozen(cls)  # of each store
    return made or told or hasattr(cls, "__post_init__") or bool(only_passed(cls))


def written_constructor(cls: Any, passed: frozenset[str]) -> CoreFunction:
    """Write the `__init__` of a dataclass as it is for a call that passes certain fields."""
    externals: dict[str, External] = {}
    parameters: list[Any] = []
    by_name: list[Any] = []
    _, *own = inspect.signature(cls.__init__).parameters.values()
    for p in own:
        if p.name in passed or p.default is p.empty or has_text(p.default):
            placed = p.kind is p.POSITIONAL_OR_KEYWORD
            (parameters if placed else by_name).append(p)
    taken = {p.name for p in [*parameters, *by_name]}
    body = []
    values: dict[str, str] = {}
    stored: dict[str, str] = {}
    for f in cls.__dataclass_fields__.values():
        values[f.name] = f.name if f.name in taken else _made(f, externals)
        if values[f.name] and not _is_pseudo(f) and (f.init or _is_stored_unasked(cls, f)):
            body.append(f"self.{f.name} = {values[f.name]}")
            stored[f.name] = values[f.name]
    given = [values[key] for key in only_passed(cls)]
    in_the_end = None
    if hasattr(cls, "__post_init__"):
        body.append(f"self.__post_init__({', '.join(given)})")
        in_the_end = fields_in_the_end(cls, stored, given, externals)
    written = [p.name for p in parameters]
    named = ["*", *(p.name for p in by_name)] if by_name else []
    text = f"def __init__({', '.join(['self', *written, *named])}):\n    " + "\n    ".join(
        body or ["pass"]
    )
    tree = gast.parse(text).body[0]
    tree.body = tree.body if in_the_end is None else in_the_end
    tree.args.defaults = [const(p.default) for p in parameters if p.default is not p.empty]
    tree.args.kw_defaults = [None if p.default is p.empty else const(p.default) for p in by_name]
    lines = inspect.getsourcelines(cls)[1] if _has_source(cls) else 1
    for part in nodes(tree):
        if getattr(part, "lineno", None) is None or in_the_end is None:
            part.lineno = lines
        if is_frozen(cls) and type(part) is gast.Attribute and type(part.ctx) is gast.Store:
            part.ctx = Plainly()
    filename = inspect.getsourcefile(cls) if _has_source(cls) else None
    return CoreFunction(tree, externals, filename or "<text>")


def _made(f: Any, externals: dict[str, External]) -> str:
    """Write what a field gets that no call passes; nothing where it gets nothing."""
    if f.default_factory is not dataclasses.MISSING:
        if f.default_factory in _LITERAL_FACTORIES:
            return _LITERAL_FACTORIES[f.default_factory]
        externals[f"make_{f.name}"] = constant(f.default_factory, f"make_{f.name}")
        return f"make_{f.name}()"
    if f.default is dataclasses.MISSING:
        return ""
    if has_text(f.default):
        return repr(f.default)
    externals[f"default_{f.name}"] = constant(f.default, f"default_{f.name}")
    return f"default_{f.name}"


def _is_pseudo(f: Any) -> bool:
    """Whether what is annotated is no field: a variable of the class, or an argument of `__post_init__`."""
    return f._field_type is not dataclasses._FIELD  # type: ignore[attr-defined]


def only_passed(cls: Any) -> list[str]:
    """Name the arguments that construction hands to `__post_init__` and keeps nowhere."""
    kind = dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
    return [f.name for f in cls.__dataclass_fields__.values() if f._field_type is kind]


def _is_stored_unasked(cls: Any, f: Any) -> bool:
    """Whether a field that no call may pass is stored: a default of a class with slots, or what is made."""
    slot = isinstance(inspect.getattr_static(cls, f.name, None), types.MemberDescriptorType)
    return slot or f.default_factory is not dataclasses.MISSING


def _has_source(cls: Any) -> bool:
    """Whether the text of a class can be found."""
    try:
        return bool(inspect.getsourcelines(cls))
    except (OSError, TypeError):
        return False
