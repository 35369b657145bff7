"""The program alone: what any adjoint takes that computes its value in the way that its author wrote it."""

import numpy as np

ARRAYS_ARE_NUMPY = True


def version():
    return f"NumPy {np.__version__}"


def gradient(workload, args):
    by_hand = workload.hand(*args)

    def value_only():
        workload.primal(*args)
        return by_hand  # the program has no gradient to be compared

    return value_only
