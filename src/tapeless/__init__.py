"""Differentiate Python functions into Python source."""

from tapeless import rules
from tapeless.custom import custom_gradient, stop_gradient
from tapeless.errors import (
    GradientError,
    NoGradientError,
    TapelessError,
    TapelessWarning,
    UnsupportedSyntaxError,
)
from tapeless.notebook import load_ipython_extension as load_ipython_extension
from tapeless.operators.compiled import compile
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
    elementwise,
    register_gradient,
    unregister_gradient,
    zero_gradient,
)
from tapeless.rules.traits import traits
from tapeless.shipping import standalone
from tapeless.solvers.checkpointing import checkpoint_loop
from tapeless.testing import check_grads, check_rule
from tapeless.variables import Variable
from tapeless.view import view

checkpoint = recompute_grad
zero_gradient(stop_gradient)
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
