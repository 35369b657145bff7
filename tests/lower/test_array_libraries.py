"""The NumPy text runs on arrays of other libraries that speak NumPy's protocols, as it stands."""

import numpy as np
import pytest

import tapeless as tl


class Recording(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of another library: it answers NumPy's functions itself, and notes which were asked for."""

    asked: list[str] = []

    def __init__(self, held):
        self.held = np.asarray(held)

    shape = property(lambda self: self.held.shape)
    ndim = property(lambda self: self.held.ndim)
    dtype = property(lambda self: self.held.dtype)
    size = property(lambda self: self.held.size)
    T = property(lambda self: Recording(self.held.T))

    def __len__(self):
        return len(self.held)

    def __getitem__(self, key):
        return _recorded(self.held[_plain(key)])

    def __setitem__(self, key, value):
        self.held[_plain(key)] = _plain(value)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("it must not become an array of NumPy's")

    def __array_ufunc__(self, ufunc, method, *args, out=None, **options):
        Recording.asked.append(ufunc.__name__)
        made = getattr(ufunc, method)(*_plain(args), **options)
        if out is None:
            return _recorded(made)
        out[0].held[...] = made
        return out[0]

    def __array_function__(self, function, types, args, options):
        Recording.asked.append(function.__name__)
        return _recorded(function(*_plain(args), **_plain(options)))


def _plain(x):
    if isinstance(x, Recording):
        return x.held
    if isinstance(x, (tuple, list)):
        return type(x)(map(_plain, x))
    return {k: _plain(v) for k, v in x.items()} if isinstance(x, dict) else x


def _recorded(x):
    return Recording(x) if isinstance(x, np.ndarray) and x.ndim else x


def logistic(w, x, y):
    return np.sum(np.log(1.0 + np.exp(-y * (x @ w))))


def smooth(u):
    d = u[1:] - u[:-1]
    return np.sum(np.sqrt(1.0 + d * d)) + np.mean(u**2)


def normalized(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(np.log(np.sum(e, axis=1)) * 0.5)


def chosen(x, y):
    z = np.where(x > y, np.tanh(x), x * y)
    return np.sum(np.concatenate([z, y]) ** 2)


rng = np.random.default_rng(0)
CASES = {
    logistic: ((rng.normal(size=3), rng.normal(size=(5, 3)), np.sign(rng.normal(size=5))), "exp"),
    smooth: ((rng.normal(size=6),), "sqrt"),
    normalized: ((rng.normal(size=(4, 3)),), "exp"),
    chosen: ((rng.normal(size=4), rng.normal(size=4)), "where"),
}


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_the_text_of_a_gradient_runs_on_arrays_of_another_library(f):
    given, asked = CASES[f]
    derivative = tl.grad(f, scalarize=False).serving(list(given)).function
    Recording.asked.clear()
    found = derivative(*map(Recording, given))
    assert isinstance(found, Recording)
    assert asked in Recording.asked
    np.testing.assert_array_equal(found.held, tl.grad(f)(*given))
