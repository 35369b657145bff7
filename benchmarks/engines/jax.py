"""JAX: compiled by XLA. What the first call takes to compile is not counted."""

import jax
import numpy as np

from benchmarks.engines import with_numpy

ARRAYS_ARE_NUMPY = False
jax.config.update("jax_enable_x64", True)


def version():
    return f"JAX {jax.__version__}"


def gradient(workload, args):
    primal = with_numpy(workload, jax.numpy).primal
    # Numbers of steps and the like are part of what is compiled.
    fixed = {i: x for i, x in enumerate(args) if isinstance(x, int)}
    given = [jax.numpy.asarray(x) for i, x in enumerate(args) if i not in fixed]

    def of_given(*given):
        rest = iter(given)
        return primal(*(fixed[i] if i in fixed else next(rest) for i in range(len(args))))

    places = [i for i in range(len(args)) if i not in fixed]
    g = jax.jit(jax.grad(of_given, argnums=tuple(places.index(i) for i in workload.WRT)))
    return lambda: [np.asarray(x) for x in jax.block_until_ready(g(*given))]
