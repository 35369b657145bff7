"""The derivatives of `scipy.ndimage`, a file per family.

The value is SciPy's own, or is written out; the derivative is always that of what is written out.
"""

from tapeless.rules.scipy.ndimage import filters, interpolation, measurements, selection

__all__ = ["filters", "interpolation", "measurements", "selection"]
