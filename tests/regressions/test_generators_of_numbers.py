"""Generators that yield nothing that carries a derivative run in step with what takes from them."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.7, 1.1])
WEIGHTS = [0.5, 1.5]


def taken_by_next(x):
    def below(n):
        k = 1.0
        while k < n:
            yield k
            k += 1.0

    numbers = below(10)
    first = next(numbers)
    return np.sum(x * first + next(numbers) * x**2)


def taken_with_a_default(x):
    def running(values, start):
        total = start
        yield total
        for v in values:
            total += v
            yield total

    return np.sum(x) ** 2 * next(running(WEIGHTS, WEIGHTS[1]), 1.0)


def without_an_end(x):
    def counted(k):
        while True:
            yield k
            k += 1

    y = np.sum(x)
    for k in counted(1):
        y = y * y * 1.1
        if k > 2:
            break
    return y


def left_before_it_raises(x):
    def inverses(k):
        while True:
            yield 1.0 / k
            k -= 1

    y = np.sum(x)
    for w in inverses(2):
        y = y * y * w
        if w > 0.9:
            break
    return y


def with_returns(x):
    def down(k):
        try:
            while k > 0:
                if k == 2:
                    return
                yield k
                k -= 1
        finally:
            k = 0

    y = np.sum(x)
    for k in down(4):
        y = y * y * k
    return y


def sees_what_is_stored_meanwhile(x):
    weights = [1.0, 2.0, 3.0]

    def scaled(a):
        for w in weights:
            yield w * a

    numbers = scaled(2.0)
    y = np.sum(x) * next(numbers)
    weights[1] = 10.0
    return y * next(numbers) + y**2


def goes_on_in_a_loop(x):
    y = np.sum(x)
    for i in range(3):

        def halves():
            for j in range(i):
                yield j * 0.5

        numbers = halves()
        y = y * (1 + next(numbers, 2.0))
        for w in numbers:
            y = y + x[0] ** 2 * w
    return y


def asked_while_a_name_is_bound_anew(x):
    n = 3

    def below():
        yield from range(n)

    y = np.sum(x)
    for i in range(3):
        n = i
        for k in below():
            y = y * (k + 1)
        y = y + next(below(), 7) * x[1] ** 2
    return y


@pytest.mark.parametrize(
    "f",
    [
        taken_by_next, taken_with_a_default, without_an_end, left_before_it_raises, with_returns,
        sees_what_is_stored_meanwhile, goes_on_in_a_loop, asked_while_a_name_is_bound_anew,
    ],
)  # fmt: skip
def test_generators_of_numbers(f):
    laws.check_function(f, (X,))


def bound_anew_while_it_runs(x):
    k = 1.0

    def twice():
        yield k
        yield k

    numbers = twice()
    a = next(numbers)
    k = 5.0
    return np.sum(x) * a * next(numbers)


class Box:
    pass


def squares(x):
    for v in x:
        yield v * v


def kept_in_an_attribute(x):
    box = Box()
    box.numbers = squares(x)
    return sum(box.numbers) + sum(box.numbers)


def kept_in_a_table(x):
    table = {}
    table["numbers"] = squares(x)
    return sum(table["numbers"]) + sum(table["numbers"])


def beside_one_of_what_varies(x):
    def starts(values, start):
        for _ in values:
            yield start

    def large(values):
        for v in values:
            if v > 1.0:
                yield v

    count = [k for k, item in enumerate(starts(WEIGHTS, x[0]))]
    return np.sum(x**3) * next(large(WEIGHTS), 1.17) * len(count)


def test_second_derivatives_beside_one_of_what_varies():
    tl.check_grads(beside_one_of_what_varies, X, order=2, replay=True)


@pytest.mark.parametrize("mode", ["grad", "jvp"])
@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (bound_anew_while_it_runs, "'twice' reads a name that is bound anew while it runs"),
        (kept_in_an_attribute, "'squares' is not used up where it is called"),
        (kept_in_a_table, "'squares' is not used up where it is called"),
    ],
)
def test_refused(f, reason, mode):
    with pytest.raises(tl.TapelessError) as error:
        tl.grad(f)(X) if mode == "grad" else tl.jvp(f, (X,), (X,))
    assert reason in str(error.value)
