"""The programs of the benchmark: the adjoints by hand are right, and so are the generated ones."""

import copy

import numpy as np
import pytest

import tapeless as tl
from benchmarks import workloads

# Their derivatives take longest to write.
SAMPLED_OUT = {"bundle_adjustment", "gaussian_mixture", "kalman", "lattice_boltzmann", "lstm"}
STEP = 1e-6


def directional_difference(workload, args, directions):
    """Return the central difference of a workload along directions of its independents."""

    def at(step):
        moved = list(copy.deepcopy(args))
        for i, direction in zip(workload.WRT, directions, strict=True):
            moved[i] = moved[i] + step * direction
        return workload.primal(*moved)

    return (at(STEP) - at(-STEP)) / (2.0 * STEP)


@pytest.mark.parametrize("name", workloads.NAMES)
def test_gradients(name, all_samples):
    workload = workloads.load(name)
    rng = np.random.default_rng(0)
    args = workload.make_inputs(rng, *workload.SIZES["test"])
    before = copy.deepcopy(args)
    by_hand = workload.hand(*args)
    directions = [rng.normal(size=np.shape(args[i])) for i in workload.WRT]
    found = sum(np.sum(g * d) for g, d in zip(by_hand, directions, strict=True))
    wanted = directional_difference(workload, args, directions)
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)
    if all_samples or name not in SAMPLED_OUT:
        generated = tl.grad(workload.primal, wrt=workload.WRT)(*args)
        for g, h in zip(generated, by_hand, strict=True):
            np.testing.assert_allclose(g, h, rtol=1e-9, atol=1e-12)
    for now, then in zip(args, before, strict=True):
        np.testing.assert_array_equal(now, then)
