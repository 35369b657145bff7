"""Logistic regression on Fisher's iris measurements: is this flower a virginica?

The model gives a flower with measurements x the log-odds z = x @ w + b of being a virginica. The
negative log-likelihood of one flower is log(1 + exp(z)) - y * z, with y = 1 for a virginica and
y = 0 for the rest. Written as it stands, log(1 + exp(z)) has a derivative that overflows for
large z; `log1pexp` therefore brings a derivative of its own, which does not.
"""

# ruff: noqa: F722, F821, UP037 (the shapes in the annotations are words, not Python)
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import tapeless as tl

if TYPE_CHECKING:
    from jaxtyping import Float

DATA = Path(__file__).parent / "data" / "iris.csv"


@tl.custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


def loss(
    w: Float[np.ndarray, "d"],
    b: float,
    x: Float[np.ndarray, "n d"],
    y: Float[np.ndarray, "n"],
):
    z = x @ w + b
    ridge = 1e-3 * np.sum(w**2)
    return np.mean(log1pexp(z) - y * z) + ridge


def load_iris(path=DATA):
    """The measurements, scaled to mean 0 and deviation 1 by column, and who is a virginica."""
    x = np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(4))
    species = np.loadtxt(path, delimiter=",", skiprows=1, usecols=4, dtype=str)
    x = (x - np.mean(x, axis=0)) / np.std(x, axis=0)
    return x, (species == "virginica").astype(float)


def make_inputs():
    x, y = load_iris()
    return np.array([0.2, -0.1, 0.5, 0.4]), -0.3, x, y


def accuracy(w, b, x, y):
    return np.mean((x @ w + b > 0) == (y > 0.5))


def main(steps=1000, rate=2.0):
    x, y = load_iris()
    w, b = np.zeros(4), 0.0
    value_and_grad = tl.value_and_grad(loss, wrt=("w", "b"))
    losses = []
    for step in range(steps + 1):
        value, (w_bar, b_bar) = value_and_grad(w, b, x, y)
        losses.append(value)
        if step % max(steps // 10, 1) == 0:
            print(f"step {step:5d}   loss {value:.4f}")
        w = w - rate * w_bar
        b = b - rate * b_bar
    print(f"accuracy {accuracy(w, b, x, y):.3f} on {len(y)} flowers")
    print()
    print(tl.source(value_and_grad))
    return losses


if __name__ == "__main__":
    main()
