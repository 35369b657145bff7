"""The kind of what a call of a known function returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeless.errors import TapelessError
from tapeless.kinds import Kind, Real, Tuple, regions_of, some_number
from tapeless.rules.results.call import Call
from tapeless.rules.results.entrywise import elementwise_kind
from tapeless.rules.traits import traits_of


def kind_unless_refused(call: Call, kind: Callable[..., Kind], *given: Any) -> Kind:
    """Return the kind of a result; nothing is known where the arguments do not fit the function.

    Such a call raises, and may stand where the program never comes to it.
    """
    try:
        return kind(*given)
    except TapelessError:
        raise
    except (IndexError, TypeError, ValueError):
        return call.unknown


def kind_of_call(found: Any, form: str, call: Call) -> Kind:
    """Return the kind of what a function of NumPy, math or operator returns.

    Only what follows from the kinds of the arguments is said; everything else is a `Number`: a scalar or
    an array, which one is not known. What may share memory with an argument carries its regions.
    """
    known = traits_of(found)
    if known.kind is not None and (call.args or not known.may_be_view):
        return kind_unless_refused(call, known.kind, call)
    if getattr(found, "__module__", "") == "math":
        return Real()
    if isinstance(found, np.ufunc) and found.signature is not None:
        return call.unknown  # it works on more than elements
    if known.kind is None and (form == "elementwise" or isinstance(found, np.ufunc)):
        made = elementwise_kind(call)
        outputs = found.nout if isinstance(found, np.ufunc) else 1
        return made if outputs == 1 else Tuple((made,) * outputs)
    given = [*call.args, *call.keywords.values()] if known.may_be_view else []
    return some_number(call.region.union(*map(regions_of, given)), *call.args)
