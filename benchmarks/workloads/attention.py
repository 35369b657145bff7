"""Attention with several heads over a sequence: products of stacks of matrices, a softmax."""

import numpy as np

WRT = (0, 1, 2, 3)
SIZES = {"test": (3, 4, 2), "32 x 32": (32, 32, 4), "128 x 128": (128, 128, 8)}


def make_inputs(rng, length, width, heads):
    weights = rng.normal(size=(4, width, width)) / np.sqrt(width)
    return *weights, rng.normal(size=(length, width)), rng.normal(size=(length, width)), heads


def split(x, heads):
    length, width = x.shape
    return x.reshape(length, heads, width // heads).transpose(1, 0, 2)


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def primal(wq, wk, wv, wo, x, target, heads):
    q, k, v = split(x @ wq, heads), split(x @ wk, heads), split(x @ wv, heads)
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    mixed = softmax(scores) @ v
    out = mixed.transpose(1, 0, 2).reshape(x.shape) @ wo
    return np.mean((out - target) ** 2)


def hand_joined(x_bar, shape):
    return x_bar.transpose(1, 0, 2).reshape(shape)


def hand(wq, wk, wv, wo, x, target, heads):
    q, k, v = split(x @ wq, heads), split(x @ wk, heads), split(x @ wv, heads)
    factor = 1.0 / np.sqrt(q.shape[-1])
    share = q @ k.transpose(0, 2, 1)
    share *= factor
    share -= np.max(share, axis=-1, keepdims=True)
    np.exp(share, out=share)
    share /= np.sum(share, axis=-1, keepdims=True)
    joined = hand_joined(share @ v, x.shape)
    out_bar = joined @ wo
    out_bar -= target
    out_bar *= 2.0 / out_bar.size
    wo_bar = joined.T @ out_bar
    mixed_bar = split(out_bar @ wo.T, heads)
    v_bar = share.transpose(0, 2, 1) @ mixed_bar
    scores_bar = mixed_bar @ v.transpose(0, 2, 1)
    scores_bar -= np.einsum("hij,hij->hi", scores_bar, share)[:, :, None]
    scores_bar *= share
    scores_bar *= factor
    q_bar = scores_bar @ k
    k_bar = scores_bar.transpose(0, 2, 1) @ q
    wq_bar, wk_bar, wv_bar = (x.T @ hand_joined(bar, x.shape) for bar in (q_bar, k_bar, v_bar))
    return wq_bar, wk_bar, wv_bar, wo_bar
