"""What a value is counts the same for the analysis, the key of the cache and its guard."""

import argparse
import collections
import enum
import types
import warnings

import numpy as np
import pytest

import tapeless as tl
from tapeless.analysis.abstract import Abstraction
from tapeless.cache import guard_for, kind_key
from tests import laws

pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")


class Tripled(np.ndarray):
    def __mul__(self, other):
        return 3.0 * np.asarray(self) * np.asarray(other)


class Labelled(np.ndarray):
    label = "an array with a label"


class Sevenfold(list):
    def __getitem__(self, i):
        return 7.0 * list.__getitem__(self, i)


class SevenfoldDict(dict):
    def __getitem__(self, key):
        return 7.0 * dict.__getitem__(self, key)


class SevenfoldTuple(tuple):
    def __getitem__(self, i):
        return 7.0 * tuple.__getitem__(self, i)


class Scaled(float):
    def __mul__(self, other):
        return 7.0 * float(self) * float(other)


class Count(int):
    def __mul__(self, other):
        return 7 * int(self) * other


class PlainFloat(float):
    pass


class PlainList(list):
    pass


class Reached(dict):
    __getattr__ = dict.__getitem__


class Computed(dict):
    def __missing__(self, key):
        return 2.0 * self["w"]


class Point(collections.namedtuple("Point", "a b")):
    __slots__ = ()

    def scaled(self):
        return self.a * 3.0 * self.b

    @property
    def squared(self):
        return self.a**2


class Level(enum.IntEnum):
    LOW = 2
    HIGH = 5


class Holder:
    def __init__(self, w):
        self.w = w


class Slotted:
    __slots__ = ("w",)

    def __init__(self, w):
        self.w = w


class Table:
    """Stands for a table or array of another library."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __array_ufunc__(self, *args, **keywords):
        raise AssertionError("it is left as it is")

    def __eq__(self, other):
        return Table(self.values == other.values)

    __hash__ = None

    def __getattr__(self, key):
        if key.startswith("_"):
            raise AttributeError(key)
        return lambda: self

    def mean(self):
        return float(np.mean(self.values))


def matrix(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.matrix(rows)


def with_attribute(x, key, value):
    setattr(x, key, value)
    return x


def self_holding():
    x = [1.0]
    x.append(x)
    return x


VALUES = [
    1.0,
    np.float64(1.0),
    np.float32(1.0),
    PlainFloat(1.0),
    Scaled(1.0),
    1j,
    1,
    Count(1),
    Level.LOW,
    np.int64(1),
    True,
    np.bool_(True),
    "text",
    None,
    np.ones(2),
    np.ones(3),
    np.ones(1),
    np.ones((2, 2)),
    np.ones((1, 2)),
    np.ones(2, dtype=np.float32),
    np.ones(2, dtype=int),
    np.ones(2, dtype=bool),
    np.ones(2, dtype=complex),
    np.array(["a"] * 2),
    np.array([1.0, 2.0], dtype=object),
    np.zeros(2, dtype=[("a", "f8")]),
    np.zeros(2, dtype="M8[s]"),
    np.datetime64("2020-01-01"),
    matrix([[1.0, 2.0], [3.0, 4.0]]),
    np.ma.array([1.0, 2.0]),
    np.ones(2).view(Tripled),
    np.ones(2).view(Labelled),
    [1.0],
    [1.0, 2.0],
    [1.0, np.ones(2)],
    [1],
    [],
    PlainList([1.0]),
    with_attribute(PlainList([1.0]), "scale", 2.0),
    with_attribute(PlainList([np.ones(2)]), "scale", 2.0),
    Sevenfold([1.0]),
    (1.0,),
    (1.0, 2.0),
    SevenfoldTuple([1.0]),
    Point(1.0, 2.0),
    Point(1.0, np.ones(2)),
    {"a": 1.0},
    {"a": np.ones(2)},
    {"b": 1.0},
    {"a": {"a": 1.0}},
    SevenfoldDict(a=1.0),
    Reached(a=1.0),
    with_attribute(Reached(a=1.0), "scale", 2.0),
    collections.OrderedDict(a=1.0),
    collections.defaultdict(float, a=1.0),
    collections.defaultdict(list, a=1.0),
    collections.defaultdict(None, a=1.0),
    collections.defaultdict(lambda: 2.0, a=1.0),
    collections.Counter("ab"),
    Computed(a=1.0),
    Holder(1.0),
    Holder(np.ones(2)),
    Holder(matrix([[1.0]])),
    Holder(Holder(1.0)),
    with_attribute(Holder(1.0), "v", 1.0),
    Slotted(1.0),
    Slotted(np.ones(2)),
    types.SimpleNamespace(w=1.0),
    types.SimpleNamespace(w=np.ones(2)),
    argparse.Namespace(w=1.0),
    argparse.Namespace(w=np.ones(2)),
    collections.UserDict(a=1.0),
    Table([1.0, 2.0]),
    Holder(Table([1.0])),
    tl.Variable(1.0),
    tl.Variable(np.ones(2)),
    np.sin,
    np.cos,
    len,
    Holder,
    Slotted,
    laws.inner,
    np.poly1d([1.0, 2.0]),
    np.random.default_rng(0),
    set(),
    range(3),
    types,
    np,
    self_holding(),
]


def analysed(x):
    heap = {}
    return Abstraction(heap, True, by_place=True)(x, ("argument", 0)), heap


@pytest.mark.parametrize("sample", VALUES, ids=[f"{i}" for i in range(len(VALUES))])
def test_guard_key_and_analysis_agree(sample):
    serves = guard_for([sample], [], [0])
    assert serves(sample), "a guard serves what it was made for"
    for other in VALUES:
        alike = kind_key(sample) == kind_key(other)
        if serves(other):
            assert alike, f"the guard of {sample!r} serves {other!r}, whose key is another"
        if alike:
            assert analysed(sample) == analysed(other), f"one key for {sample!r} and {other!r}"


def square(x):
    return np.sum(x * x)


def first(x):
    return x[0] * x[0]


def by_name(x):
    return x["w"] * x["w"]


FOREIGN = [
    (square, matrix([[1.0, 2.0], [3.0, 4.0]]), "matrix"),
    (square, np.ma.array([1.0, 2.0], mask=[0, 1]), "MaskedArray"),
    (square, np.ones(2).view(Tripled), "Tripled"),
    (square, np.array([1.0, 2.0], dtype=object), "object"),
    (square, np.zeros(2, dtype="m8[s]"), "timedelta64"),
    (square, np.array(["a"]), "<U1"),
    (lambda x: np.sum(x["a"]), np.zeros(2, dtype=[("a", "f8")]), "'a', '<f8'"),
    (square, Table([1.0, 2.0]), "Table"),
    (square, Scaled(2.0), "Scaled"),
    (first, Sevenfold([1.0]), "Sevenfold"),
    (first, SevenfoldTuple([1.0]), "SevenfoldTuple"),
    (by_name, SevenfoldDict(w=1.0), "SevenfoldDict"),
    (by_name, {"w": matrix([[1.0]])}, r"x\['w'\].*matrix"),
    (lambda x: np.sum(x.w), Holder(np.ma.array([1.0])), r"x\.w.*MaskedArray"),
    (lambda x: x[0][0], [Sevenfold([1.0])], r"x\[0\].*Sevenfold"),
]


@pytest.mark.parametrize("f, x, label", FOREIGN, ids=[str(i) for i in range(len(FOREIGN))])
def test_other_classes_are_refused_by_name(f, x, label):
    with pytest.raises(tl.TapelessError, match=label):
        tl.grad(f)(x)
    with pytest.raises(tl.TapelessError, match=label):
        tl.value_and_grad(f)(x)


def test_a_class_is_noticed_after_its_base_class():
    g = tl.grad(square)
    g(np.ones(2))
    with pytest.raises(tl.TapelessError, match="Tripled"):
        g(np.ones(2).view(Tripled))
    g = tl.grad(first)
    g([1.0])
    with pytest.raises(tl.TapelessError, match="Sevenfold"):
        g(Sevenfold([1.0]))


def test_an_object_of_a_library_that_holds_others_is_looked_into():
    g = tl.grad(lambda x, options: np.sum(x * options.w))
    for w in (2.0, np.ones(3), np.ones((2, 3))):
        x = np.ones(3)
        wanted = np.ones_like(x) * w if np.ndim(w) < 2 else np.sum(w, axis=0)
        np.testing.assert_allclose(g(x, argparse.Namespace(w=w)), wanted)


@pytest.mark.parametrize(
    "f, x",
    [
        (square, PlainFloat(2.0)),
        (first, PlainList([2.0])),
        (by_name, Reached(w=2.0)),
        (by_name, collections.OrderedDict(w=2.0)),
        (by_name, collections.defaultdict(float, w=2.0)),
    ],
    ids=["float", "list", "dict", "OrderedDict", "defaultdict"],
)
def test_classes_that_change_nothing_count_as_their_base(f, x):
    g = tl.grad(f)(x)
    [slope] = laws.float_leaves(g)
    assert slope == 4.0


def test_methods_and_properties_of_named_tuples():
    laws.check_function(lambda p: p.scaled() + p.squared, (Point(2.0, 3.0),))
    laws.check_function(lambda p: p.squared * p.b, (Point(2.0, 3.0),))


def test_attributes_that_a_class_adds_to_a_dict_or_list_are_not_lost():
    with pytest.raises(tl.TapelessError, match=r"`\.w` of a dict"):
        tl.grad(lambda x: x.w * x.w)(Reached(w=2.0))
    with pytest.raises(tl.TapelessError, match=r"`\.scale` of a list"):
        tl.grad(lambda x: x.scale * x[0])(with_attribute(PlainList([1.0]), "scale", 2.0))
    assert tl.grad(lambda x, d: x * d.w)(3.0, Reached(w=2.0)) == 2.0


def test_a_default_that_is_computed_is_not_lost():
    with pytest.raises(tl.TapelessError):
        tl.grad(lambda d: d["other"] * 1.0)(Computed(w=2.0))


TABLE = Table([1.0, 2.0])


@pytest.mark.parametrize(
    "f, args",
    [
        (lambda x: np.sum(x * TABLE.values), ()),
        (lambda x: np.sum(x) * TABLE.mean(), ()),
        (lambda x, t: np.sum(x * t.values), (TABLE,)),
        (lambda x, t: np.sum(x * np.asarray(t)), (TABLE,)),
        (lambda x, o: np.sum(x * o.w.values), (Holder(TABLE),)),
        (lambda x, d: np.sum(x * d["n"]), ({"n": 2.0, "t": TABLE},)),
    ],
    ids=["captured", "method", "argument", "converted", "held", "in_a_dict"],
)
def test_what_nothing_varied_reaches_is_left_as_it_is(f, args):
    x = np.array([0.5, 2.0])
    wanted = f(np.array([1.0, 0.0]), *args), f(np.array([0.0, 1.0]), *args)
    np.testing.assert_allclose(tl.grad(f)(x, *args), wanted)
    assert np.isclose(tl.jvp(f, (x, *args), (np.ones(2), *(None for _ in args)))[1], sum(wanted))


@pytest.mark.parametrize(
    "f",
    [
        lambda x, t: np.sum(x * t),
        lambda x, t: np.sum(t - x),
        lambda x, t: np.sum(np.multiply(x, t)),
        lambda x, t: np.dot(x, t),
        lambda x, t: np.sum(x * (t + 1.0)),
        lambda x, t: np.sum(x * np.exp(t)),
        lambda x, t: np.sum(np.where(t > 0.0, x, 0.0)),
    ],
)
@pytest.mark.parametrize(
    "t",
    [TABLE, np.ma.array([1.0, 2.0]), np.array([1.0, 2.0], dtype=object)],
    ids=["table", "masked", "objects"],
)
def test_what_varies_does_not_meet_other_classes(f, t):
    x = np.array([0.5, 2.0])
    with pytest.raises(tl.TapelessError, match="what varies meets"):
        tl.grad(f)(x, t)
    with pytest.raises(tl.TapelessError, match="what varies meets"):
        tl.jvp(f, (x, t), (x, None))


class Compiled:
    """Stands for what a compiler like Numba makes of a function."""

    def __init__(self, py_func):
        self.py_func = py_func

    def __call__(self, *args):
        return self.py_func(*args)


@Compiled
def compiled_square(x):
    return x * x


def test_a_compiled_function_is_differentiated_through_its_python_function():
    assert tl.grad(compiled_square)(3.0) == 6.0
    laws.check_function(lambda x: compiled_square(x) * x, (3.0,))
    laws.check_function(lambda x, f: f(x) * x, (3.0, compiled_square))
    laws.check_function(lambda x: sum(compiled_square(v) for v in [x, 2.0]), (3.0,))
    laws.check_function(lambda x: x * compiled_square(2.0), (3.0,))
    held = Holder(compiled_square)
    laws.check_function(lambda x: held.w(x), (3.0,))


def test_a_rule_of_a_compiled_function_comes_first():
    @Compiled
    def cube(x):
        return x**3

    @tl.register_gradient(cube)
    def cube_rule(x):
        def grad(g):
            return 100.0 * g

        return cube(x), grad

    assert tl.grad(lambda x: cube(x))(3.0) == 100.0
    assert tl.grad(cube)(3.0) == 100.0


def test_functions_of_numba():
    numba = pytest.importorskip("numba")
    square = numba.njit(compiled_square.py_func)
    assert tl.grad(square)(3.0) == 6.0
    assert tl.grad(lambda x, f: f(x) * 2.0)(3.0, square) == 12.0


def test_series_and_tables_of_pandas():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([1.0, 2.0])
    with pytest.raises(tl.TapelessError, match="Series"):
        tl.grad(square)(series)
    with pytest.raises(tl.TapelessError, match="DataFrame"):
        tl.grad(square)(pandas.DataFrame({"a": series}))
    g = tl.grad(lambda x, t: np.sum(x * t["a"].to_numpy()))
    np.testing.assert_allclose(g(np.ones(2), pandas.DataFrame({"a": series})), [1.0, 2.0])
