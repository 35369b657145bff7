"""The adjoint written by hand."""

import numpy as np

ARRAYS_ARE_NUMPY = True


def version():
    return f"NumPy {np.__version__}"


def gradient(workload, args):
    return lambda: workload.hand(*args)
