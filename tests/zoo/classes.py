"""Classes of the user: special methods, operators, inheritance, records."""

import collections
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])


class Vec:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __add__(self, other):
        return Vec(self.a + other.a, self.b + other.b)

    def __sub__(self, other):
        return Vec(self.a - other.a, self.b - other.b)

    def __mul__(self, c):
        return Vec(self.a * c, self.b * c)

    __rmul__ = __mul__

    def __neg__(self):
        return Vec(-self.a, -self.b)

    def __iadd__(self, other):
        self.a = self.a + other.a
        self.b += other.b
        return self

    def __matmul__(self, other):
        return self.a * other.a + self.b * other.b

    def __lt__(self, other):
        return self.norm < other.norm

    def __eq__(self, other):
        return self.a == other.a

    def __abs__(self):
        return self.norm

    def __getitem__(self, i):
        return self.a if i == 0 else self.b

    def __setitem__(self, i, value):
        if i == 0:
            self.a = value
        else:
            self.b = value

    def __len__(self):
        return 2

    def __iter__(self):
        return iter([self.a, self.b])

    def __bool__(self):
        return True

    def __call__(self, t):
        return self.a * t + self.b

    def __contains__(self, v):
        return v == self.a

    @property
    def norm(self):
        return np.hypot(self.a, self.b)

    @norm.setter
    def norm(self, value):
        scale = value / self.norm
        self.a *= scale
        self.b *= scale


def operators(x):
    u, v = Vec(x[0], x[1]), Vec(x[2], x[3])
    w = u + v * 2.0 - -u
    return w @ (3.0 * v) + w.a


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __rmul__(self, c):
        return Money(c * self.amount)

    def __radd__(self, c):
        return self.amount + c

    def __rsub__(self, c):
        return c - self.amount


def reflected(x):
    m = x[0] * Money(x[1])
    return (x[2] + m) * (2.0 - Money(x[3])) + sum([m, Money(x[2])])


def in_place_operator(x):
    u = Vec(x[0], x[1])
    v = u
    v += Vec(x[2], x[3])
    return u.a * u.b


def comparison_operator(x):
    u, v = Vec(x[0], x[1]), Vec(x[2], x[3])
    smaller = u if u < v else v
    return smaller.a * smaller.b


def items(x):
    v = Vec(x[0], x[1])
    v[0] = x[2] * v[1]
    v[1] *= x[3]
    return v[0] * v[1] * len(v)


def iterated(x):
    s = 0.0
    for c in Vec(x[0], x[1]):
        s = s * x[2] + c
    return s


def called(x):
    v = Vec(x[0], x[1])
    return v(x[2]) * v(0.5)


def property_and_setter(x):
    v = Vec(x[0], x[1])
    n = v.norm
    v.norm = x[2]
    return v.a * n + v.norm


class Base:
    def __init__(self, a):
        self.a = a

    def value(self, t):
        return self.a * t


class Child(Base):
    def __init__(self, a, b):
        super().__init__(a * b)
        self.b = b

    def value(self, t):
        return super().value(t) + self.b


class Grandchild(Child):
    def value(self, t):
        return 2.0 * super(Grandchild, self).value(t)


def super_calls(x):
    return Child(x[0], x[1]).value(x[2]) * Grandchild(x[1], x[3]).value(0.5)


class Shape:
    def area(self):
        raise NotImplementedError


class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


class Disk(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.14 * self.r**2


def different_classes_in_a_list(x):
    total = 0.0
    for shape in [Square(x[0]), Disk(x[1]), Square(x[2])]:
        total = total + shape.area() * x[3]
    return total


def total_area(shapes):
    return sum([s.area() for s in shapes])


def different_classes_passed(x):
    return total_area([Square(x[0]), Disk(x[1])]) * total_area([Disk(x[2])])


class Slotted:
    __slots__ = ("p", "q")

    def __init__(self, p, q):
        self.p = p
        self.q = q


def slots(x):
    s = Slotted(x[0], x[1])
    s.p = s.p * s.q
    return s.p * s.q


@dataclass
class State:
    pos: float
    vel: float = 1.0
    log: list = field(default_factory=list)
    k: int = 2

    def step(self, h):
        self.pos = self.pos + h * self.vel
        self.vel = self.vel - h * self.pos
        self.log.append(self.pos)


def dataclass_with_factory(x):
    s, t = State(x[0]), State(x[1], vel=x[2])
    for _ in range(3):
        s.step(0.1)
        t.step(x[3])
    return s.log[1] * t.log[2] + s.vel * s.k


def replaced(x):
    s = State(x[0], x[1])
    t = replace(s, vel=x[2])
    return s.vel * t.vel * t.pos


@dataclass(frozen=True)
class Params:
    a: float
    b: float = 2.0

    @property
    def product(self):
        return self.a * self.b

    @classmethod
    def unit(cls, a):
        return cls(a, 1.0)


def frozen_dataclass(x):
    p = Params(x[0], x[1])
    return p.product * Params.unit(x[2]).product * Params(x[3]).b


@dataclass
class Derived:
    a: float
    b: float = 0.0

    def __post_init__(self):
        self.b = self.a * self.a


def post_init(x):
    d = Derived(x[0])
    return d.a * d.b


Point = collections.namedtuple("Point", ["x", "y"])


class Sample(NamedTuple):
    value: float
    weight: float = 1.0

    def scaled(self, c):
        return self.value * self.weight * c


def named_tuples(x):
    p = Point(x[0], y=x[1])
    q = p._replace(x=x[2])
    a, b = q
    return p.x * q.x * a + b * q[1]


def typed_named_tuples(x):
    s = Sample(x[0], weight=x[1])
    t = Sample(x[2])
    return s.scaled(x[3]) * t.scaled(2.0)


class Counter:
    made = 0

    def __init__(self):
        self.count = 0
        self.best = None

    def see(self, v):
        self.count += 1
        if self.best is None or v > self.best:
            self.best = v


def integer_attributes(x):
    c = Counter()
    for v in x:
        c.see(v * v)
    return c.best * c.count


def objects_with_reused_ids(x):
    s = 0.0
    for v in x:
        c = Counter()
        c.count = 0
        c.count += 1
        c.see(v)
        s = s + c.best * c.count * v
    return s


class Box:
    pass


def objects_made_in_a_loop(x):
    s = 0.0
    for v in x:
        box = Box()
        box.value = v * v
        box.count = 0
        box.count += 1
        s = s + box.value * box.count
    return s


def dynamic_attributes(x):
    s = Box()
    setattr(s, "k", x[0])
    return getattr(s, "k") * getattr(s, "missing", x[1])


class Stack:
    def __init__(self):
        self.items = []

    def push(self, v):
        self.items.append(v)

    def pop(self):
        return self.items.pop()

    def __len__(self):
        return len(self.items)


def calculator(x):
    stack = Stack()
    for token in ("a", "b", "*", "c", "+"):
        if token == "*":
            stack.push(stack.pop() * stack.pop())
        elif token == "+":
            stack.push(stack.pop() + stack.pop())
        else:
            stack.push(x["abc".index(token)])
    return stack.pop() * (len(stack) + 1)


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    @classmethod
    def eye(cls, n):
        return cls([[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)])

    def __getitem__(self, key):
        i, j = key
        return self.rows[i][j]

    def __matmul__(self, other):
        n = len(self.rows)
        return Matrix(
            [
                [sum(self[i, k] * other[k, j] for k in range(n)) for j in range(n)]
                for i in range(n)
            ]
        )


def matrix_class(x):
    a = Matrix([[x[0], x[1]], [x[2], x[3]]])
    b = a @ a @ Matrix.eye(2)
    return b[0, 1] * b[1, 1]


CASES = [
    ("operators", operators, (X,)),
    ("reflected", reflected, (X,)),
    ("in_place_operator", in_place_operator, (X,)),
    ("comparison_operator", comparison_operator, (X,)),
    ("items", items, (X,)),
    ("iterated", iterated, (X,)),
    ("called", called, (X,)),
    ("property_and_setter", property_and_setter, (X,)),
    ("super_calls", super_calls, (X,)),
    ("different_classes_in_a_list", different_classes_in_a_list, (X,)),
    ("different_classes_passed", different_classes_passed, (X,)),
    ("slots", slots, (X,)),
    ("dataclass_with_factory", dataclass_with_factory, (X,)),
    ("replaced", replaced, (X,)),
    ("frozen_dataclass", frozen_dataclass, (X,)),
    ("post_init", post_init, (X,)),
    ("named_tuples", named_tuples, (X,)),
    ("typed_named_tuples", typed_named_tuples, (X,)),
    ("integer_attributes", integer_attributes, (X,)),
    ("objects_with_reused_ids", objects_with_reused_ids, (X,)),
    ("objects_made_in_a_loop", objects_made_in_a_loop, (X,)),
    ("dynamic_attributes", dynamic_attributes, (X,)),
    ("calculator", calculator, (X,)),
    ("matrix_class", matrix_class, (X,)),
]
