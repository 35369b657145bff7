"""Stores into classes and globals, what nothing varied reaches, private names, local classes, tuples."""

import collections
import functools
import re
import types

import numpy as np


class Counter:
    made = 0
    total = 0.0

    def __init__(self, v):
        type(self).made += 1
        Counter.total += 1.0
        self.v = v * Counter.made


def counted_in_the_class(x):
    Counter.made = 0
    return np.sum(Counter(x).v * Counter(x * x).v)


def counted_in_a_loop(x):
    Counter.made = 0
    t = 0.0
    for v in x:
        t = t + Counter(v).v ** 2
    return t


SETTINGS = types.SimpleNamespace(scale=2.0)

TABLE = collections.OrderedDict(a=1.0)

GROUPS = collections.defaultdict(list)

RECENT = collections.deque(maxlen=3)

UNIT = types.ModuleType("unit")

UNIT.mass = 1.0


def stored_into_a_module(x):
    UNIT.mass = x[0]
    return UNIT.mass * np.sum(x)


def stored_into_a_namespace(x):
    SETTINGS.scale = x[0] * 2.0
    return np.sum(x * SETTINGS.scale)


def stored_into_an_ordered_dict(x):
    TABLE["a"] = x[1]
    return TABLE["a"] * np.sum(x * x)


def stored_into_groups(x):
    GROUPS["seen"].append(3.0)
    RECENT.append(2.0)
    return np.sum(x * x)


GAIN = 3.0

CALLS = 0


def global_that_is_read(x):
    global GAIN
    return np.sum(x * GAIN)


def global_read_in_a_callee(x):
    return global_that_is_read(x) * x[0]


def global_read_in_a_branch(x):
    global GAIN
    if x[0] > 0:
        return GAIN * x[0] * x[1]
    return x[0]


def global_that_is_stored(x):
    global CALLS
    CALLS = CALLS + 1
    return np.sum(x * x)


def evaluated_constants(x):
    options = eval("dict(a=2.0)")
    return np.sum(x * options["a"])


def parsed_in_a_loop(x):
    t = 0.0
    for word in re.findall(r"\d+", "1 and 2 and 3"):
        t = t + x[int(word)] ** 2
    return t


class Axes:
    __slots__ = ("limits",)

    def set_zlim(self, a, b):
        self.limits = a, b


def plotted(x):
    ax = Axes()
    ax.set_zlim(-1, 1)
    return np.sum(x**3)


def formatted(x):
    label = "%d of %s" % (len(x), "x")  # noqa: UP031
    return np.sum(x * x) * len(label)


class Private:
    def __init__(self, w):
        self.__w = w

    def __calc(self, x):
        return self.__w * x

    def run(self, x):
        return self.__calc(x) ** 2


def private_names(x):
    return np.sum(Private(x[0]).run(x))


def pair_of_closures(a):
    def up(v):
        return v * a

    def down(v):
        return v / a

    return up, down


def closures_in_a_tuple(x):
    up, down = pair_of_closures(x[0])
    return np.sum(up(x) + down(x) ** 2)


class Loss:
    power = 2

    @classmethod
    def loss(cls, x):
        return np.sum(x**cls.power)

    @staticmethod
    def half(x):
        return 0.5 * x


class Cubic(Loss):
    power = 3


def total_loss(cls, x):
    return cls.loss(x) + cls.half(x[0])


def class_as_an_argument(x):
    return total_loss(Loss, x) * total_loss(Cubic, x)


class Lazy:
    def __init__(self, w):
        self.w = w
        self.f = lambda v: v * self.w

    def run(self, v):
        return self.f(v) + self.f(v * v)


def lambda_that_captures_self(x):
    return np.sum(Lazy(x[1]).run(x))


def local_class(x):
    class Scale:
        def __init__(self, k):
            self.k = k

        def __call__(self, v):
            return v * self.k

    return np.sum(Scale(x[0])(x))


def doubled(f):
    @functools.wraps(f)
    def run(*args):
        return 2.0 * f(*args)

    return run


def decorated_local_function(x):
    @doubled
    def square(v):
        return v * v

    return np.sum(square(x))


def rest_of_a_tuple(x):
    a, *rest = (x[0], x[1], x[2] * x[0])
    return a * rest[0] + rest[-1] ** 2


def tuples_joined(x):
    t = (x[0], x[1])
    u = t + (x[2] * x[0],)
    return u[-1] * u[0]


def tuple_that_grows_in_a_loop(x):
    t = ()
    for v in x:
        t = t + (v * v,)
    return t[-1] * t[0] + sum(t)


def first_and_last(t):
    first, *_, last = t
    return first, last


def rest_in_a_callee(x):
    a, b = first_and_last((x[0], x[1], x[2] * x[3]))
    return a * b


def stored_into_a_dict(x):
    TABLE["a"] = x[0]
    return TABLE["a"] * np.sum(x)


class Eager:
    def __init__(self, w):
        self.w = w

    def f(self, v):
        return v * self.w

    def run(self, v):
        return self.f(v) + self.f(v * v)


def method_in_place_of_a_lambda(x):
    return np.sum(Eager(x[1]).run(x))


class Scale:
    def __init__(self, k):
        self.k = k

    def __call__(self, v):
        return v * self.k


def class_outside(x):
    return np.sum(Scale(x[0])(x))


@doubled
def square_decorated_outside(v):
    return v * v


def decorated_outside(x):
    return np.sum(square_decorated_outside(x))


def list_that_grows(x):
    t = []
    for v in x:
        t.append(v * v)
    return t[-1] * t[0] + sum(t)


ROWS = {
    "stores into classes, modules and what globals hold": (
        counted_in_the_class,
        counted_in_a_loop,
        stored_into_a_module,
        stored_into_a_namespace,
        stored_into_an_ordered_dict,
        stored_into_groups,
    ),
    "globals": (
        global_that_is_read,
        global_read_in_a_callee,
        global_read_in_a_branch,
        global_that_is_stored,
    ),
    "what nothing varied reaches": (
        evaluated_constants,
        parsed_in_a_loop,
        plotted,
        formatted,
    ),
    "names and classes": (
        private_names,
        closures_in_a_tuple,
        class_as_an_argument,
        lambda_that_captures_self,
        local_class,
        decorated_local_function,
    ),
    "tuples": (
        rest_of_a_tuple,
        tuples_joined,
        tuple_that_grows_in_a_loop,
        rest_in_a_callee,
    ),
}
WAYS_OUT = {
    stored_into_a_module: stored_into_a_dict,
    lambda_that_captures_self: method_in_place_of_a_lambda,
    local_class: class_outside,
    decorated_local_function: decorated_outside,
    tuple_that_grows_in_a_loop: list_that_grows,
}
