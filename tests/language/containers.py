"""Arrays, containers, functions and objects."""

import collections
import copy
import dataclasses
import enum
import functools
import operator

import numpy as np

from tests.language import row

CONTAINERS = "Arrays and containers"
FUNCTIONS = "Functions and objects"


@row(CONTAINERS, "slices, masks, integer arrays", "y[x > 0] = 0.5 * y[x > 0]")
def masked(x):
    y = x * x
    y[x > 0] = 0.5 * y[x > 0]
    return np.sum(y * x)


@row(CONTAINERS, "views", "row = a[1]", "a store through one is seen by the other")
def viewed(x):
    a = np.outer(x, x)
    row = a[1]
    row[0] = x[2] ** 2
    return np.sum(a * a)


@row(CONTAINERS, "joins by brackets", "np.r_[x, [1.0], x[1:]]")
def joined(x):
    return np.sum(np.r_[x, [1.0], x[1:]] ** 2)


@row(CONTAINERS, "tuples", "t + (x[2],)")
def tuples(x):
    t = (x[0], x[1])
    u = t + (x[2],)
    return u[-1] * u[0]


@row(CONTAINERS, "a tuple that grows in a loop", "t = t + (v * v,)")
def growing_tuple(x):
    t = ()
    for v in x:
        t = t + (v * v,)
    return sum(t)


@row(CONTAINERS, "lists with their methods", "y.extend([x[2], y.pop()])")
def lists(x):
    y = [x[0], x[1]]
    y.extend([x[2], y.pop()])
    return y[0] * y[1] ** 2 * y[-1]


@row(CONTAINERS, "stores into a list with a step", "y[::2] = [x[3], x[0]]")
def stepped(x):
    y = [x[0], x[1], x[2]]
    y[::2] = [x[3], x[0]]
    return y[0] * y[1] * y[2] ** 2


@row(CONTAINERS, "dicts with their methods", 'd.setdefault("c", x[2])')
def dicts(x):
    d = {"a": x[0]}
    d.update(b=x[1])
    return d["a"] * d["b"] * d.setdefault("c", x[2])


@row(CONTAINERS, "`deque`, `defaultdict`, `Counter`", "collections.deque(maxlen=2)")
def queues(x):
    recent = collections.deque(maxlen=2)
    for v in x:
        recent.append(v * v)
    return recent[0] * recent[1]


Pair = collections.namedtuple("Pair", "a b")


@row(CONTAINERS, "named tuples", "p._replace(b=x[2])")
def named(x):
    p = Pair(x[0], x[1])
    q = p._replace(b=x[2])
    return p.b * q.a * q.b


@dataclasses.dataclass
class Point:
    a: float
    b: list = dataclasses.field(default_factory=list)


@row(CONTAINERS, "dataclasses", "Point(x[0])")
def dataclass(x):
    p = Point(x[0])
    p.b.append(x[1])
    return p.a * p.b[0]


@row(
    CONTAINERS,
    "fields of dataclasses",
    "dataclasses.replace(p, b=x[1])",
    "`asdict`, `astuple`, too",
)
def fields(x):
    p = Point(x[0])
    q = dataclasses.replace(p, b=x[1])
    return sum(dataclasses.asdict(q).values()) * q.b


@row(CONTAINERS, "copies", "copy.deepcopy(d)")
def copied(x):
    d = {"a": [x[0], x[1]]}
    e = copy.deepcopy(d)
    e["a"][0] = x[2] * x[0]
    return d["a"][0] * e["a"][0]


def weighted(*terms, scale=1.0):
    t = 0.0
    for k, term in enumerate(terms):
        t = t + scale * (k + 1) * term
    return t


@row(FUNCTIONS, "defaults, keywords, `*args`", "weighted(*items, scale=x[0])")
def starred(x):
    items = [v * v for v in x]
    return weighted(*items, scale=x[0])


@row(FUNCTIONS, "`f(**values)`", "weighted(x[1], **options)", "if the keys are known")
def keywords(x):
    options = {"scale": x[0]}
    return weighted(x[1], **options)


def power(v, n):
    return v if n == 0 else v * power(v, n - 1)


@row(FUNCTIONS, "recursion", "power(x, 3)")
def recursion(x):
    return np.sum(power(x, 3))


def scaled_by(a):
    def scaled(v):
        return a * v

    return scaled


@row(FUNCTIONS, "closures that are returned", "scaled_by(x[0])(x)")
def closure(x):
    return np.sum(scaled_by(x[0])(x))


@row(FUNCTIONS, "functions kept in containers", '{"sin": np.sin, "cos": np.cos}')
def tables(x):
    table = {"sin": np.sin, "cos": np.cos}
    t = 0.0
    for f in table.values():
        t = t + np.sum(f(x))
    return t


@row(FUNCTIONS, "`functools.partial`", "functools.partial(np.power, x[0])")
def partial(x):
    return functools.partial(np.power, x[0])(2.0) * x[1]


@row(FUNCTIONS, "`operator.itemgetter` and its like", "operator.itemgetter(0, 2)")
def getters(x):
    a, b = operator.itemgetter(0, 2)(x)
    return a * b


def doubling(x):
    for v in x:
        yield v * 2.0


@row(FUNCTIONS, "generator functions", "doubling(x)", "used up where they are called")
def generators(x):
    t = 0.0
    for v in doubling(x):
        t = t + v**2
    return t


class Vector:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        return Vector(self.a + other.a, self.b + other.b)

    def __mul__(self, k):
        return Vector(self.a * k, self.b * k)

    __rmul__ = __mul__

    def __abs__(self):
        return (self.a**2 + self.b**2) ** 0.5

    @property
    def product(self):
        return self.a * self.b


@row(FUNCTIONS, "objects, methods, properties", "v.product")
def objects(x):
    v = Vector(x[0], x[1])
    v.a = v.a * x[2]
    return v.product


@row(FUNCTIONS, "operators of objects", "x[0] * Vector(x[1], x[2])", "reflected ones, too")
def operators(x):
    v = x[0] * Vector(x[1], x[2]) + Vector(x[3], 1.0)
    return abs(v)


@row(FUNCTIONS, "`sum` of objects", "sum(vectors, Vector(0.0, 0.0))", "from a first one on")
def sum_of_objects(x):
    vectors = [Vector(x[0], x[1]), Vector(x[2], x[3])]
    return sum(vectors, Vector(0.0, 0.0)).product


class Longer(Vector):
    def __init__(self, a):
        super().__init__(a, a * a)

    @property
    def product(self):
        return super().product * self.a


@row(FUNCTIONS, "`super()`", "super().product", "methods, properties, constructors")
def inherited(x):
    return Longer(x[0]).product * x[1]


class Right(enum.Enum):
    CALL = 1
    PUT = 2

    def pay(self, s, k):
        return (s - k) ** 2 if self is Right.CALL else np.exp(k - s)


@row(FUNCTIONS, "enumerations, with methods", "Right.PUT.pay(x[0], x[1])")
def members(x):
    return Right.PUT.pay(x[0], x[1]) + sum(r.value * r.pay(x[2], x[3]) for r in Right)


@row(
    FUNCTIONS,
    "a loop over unlike functions",
    "for f in (np.sin, scaled):",
    "or write the calls out",
)
def unlike(x):
    scaled, total = functools.partial(np.multiply, x[0]), 0.0
    for f in (np.sin, scaled):
        total += np.sum(f(x))
    return total


class Tanh:
    def __call__(self, x):
        return np.tanh(x)


class Scale:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return self.k * x


@row(FUNCTIONS, "objects of several classes", "[Scale(x[0]), Tanh()]")
def several(x):
    y = x
    for layer in [Scale(x[0]), Tanh()]:
        y = layer(y)
    return np.sum(y)


class Table:
    """Names for the items of a dict."""

    def __init__(self, **held):
        self.held = held

    def __getattr__(self, name):
        return self.held[name]


@row(FUNCTIONS, "attributes that `__getattr__` gives", "table.rate", "where nothing else has them")
def attribute_asked_for(x):
    table = Table(rate=x[0], power=x[1])
    return table.rate * x[0] ** 2 + table.power


@row(FUNCTIONS, "attributes by name", 'getattr(v, "a")')
def by_name(x):
    v = Vector(x[0], x[1])
    return getattr(v, "a") * v.b


class Counter:
    made = 0.0


@row(
    FUNCTIONS,
    "stores into class attributes",
    "Counter.made += 1.0",
    "what varies, too, by the name of the class",
)
def class_attribute(x):
    Counter.made += 1.0
    return np.sum(x * x)
