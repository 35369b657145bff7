"""Calls, properties and operators of objects inside of f-strings and tests."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([1.0, 2.0, 3.0])


def rosen(x):
    return np.sum(10.0 * (x[1:] - x[:-1] ** 2) ** 2)


class Gas:
    def __init__(self, n):
        self.n = n

    @property
    def pressure(self):
        return self.n * 2.0

    def __getitem__(self, i):
        return self.n * i

    def __add__(self, other):
        return Gas(self.n + other.n)

    def __abs__(self):
        return abs(self.n)

    def energy(self):
        return self.n * 3.0


def a_call(x):
    print(f"{rosen(x):.3f} of {rosen(x * 2.0):{5}.1f}")
    return rosen(x)


def in_a_loop(x):
    for k in range(2):
        x = x + 0.1 * x
        print(f"{k}: {rosen(x):.3f}")
    return rosen(x)


def as_a_key(x):
    table = {}
    key = f"k{int(rosen(x))}"
    table[key] = x[0] * 2.0
    return table[key] * rosen(x)


def of_objects(x):
    gas = Gas(x[0])
    print(f"{gas.pressure:.2f} {gas[1]:.1f} {(gas + gas).n} {abs(gas)} {gas.energy()!r:>9}")
    y = x[1]
    if gas.pressure > 0.5 and gas[2] > 0.1 and abs(gas) > 0.1:
        y = y * gas.pressure
    while gas.pressure < 20.0:
        gas = gas + gas
    return y * gas.n


@pytest.mark.parametrize("f", [a_call, in_a_loop, as_a_key, of_objects])
def test_the_text_and_the_derivative(f, capsys):
    f(X)
    text = capsys.readouterr().out
    tl.grad(f)(X)
    assert capsys.readouterr().out == text
    laws.check_function(f, (X,))
