"""What is one of unlike things, an object or a number, is changed by a call that the text does not tell."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.4, 1.3, -0.7, 2.1])


class Account:
    def __init__(self, value):
        self.value = value
        self.count = 1

    def grow(self, k=2.0):
        self.value = self.value * k
        return True

    def mean(self):
        self.value = self.value * 2.0
        return 3


class Holder:
    def __init__(self, inner):
        self.inner = inner


def grown(thing):
    return isinstance(thing, Account) and thing.grow()


def grown_often(thing, n):
    if n == 0:
        return False
    if isinstance(thing, Account) and thing.grow():
        n = n * 1
    return grown_often(thing, n - 1)


def in_a_test(x):
    account = Account(x[0])
    either = account if x[1] > 0 else 3.0
    if isinstance(either, Account) and either.grow():
        account.count += 2
    return account.value * account.count


def by_itself(x):
    account = Account(x[0])
    either = account if x[1] > 0 else 3.0
    if isinstance(either, Account):
        either.grow()
    return account.value


def in_a_function(x):
    account = Account(x[0])
    if grown(account if x[1] > 0 else "none"):
        account.count += 1
    return account.value * account.count


def in_a_function_that_calls_itself(x):
    account = Account(1.0)
    either = account if x[1] > 0 else 3.0
    s = x[0]
    for _ in range(2):
        s = np.sin(s * account.value)
        grown_often(either, 2)
    return s


def by_a_method_named_like_one_of_arrays(x):
    account = Account(x[0])
    either = account if x[1] > 0 else 3.0
    if either.mean() == 3:
        account.count += 1
    return account.value * account.count


def through_an_attribute(x):
    account = Account(x[0])
    either = Holder(account) if x[1] > 0 else 3.0
    if isinstance(either, Holder):
        either.inner.grow()
    return account.value


def through_an_item(x):
    account = Account(x[0])
    either = [account, 2] if x[1] > 0 else 3.0
    if isinstance(either, list):
        either[0].grow()
    return account.value


def state_that_is_constant(x):
    account = Account(1.0)
    either = account if x[1] > 0 else 3.0
    s = x[0]
    for _ in range(2):
        s *= np.sin(s * account.value)
        if isinstance(either, Account):
            either.grow()
    return s


def sorted_in_place(x):
    a = x.copy()
    either = a if x[1] > 0 else "none"
    if not isinstance(either, str):
        either.sort()
    return a[0]


def added_at(x):
    a = x.copy()
    either = a if x[1] > 0 else (1, 2)
    if not isinstance(either, tuple):
        np.add.at(either, [0], x[1])
    return a[0]


CHANGES_WHAT_VARIES = [
    in_a_test,
    by_itself,
    in_a_function,
    by_a_method_named_like_one_of_arrays,
    through_an_attribute,
    through_an_item,
    sorted_in_place,
    added_at,
]


@pytest.mark.parametrize("f", CHANGES_WHAT_VARIES)
@pytest.mark.parametrize("derivative", [tl.grad, lambda f: lambda x: tl.jvp(f, (x,), (x,))])
def test_what_it_changes_is_not_lost(f, derivative):
    with pytest.raises(tl.TapelessError, match="is not looked into|calls is not known|for .inner"):
        derivative(f)(X)


class Poked(Holder):
    def poke(self):
        return isinstance(self.inner, Account) and self.inner.grow()


def that_a_constructor_holds(x):
    account, s = Account(2.0), x[0]
    poked = Poked(account if s > 0.0 else 3.0)
    for _ in range(3):
        s = np.sin(s * account.value)
        poked.poke()
    return s


def that_a_function_gives_in_a_list(x):
    def listed(thing):
        return [thing, 1.0]

    account, s = Account(2.0), x[0]
    items = listed(account if s > 0.0 else 3.0)
    for _ in range(2):
        s = np.sin(s * account.value)
        if isinstance(items[0], Account):
            items[0].grow()
    return s


@pytest.mark.parametrize(
    "f",
    [
        state_that_is_constant,
        in_a_function_that_calls_itself,
        that_a_constructor_holds,
        that_a_function_gives_in_a_list,
    ],
)
def test_what_it_changes_is_to_be_undone(f):
    with pytest.raises(tl.GradientError, match="cannot be undone"):
        tl.grad(f)(X)
