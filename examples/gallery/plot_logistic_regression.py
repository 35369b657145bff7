r"""
Logistic regression
===================

Two species of iris are told apart by two measurements of their petals. The loss is the mean negative
logarithm of the likelihood; its gradient with respect to the weights and the offset is all that
gradient descent needs.
"""

import matplotlib.pyplot as plt
import numpy as np

import tapeless as tl

# %%
# The data
# --------
# Petal length and width, shifted and scaled to mean 0 and standard deviation 1. The label is 1 for
# *virginica*, 0 for *versicolor*.

flowers = np.genfromtxt("../data/iris.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
flowers = flowers[flowers["species"] != "setosa"]
petals = np.stack([flowers["petal_length"], flowers["petal_width"]], axis=1)
label = (flowers["species"] == "virginica").astype(float)
x = (petals - petals.mean(axis=0)) / petals.std(axis=0)

# %%
# The loss
# --------
# :math:`\log(1 + e^z)` has a function in NumPy that does not overflow, ``np.logaddexp(0, z)``. The
# square of the weights keeps them from growing without limit.


def loss(w, b, x, y):
    z = x @ w + b
    ridge = 1e-3 * np.sum(w**2)
    return np.mean(np.logaddexp(0.0, z) - y * z) + ridge


value_and_grad = tl.value_and_grad(loss, wrt=("w", "b"))

# %%
# This is the function that tapeless wrote for it, with respect to ``w``:

print(tl.source(loss, like=(np.zeros(2), 0.0, x, label)))

# %%
# Gradient descent
# ----------------

w, b, history = np.zeros(2), 0.0, []
for _ in range(200):
    value, (w_bar, b_bar) = value_and_grad(w, b, x, label)
    w, b = w - 2.0 * w_bar, b - 2.0 * b_bar
    history.append(value)

right = np.mean((x @ w + b > 0) == (label == 1))
print(f"loss {history[-1]:.4f}, {right:.0%} told apart")

# %%

fig, (left, middle) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.semilogy(history)
left.set(xlabel="step", ylabel="loss", title="descent")
grid = np.stack(np.meshgrid(np.linspace(-2.2, 2.6, 200), np.linspace(-2, 2.4, 200)), axis=-1)
share = 1 / (1 + np.exp(-(grid @ w + b)))
shades = middle.contourf(*np.moveaxis(grid, -1, 0), share, levels=20, cmap="RdBu_r", alpha=0.6)
for species, mark in (("versicolor", "o"), ("virginica", "^")):
    chosen = label == (species == "virginica")
    middle.scatter(*x[chosen].T, marker=mark, edgecolor="black", s=25, label=species)
middle.set(xlabel="petal length (scaled)", ylabel="petal width (scaled)")
middle.legend()
fig.colorbar(shades, label="probability of virginica", ticks=[0, 0.5, 1])
assert right > 0.9
