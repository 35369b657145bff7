"""The derivatives of `scipy.signal`, a file per family.

What is linear in the signal has an adjoint that is of the same sort: a filter that runs backwards in
time, a change of rate the other way. What is made of such functions is written out.
"""

from tapeless.rules.scipy.signal import (
    convolutions,
    filters,
    medians,
    peaks,
    resampling,
    spectra,
    systems,
    waveforms,
    windows,
)

__all__ = [
    "convolutions",
    "filters",
    "medians",
    "peaks",
    "resampling",
    "spectra",
    "systems",
    "waveforms",
    "windows",
]
