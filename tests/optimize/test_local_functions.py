"""Functions that are defined within a derivative are shortened as it is."""

import numpy as np

import tapeless as tl

V = np.array([1.0, 0.5])


class Euler:
    def __init__(self, rhs):
        self.rhs = rhs

    def run(self, y):
        for _ in range(3):
            y = y + 0.1 * self.rhs(y)
        return y


def pendulum(p):
    def rhs(y):
        return np.array([y[1], -p[0] * np.sin(y[0])])

    y = Euler(rhs).run(np.array([p[1], 0.0]))
    return np.sin(y[0]) * np.cos(y[1])


def recorded(p):
    k = p[0]
    seen = []

    def rhs(y):
        a = p[0] * 2.0
        seen.append(a * k)
        s = sum(seen)
        if y[0] > 0:
            s = s + len(seen)
        return np.array([y[1], -s * y[0]])

    return np.sum(Euler(rhs).run(np.array([p[1], 0.3]))) + sum(seen)


def test_a_kept_function_reads_as_its_author_wrote_it():
    text = tl.source(tl.grad(pendulum), like=(V,))
    assert "        return np.array([y[1], -p[0] * np.sin(y[0])])" in text
    assert " value_" not in text.split("# Reverse sweep")[0]


def test_the_function_that_a_closure_is_made_of_is_not_looked_up_for_nothing():
    assert ".function" not in tl.source(tl.grad(pendulum), like=(V,))


def test_what_a_kept_function_changes_is_read_behind_it():
    text = tl.source(tl.grad(recorded), like=(V,))
    assert "        seen.append(p[0] * 2.0 * k)\n        s = sum(seen)\n" in text or (
        "        a = p[0] * 2.0\n        seen.append(a * k)\n        s = sum(seen)\n" in text
    )
    tl.check_grads(recorded, V, order=1, replay=True)
