"""Tangent: source transformation, in its maintained form tangent-ad."""

from importlib.metadata import version as version_of

import tangent

ARRAYS_ARE_NUMPY = True


def version():
    return f"tangent-ad {version_of('tangent-ad')}"


def gradient(workload, args):
    g = tangent.grad(workload.primal, wrt=workload.WRT)
    return lambda: g(*args)
