"""Straight-through gradients: the value of a function, the gradient of the identity.

`grad_pass_through(f)` is a custom gradient whose `grad` hands its upstreams on. Where the text of `f`
says how many inputs it has, the custom gradient is written for that number, so that it is spliced like
one written by hand; else the inputs are counted at each call.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from tapeless.custom import custom_gradient
from tapeless.errors import GradientError
from tapeless.source.loader import load

_P = ParamSpec("_P")
_Y = TypeVar("_Y")


def grad_pass_through(f: Callable[_P, _Y]) -> Callable[_P, _Y]:
    """Return a function with the value of `f` and the gradient of the identity.

    Parameters
    ----------
    f : callable
        A function with as many outputs as inputs, each output of the shape of its input. It is run, not
        differentiated, so it may do anything.

    Returns
    -------
    callable
        A function whose gradient hands each upstream on to the input of the same position. Variables
        that `f` reads get none.

    Raises
    ------
    TypeError
        If `f` cannot be called.
    GradientError
        When differentiated, if `f` has not as many outputs as inputs.

    References
    ----------
    .. [1] Y. Bengio, N. Léonard and A. Courville, "Estimating or propagating gradients through
       stochastic neurons for conditional computation", arXiv:1308.3432, 2013: the straight-through
       estimator.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> quantized = tl.grad_pass_through(np.round)
    >>> tl.value_and_grad(lambda x: 3.0 * quantized(x))(1.7)
    (np.float64(6.0), 3.0)
    """
    if not callable(f):
        raise TypeError(f"grad_pass_through takes a function, not a {type(f).__name__}")
    author = _written(f) or _any_inputs(f)
    author.__passes_through__ = True  # type: ignore[attr-defined]
    made = custom_gradient(author)
    functools.update_wrapper(made, f)
    made.__wrapped__ = author  # type: ignore[attr-defined]
    return made


def _written(f: Callable[..., Any]) -> Callable[..., Any] | None:
    """Write the custom gradient for the parameters that `f` names; None where it names none.

    The inputs are the parameters without default; `out` is left away.
    """
    if isinstance(f, np.ufunc):
        shown, names = [f"x{i + 1}" for i in range(f.nin)], [f"x{i + 1}" for i in range(f.nin)]
    else:
        try:
            parameters = [p for p in inspect.signature(f).parameters.values() if p.name != "out"]
        except (TypeError, ValueError):
            return None
        if not all(
            p.kind is p.POSITIONAL_OR_KEYWORD and _is_literal(p.default) for p in parameters
        ):
            return None
        names = [p.name for p in parameters if p.default is p.empty]
        shown = [str(p.replace(annotation=p.empty)) for p in parameters]
    if not names:
        return None
    home = getattr(f, "__module__", None) or ""
    reached = getattr(sys.modules.get(home), _name(f), None) is f
    passed = [text.partition("=")[0] for text in shown]
    label = next(n for n in ([_name(f)] if reached else []) + ["f", "f_", "f__"] if n not in passed)
    bars = [f"{n}_bar" for n in names] if len(names) > 1 else ["upstream"]
    text = (
        f"def passed_{_name(f)}({', '.join(shown)}):\n"
        f"    def grad({', '.join(bars)}):\n"
        f"        return {', '.join(bars)}\n\n"
        f"    return {label}({', '.join(passed)}), grad\n"
    )
    module = load(text, home if reached else "grad_pass_through", {label: f})
    made: Callable[..., Any] = module[f"passed_{_name(f)}"]
    return made


def _is_literal(default: Any) -> bool:
    return default is inspect.Parameter.empty or isinstance(default, (bool, int, float, type(None)))


def _any_inputs(f: Callable[..., Any]) -> Callable[..., Any]:
    label = _name(f)

    def passed_through(*args: Any, **kwargs: Any) -> Any:
        inputs = [*args, *kwargs.values()]
        count = sum(map(_carries_gradient, inputs))

        def grad(*upstreams: Any) -> Any:
            if len(upstreams) != count:
                raise GradientError(
                    f"'{label}' has {len(upstreams)} output{'' if len(upstreams) == 1 else 's'} "
                    f"and {count} input{'' if count == 1 else 's'}, so its gradient cannot be "
                    "passed through",
                    fix="give grad_pass_through a function with as many outputs as inputs",
                )
            rest = iter(upstreams)
            bars = [next(rest) if _carries_gradient(x) else None for x in inputs]
            return tuple(bars)

        return f(*args, **kwargs), grad

    passed_through.__name__ = label
    return passed_through


def _carries_gradient(x: Any) -> bool:
    return np.asarray(x).dtype.kind in "fc" if not isinstance(x, str) and x is not None else False


def _name(f: Any) -> str:
    label = str(getattr(f, "__name__", type(f).__name__))
    return label if label.isidentifier() else "passed"
