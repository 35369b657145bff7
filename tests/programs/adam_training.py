"""Unrolled training of a classifier with momentum or Adam, tuned in its learning rate."""

from collections import namedtuple
from functools import partial

import numpy as np

State = namedtuple("State", ["params", "opt", "step"])


def init_params(rng, sizes):
    params = {}
    for i, (n_in, n_out) in enumerate(zip(sizes, sizes[1:])):
        params[f"w{i}"] = rng.normal(0, 1 / np.sqrt(n_in), (n_in, n_out))
        params[f"b{i}"] = np.zeros(n_out)
    return params


def forward(params, x, n_layers=2):
    h = x
    for i in range(n_layers):
        h = h @ params[f"w{i}"] + params[f"b{i}"]
        if i < n_layers - 1:
            h = np.tanh(h)
    return h


def manual_gradient(params, x, y):
    h = np.tanh(x @ params["w0"] + params["b0"])
    out = h @ params["w1"] + params["b1"]
    d = 2 * (out - y) / len(x)
    grads = {"w1": h.T @ d, "b1": d.sum(axis=0)}
    dh = (d @ params["w1"].T) * (1 - h**2)
    grads["w0"] = x.T @ dh
    grads["b0"] = dh.sum(axis=0)
    return grads


class Adam:
    def __init__(self, lr=1e-2, beta1=0.9, beta2=0.99, eps=1e-8):
        self.lr, self.beta1, self.beta2, self.eps = lr, beta1, beta2, eps

    def init(self, params):
        return {k: (np.zeros_like(v), np.zeros_like(v)) for k, v in params.items()}

    def update(self, params, grads, opt, step):
        new_params, new_opt = {}, {}
        for key, p in params.items():
            m, v = opt[key]
            g = grads[key]
            m = self.beta1 * m + (1 - self.beta1) * g
            v = self.beta2 * v + (1 - self.beta2) * g**2
            m_hat = m / (1 - self.beta1**step)
            v_hat = v / (1 - self.beta2**step)
            new_params[key] = p - self.lr * m_hat / (np.sqrt(v_hat) + self.eps)
            new_opt[key] = (m, v)
        return new_params, new_opt


def train(optimizer, params, x, y, n_steps=2, callback=None):
    state = State(params, optimizer.init(params), 0)
    history = []
    for _ in range(n_steps):
        grads = manual_gradient(state.params, x, y)
        step = state.step + 1
        params, opt = optimizer.update(state.params, grads, state.opt, step)
        state = State(params, opt, step)
        loss = np.mean((forward(state.params, x) - y) ** 2)
        history.append(loss)
        if callback is not None:
            callback(step, loss)
    return state, history


def objective(log_lr, beta1):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5, 2))
    y = (x[:, :1] * x[:, 1:]) + 0.1
    params = init_params(rng, [2, 3, 1])
    optimizer = Adam(lr=np.exp(log_lr), beta1=beta1, eps=1e-3)
    state, history = train(optimizer, params, x, y)
    return history[-1] + 0.1 * sum(history) + 0.01 * sum(np.sum(p**2) for p in state.params.values())


ARGUMENTS = (-2.0, 0.8)
