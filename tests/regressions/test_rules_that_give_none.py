"""Rules of which one way gives no cotangent of an argument, where only the run shows which way is taken."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.31, 0.52, -0.72, 1.13])
WEIGHTS = np.array([1.0, 2.0, 3.0])


def a_density_over_a_range(v):
    return np.histogram(v, bins=3, range=(-1.0, 2.0), density=True, weights=v**2)[0] @ WEIGHTS


def a_density_over_a_moving_range(v):
    return np.histogram(v, bins=3, range=(-1.0 + v[0], 2.0), density=True)[0] @ WEIGHTS


def a_density_between_edges(v):
    edges = v[0] + np.array([-2.0, 0.0, 1.0])
    return np.histogram(v, bins=edges, density=True, weights=v**2)[0] @ WEIGHTS[:2]


def scaled(x, y, kept):
    return x * 2.0 if kept else x * y


@tl.register_gradient(scaled)
def scaled_rule(x, y, kept):
    z = scaled(x, y, kept)

    def grad(z_bar):
        if kept:
            return z_bar * 2.0, None, None
        return z_bar * y, z_bar * x, None

    return z, grad


def by_a_rule_of_ones_own(v):
    return np.sum(scaled(v, v**2, v[0] > 0.0)) + np.sum(scaled(v**2, v, v[0] < 0.0))


@pytest.mark.parametrize(
    "f",
    [
        a_density_over_a_range,
        a_density_over_a_moving_range,
        a_density_between_edges,
        by_a_rule_of_ones_own,
    ],
    ids=lambda f: f.__name__,
)
def test_laws(f):
    rng = np.random.default_rng(3)
    laws.check_grad(f, (X.copy(),), (0,), rng)
    laws.check_reverse(f, (X.copy(),), (0,), rng)


def test_second_derivatives_of_strided_windows():
    def f(v):
        return np.sum(np.lib.stride_tricks.as_strided(v, (3, 2), (8, 8)) ** 3)

    slope = tl.grad(lambda v: np.sum(tl.grad(f)(v) ** 2))(X)
    counts = np.array([1.0, 2.0, 2.0, 1.0])
    np.testing.assert_allclose(slope, 36.0 * counts**2 * X**3, rtol=1e-12)
    laws.check_function(f, (X.copy(),), smooth=True)
