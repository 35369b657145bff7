"""Objects whose attributes are made in several places: constructors, what they call, and later."""

import numpy as np

X = np.array([0.6, 1.4, 0.8])


class Lazy:
    def __init__(self, x):
        self.b = x * 2.0
        self.reset()
        self.a = self.a + x * self.b

    def reset(self):
        self.a = 0.5 * self.b


def reset_by_the_constructor(x):
    c = Lazy(x[0])
    return c.a * c.b


def attribute_made_outside(x):
    c = Lazy(x[0])
    c.reset()
    c.z = c.a * x[1]
    c.z = c.z * c.z
    return c.z * c.b


class Delegating:
    def __init__(self, x):
        self.fill(x)

    def fill(self, x):
        self.p = x
        self.q = self.p * x
        if x > 0:
            self.r = self.q * 2

    def go(self, y):
        self.w = self.r * y
        return self.w + self.q


def filled_by_a_method(x):
    d = Delegating(x[0])
    return d.go(x[1]) * d.w


def made_in_a_loop(x):
    s = 0.0
    for i in range(3):
        d = Delegating(x[i] * (i + 1.0))
        s = s + d.go(s)
    return s


class Base:
    def __init__(self, x):
        self.a = x * 2.0


class Derived(Base):
    def __init__(self, x):
        self.a = np.sin(x)
        self.c = self.a * self.a
        super().__init__(self.c)
        self.d = self.a**2


def stored_again_by_the_base(x):
    o = Derived(x[0])
    return o.d * o.c * x[1]


class Late(Base):
    def __init__(self, x):
        super().__init__(x)
        self.b = self.a * x
        self.a = self.b * self.a


def stored_again_after_the_base(x):
    o = Late(x[0])
    return o.a * o.b


CASES = [
    (function.__name__, function, (X,))
    for function in (
        reset_by_the_constructor,
        attribute_made_outside,
        filled_by_a_method,
        made_in_a_loop,
        stored_again_by_the_base,
        stored_again_after_the_base,
    )
]
