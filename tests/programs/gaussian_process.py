"""A Gaussian process with kernels that add and multiply."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular


class Kernel:
    def __add__(self, other):
        return Sum(self, other)

    def __mul__(self, other):
        return Product(self, other)


class RBF(Kernel):
    def __init__(self, length_scale=1.0, variance=1.0):
        self.length_scale = length_scale
        self.variance = variance

    def __call__(self, X, Y=None):
        if Y is None:
            Y = X
        d2 = np.sum(X**2, 1)[:, None] + np.sum(Y**2, 1)[None, :] - 2 * X @ Y.T
        return self.variance * np.exp(-0.5 * d2 / self.length_scale**2)


class White(Kernel):
    def __init__(self, noise=0.1):
        self.noise = noise

    def __call__(self, X, Y=None):
        if Y is None:
            return self.noise * np.eye(X.shape[0])
        return np.zeros((X.shape[0], Y.shape[0]))


class Binary(Kernel):
    def __init__(self, left, right):
        self.left, self.right = left, right


class Sum(Binary):
    def __call__(self, X, Y=None):
        return self.left(X, Y) + self.right(X, Y)


class Product(Binary):
    def __call__(self, X, Y=None):
        return self.left(X, Y) * self.right(X, Y)


class GP:
    def __init__(self, kernel, jitter=1e-8):
        self.kernel = kernel
        self.jitter = jitter
        self.fitted = False

    def fit(self, X, y):
        self.X, self.y = X, y
        K = self.kernel(X)
        K[np.diag_indices_from(K)] += self.jitter
        self.L = np.linalg.cholesky(K)
        self.alpha = np.linalg.solve(self.L.T, np.linalg.solve(self.L, y))
        self.fitted = True
        return self

    def log_marginal_likelihood(self):
        if not self.fitted:
            raise RuntimeError("fit first")
        n = len(self.y)
        return -0.5 * self.y @ self.alpha - np.sum(np.log(np.diag(self.L))) - 0.5 * n * np.log(2 * np.pi)

    def predict(self, Xs, return_std=False):
        Ks = self.kernel(Xs, self.X)
        mean = Ks @ self.alpha
        if not return_std:
            return mean
        v = np.linalg.solve(self.L, Ks.T)
        var = np.diag(self.kernel(Xs)) - np.sum(v**2, axis=0)
        return mean, np.sqrt(np.maximum(var, 1e-12))


def objective(log_params):
    ls, var, noise = np.exp(log_params)
    X = np.linspace(0, 1, 5)[:, None]
    y = np.sin(4 * X[:, 0])
    gp = GP(RBF(ls, var) + White(noise)).fit(X, y)
    mean, std = gp.predict(np.array([[0.15], [0.62]]), return_std=True)
    return -gp.log_marginal_likelihood() + np.sum(mean**2) + np.sum(std)


ARGUMENTS = (np.array([-0.7, 0.2, -2.0]),)
