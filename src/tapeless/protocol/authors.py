"""The function under a custom gradient: how a call binds its parameters, and what it returns.

The decorated function keeps it, and it alone is asked: a wrapper around a custom gradient is none itself.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from typing import Any

from tapeless.errors import GradientError

Key = int | str


@dataclasses.dataclass(frozen=True)
class Input:
    """One parameter of `f` as a call binds it: one per item of ``*args`` and of ``**kwargs``.

    Attributes
    ----------
    name, value
        The parameter and what it is bound to.
    key
        Where that stands in the call: a position, a keyword, or None for a default.
    optional
        Whether it has a default or is an item of ``**kwargs``.
    """

    name: str
    value: Any
    key: Key | None
    optional: bool


def is_method(author: Any) -> bool:
    """Whether a function was written in a class and takes the object: it is not counted."""
    owner = getattr(author, "__qualname__", "").rpartition(".")[0]
    if not owner or owner.endswith("<locals>"):
        return False
    code = getattr(author, "__code__", None)
    return code is not None and code.co_varnames[:1] in (("self",), ("cls",))


@functools.lru_cache(maxsize=1024)
def _signature(author: Any) -> inspect.Signature:
    return inspect.signature(author, follow_wrapped=False)


def inputs_of(author: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> list[Input]:
    """Bind a call to the parameters of `f`, in the order of its signature.

    Examples
    --------
    >>> [(i.name, i.key) for i in inputs_of(lambda x, *xs, k=1: x, (1.0, 2.0), {})]
    [('x', 0), ('xs[0]', 1), ('k', None)]
    """
    signature = _signature(author)
    bound = signature.bind(*args, **keywords)
    bound.apply_defaults()
    made: list[Input] = []
    position = 0
    for name, parameter in signature.parameters.items():
        value = bound.arguments[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            made += [Input(f"{name}[{i}]", v, position + i, False) for i, v in enumerate(value)]
        elif parameter.kind is parameter.VAR_KEYWORD:
            made += [Input(key, v, key, True) for key, v in value.items()]
        else:
            optional = parameter.default is not parameter.empty
            by_position = parameter.kind is not parameter.KEYWORD_ONLY and position < len(args)
            key: Key | None = position if by_position else name if name in keywords else None
            made.append(Input(name, value, key, optional))
            position += by_position
    return made[1:] if is_method(author) else made


def function_behind(grad: Any) -> Any:
    """Return the Python function that a callable runs: that of a method, partial or object; or None."""
    found = inspect.unwrap(grad)
    found = getattr(found, "func", found)
    if not inspect.isroutine(found):
        found = getattr(type(found), "__call__", None)  # noqa: B004
    found = getattr(found, "__func__", found)
    return found if inspect.isfunction(found) else None


def split_returned(f: Any, returned: Any) -> tuple[Any, Any, Any]:
    """Take apart what a custom gradient's function returned: its value, `grad`, and `jvp` or None.

    Raises
    ------
    GradientError
        If it is not a tuple that ends with a callable.
    """
    label = getattr(f, "__name__", repr(f))
    if not isinstance(returned, tuple) or len(returned) < 2:
        raise GradientError(
            f"'{label}' is decorated with custom_gradient and must return (y, grad_fn); "
            f"it returned a {type(returned).__name__}",
            fix="return the value and its gradient function",
            **location_of(f),
        )
    if not callable(returned[-1]):
        raise GradientError(
            f"'{label}': the last value returned must be a callable grad_fn, "
            f"not a {type(returned[-1]).__name__}",
            fix="return the gradient function last",
            **location_of(f),
        )
    if len(returned) == 3 and callable(returned[1]):
        return returned
    return (returned[0] if len(returned) == 2 else returned), returned[-1], None


def location_of(f: Any) -> dict[str, Any]:
    """Return the file and line of a function, as keyword arguments of an error."""
    code = getattr(f, "__code__", None)
    if code is None:
        return {}
    return {"filename": code.co_filename, "lineno": code.co_firstlineno}


def author_of(found: Any) -> Any:
    """Return the function under a custom gradient; None for anything else.

    `functools.wraps` copies attributes: a wrapper around a custom gradient is not one itself.
    """
    author = getattr(found, "__custom_gradient__", None)
    return author if getattr(found, "__wrapped__", None) is author else None
