"""Iterators of libraries, generators that are unpacked, and what stands beside items in `zip`."""

import functools
import itertools
import operator

import numpy as np

X = np.array([0.5, 1.5, -0.7])


def indices_of_a_grid(x):
    a = np.outer(x, x)
    s = 0.0
    for i, j in np.ndindex(a.shape):
        s += a[i, j] ** 2
    for at in np.ndindex(*a.shape):
        s += a[at] ** 3
    for i, j in np.ndindex(3, 3):
        if i == j:
            continue
        a[i, j] *= x[i]
    return s + np.sum(a)


def one_dimension(x):
    s = 0.0
    for (i,) in np.ndindex(3):
        s += x[i] ** 3
    return s


def pairs_of_indices(x):
    s = 0.0
    for i, j in itertools.combinations(range(3), 2):
        s += x[i] * x[j]
    for i, j in itertools.product(range(2), repeat=2):
        s += x[i] * j
    for ij in itertools.permutations([0, 1, 2], 2):
        s += x[ij[0]] * x[ij[1]] ** 2
    for i, j in itertools.zip_longest([0, 1], [2], fillvalue=0):
        s += x[i] * x[j] ** 2
    return s


def whole_pairs(x):
    s = 0.0
    for pair in zip(x, x[::-1]):
        s = s + pair[0] * pair[1] ** 2
    for counted in enumerate(x, 1):
        s = s + counted[0] * counted[1] ** 2
    return s


def unpacked_generators(x):
    a, b = (v * 2 for v in x[:2])
    c, *rest = map(lambda v: v * v, x)
    return a * b + c * rest[0] * rest[1]


def found_by_next(x):
    k = next(i for i, v in enumerate(x) if v > 1)
    j = next((i for i, v in enumerate(x) if v > 10), 0)
    largest = next((v * v for v in x if v < 0), 2.0)
    return x[k] * x[j] * largest


def table_of_pairs(x):
    d = dict((k, v * v) for k, v in zip("ab", x))
    e = dict(zip("ab", x), c=x[2])
    f = {k: v * v for k, v in zip("abc", x)}
    return d["a"] * d["b"] * e["a"] * e["c"] + f["c"]


def from_an_iterator(x):
    return np.sum(np.fromiter((v * v for v in x), float) * np.fromiter(map(np.sin, x), dtype=float))


def keys_beside_items(x):
    weights = {"p": 2.0, "q": 3.0}
    s = 0.0
    for (_, c), v in zip(weights.items(), x):
        s = s + c * v * v
    for k, v in zip(weights, x):
        s = s + weights[k] * v * v
    for k, v in zip(weights.keys(), x):
        s = s + weights[k] * v**3
    for k, v in zip({1, 2}, x):
        s = s + k * v * v
    return s


def endless_beside_items(x):
    s = 0.0
    for i, v in zip(itertools.count(1), x):
        s = s + i * v * v
    for i, (_, v) in enumerate(zip("ab", x)):
        s = s + i * v**3
    for v, sign in zip(x, itertools.cycle([1, -1])):
        if v > 1.0:
            s = s * sign
        s = s + sign * v**3
    return s


def left_before_the_end(x):
    s = 0.0
    for label, v in zip(("u", "v", "w"), x):
        if label == "w":
            break
        s = s + v * v * len(label)
    return s


def running_totals(x):
    s = 0.0
    for t in itertools.accumulate(x):
        s += t * t
    products = list(itertools.accumulate(x, operator.mul))
    return s + products[-1] * products[1]


def chained(x):
    s = 0.0
    for t in itertools.chain(x, [x[0], x[1] * x[2]]):
        s = s * 0.9 + t * t
    flat = list(itertools.chain.from_iterable([[x[0], x[1]], [x[2] ** 2]]))
    s += sum(itertools.chain(x, x)) + max(itertools.chain([x[0]], [x[1]]))
    return s + flat[0] * flat[2]


def steps(x):
    s = 0.0
    for v in itertools.islice(x, 2):
        s += v * v
    for v in itertools.islice([x[0], x[1], x[2]], 1, None):
        s += v**3
    for a, b in itertools.pairwise(x):
        s += a * b * b
    for v in itertools.repeat(x[0], 3):
        s = s + v * s
    for v in itertools.starmap(lambda a, b: a * b, [(x[0], x[1]), (x[1], x[2])]):
        s += v * v
    return s


def chosen_steps(x):
    s = 0.0
    for v in itertools.takewhile(lambda t: t > 0, x):
        s += v**3
    for v in itertools.dropwhile(lambda t: t > 0, x):
        s += v**3
    for v in itertools.compress(x, [1, 0, 1]):
        s += v**3
    for v in itertools.filterfalse(lambda t: t > 0, x):
        s += v**3
    return s


def pairs_of_items(x):
    s = 0.0
    for a, b in itertools.product(x, [x[0], 2.0]):
        s += a * b * b
    for a, b in itertools.combinations(x, 2):
        s += a * b * b
    for a, b in itertools.zip_longest(x, [x[0]], fillvalue=1.0):
        s += a * b * b
    return s


def beside_each_other(x):
    s = 0.0
    for i, v in enumerate(itertools.chain(x, x)):
        s += i * v * v
    for a, b in zip(itertools.chain(x, x), itertools.accumulate(x)):
        s += a * b**2
    return s


def starred_rows(x):
    scale = lambda a, b: a * b  # noqa: E731
    s = 0.0
    for row in [(x[0], x[1]), (x[1], x[2])]:
        v = scale(*row)
        s += v * v
    return s


@functools.lru_cache
def square(x):
    return x * x


@functools.lru_cache(maxsize=None)
def fibonacci(n, x):
    return x if n < 2 else fibonacci(n - 1, x) + fibonacci(n - 2, x) * x


def cached_functions(x):
    return square(x[0]) * x[1] + square(3.0) + fibonacci(5, x[2])


def taken_by_hand(x):
    it = iter([x[0], x[1], x[2]])
    first = next(it)
    s = first**2
    for v in it:
        s += first * v
    entries = iter(x)
    a = next(entries)
    b = next(entries)
    return s + a * b + next(entries, 1.0) + next(entries, 5.0)


def taken_in_a_loop(x):
    it = iter(x * 2.0)
    s = 0.0
    for v in it:
        s += v * next(it, 3.0)
    rest = list(it)
    keys = iter({"a": x[0], "b": x[1]})
    k = next(keys)
    values = iter({"a": x[0], "b": x[1] ** 2}.values())
    pairs = iter(zip("ab", x))
    _, q = next(pairs)
    return s + len(rest) * x[0] + sum(values) * q + (x[2] if k == "a" else 0.0)


def words_taken_by_hand(x):
    words = iter("abc")
    w = 1.0
    for v in x:
        if next(words) == "b":
            w = w * v
        w = w + v
    return w


def squares(x):
    for v in x:
        yield v * v


def places_below(n):
    for i in range(n):
        for j in range(i):
            yield i, j


def endless():
    k = 0
    while True:
        yield k
        k += 1


def squares_and_product(x):
    yield from squares(x)
    if x[0] > 100:
        return
    yield x[0] * x[1]


class Bag:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        for v in self.x:
            yield v * 2


def local_generators(x):
    def gen(v):
        for t in v:
            yield t * t

    return sum(gen(x)) + sum(list(gen(x)))


def generators_in_loops(x):
    s = 0.0
    for v in squares(x):
        s += v * s + v
    for i, j in places_below(3):
        s += x[i] * x[j]
    for k in endless():
        if k > 2:
            break
        s = s * x[k]
    for a, b in zip(squares(x), [1.0, 2.0]):
        s += a * b
    return s


def generators_at_once(x):
    a, b, c, d = squares_and_product(x)
    doubled = [v * 2 for v in squares_and_product(x)]
    s = a * b * c * d + doubled[1]
    return s + np.sum(np.array(list(squares(x)))) + max(squares(x))


def objects_that_yield(x):
    s = 0.0
    for v in Bag(x):
        s += v**2
    return s + sum(list(Bag(x)))


CASES = [
    (function.__name__, function, (X,))
    for function in (
        indices_of_a_grid,
        one_dimension,
        pairs_of_indices,
        whole_pairs,
        unpacked_generators,
        found_by_next,
        table_of_pairs,
        from_an_iterator,
        keys_beside_items,
        endless_beside_items,
        left_before_the_end,
        running_totals,
        chained,
        steps,
        chosen_steps,
        pairs_of_items,
        beside_each_other,
        starred_rows,
        cached_functions,
        taken_by_hand,
        taken_in_a_loop,
        words_taken_by_hand,
        local_generators,
        generators_in_loops,
        generators_at_once,
        objects_that_yield,
    )
]
