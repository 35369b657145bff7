"""Functions of NumPy inside PyTorch, with the derivatives that tapeless writes.

A function of tensors hands their memory to NumPy and takes back what comes out. Its backward pass is
the pullback that the forward pass left behind; where that is differentiated again, the pullback is
itself such a function.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from tapeless.errors import GradientError
from tapeless.interop.paired import active_arguments, as_numpy, pullback_of
from tapeless.operators.vjp import vjp
from tapeless.structures import leaves_of, rebuild


def function(f: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of tensors of a function of NumPy.

    It can be differentiated in reverse mode, and again where tapeless can (``create_graph=True``). It
    runs on the processor; results go to the device of the first tensor.

    Parameters
    ----------
    f
        A function of numbers and arrays, or lists, tuples and dicts of them, with results of floats.
        It must depend on its arguments alone.

    Returns
    -------
    A function of the same positional arguments; tensors stand for arrays, and others pass as they are.

    Raises
    ------
    GradientError
        If tensors or results hold what has no derivative here, such as complex numbers.

    Examples
    --------
    >>> def energy(x):
    ...     return np.sum(x**2)
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> function(energy)(x).backward()
    >>> x.grad
    tensor([2., 4.])
    """

    @functools.wraps(f)
    def called(*args: Any) -> Any:
        tensors = list(_tensors(args))
        form: list[Any] = []
        found = _Through.apply(f, args, form, *tensors)
        return rebuild(form[0], iter(found))

    return called


def _tensors(x: Any) -> Iterator[torch.Tensor]:
    """List the tensors of a structure, in their order."""
    if isinstance(x, torch.Tensor):
        yield x
    elif isinstance(x, dict):
        for item in x.values():
            yield from _tensors(item)
    elif isinstance(x, (list, tuple)):
        for item in x:
            yield from _tensors(item)


def _with(x: Any, new: Iterator[Any]) -> Any:
    """Make a structure with others in the place of its tensors."""
    if isinstance(x, torch.Tensor):
        return next(new)
    if isinstance(x, dict):
        return {key: _with(item, new) for key, item in x.items()}
    if isinstance(x, (list, tuple)):
        items = [_with(item, new) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    return x


def _array(x: torch.Tensor) -> Any:
    """Return the numbers of a tensor for NumPy."""
    if x.dtype == torch.bfloat16:
        raise GradientError("NumPy has no bfloat16", fix="pass x.float()")
    return as_numpy(x.detach().cpu().numpy())


def _tensor(x: Any, device: Any) -> torch.Tensor:
    return torch.from_numpy(np.array(x)).to(device)


class _Through(torch.autograd.Function):
    """Calls a function of NumPy, and its pullback for the backward pass."""

    @staticmethod
    def forward(ctx: Any, f: Any, args: Any, form: list[Any], *tensors: torch.Tensor) -> Any:
        """Run the function, with its derivative if one will be asked for."""
        arguments = _with(args, iter([_array(x) for x in tensors]))
        pull = None
        if any(ctx.needs_input_grad):
            y, pull = vjp(f, *arguments)
        else:
            y = f(*arguments)
        form.append(y)
        leaves = list(leaves_of(y))
        ctx.f, ctx.args, ctx.pull, ctx.y = f, args, pull, y
        ctx.paths = tuple(path for path, _ in leaves)
        ctx.save_for_backward(*tensors)
        device = tensors[0].device if tensors else None
        return tuple(_tensor(leaf, device) for _, leaf in leaves)

    @staticmethod
    def backward(ctx: Any, *y_bars: torch.Tensor) -> Any:
        """Run the pullback; as a function of tensors where it is differentiated itself."""
        tensors = ctx.saved_tensors
        args = _with(ctx.args, iter(tensors))
        held = [list(_tensors(x)) for x in args]
        dtypes = [[_array(x[:0] if x.ndim else x).dtype for x in each] for each in held]
        active = active_arguments(dtypes, str(getattr(ctx.f, "__name__", "f")))
        if torch.is_grad_enabled():
            pull = pullback_of(ctx.f, len(args), active, ctx.paths)
            bars = iter(list(_tensors(function(pull)(tuple(y_bars), *args))))
        else:
            found = ctx.pull(rebuild(ctx.y, iter([_array(x) for x in y_bars])))
            leaves = [leaf for i in active for _, leaf in leaves_of(found[i])]
            bars = iter([_tensor(leaf, tensors[0].device) for leaf in leaves])
        given = [next(bars) if i in active else None for i, each in enumerate(held) for _ in each]
        return None, None, None, *given
