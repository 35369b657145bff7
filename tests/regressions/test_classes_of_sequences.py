"""Classes that are gone through and indexed by methods of their own, by slices too."""

import itertools

import numpy as np
import pytest

from tests.laws import check_function


class Grid:
    def __init__(self, n):
        self.data = np.zeros((n, n))

    def __setitem__(self, at, v):
        self.data[at] = v

    def __getitem__(self, at):
        return self.data[at]


class Row:
    def __init__(self, v):
        self.v = v

    def __len__(self):
        return len(self.v)

    def __getitem__(self, i):
        return Row(self.v[i]) if isinstance(i, slice) else self.v[i]


class Dual:
    def __init__(self, re, du=0.0):
        self.re, self.du = re, du

    @staticmethod
    def lift(other):
        return other if isinstance(other, Dual) else Dual(other)

    def __neg__(self):
        return Dual(-self.re, -self.du)

    def __lt__(self, other):
        return self.re < self.lift(other).re


class Named:
    def __init__(self, **given):
        self.given = dict(given)

    def __getitem__(self, key):
        return self.given[key]

    def __iter__(self):
        return iter(self.given)

    def keys(self):
        return list(self.given)

    def values(self):
        return self.given.values()

    def items(self):
        for key, v in self.given.items():
            yield key, v * v


class Views:
    def __init__(self, *v):
        self.rows = list(v)
        self.table = {str(k): x for k, x in enumerate(v)}

    def squares(self):
        return (v * v for v in self.rows)

    def pairs(self):
        return zip(self.rows, self.rows[1:])

    def each(self):
        return iter(self.rows)


class Values(Views):
    def __iter__(self):
        return iter(self.table.values())


class Squares(Views):
    def __iter__(self):
        return (v * v for v in self.rows)


class Mapped(Views):
    def __iter__(self):
        return map(np.sin, self.rows)


class Backwards(Views):
    def __iter__(self):
        return reversed(self.rows)


class Chained(Views):
    def __iter__(self):
        return itertools.chain(self.rows, self.table.values())


def pairs(x):
    return zip(x, x[1:])


def squares(x):
    return (v * v for v in x)


def slices_in_keys(bc):
    g = Grid(4)
    g[1:-1, 0] = bc[0]
    g[0, ::2] = bc
    g[1:3, 1:3] += bc[1]
    for i in range(3):
        g[i, :i] = bc[0] * i
    return np.sum(g[:, 1:3] ** 2) + g[0, 2] + np.sum(g[..., 1:2] ** 2) + np.sum(g.data**2)


def parts_of_rows(v):
    s = Row(v)
    out = sum(x * x for x in s)
    for i in range(1, len(s)):
        out += s[i] * s[i - 1]
    for a, b in zip(s, s[1:]):
        out += a * b
    at = slice(0, 2)
    return out + s[at][1] * s[::-1][0]


def compared(v):
    d = Dual(v[0] * v[1], 1.0)
    if d < 5:
        d = -d
    return d.re * d.du


def by_name(v):
    p = Named(a=v[0], b=v[0] * v[1])
    total = 0.0
    for key in p:
        total += p[key] ** 2
    for key in p.keys():
        total += p[key] ** 3
    for u in p.values():
        total += u**2
    for n, (_, u) in enumerate(p.items()):
        total += n * u
    return total + sum(u * v[1] for u in p.values()) + sum(u for _, u in p.items())


def returned_iterators(v):
    h = Views(v[0], v[1], v[0] * v[1])
    total = sum(a * b for a, b in pairs(h.rows)) + sum(squares(h.rows))
    for a, b in h.pairs():
        total += a * b
    for k, c in enumerate(h.squares()):
        total += c * k
    for c in h.each():
        total += c**3
    return total


def gone_through(cls):
    def f(v):
        held = cls(v[0], v[1], v[0] * v[1])
        total = 0.0
        for u in held:
            total += u * v[0]
        for k, u in enumerate(held):
            total += k * u * u
        return total + sum(u for u in held)

    f.__name__ = cls.__name__.lower()
    return f


def running(xs):
    n, mean = 0, 0.0
    for x in xs:
        n += 1
        mean += (x - mean) / n
        yield n, mean


def spread_generators(v):
    *_, (n, last) = running(v)
    first, *rest = running(v)
    ns, means = zip(*running(v))
    return n * last**2 + first[1] * sum(m for _, m in rest) + sum(m * k for k, m in zip(ns, means))


def joined_rows(v):
    total = sum(itertools.chain.from_iterable([u, u * u] for u in v))
    total += sum(itertools.chain(*([u, u**3] for u in v)))
    for u in itertools.chain.from_iterable(map(lambda u: (u, 2 * u), v)):
        if u > 1.5:
            continue
        total += u * u
    for a in (u * k + j for u in v for k in range(3) if k != 1 for j in range(2)):
        total += a * a
    for a, b in zip((u * k for u in v for k in range(3)), v):
        total += a * b
    return total


PROGRAMS = (
    spread_generators, joined_rows, slices_in_keys, parts_of_rows, compared, by_name, returned_iterators,
    *map(gone_through, (Values, Squares, Mapped, Backwards, Chained)),
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_their_methods_give(f):
    check_function(f, (np.array([0.7, 1.3]),))
