"""Programs as users of NumPy write them, each with the derivative that an expert writes by hand.

A file holds one program: `primal`, which returns a number; `WRT`, the arguments with respect to which it
is differentiated; `hand`, their adjoints, one per argument, written without regard to `primal` where
mathematics knows a shorter way; `make_inputs(rng, *size)`, the arguments; and `SIZES`, where "test" is so
small that a test can afford it and the others are measured.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType

NAMES = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if p.stem != "__init__")


def load(name: str) -> ModuleType:
    """Return the module of a workload."""
    return import_module(f"{__name__}.{name}")
