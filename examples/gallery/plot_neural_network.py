r"""
A neural network from scratch
=============================

Two spirals, a network of three layers, and Adam in six lines. The parameters are a list of
dictionaries; the gradient comes back as a list of dictionaries.
"""

import matplotlib.pyplot as plt
import numpy as np

import tapeless as tl

# %%
# Data
# ----

rng = np.random.default_rng(0)
turn = 3.0 * np.pi * np.sqrt(rng.uniform(0.02, 1.0, size=300))
arm = np.stack([turn * np.cos(turn), turn * np.sin(turn)], axis=1) / 9.0
points = np.concatenate([arm, -arm]) + 0.02 * rng.normal(size=(600, 2))
label = np.repeat([1.0, 0.0], 300)

# %%
# Network and loss
# ----------------


def make_layer(inputs, outputs):
    return {
        "w": rng.normal(size=(inputs, outputs)) * np.sqrt(2.0 / inputs),
        "b": np.zeros(outputs),
    }


def network(layers, x):
    for layer in layers[:-1]:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return (x @ layers[-1]["w"] + layers[-1]["b"])[:, 0]


def loss(layers, x, y):
    z = network(layers, x)
    return np.mean(np.logaddexp(0.0, z) - y * z)


# %%
# Training
# --------
# Adam keeps a running mean of each gradient and of its square. ``leaves`` lists the arrays of the
# nested structure, which are changed in place.


def leaves(layers):
    return [layer[name] for layer in layers for name in ("w", "b")]


value_and_grad = tl.value_and_grad(loss)
layers = [make_layer(2, 24), make_layer(24, 24), make_layer(24, 1)]
means = [np.zeros_like(p) for p in leaves(layers)]
squares = [np.zeros_like(p) for p in leaves(layers)]
history = []
for step in range(1, 801):
    value, slopes = value_and_grad(layers, points, label)
    history.append(value)
    for p, g, m, s in zip(leaves(layers), leaves(slopes), means, squares):
        m += 0.1 * (g - m)
        s += 0.01 * (g**2 - s)
        p -= 0.01 * m / (1 - 0.9**step) / (np.sqrt(s / (1 - 0.99**step)) + 1e-8)

right = np.mean((network(layers, points) > 0) == (label == 1))
print(f"loss {history[-1]:.4f}, {right:.1%} told apart")

# %%

fig, (left, middle) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
left.semilogy(history)
left.set(xlabel="step", ylabel="loss")
axis = np.linspace(-1.2, 1.2, 200)
grid = np.stack(np.meshgrid(axis, axis), axis=-1)
share = 1 / (1 + np.exp(-network(layers, grid.reshape(-1, 2)).reshape(200, 200)))
middle.contourf(axis, axis, share, levels=20, cmap="RdBu_r", alpha=0.7)
middle.scatter(*points.T, c=label, cmap="RdBu_r", edgecolor="black", s=10, linewidth=0.4)
middle.set(aspect="equal", xticks=[], yticks=[])
assert right > 0.97
