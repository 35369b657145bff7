"""HIPS autograd: a tape of boxed NumPy values."""

from importlib.metadata import version as version_of

import autograd
import autograd.numpy

from benchmarks.engines import with_numpy

ARRAYS_ARE_NUMPY = True


def version():
    return f"autograd {version_of('autograd')}"


def gradient(workload, args):
    g = autograd.grad(with_numpy(workload, autograd.numpy).primal, workload.WRT)
    return lambda: g(*args)
