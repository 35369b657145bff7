"""Records as strangers write them: dataclasses, named tuples, enumerations, `super()`, properties."""

import dataclasses
import enum
import itertools
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import NamedTuple

import numpy as np
import scipy.linalg


@dataclass
class Rates:
    beta: float
    gamma: float = 0.5

    def scaled(self, **factors):
        held = asdict(self)
        for key, factor in factors.items():
            held[key] *= factor
        return Rates(**held)


@dataclass
class Model:
    rates: Rates
    weights: np.ndarray
    order: int = 3
    name: str = "model"


def dict_of_fields(x):
    held = asdict(Rates(x[0], x[1]))
    return sum(v**2 for v in held.values()) + held["gamma"]


def dict_of_fields_changed(x):
    r = Rates(x[0], x[1]).scaled(beta=2.0 * x[2])
    return r.beta * r.gamma


def dict_of_nested_fields(x):
    model = Model(Rates(x[0]), x)
    held = asdict(model)
    held["weights"][0] = 5.0
    held["rates"]["beta"] *= x[1]
    return np.sum(held["weights"] ** 2) * held["rates"]["beta"] + model.weights[0] * held["order"]


def tuple_of_fields(x):
    (beta, gamma), weights, order, _ = astuple(Model(Rates(x[2] * x[0], x[1]), x))
    weights *= 2
    return beta * gamma * order + np.sum(weights) + x[0]


def fields_in_a_loop(x):
    total = 0.0
    for v in x:
        held = asdict(Rates(v))
        r = Rates(**{key: 2 * value for key, value in held.items()})
        total += r.beta * r.gamma + sum(asdict(r).values())
    return total


@dataclass(frozen=True)
class State:
    speed: float = 0.0
    current: float = 0.0

    def as_array(self):
        return np.array([self.speed, self.current])


def replaced_in_a_loop(x):
    s = State()
    for u in x:
        s = replace(s, speed=s.speed + u * u, current=s.current + s.speed)
    return s.as_array() @ np.array([1.0, 2.0])


def replaced_in_a_while(x):
    s, k = State(current=x[0]), 0
    while k < 3:
        s = dataclasses.replace(s, current=s.current * x[k] + s.speed)
        k += 1
    return s.as_array().sum() + s.current


def replaced_in_a_callee(x):
    def advanced(s, u, steps=2):
        for _ in range(steps):
            middle = replace(s, speed=s.speed + 0.5 * u)
            s = replace(s, current=s.current + middle.speed * u)
        return s

    return advanced(advanced(State(x[0]), x[1]), x[2]).current


def replaced_in_a_branch(x):
    s = State(x[0], x[1])
    if x[2] > 0:
        s = replace(s, speed=x[2] * s.current)
    return s.speed * s.current


class Inner(Rates):
    def __init__(self, beta):
        super().__init__(beta, beta * beta)
        self.count = 3


@dataclass
class Derived(Rates):
    delta: float = 1.0

    def __post_init__(self):
        self.delta = self.beta * self.gamma


class Component:
    @property
    def size(self):
        return 2

    def noise(self):
        return np.zeros((self.size, self.size))


class Seasonal(Component):
    def __init__(self, period, sigma):
        self.period, self.sigma = period, sigma

    @property
    def size(self):
        return self.period - 1

    def noise(self):
        q = super().noise()
        q[0, 0] = self.sigma**2
        return q


class Trend(Component):
    size = 2

    def __init__(self, sigma):
        self.sigma = sigma

    def noise(self):
        return np.diag([self.sigma, self.sigma])


def constructor_of_a_dataclass(x):
    d, i = Derived(x[0]), Inner(x[1])
    return d.delta * i.gamma + i.count


def array_of_super_stored_into(x):
    return np.sum(Seasonal(4, x[0]).noise() * x[1] + x[2])


def arrays_of_super_in_a_list(x):
    parts = [Seasonal(3, x[0]), Trend(x[1])]
    return sum(np.sum(part.noise() ** 2) for part in parts)


def arrays_of_super_joined(x):
    parts = [Seasonal(3, x[0]), Trend(x[1]), Seasonal(4, x[2])]
    joined = scipy.linalg.block_diag(*[part.noise() for part in parts])
    return np.sum((joined + x[3]) ** 2) + joined[0, 0]


class Market(NamedTuple):
    spot: float
    vol: float = 1.0

    def bumped(self, **changes):
        return self._replace(**{key: getattr(self, key) + v for key, v in changes.items()})


def bumped_fields(x):
    m = Market(x[0], x[1]).bumped(spot=x[2]).bumped(vol=2.0)
    return m.spot * m.vol


def replaced_by_a_dict(x):
    changes = {"spot": x[2] * 2}
    m = Market(x[0], x[1])._replace(**changes)
    return m.spot * m.vol


class Quote(NamedTuple):
    spot: float
    vol: float
    rate: float = 0.1

    def value(self):
        return self.spot * self.vol + self.rate


def dict_of_a_named_tuple(x):
    held = Quote(x[0], x[1])._asdict()
    held["rate"] = x[2]
    return Quote(**held).value() * held["spot"]


def dict_of_a_named_tuple_in_a_loop(x):
    total = 0.0
    for k in range(3):
        for key, value in Quote(x[k], 2.0)._asdict().items():
            total = total + value * len(key)
    return total


def field_by_name(x):
    m = Market(x[0], x[1])
    return sum(getattr(m, key) ** 2 for key in ("spot", "vol")) * x[2]


def bumped_in_a_loop(x):
    m = Market(x[0])
    for v in x[1:]:
        m = m.bumped(spot=v * m.vol, vol=0.5)
    return m.spot**2 * m.vol


class Right(enum.Enum):
    CALL = enum.auto()
    PUT = enum.auto()

    @property
    def sign(self):
        return 1.0 if self is Right.CALL else -1.0

    def pay(self, s, k):
        return self.sign * (s - k) ** 2 if self is Right.CALL else np.exp(k - s)


class Planet(enum.Enum):
    EARTH = (5.9, 6.3)
    MARS = (0.6, 3.4)

    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius

    def pull(self, g):
        return g * self.mass / self.radius**2


class Option:
    def __init__(self, strike, right=Right.CALL):
        self.strike, self.right = strike, right

    def price(self, s):
        return self.right.pay(s, self.strike)


class Book:
    def __init__(self, *options):
        self.options = options

    def __iter__(self):
        return iter(self.options)

    def __len__(self):
        return len(self.options)

    def totals(self, s):
        found = {}
        for option in self.options:
            key = option.right.name
            found[key] = found.get(key, 0.0) + option.price(s)
        return found


def members_with_code(x):
    return Option(x[0]).price(x[1]) + Option(x[2], Right.PUT).price(x[3]) * Right.PUT.value


def members_in_a_loop(x):
    book = Book(Option(x[0]), Option(x[1], Right.PUT), Option(x[2], Right["PUT"]))
    totals = book.totals(x[3])
    return totals["CALL"] * totals["PUT"] + sum(o.price(x[0]) for o in book) / len(book)


def members_of_the_class(x):
    pulls = sum(p.pull(x[i]) ** 2 for i, p in enumerate(Planet))
    return pulls + Planet.EARTH.mass * x[2]


def members_as_keys(x):
    table = {Right.CALL: x[0], Right.PUT: x[1] ** 2}
    return sum(right.sign * v * table[right] for right, v in zip(Right, x[2:], strict=True))


class Pair:
    def __init__(self, u, v):
        self.u, self.v = u, v

    def __mul__(self, s):
        if isinstance(s, Pair):
            return sum(a * b for a, b in zip(self, s, strict=True))
        return Pair(self.u * s, self.v * s)

    __rmul__ = __mul__

    def __add__(self, other):
        return Pair(self.u + other.u, self.v + other.v)

    def __neg__(self):
        return Pair(-self.u, -self.v)

    def __sub__(self, other):
        return self + (-other)

    def __iter__(self):
        yield self.u
        yield self.v

    @property
    def turned(self):
        return Pair(-self.v, self.u)


class Complex:
    def __init__(self, re, parts):
        self.re, self.parts = re, parts

    def __mul__(self, other):
        return Complex(
            self.re * other.re - self.parts * other.parts,
            self.re * other.parts + other.re * self.parts,
        )

    @property
    def conjugate(self):
        return Complex(self.re, -self.parts)


def objects_side_by_side(x):
    a, b = Pair(*x[:2]), Pair(*x[2:])
    return 3.0 - a * b


def objects_in_objects(x):
    a, b = Complex(x[0], Pair(*x[1:3])), Complex(x[3], Pair(x[0], x[2]))
    c = a * b * a
    return c.re + c.parts * c.parts


def objects_counted(x):
    pair, total = Pair(x[0] * x[1], x[2]), x[3]
    for k, v in enumerate(pair, 1):
        total += k * v**2
    return total


def objects_of_properties(x):
    q = Complex(x[0], Pair(x[1], x[2]))
    turned = q * Complex(0.0, Pair(x[3], 1.0)) * q.conjugate
    return turned.parts * q.parts.turned


class Holder:
    def __init__(self, v):
        self._v = v
        self.other = None

    @property
    def v(self):
        return self._v

    @property
    def parts(self):
        return [self._v[0], self._v[1]]

    @property
    def tail(self):
        return self._v[1:]

    @property
    def child(self):
        if self.other is None:
            self.other = Holder(self._v[:2] * 2.0)
        return self.other


def tripled(a):
    a[0] *= 3.0


def array_of_a_property(x):
    h = Holder(x * 1.0)
    a = h.v
    tripled(a)
    a[1] += x[0]
    return np.sum(h.v**2)


def list_of_a_property(x):
    h = Holder(x * 2)
    p = h.parts
    p.append(x[3])
    p[0] = p[0] * p[2]
    return h.parts[0] * h.parts[1] + p[0] * p[1]


def view_of_a_property(x):
    h = Holder(x * 2)
    tripled(h.tail)
    t = h.tail
    t[1] = t[0]
    return np.prod(h.v)


def object_of_a_property(x):
    h = Holder(x)
    c = h.child
    tripled(c.v)
    return np.sum(h.child.v * c.v)


@dataclass
class Species:
    formula: str
    enthalpy: float
    elements: dict = field(init=False)

    def __post_init__(self):
        self.elements = {}
        for letter in self.formula:
            self.elements[letter] = self.elements.get(letter, 0) + 1

    def __lt__(self, other):
        return self.formula < other.formula


def fields_made_afterwards(x):
    both = sorted([Species("HH", x[0]), Species("CHHHH", x[1])])
    return both[0].enthalpy * 2 + sum(s.enthalpy**2 * s.elements["H"] for s in both)


def fields_made_afterwards_in_a_loop(x):
    return sum(Species("H" * (k + 1), v).elements["H"] * v**2 for k, v in enumerate(x))


def fields_made_afterwards_and_replaced(x):
    s = Species("HO", x[0])
    s.elements = {"H": x[1]}
    return s.enthalpy * s.elements["H"] ** 2


def fields_made_afterwards_in_an_array(x):
    both = [Species("HH", x[0]), Species("CHHHH", x[1])]
    names = sorted({letter for s in both for letter in s.elements})
    a = np.array([[s.elements.get(n, 0) for s in both] for n in names], dtype=float)
    return np.sum(a @ np.array([s.enthalpy**2 for s in both]))


def blocks_of_unknown_number(x):
    m = scipy.linalg.block_diag(*(np.atleast_2d(v) for v in x))
    return np.linalg.det(m)


def blocks_and_more(x):
    m = scipy.linalg.block_diag(x[0], *[np.eye(2) * v for v in x[1:]])
    return np.sum(m**2)


def blocks_of_unlike_shapes(x):
    parts = [np.outer(x[:2], x[:2]), np.array([[x[2]]]), np.diag(x[1:3])]
    m = scipy.linalg.block_diag(*parts)
    return np.sum(m**2) + m[3, 3]


def blocks_in_a_loop(x):
    m = np.atleast_2d(x[0])
    for v in x[1:]:
        m = scipy.linalg.block_diag(*[m, np.atleast_2d(v * m[0, 0])])
    return np.trace(m @ m)


def counted_slice(x):
    total, out = 0.0, {}
    for k, v in enumerate(itertools.islice(x, 1, 4), 1):
        if k == 2:
            continue
        out[k] = v * k
        total += v**2
    return total + out[1] * out[3]


def counted_sums_of_what_changes(x):
    items, total = [x[0], x[1], x[3]], 0.0
    for i, v in enumerate(itertools.accumulate(items)):
        items[2] = x[2] * v
        total += (i + 1) * v
    return total


def counted_generator(x):
    y = np.zeros(4)
    for i, v in enumerate(v * v for v in x if v > 0.7):
        y[i] += v * i
    else:
        y[0] = x[0]
    return np.sum(y**2)


def generators_side_by_side(x):
    total = 0.0
    for a, b in zip((v * v for v in x), (v + 1 for v in x[::-1]), strict=False):
        total += a * b
    return total


def generator_in_a_table(x):
    names = [("a", 1), ("b", 2), ("c", 3), ("d", 4)]
    d = dict(zip((n for n, _ in names), np.exp(x), strict=False))
    return d["a"] * d["b"] + d["d"]


def shown(iterable, quiet=True):
    n = 0
    for item in iterable:
        yield item
        n += 1
        if not quiet:
            print(n)


def progress_beside_stores(x):
    out = np.zeros(4)
    for k, row in enumerate(shown(np.outer(x, x))):
        y = np.fft.fft(row)
        out[k] += np.abs(y[1]) ** 2
    return np.sum(out)


ROWS = {
    "fields as dicts and tuples": (
        dict_of_fields,
        dict_of_fields_changed,
        dict_of_nested_fields,
        tuple_of_fields,
        fields_in_a_loop,
    ),
    "fields that are replaced": (
        replaced_in_a_loop,
        replaced_in_a_while,
        replaced_in_a_callee,
        replaced_in_a_branch,
    ),
    "super": (
        constructor_of_a_dataclass,
        array_of_super_stored_into,
        arrays_of_super_in_a_list,
        arrays_of_super_joined,
    ),
    "named tuples": (bumped_fields, replaced_by_a_dict, field_by_name, bumped_in_a_loop),
    "members of enumerations": (
        members_with_code,
        members_in_a_loop,
        members_of_the_class,
        members_as_keys,
    ),
    "objects that are gone through": (
        objects_side_by_side,
        objects_in_objects,
        objects_counted,
        objects_of_properties,
    ),
    "what properties return": (
        array_of_a_property,
        list_of_a_property,
        view_of_a_property,
        object_of_a_property,
    ),
    "fields that are made afterwards": (
        fields_made_afterwards,
        fields_made_afterwards_in_a_loop,
        dict_of_a_named_tuple,
        dict_of_a_named_tuple_in_a_loop,
        fields_made_afterwards_and_replaced,
        fields_made_afterwards_in_an_array,
    ),
    "blocks of unknown number": (
        blocks_of_unknown_number,
        blocks_and_more,
        blocks_of_unlike_shapes,
        blocks_in_a_loop,
    ),
    "iterators beside others": (
        counted_slice,
        counted_sums_of_what_changes,
        counted_generator,
        generators_side_by_side,
        generator_in_a_table,
        progress_beside_stores,
    ),
}
WAYS_OUT = {}
