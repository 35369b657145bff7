"""A call that an exception interrupts: right where it raises first, refused where it stores first."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.8, 0.9])


class Refused(Exception):
    pass


class Account:
    fee = 0.01

    def __init__(self, cash):
        self.cash = cash
        self.held = {}
        self.trades = []

    def buy(self, symbol, quantity, price):
        cost = quantity * price * (1 + self.fee)
        if cost > self.cash:
            raise Refused(f"no cash for {symbol}")
        self.cash -= cost
        self.held[symbol] = self.held.get(symbol, 0.0) + quantity
        self.trades.append((symbol, quantity, price))

    def pay(self, amount):
        self.cash -= amount
        if self.cash < 0:
            raise Refused

    def pay_by_parts(self, parts):
        for i in range(3):
            if self.cash < 0.5:
                raise Refused
            self.cash = self.cash - parts[i % 2]

    def pay_at_last(self, amount):
        try:
            if amount > self.cash:
                raise Refused
        finally:
            self.cash = self.cash * 0.9

    @property
    def limit(self):
        return self.cash

    @limit.setter
    def limit(self, value):
        if value > 0.85:
            raise Refused
        self.cash = value


def simulated(p):
    y = np.zeros(4)
    y[0] = p[0]
    for i in range(1, 4):
        y[i] = y[i - 1] * p[1] + 0.1
    return y


def made_by_the_call(p):
    total = 0.0
    for scale in (1.0, 2.0):
        try:
            y = simulated(p * scale)
            if y[-1] > 1.0:
                raise ValueError
            total += np.sum(y * y)
        except ValueError:
            total += p[0] * p[1]
    return total


def until_refused(p):
    account = Account(2.0)
    for t in range(4):
        try:
            account.buy("A" if t % 2 else "B", p[1], p[0] * (1 + 0.1 * t))
        except Refused:
            break
    held = sum(q * p[0] ** 2 for q in account.held.values())
    return account.cash + held + sum(q * price for _, q, price in account.trades)


def several_in_one_body(p):
    account, refused = Account(2.0), 0
    for _ in range(4):
        try:
            account.buy("A", p[1], p[0])
            account.cash = account.cash * 0.9
            account.buy("B", p[1] * 0.3, p[0])
        except Refused:
            refused += 1
            account.cash = account.cash + p[0]
    return account.cash * refused + sum(q * p[0] ** 2 for q in account.held.values())


def checked(account, quantity):
    if quantity > 1.0:
        raise Refused
    account.buy("C", quantity, 0.5)


def raised_by_one_or_the_other(p):
    account = Account(2.0)
    try:
        checked(account, p[0] * 0.5)
        checked(account, p[0] * p[1] * 2)
    except Refused:
        account.cash = account.cash * p[1]
    else:
        account.cash = account.cash * 2
    return account.cash**2 + account.held["C"]


def set_by_a_property(p):
    account = Account(p[0])
    try:
        account.limit = account.cash * 0.5
        account.limit = p[1]
    except Refused:
        account.cash = account.cash * p[1]
    return account.cash**2


def scaled(a, k):
    if k > 1.0:
        raise Refused
    a *= k
    return a


def in_place_under_two_names(p):
    a = np.array([p[0], p[1]])
    b = a
    for k in (0.5, 2.0, 0.7):
        try:
            b = scaled(a, k * p[1])
        except Refused:
            a[0] = a[0] * p[0]
            b = b * 2.0
    return np.sum(a * b)


def squares(p, limit):
    made = []
    for v in p:
        made.append(v * v)
        if v > limit:
            raise Refused
    return made


def a_list_that_is_lost(p):
    total, last = 0.0, [p[0]]
    for limit in (1.0, 0.85, 2.0):
        try:
            last = squares(p, limit)
            last.append(p[0])
        except Refused:
            total = total + last[0] * p[1]
    return total + sum(last)


def paid(p, pay):
    account = Account(1.0)
    for _ in range(3):
        try:
            pay(account, p)
        except Refused:
            account.cash = account.cash + p[0] * p[1]
    return account.cash**2


def stored_before(p):
    return paid(p, lambda account, p: account.pay(p[0]))


def stored_in_the_trip_before(p):
    return paid(p, lambda account, p: account.pay_by_parts(p))


def stored_at_last(p):
    return paid(p, lambda account, p: account.pay_at_last(p[1] * 0.95))


def counted_by_a_callback(p):
    count = 0.0

    def squared(v):
        nonlocal count
        count += v
        return v * v

    def small(v):
        y = squared(v)
        if y > 0.7:
            raise Refused
        return y

    total = 0.0
    for v in p:
        try:
            total = total + small(v)
        except Refused:
            total = total + count
    return total * count


def result_of_depth(account, n, p):
    if n > 3:
        raise Refused
    result = p[0] if n == 0 else result_of_depth(account, n - 1, p) * p[1]
    account.held[n] = result
    return result


def kept_on_the_way_back(p):
    account = Account(1.0)
    total = 0.0
    for n in (2, 4, 1):
        try:
            total = total + result_of_depth(account, n, p)
        except Refused:
            total = total * p[1]
    return total + sum(v**2 for v in account.held.values())


@pytest.mark.parametrize(
    "f", [made_by_the_call, set_by_a_property, in_place_under_two_names, a_list_that_is_lost]
)
def test_raised_before_anything_is_stored(f):
    laws.check_orders(f, X)


@pytest.mark.parametrize("f", [until_refused, several_in_one_body, raised_by_one_or_the_other])
def test_raised_before_an_account_changes(f):
    tl.check_grads(f, X, order=1, replay=True)
    tl.check_grads(f, X, modes=("forward",))


@pytest.mark.parametrize(
    "f", [stored_before, stored_in_the_trip_before, counted_by_a_callback], ids=lambda f: f.__name__
)
def test_stored_before_it_is_raised(f):
    laws.check_orders(f, X)
    tl.check_grads(f, X, order=2, replay=True)


@pytest.mark.parametrize("f", [stored_at_last, kept_on_the_way_back], ids=lambda f: f.__name__)
def test_stored_at_a_depth_that_is_not_known_before_it_is_raised(f):
    with pytest.raises(tl.GradientError, match="what this stores stays there when an exception"):
        tl.grad(f)(X)
    tl.check_grads(f, X, modes=("forward",))
