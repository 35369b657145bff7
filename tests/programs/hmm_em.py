"""A hidden Markov model with normal emissions: scaled forward algorithm and one step of EM."""

import numpy as np


class GaussianHMM:
    def __init__(self, n_states=2, n_iter=1, tol=1e-6, verbose=False):
        self.n_states = n_states
        self.n_iter = n_iter
        self.tol = tol
        self.verbose = verbose
        self.startprob_ = None
        self.transmat_ = None
        self.means_ = None
        self.sigmas_ = None

    def set_params(self, **params):
        for key, value in params.items():
            setattr(self, key, value)
        return self

    def _emission(self, y):
        z = (y[:, None] - self.means_) / self.sigmas_
        return np.exp(-0.5 * z**2) / (np.sqrt(2 * np.pi) * self.sigmas_)

    def _forward(self, B):
        T, n = B.shape
        alpha = np.zeros((T, n))
        scale = np.zeros(T)
        alpha[0] = self.startprob_ * B[0]
        scale[0] = alpha[0].sum()
        alpha[0] /= scale[0]
        for t in range(1, T):
            alpha[t] = (alpha[t - 1] @ self.transmat_) * B[t]
            scale[t] = alpha[t].sum()
            alpha[t] /= scale[t]
        return alpha, scale

    def _backward(self, B, scale):
        T, n = B.shape
        beta = np.ones((T, n))
        for t in reversed(range(T - 1)):
            beta[t] = self.transmat_ @ (B[t + 1] * beta[t + 1]) / scale[t + 1]
        return beta

    def fit(self, y):
        previous = -np.inf
        for it in range(self.n_iter):
            B = self._emission(y)
            alpha, scale = self._forward(B)
            beta = self._backward(B, scale)
            gamma = alpha * beta
            gamma /= gamma.sum(axis=1, keepdims=True)
            xi = np.zeros((self.n_states, self.n_states))
            for t in range(len(y) - 1):
                x = np.outer(alpha[t], B[t + 1] * beta[t + 1]) * self.transmat_
                xi += x / x.sum()
            loglik = np.log(scale).sum()
            if self.verbose:
                print("iteration", it, "log likelihood", loglik)
            self.startprob_ = gamma[0]
            self.transmat_ = xi / xi.sum(axis=1, keepdims=True)
            self.means_ = (gamma * y[:, None]).sum(0) / gamma.sum(0)
            self.sigmas_ = np.sqrt((gamma * (y[:, None] - self.means_) ** 2).sum(0) / gamma.sum(0))
            if abs(loglik - previous) < self.tol:
                break
            previous = loglik
        return self

    def score(self, y):
        _, scale = self._forward(self._emission(y))
        return np.sum(np.log(scale))


def softmax(a, axis=-1):
    e = np.exp(a - a.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def objective(means, logits):
    y = np.array([0.1, 0.2, 1.9, 2.2, 0.0, 1.7, 2.4])
    model = GaussianHMM(n_states=2, n_iter=2)
    model.set_params(
        startprob_=np.array([0.5, 0.5]), transmat_=softmax(logits), means_=means, sigmas_=np.ones(2)
    )
    return -model.fit(y).score(y)


ARGUMENTS = (np.array([0.3, 1.8]), np.array([[1.0, 0.2], [0.1, 0.8]]))
