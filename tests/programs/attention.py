"""A block of a transformer: parameters in nested dicts, causal attention, layer norm, a cache."""

import numpy as np

from programs.common.statistics import logsumexp


def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    var = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return scale * (x - mean) / np.sqrt(var + eps) + shift


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


ACTIVATIONS = {"gelu": gelu, "relu": lambda x: np.maximum(x, 0.0), "tanh": np.tanh}


class Attention:
    def __init__(self, params, n_heads=2, causal=True):
        self.params = params
        self.n_heads = n_heads
        self.causal = causal
        self.cache = {}

    def split(self, x):
        t, d = x.shape
        return x.reshape(t, self.n_heads, d // self.n_heads).transpose(1, 0, 2)

    def __call__(self, x):
        q, k, v = (self.split(x @ self.params[name]) for name in ("wq", "wk", "wv"))
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
        if self.causal:
            t = x.shape[0]
            mask = np.triu(np.ones((t, t), dtype=bool), k=1)
            scores = np.where(mask, -1e9, scores)
        weights = softmax(scores)
        self.cache["weights"] = weights
        out = (weights @ v).transpose(1, 0, 2).reshape(x.shape)
        return out @ self.params["wo"]


class Block:
    def __init__(self, params, **options):
        self.params = params
        self.attention = Attention(params["attention"], n_heads=options.get("n_heads", 2))
        self.activation = ACTIVATIONS[options.get("activation", "gelu")]

    def __call__(self, x):
        p = self.params
        x = x + self.attention(layer_norm(x, **p["norm1"]))
        h = self.activation(layer_norm(x, **p["norm2"]) @ p["mlp"]["w1"])
        return x + h @ p["mlp"]["w2"]


def init(rng, d):
    def matrix(*shape):
        return rng.normal(size=shape) / np.sqrt(shape[0])

    return {
        "attention": {name: matrix(d, d) for name in ("wq", "wk", "wv", "wo")},
        "norm1": {"scale": np.ones(d), "shift": np.zeros(d)},
        "norm2": {"scale": np.ones(d), "shift": np.zeros(d)},
        "mlp": {"w1": matrix(d, 2 * d), "w2": matrix(2 * d, d)},
    }


def objective(tokens, wq, temperature):
    params = init(np.random.default_rng(0), tokens.shape[1])
    params["attention"]["wq"] = wq
    block = Block(params, activation="gelu")
    y = block(tokens)
    logits = y @ tokens.T / temperature
    targets = [1, 2, 0]
    loss = 0.0
    for t, target in enumerate(targets):
        loss -= logits[t, target] - logsumexp(logits[t])
    entropy = -np.sum(block.attention.cache["weights"] * np.log(block.attention.cache["weights"] + 1e-9))
    return loss / len(targets) + 0.01 * entropy


_rng = np.random.default_rng(1)
ARGUMENTS = (_rng.normal(size=(3, 4)), 0.5 * _rng.normal(size=(4, 4)), 1.3)
