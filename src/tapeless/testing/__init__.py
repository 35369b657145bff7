"""Checks of derivatives against differences and against each other: `check_rule`, `check_grads`.

They ask of a rule, or of the derivatives of a function, what `laws` says of all derivatives, and beside
that what a derivative owes its caller: the dtype, the arguments as they were, the same answer twice.
"""

from tapeless.journal import ReplayMismatchError
from tapeless.laws import DerivativeMismatchError
from tapeless.testing.functions import check_grads
from tapeless.testing.replay import check_replay
from tapeless.testing.rules import check_rule

__all__ = [
    "DerivativeMismatchError",
    "ReplayMismatchError",
    "check_grads",
    "check_replay",
    "check_rule",
]
