"""Functions of several numbers at once give what NumPy's do; where the library lacks, NumPy's serve."""

import numpy as np
import pytest

from tapeless.lower import vector_math

ULPS = 4.0
ORDINARY = np.concatenate([np.linspace(-30.0, 30.0, 2401), np.geomspace(1e-300, 1e300, 601)])
OTHERS = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, -750.0, 800.0, 1e17] * 2)


@pytest.mark.parametrize(
    "name", [key for key in vector_math.NAMES if key not in vector_math.OF_TWO]
)
def test_it_is_near_to_numpy(name):
    numba = pytest.importorskip("numba")
    own, theirs = getattr(vector_math.numpy_of_vectors(), name), getattr(np, name)

    @numba.njit(error_model="numpy")
    def of_all(x, y):
        for i in range(len(x)):
            y[i] = own(x[i])

    for x in (ORDINARY, OTHERS, np.roll(OTHERS, 3), OTHERS[:1], OTHERS[1:4]):
        found = np.empty_like(x)
        of_all(x, found)
        with np.errstate(all="ignore"):
            wanted = theirs(x)
            near = np.abs(found - wanted) <= ULPS * np.spacing(np.abs(wanted))
        assert np.all(near | (found == wanted) | (np.isnan(found) & np.isnan(wanted)))


@pytest.mark.parametrize("power", [-2.5, -1.5, 0.3, 3.0, -7.0, 1.0 / 3.0])
def test_powers_are_near_to_numpy(power):
    numba = pytest.importorskip("numba")
    own = vector_math.numpy_of_vectors().power

    @numba.njit(error_model="numpy")
    def of_all(x, y, power):
        for i in range(len(x)):
            y[i] = own(x[i], power)

    for x in (ORDINARY, OTHERS, np.roll(OTHERS, 3), OTHERS[:1], OTHERS[1:4]):
        found = np.empty_like(x)
        of_all(x, found, power)
        with np.errstate(all="ignore"):
            wanted = np.power(x, power)
            near = np.abs(found - wanted) <= ULPS * np.spacing(np.abs(wanted))
        assert np.all(near | (found == wanted) | (np.isnan(found) & np.isnan(wanted)))


def test_without_the_library_numpy_serves(monkeypatch):
    monkeypatch.setattr(vector_math.platform, "machine", lambda: "arm64")
    vector_math.is_there.cache_clear()
    vector_math.numpy_of_vectors.cache_clear()
    try:
        assert vector_math.numpy_of_vectors() is np
        assert vector_math.mark() == ""
    finally:
        vector_math.is_there.cache_clear()
        vector_math.numpy_of_vectors.cache_clear()


def test_loops_are_replaced_by_calls_for_several_numbers():
    numba = pytest.importorskip("numba")
    if not vector_math.is_there():
        pytest.skip("the library is not there")
    exp = vector_math.numpy_of_vectors().exp

    @numba.njit(error_model="numpy")
    def of_all(x, y):
        for i in range(len(x)):
            y[i] = exp(x[i])

    of_all(np.ones(3), np.ones(3))
    (code,) = of_all.inspect_asm().values()
    assert "_ZGV" in code
