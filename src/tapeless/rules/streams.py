"""Which functions of libraries take numbers from a random stream: called again, they give others."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.externals import MISSING, is_distribution

_DRAWING_MODULES = ("numpy.random", "random", "secrets")


def draws_itself(found: Any) -> bool:
    """Whether a function of a library takes numbers from a random stream."""
    if found is MISSING:
        return False
    bound = getattr(found, "__self__", None)
    module = getattr(found, "__module__", None) or type(bound).__module__
    if is_distribution(bound):
        return str(found.__name__) == "rvs"
    return module in _DRAWING_MODULES or isinstance(bound, np.random.RandomState)
