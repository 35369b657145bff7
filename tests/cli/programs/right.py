import numpy as np

samples = (np.array([0.5, -0.25, 1.0]), np.arange(6.0).reshape(2, 3))
too_few = (np.ones(3),)
no_tuple = [1.0]
number = (2.0,)


def loss(w, x):
    return np.sum(np.tanh(x @ w))


def noisy(x):
    print("x is", x)
    return x * x


def failing(x):
    return {}[x]


def failing_samples():
    raise ValueError("no data")
