"""What Python asks of an object of the user's to get its items: `__iter__`, `__getitem__`, `__len__`."""

import itertools

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([1.3, 0.7])


class Holding:
    def __init__(self, x):
        self.items = [x[0], x[1] * 2.0]
        self.scale = x[0]


class Plain(Holding):
    def __len__(self):
        return 2

    def __iter__(self):
        return iter(self.items)

    def __getitem__(self, i):
        return self.items[i]


class LengthStores(Holding):
    def __len__(self):
        self.scale = self.scale * self.scale
        return 2

    def __iter__(self):
        return iter(self.items)


class LengthStoresByIndex(Holding):
    def __len__(self):
        self.scale = self.scale * self.scale
        return 2

    def __getitem__(self, i):
        return self.items[i]


class IterStores(Holding):
    def __iter__(self):
        self.scale = self.scale * self.scale
        return iter(self.items)


class GeneratorStores(Holding):
    def __iter__(self):
        self.scale = self.scale * self.scale
        yield from self.items


class BothStore(IterStores):
    def __len__(self):
        self.scale = self.scale * self.scale
        return 2


class ReadingStores(Holding):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        self.scale = self.scale * 1.5
        return self.items[i]


def by_list(t):
    items = list(t)
    return items[0] * items[1]


def by_tuple(t):
    items = tuple(t)
    return items[0] * items[1]


def by_sorted(t):
    items = sorted(t)
    return items[0] * items[1] ** 2


def by_display(t):
    items = [*t]
    return items[0] * items[1] ** 2


def by_call(t):
    def product(a, b):
        return a * b * b

    return product(*t)


def by_unpacking(t):
    a, b = t
    return a * b * b


def by_rest(t):
    a, *b = t
    return a * b[0] ** 2


def by_loop(t):
    y = 1.0
    for v in t:
        y = y * v
    return y


def by_enumerate(t):
    y = 0.0
    for i, v in enumerate(t):
        y = y + v * (i + 1)
    return y


def by_zip(t):
    y = 0.0
    for v, k in zip(t, range(2)):  # noqa: B905
        y = y + v * (k + 1)
    return y


def by_sum(t):
    return sum(t)


def by_max(t):
    return max(t, key=lambda v: -v)


def by_any(t):
    return 2.0 if any(t) else 3.0


def by_in(t):
    return 2.0 if 100.0 in t else 3.0


def by_extend(t):
    items = [1.0]
    items.extend(t)
    return items[1] * items[2] ** 2


def by_slice(t):
    items = [1.0, 2.0]
    items[:] = t
    return items[0] * items[1] ** 2


def by_chain(t):
    items = list(itertools.chain(t, [1.0]))
    return items[0] * items[1] ** 2


def twice(t):
    first, again = list(t), list(t)
    return first[0] * again[1] ** 2


USES = [
    by_list, by_tuple, by_sorted, by_display, by_call, by_unpacking, by_rest, by_loop, by_enumerate,
    by_zip, by_sum, by_max, by_any, by_in, by_extend, by_slice, by_chain, twice,
]  # fmt: skip
CLASSES = [
    Plain, LengthStores, LengthStoresByIndex, IterStores, GeneratorStores, BothStore, ReadingStores,
]  # fmt: skip


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("cls", CLASSES)
def test_right_or_refused(cls, use):
    def f(x):
        t = cls(x)
        return use(t) * t.scale

    try:
        f(X)
    except TypeError:
        pytest.skip("Python does not do this")
    for check in (check_reverse, check_forward):
        try:
            check(f)
        except tl.TapelessError as refusal:
            assert refusal.filename == __file__ and refusal.lineno
            assert cls is not Plain or use in (by_enumerate, by_zip, by_sum)


def check_reverse(f):
    rng = np.random.default_rng(0)
    laws.check_reverse(f, (X.copy(),), (0,), rng)
    laws.check_grad(f, (X.copy(),), (0,), rng)


def check_forward(f):
    wanted = [(f(X + d) - f(X - d)) / 2e-6 for d in 1e-6 * np.eye(2)]
    np.testing.assert_allclose([tl.jvp(f, (X,), (d,))[1] for d in np.eye(2)], wanted, rtol=1e-6)


def test_the_guess_of_a_length_is_called_where_it_stores():
    def f(x):
        t = LengthStores(x)
        return by_list(t) * t.scale

    laws.check_function(f, (X.copy(),), smooth=False)
    assert "len_fwd" in tl.source(f, like=(X,))

    def plain(x):
        return by_list(Plain(x))

    assert "len_fwd" not in tl.source(plain, like=(X,))


def test_the_rest_of_a_dict_is_of_its_keys():
    def f(x):
        table = {"a": x[0], "b": x[1] * 2.0}
        first, *rest = table
        return table[first] * table[rest[0]] ** 2

    laws.check_function(f, (X.copy(),), smooth=False)


class Vector(Plain):
    def __array__(self, dtype=None, copy=None):
        return np.array(self.items)


@pytest.mark.parametrize(
    "take", [np.array, np.sin, np.sum, np.max, lambda t: np.dot(np.ones(2), t)]
)
def test_an_object_is_no_array(take):
    def f(x):
        return np.sum(take(Vector(x)))

    for attempt in (lambda: tl.grad(f)(X), lambda: tl.jvp(f, (X,), (X,))):
        with pytest.raises(tl.TapelessError, match="of objects of class Vector"):
            attempt()


def test_a_norm_makes_an_array_of_an_object():
    laws.check_function(lambda x: np.linalg.norm(Vector(x)), (X.copy(),))


def test_an_object_is_not_stored_into_an_array():
    def f(x):
        z = np.zeros(2)
        z[:] = Vector(x)
        return np.sum(z * z)

    for attempt in (lambda: tl.grad(f)(X), lambda: tl.jvp(f, (X,), (X,))):
        with pytest.raises(tl.TapelessError, match="is stored into an array"):
            attempt()


class Doubled:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return iter([2.0 * v for v in self.values])


def goes_through_constants_in_an_attempt(x):
    try:
        values = [v for v in Plain([2.0, 1.5])]
    except ValueError:
        values = [1.0]
    return values[0] * x + values[1] * x**2


def goes_through_constants_beside_others(x):
    s = x
    for v, w in zip(Doubled([1.3, 1.7]), [x, x * x]):
        s = s * v + w
    return s


@pytest.mark.parametrize(
    "f", [goes_through_constants_in_an_attempt, goes_through_constants_beside_others]
)
def test_items_without_derivative_are_visited_again(f):
    laws.check_orders(f, 0.7)


def test_an_object_outside_is_visited_again():
    held = Doubled([1.3, 1.7])

    def f(x, o):
        s = x
        for v, w in zip(o, [1.0, 2.0]):
            s = s * v + w
        for v in held:
            s = s * s * v
        return s

    laws.check_orders(lambda x: f(x, held), 0.7)
