"""Derivatives of tables with labels: computed of the plain numbers, labelled as the arguments are."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tapeless.analysis.derivation import gradients_of
from tapeless.errors import GradientError


def labelled_by(
    g: Any, plain: Callable[[Any], Any], like: Callable[[Any, Any], Any]
) -> Callable[..., Any]:
    """Return a derivative that takes tables and gives tables.

    Parameters
    ----------
    g
        What `grad` or `value_and_grad` made.
    plain
        Returns the numbers of a table, None for anything else.
    like
        Returns numbers labelled like a table.
    """
    made = gradients_of(g)
    if made is None or made.mode not in ("grad", "value_and_grad"):
        raise GradientError(
            f"labelled takes a derivative, not {getattr(g, '__qualname__', repr(g))!r}",
            fix="write labelled(tl.grad(f)) or labelled(tl.value_and_grad(f))",
        )

    @functools.wraps(g)
    def labelled(*args: Any, **kwargs: Any) -> Any:
        names = list(made.target.signature.parameters)
        given = dict(zip(names, made.target.arguments(args, kwargs), strict=True))
        found = g(*_plain(args, plain), **_plain(kwargs, plain))
        first, second = found if made.mode == "value_and_grad" or made.has_aux else (found, None)
        bars = second if made.mode == "value_and_grad" else first
        xs = [given[name] if item is None else given[name][item] for name, item in made.picks]
        told = _labelled(xs[0] if made.bare else tuple(xs), bars, plain, like)
        if made.mode == "value_and_grad":
            return first, told
        return (told, second) if made.has_aux else told

    return labelled


def _plain(x: Any, plain: Callable[[Any], Any]) -> Any:
    """Return a structure with numbers in the place of tables."""
    numbers = plain(x)
    if numbers is not None:
        return numbers
    if isinstance(x, dict):
        return {key: _plain(item, plain) for key, item in x.items()}
    if isinstance(x, (list, tuple)):
        items = [_plain(item, plain) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    return x


def _labelled(x: Any, g: Any, plain: Callable[[Any], Any], like: Callable[[Any, Any], Any]) -> Any:
    """Return the gradient with respect to a structure, labelled where the structure has tables."""
    if plain(x) is not None:
        return like(x, g)
    if isinstance(x, dict):
        return {key: _labelled(item, g[key], plain, like) for key, item in x.items()}
    if isinstance(x, (list, tuple)):
        items = [_labelled(p, q, plain, like) for p, q in zip(x, g, strict=True)]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    return g
