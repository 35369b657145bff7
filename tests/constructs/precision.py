"""Programs of which the kinds decide what they do: flags, classes, None, lists beside NumPy's numbers."""

import collections
import functools

import numpy as np


class Layer:
    def __init__(self):
        self.gain = 2.0


class Start:
    def __init__(self, how, w):
        self.how, self.w = how, w

    def make(self):
        if isinstance(self.how, str):
            return np.tanh(self.w)
        if self.how is None:
            return 0.0
        if isinstance(self.how, Layer):
            return self.how.gain * self.w
        return self.how(self.w)


def class_of_a_text(x):
    return np.sum(Start("b", x).make()) + np.sum(Start(Layer(), x).make() ** 2)


def class_of_none(x):
    return np.sum(x * x) + Start(None, x).make()


def class_of_a_function(x):
    return np.sum(Start(np.sin, x).make() * Start("b", x).make())


def activated(how, x):
    if isinstance(how, Layer):
        return x * how.gain
    if how is True:
        return x * x
    if how is None:
        return x
    return how(x) if callable(how) else how * x


def class_of_one_of_several(x):
    ways = activated(None, x) + activated(True, x) + activated(np.tanh, x) + activated(2.0, x)
    return np.sum(ways * activated(Layer(), x))


def asked_for_attributes(x):
    f = x if callable(x) else np.sum
    v = f(x) if hasattr(x, "shape") else x
    return v * v * (1 if not callable(v) else 2)


def with_scale(x, flag=True):
    if flag is True:
        return x, 2.0
    else:
        return x


def flag_by_default(x):
    a, b = with_scale(x)
    return np.sum(a * a) * b


def flag_that_is_given(x):
    return np.sum(with_scale(x, False) ** 2) + with_scale(x, flag=True)[1] * x[0]


def flag_in_a_loop(x):
    total = 0.0
    for k in range(3):
        r = with_scale(x * k)
        total += np.sum(r[0] ** 2) * r[1]
    return total


def flag_that_is_none(x):
    def scaled(x, by=None, back=False):
        y = x * (1.0 if by is None else by)
        return (y, by) if back is not False else y

    return np.sum(scaled(x) * scaled(x, x[0])) + np.sum(scaled(x, 3.0, back=True)[0])


def list_over_its_sum(x):
    p = [x[0] * 2, x[1]]
    p = p / np.sum(p)
    return p[0]


def list_of_squares_over_its_sum(x):
    w = [v**2 for v in x]
    w = w / np.sum(w)
    return (w * np.mean(w)) @ x


def nested_list_over_its_norm(x):
    rows = [[x[0], 1.0], [x[1], x[2]]]
    r = rows / np.linalg.norm(rows)
    r += np.sum(rows)
    return r[0, 0] * r[1, 1]


def list_less_a_number(x):
    items = [x[0], x[1] * x[2]]
    return np.prod(items - np.max(x)) + np.sum(np.mean(x) + items)


def scaled_by(d, rate):
    return rate * d**2


def functions_of_unlike_sorts(x):
    total = 0.0
    for f in [np.sin, functools.partial(scaled_by, rate=x[0]), lambda d: d * 2]:
        total += np.sum(f(x))
    return total


def things_of_unlike_sorts(x):
    total = 0.0
    for thing in (x, {"a": x[0]}, 2.0):
        total += np.sum(thing["a"] if isinstance(thing, dict) else thing * x[1])
    return total


def functions_of_unlike_sorts_in_a_callee(x):
    def apply(fs, v):
        for f in fs:
            v = f(v)
        return v

    return np.sum(apply([np.sin, np.tanh], x)) + functions_of_unlike_sorts(x)


def unlike_in_a_branch(x):
    ways = (functools.partial(scaled_by, rate=2.0), np.cos)
    total = x[1]
    if x[0] > 0:
        for f in ways:
            total = total * f(x[0])
    return total


class Tally:
    def __init__(self):
        self.counts = collections.Counter()

    def add(self, words):
        for word in words:
            self.counts[word] += 1


def counter_in_an_object(x):
    tally = Tally()
    tally.add(["a", "b", "a"])
    return x[0] * tally.counts["a"] + x[1] ** tally.counts["none"] * x[2]


def counter_that_is_returned(x):
    def counted(words):
        found = collections.Counter(words)
        return found

    return np.sum(x ** counted("abca")["a"])


def counter_with_get(x):
    tally = Tally()
    tally.add("xyx")
    return sum(v * tally.counts.get(k, 0) for k, v in zip("xyz", x, strict=False))


def counter_in_a_loop(x):
    total = 0.0
    for k, v in enumerate(x):
        tally = Tally()
        tally.add("ab" * k)
        total += v**2 * tally.counts["b"]
    return total


ROWS = {
    "classes that the kinds decide": (
        class_of_a_text,
        class_of_none,
        class_of_a_function,
        class_of_one_of_several,
        asked_for_attributes,
    ),
    "flags": (flag_by_default, flag_that_is_given, flag_in_a_loop, flag_that_is_none),
    "lists beside numbers of NumPy": (
        list_over_its_sum,
        list_of_squares_over_its_sum,
        nested_list_over_its_norm,
        list_less_a_number,
    ),
    "loops over things that are unlike": (
        functions_of_unlike_sorts,
        things_of_unlike_sorts,
        functions_of_unlike_sorts_in_a_callee,
        unlike_in_a_branch,
    ),
    "counters that leave the function": (
        counter_in_an_object,
        counter_that_is_returned,
        counter_with_get,
        counter_in_a_loop,
    ),
}
WAYS_OUT = {}
