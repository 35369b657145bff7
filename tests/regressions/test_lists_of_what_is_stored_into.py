"""A callee puts what its caller stores into beside what it makes itself: their adjoints live alike."""

import numpy as np
import pytest

import tapeless as tl


def stacked(a):
    return np.sum(np.stack([a, a * 0.5]))


def appended(a):
    items = [a]
    items.append(a * 0.5)
    total = 0.0
    for row in items:
        total = total + np.sum(row * row)
    return total


def by_key(a):
    rows = {}
    for i in range(2):
        rows[i] = a if i == 0 else a * 0.5
    return sum([np.sum(row) for row in rows.values()])


def exchanged(a):
    items = [a * 2.0, a]
    items[0], items[1] = items[1], items[0]
    return np.sum(items[0]) + 3.0 * np.sum(items[1])


class Holder:
    pass


def of_an_object(a):
    holder = Holder()
    if np.sum(a) > 100.0:
        holder.p = a
    else:
        holder.p = a * 2.0
    return np.sum(holder.p * holder.p)


def made_and_returned(a):
    made = a * 3.0
    items = [a]
    items.append(made)
    return np.sum(made * made) + np.sum(items[1])


@pytest.mark.parametrize(
    "callee", [stacked, appended, by_key, exchanged, of_an_object, made_and_returned]
)
def test_fresh_items_beside_stored_ones(callee):
    def f(x):
        x[0] = 1.0
        return callee(x)

    x = np.array([0.5, 1.5, 2.5])
    steps = 1e-6 * np.eye(3)
    wanted = [(f(x + d) - f(x - d)) / 2e-6 for d in steps]
    np.testing.assert_allclose(tl.grad(f)(x), wanted, atol=1e-6)
    np.testing.assert_allclose([tl.jvp(f, (x,), (d,))[1] for d in np.eye(3)], wanted, atol=1e-6)
