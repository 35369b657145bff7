"""What computes gradients of the workloads: one file per engine, which alone imports its library.

An engine has `version()`, and `gradient(workload, args)`, which returns a call without arguments that
computes the gradients once. It raises whatever the library raises for what it does not support. If
`ARRAYS_ARE_NUMPY` holds, what the call allocates is seen by `tracemalloc`.

Two are there for comparison: `hand`, and `program`, which computes the value alone. The others are
given the very same text of the program. To some libraries it must speak of their own functions:
`with_numpy` gives the name `np` another meaning.
"""

import importlib.util
from importlib import import_module
from types import ModuleType
from typing import Any

NAMES = ("hand", "program", "tapeless", "autograd", "tangent", "jax", "torch")


def load(name: str) -> ModuleType:
    """Return the module of an engine; raise ImportError if its library is absent."""
    return import_module(f"{__name__}.{name}")


def with_numpy(workload: ModuleType, numpy: Any) -> ModuleType:
    """Return a second copy of a workload, in which `np` stands for something else."""
    spec = importlib.util.spec_from_file_location(workload.__name__, workload.__file__)
    assert spec is not None and spec.loader is not None
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    vars(copy)["np"] = numpy
    return copy
