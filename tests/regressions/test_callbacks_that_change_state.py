"""Functions given to a library that change state: methods, partials, objects, keys, customs."""

import functools

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay
from tests.regressions.state_laws import X, check, held, same


class Counter:
    def __init__(self):
        self.n = 1.0

    def note(self, v):
        self.n += 1.0
        return np.sum(v)

    def weighted(self, v):
        return np.sum(v) * self.n


class Called(Counter):
    def __call__(self, v):
        return self.note(v)


def noting():
    log = [2.0]

    def note(by, v):
        log[0] += by
        return np.sum(v)

    return log, note


def by_a_partial_kept_outside():
    log, note = noting()
    given = functools.partial(note, 1.0)

    def f(x):
        y = x * log[0]
        np.apply_along_axis(given, 0, np.ones((2, 2)))
        return np.sum(y * y * log[0])

    return f, log


def by_a_partial_made_inside():
    log, note = noting()

    def f(x):
        y = x * log[0]
        np.apply_along_axis(functools.partial(note, 1.0), 0, np.ones((2, 2)))
        return np.sum(y * y * log[0])

    return f, log


def by_a_partial_with_a_name():
    log, note = noting()
    given = functools.partial(note, v=np.ones(2))

    def f(x):
        y = x * log[0]
        np.vectorize(given)(np.ones(2))
        return np.sum(y * y * log[0])

    return f, log


def by_one_of_a_list():
    log, note = noting()
    given = functools.partial(note, 1.0)

    def f(x):
        y = x * log[0]
        np.piecewise(np.ones(2), [np.array([True, True])], [given])
        return np.sum(y * y * log[0])

    return f, log


def by_a_custom_gradient():
    log, note = noting()

    @tl.custom_gradient
    def total(v):
        return note(1.0, v), lambda y_bar: y_bar * np.ones(2)

    def f(x):
        y = x * log[0]
        np.apply_along_axis(total, 0, np.ones((2, 2)))
        return np.sum(y * y * log[0])

    return f, log


def by_a_key_of_max():
    log, note = noting()

    def f(x):
        y = x * log[0]
        k = max([1, 2], key=lambda v: note(1.0, v))
        return np.sum(y * y * log[0]) * k

    return f, log


def in_a_loop():
    log, note = noting()
    given = functools.partial(note, 0.5)

    def f(x):
        y = np.sum(x * x)
        for _ in range(2):
            y = y * log[0]
            np.apply_along_axis(given, 0, np.ones((2, 2)))
            y = y * y
        return y

    return f, log


def by_a_method_that_only_reads():
    counter = Counter()

    def f(x):
        w = np.apply_along_axis(counter.weighted, 0, np.ones((2, 3)))
        return np.sum(x * x * w * counter.n)

    return f, counter


def by_map_at_once():
    log, note = noting()

    def f(x):
        y = x * log[0]
        for k in map(functools.partial(note, 1.0), [1.0, 2.0]):
            y = y * k * log[0]
        y = y * sum(map(lambda v: note(1.0, v), [1.0, 2.0])) * log[0]
        kept = list(filter(lambda v: note(1.0, v) > 1.0, [1.0, 2.0]))
        return np.sum(y * y * log[0]) * kept[0]

    return f, log


RIGHT = [
    by_a_partial_kept_outside, by_a_partial_made_inside, by_a_partial_with_a_name, by_one_of_a_list,
    by_a_custom_gradient, by_map_at_once, by_a_key_of_max, in_a_loop, by_a_method_that_only_reads,
]  # fmt: skip


@pytest.mark.parametrize("make", RIGHT)
def test_what_it_changes_is_undone(make):
    check(make)
    tl.testing.check_replay(make()[0], X)


def by_a_method():
    counter = Counter()

    def f(x):
        y = x * counter.n
        np.apply_along_axis(counter.note, 0, np.ones((2, 2)))
        return np.sum(y * y * counter.n)

    return f, counter


def by_a_method_of_what_is_made_here():
    def f(x):
        counter = Counter()
        y = x * counter.n
        np.apply_along_axis(counter.note, 0, np.ones((2, 2)))
        return np.sum(y * y * counter.n)

    return f, None


def by_a_vectorized_method():
    counter = Counter()

    def f(x):
        y = x * counter.n
        each = np.vectorize(counter.note)
        each(np.ones(2))
        return np.sum(y * y * counter.n)

    return f, counter


def by_an_object_that_is_called():
    counter = Called()

    def f(x):
        y = x * counter.n
        np.apply_along_axis(counter, 0, np.ones((2, 2)))
        return np.sum(y * y * counter.n)

    return f, counter


def by_a_method_as_a_key():
    counter = Counter()

    def f(x):
        y = x * counter.n
        k = max([1, 2], key=counter.note)
        return np.sum(y * y * counter.n) * k

    return f, counter


OBJECTS = [
    by_a_method, by_a_method_of_what_is_made_here, by_a_vectorized_method,
    by_an_object_that_is_called, by_a_method_as_a_key,
]  # fmt: skip


@pytest.mark.parametrize("make", OBJECTS)
def test_an_object_that_is_changed_unseen_is_refused(make):
    f, state = make()
    before = held(state)
    for attempt in (lambda: tl.grad(f)(X), lambda: tl.vjp(f, X)):
        with pytest.raises(tl.TapelessError, match="is not looked into") as caught:
            attempt()
        assert caught.value.filename == __file__
    assert same(held(state), before)


def by_a_map_that_is_kept():
    log, note = noting()

    def f(x):
        y = np.sum(x) * log[0]
        kept = map(lambda v: note(1.0, v), [1.0, 2.0])
        for _ in kept:
            y = y * log[0]
        return y * log[0]

    return f, log


def by_a_map_that_waits():
    log, note = noting()

    def f(x):
        y = np.sum(x) * log[0]
        kept = map(lambda v: note(1.0, v), [1.0, 2.0])
        y = y * log[0]
        for _ in kept:
            y = y * log[0]
        return y * log[0]

    return f, log


def by_an_enumerated_map():
    log, note = noting()

    def f(x):
        y = np.sum(x) * log[0]
        for _, k in enumerate(map(lambda v: note(1.0, v), [1.0, 2.0])):
            y = y * k * log[0]
        return y * log[0]

    return f, log


def by_a_filter_that_is_kept():
    log, note = noting()

    def f(x):
        y = np.sum(x) * log[0]
        kept = filter(lambda v: note(1.0, v) > 0.0, [1.0, 2.0])
        for k in kept:
            y = y * k * log[0]
        return y * log[0]

    return f, log


@pytest.mark.parametrize(
    "make", [by_a_map_that_is_kept, by_a_filter_that_is_kept, by_an_enumerated_map]
)
def test_what_is_used_right_away_is_undone(make):
    gradients = []
    for derive in (lambda f: tl.grad(f)(X), lambda f: tl.vjp(f, X)[1](1.0)[0]):
        (f, state), (plain, wanted) = make(), make()
        plain(X)
        gradients.append(derive(f))
        assert same(held(state), held(wanted))
    slope = (make()[0](X + 1e-3) - make()[0](X - 1e-3)) / 2e-3
    for found in gradients:
        np.testing.assert_allclose(np.sum(found), slope)
    f, _ = make()
    check_replay(f, X)


@pytest.mark.parametrize("make", [by_a_map_that_waits])
def test_what_is_called_trip_by_trip_changes_nothing(make):
    f, state = make()
    before = held(state)
    for attempt in (lambda: tl.grad(f)(X), lambda: tl.jvp(f, (X,), (X,))):
        with pytest.raises(tl.GradientError, match="which changes what is outside it") as caught:
            attempt()
        assert caught.value.filename == __file__
    assert same(held(state), before)


STORED = np.array([1.0, 2.0])
SEEN = [0.0]


def stores_outside(p):
    STORED[0] = 5.0
    return p


def keeps_what_it_is_given(p):
    SEEN[0] = p
    return p


@pytest.mark.parametrize("choose", [max, min, sorted])
def test_what_a_key_stores_outside_is_undone(choose):
    def f(x):
        w = STORED * x
        choose([x, 2.0 * x], key=stores_outside)
        return np.sum(w * x) + STORED[0] * x

    STORED[0] = 1.0
    assert tl.grad(f)(1.5) == 2.0 * 3.0 * 1.5 + 5.0
    STORED[0] = 1.0
    assert tl.jvp(f, (1.5,), (1.0,)) == (3.0 * 1.5**2 + 5.0 * 1.5, 14.0)
    STORED[0] = 1.0


@pytest.mark.parametrize("choose", [max, min, sorted])
def test_keys_that_keep_what_varies_outside_are_refused(choose):
    def f(x):
        choose([x, 2.0 * x], key=keeps_what_it_is_given)
        return x * SEEN[0]

    for attempt in (lambda: tl.grad(f)(1.5), lambda: tl.jvp(f, (1.5,), (1.0,))):
        with pytest.raises(tl.GradientError, match="may store into what it is given"):
            attempt()


FACTOR = 2.0


def counts(p):
    global FACTOR
    FACTOR += 1.0
    return p


class Counts:
    def __call__(self, p):
        return counts(p)


def scaled_and_scaled_again(call):
    def f(x):
        y = FACTOR * x * x
        call(x)
        return y * y * FACTOR

    return f


@pytest.mark.parametrize(
    "call",
    [
        lambda x: max([0.5, x], key=counts),
        lambda x: min([0.5, x], key=functools.partial(counts)),
        lambda x: sorted([0.5, x], key=Counts()),
        lambda x: max([0.5, x], key=lambda p: counts(p)),
        lambda x: np.vectorize(counts)(np.ones(2)),
        lambda x: np.apply_along_axis(counts, 0, np.ones((2, 2))),
    ],
)
def test_globals_that_are_bound_anew_by_what_may_be_called_are_not_read(call):
    f, before = scaled_and_scaled_again(call), FACTOR
    for attempt in (lambda: tl.grad(f)(0.7), lambda: tl.jvp(f, (0.7,), (1.0,))):
        with pytest.raises(tl.GradientError, match="binds the global `FACTOR` anew"):
            attempt()
    assert before == FACTOR


def test_a_global_that_nobody_reads_may_be_bound_anew():
    def f(x):
        return max([0.5, x], key=counts) * x

    assert tl.grad(f)(0.7) == 1.4


def test_names_of_a_scope_that_are_bound_anew_are_not_read():
    n = 1.0

    def count(p):
        nonlocal n
        n += 1.0
        return p

    def f(x):
        y = n * x * x
        max([0.5, x], key=count)
        return y * n

    with pytest.raises(tl.GradientError, match="binds the name `n` anew"):
        tl.grad(f)(0.7)


class Settings:
    scale = 2.0

    def __init__(self):
        self.own = 1.0

    def __repr__(self):
        return f"{counts(1)}"

    def __lt__(self, other):
        return counts(1) < other.own


def counts_in_a_class(p):
    Settings.scale += 1.0
    return p


def counts_by_setattr(p):
    setattr(Settings, "scale", Settings.scale + 1.0)  # noqa: B010
    return p


def counts_by_globals(p):
    globals()["FACTOR"] += 1.0
    return p


def counts_in_an_object(p):
    SETTINGS.own = SETTINGS.own + 1.0
    return p


SETTINGS = Settings()


def reads_the_class(key):
    def f(x):
        y = Settings.scale * x * x
        max([0.5, x], key=key)
        return y * Settings.scale * y

    return f


def reads_through_an_object(key):
    def f(x):
        y = SETTINGS.scale * x * x
        max([0.5, x], key=key)
        return y * SETTINGS.scale * y

    return f


@pytest.mark.parametrize("make", [reads_the_class, reads_through_an_object])
@pytest.mark.parametrize("key", [counts_in_a_class, counts_by_setattr])
def test_attributes_of_classes_that_may_be_bound_anew_are_not_read(make, key):
    f, before = make(key), Settings.scale
    for attempt in (lambda: tl.grad(f)(0.7), lambda: tl.jvp(f, (0.7,), (1.0,))):
        with pytest.raises(tl.GradientError, match="bind the attribute `scale`"):
            attempt()
    assert before == Settings.scale


def test_an_attribute_of_an_object_that_its_class_has_not():
    def f(x):
        y = x * x
        max([0.5, x], key=counts_in_an_object)
        return y * Settings.scale

    assert tl.grad(f)(0.7) == 1.4 * Settings.scale


def by_a_text_of_an_object(x):
    y = FACTOR * x
    return y * len(f"{SETTINGS}") * FACTOR


def by_the_order_of_objects(x):
    y = FACTOR * x
    sorted([Settings(), Settings()])
    return y * FACTOR


def by_a_custom_gradient_inside(x):
    @tl.custom_gradient
    def square(x):
        counts(1.0)
        return x * x, lambda g: 2.0 * g * x

    return square(x) * FACTOR


def by_globals_that_are_asked_for(x):
    y = FACTOR * x
    max([0.5, x], key=counts_by_globals)
    return y * FACTOR


@pytest.mark.parametrize(
    "f",
    [
        by_a_text_of_an_object,
        by_the_order_of_objects,
        by_a_custom_gradient_inside,
        by_globals_that_are_asked_for,
    ],
)
def test_globals_that_are_bound_anew_unseen_are_not_read(f):
    before = FACTOR
    for attempt in (lambda: tl.grad(f)(0.7), lambda: tl.jvp(f, (0.7,), (1.0,))):
        with pytest.raises(tl.GradientError, match="`FACTOR`"):
            attempt()
    assert before == FACTOR
