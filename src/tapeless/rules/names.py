"""Names of NumPy that stand in programs and have no rule: what is read as part of the language,
what is constant because nothing that varies comes out of it, and what is refused, with a way out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.rules.declare import built_in_zero
from tapeless.rules.reasons import no_derivative, understood


def _there(*labels: str) -> list[Any]:
    """Return those of some names of NumPy that this version has."""
    return [getattr(np, label) for label in labels if hasattr(np, label)]


# Read as part of the language

understood("its brackets are written as the joining of a list", np.r_, np.c_)
understood("its brackets are an index, or make a constant grid", np.s_, np.index_exp)
understood("its brackets are an index, or make a constant grid", np.mgrid, np.ogrid)
understood("a loop over it is written as one over places", np.ndindex, np.ndenumerate)
understood("written as stores where the conditions hold", np.piecewise)
understood("its function is called on each entry", np.vectorize)
understood("a block under it is differentiated as it stands", np.errstate, np.printoptions)
understood(
    "a class that tests of dtypes name",
    *_there(
        "generic", "number", "inexact", "floating", "integer", "signedinteger", "unsignedinteger",
        "complexfloating", "flexible", "character", "ufunc",
    ),
)  # fmt: skip

# What comes out of it does not vary

built_in_zero(*_there("in1d"), tests=True)  # an old name of np.isin

built_in_zero(
    *_there("longlong", "ulonglong", "str_", "bytes_", "datetime64", "timedelta64", "void")
)
built_in_zero(
    *_there(
        "base_repr", "binary_repr", "typename", "mintypecode", "isdtype", "isfortran",
        "einsum_path", "packbits", "unpackbits",
        "get_include",
        "get_printoptions", "getbufsize", "geterr", "geterrcall",
    )
)  # fmt: skip
for _effect in _there(
    "load", "loadtxt", "genfromtxt", "fromfile", "fromregex", "fromstring", "save", "savetxt",
    "savez", "savez_compressed", "info", "set_printoptions", "setbufsize", "seterr", "seterrcall",
    "show_config", "show_runtime",
):  # fmt: skip
    built_in_zero(_effect, pure=False)

# Refused

no_derivative(
    "which entries are in both jumps where they change; take np.unique of one",
    np.intersect1d,
)
no_derivative(
    "the order of what it returns is not said; take np.unique",
    *_there("unique_values", "unique_all", "unique_counts", "unique_inverse"),
)
no_derivative("np.matrix goes out of use; take np.asarray", np.asmatrix, np.matrix, np.bmat)
no_derivative(
    "the memory that it shares is not looked into; take np.asarray",
    np.frombuffer,
    np.from_dlpack,
    np.memmap,
)
no_derivative(
    "write a loop over np.ndindex or np.ndenumerate", np.nditer, np.nested_iters, np.flatiter
)
no_derivative(
    "records are not differentiated; take an array for each field", np.recarray, np.record
)
no_derivative("take np.broadcast_arrays or np.broadcast_shapes", np.broadcast)
no_derivative("objects are not looked into; take a list", np.object_)
no_derivative(
    "leave out the text before the parts, or take np.concatenate, np.stack or np.column_stack",
    type(np.r_),
    type(np.c_),
)
no_derivative(
    "days are not differentiated",
    *_there("busday_count", "busday_offset", "is_busday", "busdaycalendar"),
    *_there("datetime_as_string", "datetime_data"),
)
no_derivative("it runs the tests of NumPy", np.test)
