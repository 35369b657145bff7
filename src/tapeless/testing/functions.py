"""Checks of the derivatives of a function: `check_grads`.

Those of higher order are the derivatives of a function that is written for the purpose: the gradient of a
weighted sum of all results, as a function of the leaves of the arguments.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.laws import Map, Tolerance, check_laws, random_like
from tapeless.operators.grad import grad
from tapeless.operators.jvp import jvp
from tapeless.operators.target import target_of
from tapeless.operators.vjp import vjp
from tapeless.source.loader import load
from tapeless.structures import children, is_leaf, leaves_of
from tapeless.testing.replay import check_replay


def check_grads(
    f: Callable[..., Any], /, *args: Any, order: int = 2, rtol: float = 1e-6, atol: float = 1e-7,
    modes: Sequence[str] = ("reverse", "forward"), replay: bool = False,
) -> None:  # fmt: skip
    """Check the derivatives that tapeless gives for a function.

    Each derivative is compared with central differences at two steps, whose difference says how far
    they can be trusted, and forward mode with reverse mode by the dot-product identity.

    Parameters
    ----------
    f : callable
        Any function that can be differentiated.
    *args
        Where: numbers, arrays, and lists, tuples, dictionaries, named tuples and dataclasses of
        them; a point where `f` is smooth.
    order : int, default 2
        1 checks first derivatives. 2 checks also the derivatives of the gradient of ``sum(y * w)``,
        ``w`` random, for every leaf of the arguments: forward over reverse and reverse over reverse;
        3 those of its second derivatives, and so on.
    modes : sequence of str
        Which of ``"reverse"`` and ``"forward"`` to check; with both, that they agree. With forward
        mode alone the second derivatives are forward over forward.
    rtol, atol : float
        How closely the derivatives must agree, beside the error of the differences.
    replay : bool, default False
        Whether to check first, as `check_replay` does, what the reverse sweeps read: those of the
        gradient and, at second order, those of the derivatives of the gradient.

    Raises
    ------
    DerivativeMismatchError
        With the argument and the entry that are wrong, and by how much.
    ReplayMismatchError
        With the statement whose mirror reads what was not there.
    TapelessError
        If the function, or at a higher order its derivative, cannot be differentiated; if a mode is
        not known.

    Examples
    --------
    >>> import numpy as np
    >>> from tapeless.testing import check_grads
    >>> def f(x, p):
    ...     return np.sum(np.tanh(p["w"] * x)) + p["b"]
    >>> check_grads(f, np.array([0.5, -1.0]), {"w": 0.3, "b": 2.0})
    """
    _check_modes(modes)
    title = f"derivatives of {getattr(f, '__qualname__', repr(f))}"
    names = _parameter_names(f, len(args))
    _check_order(f, args, names, title, order, tuple(modes), Tolerance(rtol, atol), replay)


def _check_modes(modes: Sequence[str]) -> None:
    """Refuse modes that there are not, of which nothing would be checked."""
    known = ("reverse", "forward")
    if not modes or any(mode not in known for mode in modes):
        raise GradientError(
            f"modes={modes!r} are not modes of differentiation",
            fix='pass modes=("reverse",), modes=("forward",), or both',
        )


def _check_order(
    f: Any, args: Sequence[Any], names: tuple[str, ...], title: str, order: int,
    modes: tuple[str, ...], tol: Tolerance, replay: bool,
) -> None:  # fmt: skip
    """Check the first derivatives of `f`, then those of the derivatives of its weighted sum."""
    if replay and "reverse" in modes:
        check_replay(f, *args)

    def pull(values: Sequence[Any], y_bar: Any) -> Sequence[Any]:
        return vjp(f, *values)[1](y_bar)

    def push(values: Sequence[Any], tangents: Sequence[Any]) -> Any:
        moving = [
            t if any(True for _ in leaves_of(x)) else None
            for x, t in zip(values, tangents, strict=True)
        ]
        return jvp(f, tuple(values), tuple(moving))[1]

    checked = Map(
        title=title,
        names=names,
        value=lambda values: f(*copy.deepcopy(list(values))),  # it may change what it is given
        pull=pull if "reverse" in modes else None,
        push=push if "forward" in modes else None,
    )
    check_laws(checked, copy.deepcopy(args), 1, tol)
    paths = [pair for n, x in zip(names, args, strict=True) for pair in leaves_of(x, n)]
    if order < 2 or not paths:
        return
    rng = np.random.default_rng(order)
    weighted, others = _weighted_sum(f, args, f(*copy.deepcopy(args)), rng)
    leaves = [leaf for _, leaf in paths]
    if "reverse" in modes:
        higher: Any = grad(weighted, tuple(range(len(leaves))))
    else:
        higher = _slope_along(weighted, [random_like(rng, leaf) for leaf in leaves], len(others))
    more = title if title.startswith("higher ") else f"higher {title}"
    given = [*leaves, *others]
    names_of = (*(p for p, _ in paths), *(f"other_{i}" for i in range(len(others))))
    _check_order(higher, given, names_of, more, order - 1, modes, tol, replay)


def _weighted_sum(
    f: Any, args: Sequence[Any], y: Any, rng: np.random.Generator
) -> tuple[Any, list[Any]]:
    """Write ``sum(y * w)`` as a function of the leaves of the arguments, whatever their structure.

    The other parts of the arguments, which come second, are what it takes after the leaves: they are
    given anew to each call, which may change them.
    """
    target = target_of(f)
    written = _Arguments()
    passed = [written.constant(value) for value in target.bound]
    passed += [written.display(x) for x in args]
    passed += [f"{key}={written.constant(value)}" for key, value in target.keywords.items()]
    known: dict[str, Any] = {"np": np, "f": target.function, **written.constants}
    parameters = [*written.leaves, *(f"other_{i}" for i in range(len(written.others)))]
    terms: list[str] = []
    for path, leaf in leaves_of(y, "y"):
        known[f"w{len(terms)}"] = random_like(rng, leaf)
        term = f"np.sum({path} * w{len(terms)})"
        terms.append(f"np.real({term})" if np.iscomplexobj(leaf) else term)
    text = (
        f"def weighted({', '.join(parameters)}):\n"
        f"    y = f({', '.join(passed)})\n"
        f"    return {' + '.join(terms) or '0.0'}\n"
    )
    made = load(text, "weighted", known)["weighted"]
    made.__name__ = getattr(f, "__name__", "weighted")  # what is refused of it is the user's
    return made, written.others


@dataclass
class _Arguments:
    """Arguments as a text has them: made of leaves and other parts, which have names of their own.

    Attributes
    ----------
    leaves
        The names of the leaves.
    others
        What is neither a leaf nor holds one.
    constants
        What is the same in each call, by its name.
    """

    leaves: list[str] = field(default_factory=list)
    others: list[Any] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)

    def constant(self, value: Any) -> str:
        """Name what is the same in each call."""
        key = f"c{len(self.constants)}"
        self.constants[key] = value
        return key

    def display(self, x: Any) -> str:
        """Write an argument, whatever its structure."""
        if is_leaf(x):
            self.leaves.append(f"x{len(self.leaves)}")
            return self.leaves[-1]
        if isinstance(x, dict) and type(x) is dict:
            return "{" + ", ".join(f"{k!r}: {self.display(v)}" for k, v in x.items()) + "}"
        if type(x) is list:
            return "[" + ", ".join(self.display(item) for item in x) + "]"
        if type(x) is tuple:
            return "(" + "".join(f"{self.display(item)}, " for item in x) + ")"
        if children(x) and any(True for _ in leaves_of(x)):
            made = self.constant(type(x))
            return f"{made}({', '.join(f'{p[1:]}={self.display(v)}' for p, v in children(x))})"
        self.others.append(x)
        return f"other_{len(self.others) - 1}"


def _slope_along(f: Any, direction: Sequence[Any], others: int) -> Any:
    """Write the slope of a function of numbers and arrays along a direction.

    It is handed so many other things after them, which do not move.
    """
    known: dict[str, Any] = {f"v{i}": v for i, v in enumerate(direction)}
    xs = "".join(f"x{i}, " for i in range(len(direction) + others))
    vs = "".join(f"v{i}, " for i in range(len(direction))) + "None, " * others
    text = f"def slope({xs}):\n    return jvp(f, ({xs}), ({vs}))[1]\n"
    return load(text, "slope", {"jvp": jvp, "f": f, **known})["slope"]


def _parameter_names(f: Callable[..., Any], count: int) -> tuple[str, ...]:
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(f).parameters.values()
        named = [p.name for p in parameters if p.kind in by_place]
    except (TypeError, ValueError):
        named = []
    return tuple([*named, *[f"argument {i}" for i in range(len(named), count)]][:count])
