"""What is declared of functions is true of them: run, they share memory, select and return as said."""

import itertools
import warnings

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import TapelessError
from tapeless.rules.declare import find_rule
from tapeless.rules.runnable import RunnableRule, rule_as_map
from tapeless.rules.traits import Traits, traits_of, traits_of_callee, traits_of_method
from tapeless.structures import leaves_of, rebuild
from tapeless.testing import check_rule

X = np.array([[0.3, -1.2, 2.5], [1.7, 0.4, -0.6]])
SQUARE = np.array([[2.5, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 3.5]])
FIRST = [X, X[0].copy(), SQUARE, np.stack([SQUARE, SQUARE + np.eye(3)]), np.array(0.7)]
OTHERS = [(), (0,), (1,), (2,), (0, 1), ((3, 2),), ((6,),), ([0, 1],), (SQUARE,), ("same",)]
SEVERAL = ["ij->ji", "ii->i", "ij->ij"]


def of_numpy():
    """List the functions and methods of NumPy that have a rule."""
    named = {
        f: f"{module.__name__}.{key}"
        for module in (np.ndarray, np.fft, np.linalg, np)
        for key, f in vars(module).items()
        if callable(f) and not isinstance(f, type) and find_rule(f)
    }
    return [
        pytest.param(f, id=label) for f, label in sorted(named.items(), key=lambda pair: pair[1])
    ]


def calls_of(f):
    """Run a function on sample arguments: the arguments that it accepts, and what it returns."""
    for x, others in itertools.product(FIRST, OTHERS):
        for args in [(x, *others), *([(text, x) for text in SEVERAL] if f is np.einsum else [])]:
            own = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    yield own, f(*own)
            except Exception:
                continue


def arrays_in(y):
    if isinstance(y, np.ndarray):
        yield y
    elif isinstance(y, tuple | list):
        for part in y:
            yield from arrays_in(part)


@pytest.mark.parametrize("f", of_numpy())
def test_what_shares_memory_says_so(f):
    seen = {
        np.shares_memory(made, given)
        for args, y in calls_of(f)
        for made in arrays_in(y)
        for given in arrays_in(args)
        if given.ndim and (made is not given or given is args[0])  # any other is an `out`
    }
    if True in seen:
        assert traits_of(f).view != "never"


def cotangents_of(f):
    """Pull random seeds back through a function at sample arguments, by its rule."""
    rng = np.random.default_rng(3)
    rule = find_rule(f)
    for args, y in calls_of(f) if rule.form != "zero" else ():
        parts = list(arrays_in(y))
        if not parts or any(a.dtype.kind != "f" or a.size == 0 for a in parts):
            continue
        try:
            call = RunnableRule.bind(rule, args, {})
            slots = [slot.value for slot in call.slots()]
            seed = rebuild(y, (rng.normal(size=np.shape(leaf)) for _, leaf in leaves_of(y)))
            bars = rule_as_map(f, rule, call, len(args), []).pull(slots, seed)
        except (TapelessError, ValueError, TypeError, IndexError, ZeroDivisionError):
            continue
        yield args, bars


def leaves_out(args, bars):
    """Whether some entries have no cotangent beside others that have one."""
    return any(
        np.any(bar == 0.0) and np.any(bar != 0.0)
        for given, bar in zip(args, bars, strict=False)
        if isinstance(given, np.ndarray)
        for bar in arrays_in(bar)
    )


@pytest.mark.parametrize("f", of_numpy())
def test_what_selects_says_so(f):
    if any(leaves_out(args, bars) for args, bars in cotangents_of(f) if len(args) == 1):
        assert traits_of(f).selects


def test_a_user_may_say_what_is_known():
    def first(x):
        return x[:1]

    @tl.register_gradient(first, linear=True, view="always", selects=True)
    def first_rule(x):
        y = first(x)
        shape = np.shape(x)

        def grad(y_bar):
            return np.concatenate([y_bar, np.zeros(shape[0] - 1)])

        return y, grad

    x = np.array([2.0, 3.0])
    assert traits_of(first) == Traits(view="always", selects=True)
    assert np.array_equal(tl.grad(lambda x: np.sum(first(x) * x))(x), [7.0, 2.0])
    y, y_dot = tl.jvp(lambda x: first(x) * 2.0, (x,), (np.array([1.0, 5.0]),))
    assert np.array_equal(y_dot, [2.0])
    check_rule(first, x, check_float32=False)

    def stored(x):
        z = x * x
        y = first(z)
        y[0] = 5.0
        return np.sum(z * z)

    assert np.array_equal(tl.grad(stored)(x), [0.0, 4.0 * 27.0])
    assert tl.jvp(stored, (x,), (np.ones(2),))[1] == 4.0 * 27.0


def test_a_linear_rule_that_is_not_spliced_is_called_with_the_tangents():
    def scaled(x, factor, y):
        return factor * x + 2.0 * y

    @tl.register_gradient(scaled, linear=("x", "y"))
    def scaled_rule(x, factor, y):
        if factor > 1.0:
            z = factor * x + 2.0 * y
        else:
            z = scaled(x, factor, y)

        def grad(z_bar):
            return factor * z_bar, None, 2.0 * z_bar

        return z, grad

    def f(x, y):
        return scaled(x, 3.0, y=y * y)

    assert tl.jvp(f, (1.0, 2.0), (1.0, 10.0)) == (11.0, 83.0)
    assert tl.jvp(f, (1.0, 2.0), (0.0, 1.0))[1] == 8.0


def test_a_function_of_which_nothing_is_said():
    assert traits_of(print) == traits_of([]) == Traits()


def test_a_method_is_known_by_its_name_where_its_owner_is_not():
    assert traits_of_method("compress").selects
    assert traits_of_callee(None, np.clip).selects


@pytest.mark.parametrize(
    "shared",
    [
        lambda z: np.einsum("ij->ji", z),
        lambda z: np.einsum("ii->i", z),
        lambda z: z.conj(),
        lambda z: np.diff(z, 0),
        lambda z: np.linalg.matrix_power(z, 1),
        lambda z: np.real_if_close(z),
        lambda z: np.transpose(a=z),
        lambda z: np.polyder(z[0], 0),
    ],
)
def test_a_store_into_what_is_handed_back_is_one_into_the_argument(shared):
    def f(x):
        z = x * x
        y = shared(z)
        y[0] = 5.0
        return np.sum(z * z)

    z = SQUARE * 1.0
    shared(z)[0] = 0.0
    x = SQUARE
    slope = np.where(z == 0.0, 0.0, 4.0 * x**3)
    v = np.cos(x)
    assert np.allclose(tl.grad(f)(x), slope)
    assert np.allclose(tl.jvp(f, (x,), (v,))[1], np.sum(slope * v))
