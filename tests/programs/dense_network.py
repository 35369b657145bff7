"""A small network class with a dict of parameters, trained for a few steps."""

import time
import warnings

import numpy as np


def relu(z):
    return np.maximum(z, 0)


def softplus(z):
    return np.log1p(np.exp(z))


ACTIVATIONS = {"tanh": np.tanh, "relu": relu, "softplus": softplus, "linear": lambda z: z}


class Dense:
    count = 0

    def __init__(self, n_in, n_out, activation="tanh", rng=None, name=None):
        rng = np.random.default_rng() if rng is None else rng
        if activation not in ACTIVATIONS:
            raise ValueError(f"unknown activation {activation!r}")
        self.name = name or f"dense_{n_in}_{n_out}"
        self.activation = ACTIVATIONS[activation]
        self.params = {
            "W": rng.normal(scale=1.0 / np.sqrt(n_in), size=(n_in, n_out)),
            "b": np.zeros(n_out),
        }
        self.cache = None

    def __call__(self, x):
        z = x @ self.params["W"] + self.params["b"]
        self.cache = (x, z)
        return self.activation(z)

    def __repr__(self):
        return f"Dense({self.name})"


class Network:
    def __init__(self, sizes, activation="tanh", seed=0):
        rng = np.random.default_rng(seed)
        self.layers = []
        for i, (n, m) in enumerate(zip(sizes[:-1], sizes[1:])):
            act = activation if i < len(sizes) - 2 else "linear"
            self.layers.append(Dense(n, m, activation=act, rng=rng, name=f"layer{i}"))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    @property
    def n_params(self):
        return sum(p.size for layer in self.layers for p in layer.params.values())

    def load(self, theta):
        start = 0
        for layer in self.layers:
            for key in layer.params:
                p = layer.params[key]
                layer.params[key] = theta[start : start + p.size].reshape(p.shape)
                start += p.size
        if start != theta.size:
            warnings.warn("parameters left over")
        return self

    def l2(self, weight=1e-3, skip_bias=True):
        total = 0.0
        for layer in self.layers:
            for name, p in layer.params.items():
                if skip_bias and name == "b":
                    continue
                total += np.sum(p**2)
        return weight * total


def mse(prediction, target, reduction="mean"):
    error = (prediction - target) ** 2
    if reduction == "mean":
        return np.mean(error)
    elif reduction == "sum":
        return np.sum(error)
    return error


def make_data(n=6, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(n, 2))
    y = np.sin(3 * x[:, :1]) * x[:, 1:]
    return x, y


def objective(theta, verbose=False):
    tic = time.perf_counter()
    x, y = make_data()
    network = Network([2, 3, 1], activation="tanh").load(theta)
    loss = mse(network.forward(x), y) + network.l2()
    if verbose:
        print(f"{network.layers!r}: loss {loss:.4f} after {time.perf_counter() - tic:.2f} s")
    return loss


ARGUMENTS = (np.random.default_rng(3).normal(size=13),)
