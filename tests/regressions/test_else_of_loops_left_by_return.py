"""The `else` of a loop, within another, that `break` and `return` may leave."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.7, -0.4, 1.3, 0.2])


def of_for(x):
    for i in range(4):
        for j in range(i):
            if x[i] * x[j] < -0.1:
                return x[i] ** 2 * x[j] + i
            if j == 2:
                break
        else:
            x = x * 1.1
    return np.sum(x)


def of_while(x):
    for i in range(4):
        while x[i] < 5.0:
            if x[i] < -10.0:
                return x[i] ** 2
            if x[0] > 3.0:
                break
            x = x * 1.2
        else:
            x = x * x[1]
    return np.sum(x * x)


def that_leaves_the_loop_around(x):
    total = x[0]
    for i in range(4):
        for j in range(3):
            if total * x[j] > 2.0:
                return total * x[i]
            if x[j] > x[i]:
                break
            total = total + x[j] * 0.1
        else:
            total = total * x[i]
            if total > 1.0:
                break
            continue
        total = total * 1.5 + x[i] ** 2
    return total**2


def in_three_loops(x):
    total = x[0]
    while total < 5.0:
        for i in range(2):
            for v in x:
                if v * total < -2.0:
                    return total**2 * v
                if v > 1.0:
                    break
                total = total + v * v
            else:
                total = total * 1.3
            total = total + x[i] * 0.3
        else:
            total = total * 1.2
    return total


@pytest.mark.parametrize(
    "f", [of_for, of_while, that_leaves_the_loop_around, in_three_loops], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("x", [X, X[::-1] - 0.25], ids=["as it is", "turned"])
def test_derivatives(f, x):
    tl.check_grads(f, x, order=2, replay=True)
