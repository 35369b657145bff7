"""A small convolutional network, trained by momentum with a schedule; layers are called in a list."""

import math

import numpy as np

CONFIG = {"lr": 0.05, "momentum": 0.9, "epochs": 2, "decay": 0.5, "clip": None}


class Layer:
    def parameters(self):
        return {}

    def __call__(self, x):
        raise NotImplementedError


class Conv2d(Layer):
    """Correlates images (h, w) with kernels; `valid` borders."""

    def __init__(self, kernels, bias):
        self.kernels = kernels
        self.bias = bias

    def __call__(self, x):
        n, kh, kw = self.kernels.shape
        h, w = x.shape[0] - kh + 1, x.shape[1] - kw + 1
        patches = np.zeros((h * w, kh * kw))
        for i in range(h):
            for j in range(w):
                patches[i * w + j] = x[i : i + kh, j : j + kw].reshape(-1)
        out = patches @ self.kernels.reshape(n, -1).T + self.bias
        return out.T.reshape(n, h, w)


class ReLU(Layer):
    def __init__(self, slope=0.1):
        self.slope = slope

    def __call__(self, x):
        return np.where(x > 0, x, self.slope * x)


class GlobalPool(Layer):
    def __call__(self, x):
        return x.mean(axis=(1, 2))


class Dense(Layer):
    def __init__(self, W, b):
        self.W, self.b = W, b

    def __call__(self, x):
        return self.W @ x + self.b


class Sequential:
    def __init__(self, *layers):
        self.layers = list(layers)
        self.activations = []

    def forward(self, x, keep=False):
        for layer in self.layers:
            x = layer(x)
            if keep:
                self.activations.append(x)
        return x


def cross_entropy(logits, label):
    shifted = logits - logits.max()
    return math.log(np.sum(np.exp(shifted))) - shifted[label]


def learning_rate(epoch, config):
    return config["lr"] * config["decay"] ** epoch


def objective(kernels, W, images):
    network = Sequential(
        Conv2d(kernels, np.zeros(len(kernels))), ReLU(), GlobalPool(), Dense(W, np.zeros(2))
    )
    config = dict(CONFIG, lr=0.1)
    velocity = np.zeros_like(W)
    loss = 0.0
    for epoch in range(config["epochs"]):
        for label, image in enumerate(images):
            logits = network.forward(image, keep=epoch == 0)
            loss += cross_entropy(logits, label)
            features = network.forward(image)[0]
            velocity = config["momentum"] * velocity - learning_rate(epoch, config) * features * W
            if config["clip"] is not None:
                velocity = np.clip(velocity, -config["clip"], config["clip"])
            network.layers[-1].W = network.layers[-1].W + velocity
    return loss + 1e-2 * np.sum(network.layers[-1].W ** 2)


_rng = np.random.default_rng(3)
ARGUMENTS = (
    0.5 * _rng.normal(size=(2, 2, 2)), _rng.normal(size=(2, 2)), _rng.normal(size=(2, 3, 3))
)
