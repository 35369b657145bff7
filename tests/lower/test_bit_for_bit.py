"""Where no sum is added in another order, loops give NumPy's results to the last bit.

Sums of fewer than eight numbers are added one by one by NumPy, too. Products of matrices are the library's,
and its order is not known. Compiled, elementary functions are another library's: that is tested elsewhere.
"""

import numpy as np
import pytest
from lowered_programs import PROGRAMS
from random_arrays import differ

import tapeless as tl
from benchmarks import workloads
from tapeless.lower import NotLowered, lowered
from tapeless.lower.compiled import with_loops

OF_OTHER_ORDER = ("np.dot", "np.linalg")  # or of sums of products in one step, as `einsum` may
OTHER_SUMS = {"sums_of_products", "matrix_products", "stacked_products", "solved"}


def must_not_run(*arguments):
    raise AssertionError("the NumPy text runs")


def both(f, make):
    """Return what loops give, not joined and joined, and the text of the latter."""
    given, found = [], None
    for joined in (False, True):
        found = lowered(f, make(), joined=joined)
        arguments = make()
        loops = with_loops(found, must_not_run, "f", jit=False)
        given.append((loops(*arguments), *arguments))
    return given, found.text


@pytest.mark.parametrize(("f", "make"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
@pytest.mark.filterwarnings("ignore")
def test_programs(f, make):
    (apart, joined), text = both(f, make)
    assert not differ(apart, joined, None)
    if f.__name__ not in OTHER_SUMS and not any(word in text for word in OF_OTHER_ORDER):
        arguments = make()
        assert not differ(joined, (f(*arguments), *arguments), None)


def without_sums(x, y):
    z = np.tanh(x) * y - 0.3 * x
    for _ in range(3):
        z[1:] += x[:-1] / (2.0 + y[1:] ** 2)
        z, x = z[::-1] * 1.0, z
    return np.where(z > 0.0, np.exp(-z), z * x), np.max(x), z * 1.0


@pytest.mark.parametrize("n", [1, 2, 3, 8, 17, 131, 500])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sizes(n, dtype):
    def make():
        rng = np.random.default_rng(n)
        return tuple(rng.normal(size=(2, n)).astype(dtype))

    (apart, joined), _ = both(without_sums, make)
    arguments = make()
    assert not differ(apart, joined, None)
    assert not differ(joined, (without_sums(*arguments), *arguments), None)


@pytest.mark.parametrize("n", [0, 1])
def test_sizes_that_a_text_was_not_written_for(n):
    rng = np.random.default_rng(0)
    found = lowered(without_sums, tuple(rng.normal(size=(2, 5))))
    loops = with_loops(found, without_sums, "f", jit=False)
    results = []
    for f in (loops, without_sums):
        try:
            results.append(f(*(np.ones(n), np.ones(n))))
        except ValueError:
            results.append(ValueError)
    assert not differ(*results, None)


@pytest.mark.parametrize("name", workloads.NAMES)
@pytest.mark.filterwarnings("ignore")
def test_workloads(name):
    workload = workloads.load(name)

    def make():
        return workload.make_inputs(np.random.default_rng(0), *workload.SIZES["test"])

    plain = tl.grad(workload.primal, wrt=workload.WRT, scalarize=False).serving(make()).function
    try:
        (apart, joined), _ = both(plain, make)
    except NotLowered:
        return
    assert not differ(apart, joined, None)
    arguments = make()
    assert not differ(joined, (plain(*arguments), *arguments), (1e-9, 1e-12))
