"""Differentiate Python functions into Python source.

What writes derivatives is imported when the first is written, and what few programs use when it is used.
"""

import importlib
from typing import TYPE_CHECKING, Any

from tapeless import rules
from tapeless.custom import custom_gradient, stop_gradient
from tapeless.errors import (
    GradientError,
    NoGradientError,
    TapelessError,
    TapelessWarning,
    UnsupportedSyntaxError,
)
from tapeless.operators.differentiable import differentiable
from tapeless.operators.grad import grad, value_and_grad
from tapeless.operators.hvp import hvp
from tapeless.operators.jacobian import hessian, jacobian
from tapeless.operators.jvp import jvp
from tapeless.operators.source import source
from tapeless.operators.vjp import vjp
from tapeless.pass_through import grad_pass_through
from tapeless.recompute import recompute_grad
from tapeless.rules.declare import (
    built_in_zero,
    elementwise,
    register_gradient,
    unregister_gradient,
    zero_gradient,
)
from tapeless.rules.traits import traits
from tapeless.solvers.checkpointing import checkpoint_loop
from tapeless.variables import Variable
from tapeless.view import view

if TYPE_CHECKING:
    from tapeless.notebook import load_ipython_extension as load_ipython_extension
    from tapeless.operators.compiled import compile
    from tapeless.shipping import standalone
    from tapeless.testing import check_grads, check_rule

checkpoint = recompute_grad
built_in_zero(stop_gradient)
traits(grad, hessian, hvp, jacobian, value_and_grad, pure=True)

__version__ = "0.1.0"

__all__ = [
    "GradientError",
    "NoGradientError",
    "TapelessError",
    "TapelessWarning",
    "UnsupportedSyntaxError",
    "Variable",
    "check_grads",
    "check_rule",
    "checkpoint",
    "checkpoint_loop",
    "compile",
    "custom_gradient",
    "differentiable",
    "elementwise",
    "grad",
    "grad_pass_through",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "recompute_grad",
    "register_gradient",
    "rules",
    "source",
    "standalone",
    "stop_gradient",
    "unregister_gradient",
    "value_and_grad",
    "view",
    "vjp",
    "zero_gradient",
]

_LATER = {
    "check_grads": "tapeless.testing",
    "check_rule": "tapeless.testing",
    "compile": "tapeless.operators.compiled",
    "load_ipython_extension": "tapeless.notebook",
    "standalone": "tapeless.shipping",
}


def __getattr__(name: str) -> Any:
    """Import what is first used now."""
    if name not in _LATER:
        raise AttributeError(f"module 'tapeless' has no attribute {name!r}")
    globals()[name] = found = getattr(importlib.import_module(_LATER[name]), name)
    return found


def __dir__() -> list[str]:
    """List what there is, imported or not."""
    return sorted({*globals(), *_LATER})
