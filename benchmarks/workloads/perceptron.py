"""A perceptron of two layers with softmax and cross entropy, on a batch."""

import numpy as np

WRT = (0, 1, 2, 3)
SIZES = {"test": (2, 3, 4, 3), "1 row": (1, 64, 128, 10), "256 rows": (256, 64, 128, 10)}


def make_inputs(rng, rows, inputs, hidden, classes):
    w1 = rng.normal(size=(inputs, hidden)) / np.sqrt(inputs)
    w2 = rng.normal(size=(hidden, classes)) / np.sqrt(hidden)
    x = rng.normal(size=(rows, inputs))
    labels = np.eye(classes)[rng.integers(classes, size=rows)]
    return w1, np.zeros(hidden), w2, np.zeros(classes), x, labels


def primal(w1, b1, w2, b2, x, labels):
    h = np.tanh(x @ w1 + b1)
    logits = h @ w2 + b2
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.sum(labels * log_p) / len(x)


def hand(w1, b1, w2, b2, x, labels):
    h = x @ w1
    h += b1
    np.tanh(h, out=h)
    logits_bar = h @ w2
    logits_bar += b2
    logits_bar -= np.max(logits_bar, axis=1, keepdims=True)
    np.exp(logits_bar, out=logits_bar)
    logits_bar *= np.sum(labels, axis=1, keepdims=True) / np.sum(logits_bar, axis=1, keepdims=True)
    logits_bar -= labels
    logits_bar /= len(x)
    w2_bar = h.T @ logits_bar
    b2_bar = np.sum(logits_bar, axis=0)
    z_bar = logits_bar @ w2.T
    np.multiply(h, h, out=h)
    np.subtract(1.0, h, out=h)
    z_bar *= h
    return x.T @ z_bar, np.sum(z_bar, axis=0), w2_bar, b2_bar
