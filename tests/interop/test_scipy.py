"""Optimizers of SciPy on structures, and fits of curves."""

import dataclasses

import numpy as np
import pytest

import tapeless as tl

pytest.importorskip("scipy", reason="SciPy is not installed")

from scipy import optimize  # noqa: E402

from tapeless.interop.scipy import curve_jacobian, flattened  # noqa: E402


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    b: float
    name: str = "layer"


def cost(layers, x, y):
    for layer in layers:
        x = np.tanh(x @ layer.w) + layer.b
    return np.mean((np.sum(x, axis=1) - y) ** 2)


def test_structures():
    rng = np.random.default_rng(0)
    layers = [Layer(rng.normal(size=(2, 3)), 0.1), Layer(rng.normal(size=(3, 2)), 0.2)]
    x = rng.normal(size=(40, 2))
    made = flattened(cost, layers)
    found = optimize.minimize(made, made.start, args=(x, np.sin(x[:, 0])), jac=True)
    fitted = made.structure(found.x)
    assert [layer.name for layer in fitted] == ["layer", "layer"]
    assert type(fitted[0].b) is float and fitted[1].w.shape == (3, 2)
    assert (
        cost(fitted, x, np.sin(x[:, 0]))
        == found.fun
        < 0.5 * made(made.start, x, np.sin(x[:, 0]))[0]
    )
    assert optimize.check_grad(
        lambda v: made(v, x, x[:, 0])[0], lambda v: made(v, x, x[:, 0])[1], made.start
    ) < 1e-5  # fmt: skip


def test_what_is_no_structure_of_floats_is_refused():
    for like in ([], {"n": 3}, [1j]):
        with pytest.raises(tl.GradientError, match="the structure holds"):
            flattened(cost, like)
    with pytest.raises(tl.GradientError, match="stands for 2 numbers"):
        flattened(cost, [1.0, 2.0]).structure(np.ones(3))


def decay(t, height, rate):
    return height * np.exp(-rate * t)


def test_curves():
    t = np.linspace(0.0, 4.0, 40)
    fit, _ = optimize.curve_fit(
        decay, t, decay(t, 3.0, 0.7), p0=(1.0, 1.0), jac=curve_jacobian(decay)
    )
    np.testing.assert_allclose(fit, [3.0, 0.7], rtol=1e-8)
