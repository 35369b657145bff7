"""Rotations that are written out: their values are SciPy's, and so are their slopes, also at none."""

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is not installed")

from scipy.spatial.transform import Rotation, Slerp  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.rules.declare import find_written  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

make = {
    label: find_written(getattr(Rotation, label))
    for label in ("from_rotvec", "from_quat", "from_matrix", "from_euler")
}
rng = np.random.default_rng(0)
VECTORS = [np.zeros(3), np.array([1e-5, 2e-5, 0.0]), np.array([0.3, -0.2, 0.9])]
P = rng.normal(size=(5, 3))


@pytest.mark.parametrize("v", [*VECTORS, 2.0 * rng.normal(size=(5, 3))])
def test_values(v):
    ours, theirs = make["from_rotvec"](v), Rotation.from_rotvec(v)
    for method in ("as_quat", "as_matrix", "as_rotvec", "magnitude"):
        found, wanted = getattr(ours, method)(), getattr(theirs, method)()
        assert np.allclose(found, wanted, atol=1e-14), method
    assert np.allclose(ours.inv().as_rotvec(degrees=True), theirs.inv().as_rotvec(degrees=True))
    by_matrix = make["from_matrix"](theirs.as_matrix()).as_quat()
    assert np.allclose(by_matrix, Rotation.from_matrix(theirs.as_matrix()).as_quat())
    for seq in ("xyz", "XYZ", "zxz", "ZYX", "YXY") if np.any(np.abs(v) > 0.1) else ():
        assert np.allclose(ours.as_euler(seq), theirs.as_euler(seq), atol=1e-9), seq


@pytest.mark.parametrize("seq", ["xyz", "ZYX", "zx", "Y"])
def test_values_of_angles(seq):
    angles = rng.normal(size=(4, len(seq)))
    found = make["from_euler"](seq, angles).as_quat()
    assert np.allclose(found, Rotation.from_euler(seq, angles).as_quat())


GIVEN = Rotation.from_euler("zyx", [0.1, 0.2, 0.3])


def turned(v, p):
    return np.sum(Rotation.from_rotvec(v).apply(p) ** 3)


def chained(v, angles, q, a):
    r = Rotation.from_rotvec(v) * Rotation.from_euler("zyx", angles)
    s = Rotation.from_quat(q).inv() * r * GIVEN * Rotation.from_euler("x", 0.3)
    s = s * Rotation.from_matrix(Rotation.from_euler("XYZ", [a, 0.2, a]).as_matrix())
    sums = np.sum(s.apply(P, inverse=True) ** 3) + np.sum(s.as_matrix() ** 3) + s.magnitude()
    return sums + np.sum(s.as_rotvec() ** 2) + np.sum(s.as_euler("ZXZ") ** 2)


def test_slopes():
    args = VECTORS[2], np.array([0.4, -0.3, 0.2]), np.array([0.1, 0.2, 0.3, 0.9]), 0.5
    assert np.isclose(tl.value_and_grad(chained)(*args)[0], chained(*args), rtol=1e-12)
    check_grads(chained, *args, order=1, modes=("reverse",))
    check_grads(turned, rng.normal(size=(5, 3)), P, order=1, modes=("reverse",))
    check_grads(turned, np.zeros(3), P, order=2, modes=("forward",))


def test_what_is_no_rotation_is_refused():
    with pytest.raises(tl.TapelessError, match="matrices that are rotations"):
        tl.grad(lambda m: Rotation.from_matrix(m).magnitude())(2.0 * np.eye(3))


def powers(v, angles):
    r = Rotation.from_rotvec(v)
    q = Rotation.from_euler("zyx", angles)
    both = Rotation.concatenate([r, q.inv() * GIVEN])
    modified = Rotation.from_mrp(0.5 * v).as_mrp()
    return np.sum((r**2.5).apply(P) ** 3) + np.sum(both.as_rotvec() ** 3) + modified @ angles**2


def between(v, angles, t):
    first, second = Rotation.from_rotvec(v), Rotation.from_euler("zyx", angles)
    keys = Rotation.concatenate([first, second, first * GIVEN])
    return np.sum(Slerp([0.0, 1.0, 3.0], keys)(t).as_rotvec() ** 3)


@pytest.mark.parametrize(
    ("f", "more", "order"),
    [(powers, (), 2), (between, (1.7,), 1), (between, (np.array([0.2, 0.4, 0.9, 2.2]),), 1)],
    ids=["powers", "one", "several"],
)
def test_powers_and_ways_between(f, more, order):
    args = VECTORS[2], np.array([0.4, -0.3, 0.2]), *more
    assert np.isclose(tl.value_and_grad(f)(*args)[0], f(*args), rtol=1e-12)
    check_grads(f, *args, order=order, replay=True)


def test_at_the_given_times():
    args = VECTORS[2], np.array([0.4, -0.3, 0.2])
    check_grads(lambda v, w: between(v, w, np.array([0.0, 1.0, 3.0])), *args, order=1)


@pytest.mark.parametrize("v", [VECTORS[2], 4.0 * VECTORS[2]])
def test_modified_parameters_are_those_of_the_shorter_way(v):
    assert np.allclose(make["from_rotvec"](v).as_mrp(), Rotation.from_rotvec(v).as_mrp())


def test_times_outside_raise_as_in_scipy():
    args = VECTORS[2], np.array([0.4, -0.3, 0.2]), 3.5
    with pytest.raises(ValueError, match="must be within the range"):
        tl.grad(between)(*args)
