"""What is refused of iterators, generators, queues and draws, with its place; what caches keep."""

import copy
import functools
import itertools
from collections import deque

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, 1.5, -0.7])


def squares(x):
    for v in x:
        yield v * v


def endless(x):
    k = 0
    while True:
        yield x[0] * k
        k += 1


def kept_generator(x):
    kept = {"g": squares(x)}
    return next(kept["g"])


def left_generator(x):
    s = 0.0
    for v in squares(x):
        if v > 1:
            break
        s += v
    return s


def changed_under_a_generator(x):
    items = [x[0], x[1]]
    s = 0.0
    for v in squares(items):
        items[1] = x[2]
        s += v
    return s


def generator_with_effects(x):
    log = []

    def gen():
        for v in x:
            log.append(v)
            yield v * v

    s = 0.0
    for v in gen():
        s += v + log[-1]
    return s


def endless_in_zip(x):
    s = 0.0
    for a, b in zip(endless(x), [1.0, 2.0]):
        s += a * b
    return s


def maybe_endless(x):
    k = 0.0
    while k < 1.0 / x[0]:
        yield x[0] * k
        k += 1.0


def maybe_endless_in_zip(x):
    s = 0.0
    for a, b in zip(maybe_endless(x), [1.0, 2.0]):
        s += a * b
    return s


def kept_iterator(x):
    both = itertools.chain(x, x)
    s = 0.0
    for v in both:
        s += v
    for v in both:
        s += v
    return s


def changed_under_an_iterator(x):
    items = [x[0]]
    s = 0.0
    for v in itertools.chain(items, [x[1]]):
        s += v * v
        if len(items) < 3:
            items.append(x[2])
    return s


def changed_beside_an_iterator(x):
    items = [x[0], x[1]]
    s = 0.0
    for i, v in zip(range(2), itertools.accumulate(items), strict=True):
        items[1] = x[2]
        s += i * v
    return s


def drawn_from_gamma(x):
    return np.random.default_rng(3).gamma(x[1], 2.0) * x[0]


def poisson(x):
    return np.random.poisson(x[1]) * x[0]


@pytest.mark.parametrize("f", [left_generator, changed_under_a_generator, generator_with_effects])
def test_generators_in_step(f):
    tl.check_grads(f, X, order=2, replay=True)


def shared_in_depth(x):
    rows = [[x[0]] * 2] * 2
    made = copy.deepcopy(rows)
    made[0][0] = x[1]
    return made[1][0] * 2.0


@pytest.mark.parametrize("mode", ["grad", "jvp"])
@pytest.mark.parametrize(
    ("function", "reason", "line"),
    [
        (kept_generator, "the generator 'squares' is not used up", "squares(x)}"),
        (endless_in_zip, "the generator 'endless' has no end", "zip(endless(x)"),
        (maybe_endless_in_zip, "the generator 'maybe_endless' may be left", "zip(maybe_endless(x)"),
        (kept_iterator, "it is not used up where it is written", "both = itertools.chain"),
        (changed_under_an_iterator, "the loop changes what it reads", "in itertools.chain(items"),
        (changed_beside_an_iterator, "may change what it reads", "itertools.accumulate(items)"),
        (drawn_from_gamma, "no gradient for", ".gamma(x[1], 2.0)"),
        (poisson, "no gradient for numpy.random.poisson", "np.random.poisson(x[1])"),
    ],
)
def test_refused_with_the_line(function, reason, line, mode):
    with pytest.raises(tl.TapelessError) as error:
        tl.grad(function)(X) if mode == "grad" else tl.jvp(function, (X,), (X,))
    assert reason in str(error.value).replace(".mtrand", "")  # as NumPy 2.0 names its module
    assert line in str(error.value)
    assert "fix: " in str(error.value)


def test_a_deep_copy_of_what_is_shared_is_refused_when_it_runs():
    with pytest.raises(tl.TapelessError, match="stands in two places of what is copied in depth"):
        tl.grad(shared_in_depth)(X)


def test_a_generator_function_itself_is_refused():
    with pytest.raises(tl.TapelessError, match="generator functions cannot be differentiated"):
        tl.grad(squares)(X)


@functools.cache
def cached(v):
    return v * v


def test_a_derivative_leaves_nothing_in_a_cache():
    cached.cache_clear()
    assert tl.grad(lambda v: cached(v) * 2.0)(3.0) == 12.0
    assert tl.jvp(lambda v: cached(v) * 2.0, (3.0,), (1.0,)) == (18.0, 12.0)
    assert cached.cache_info().currsize == 0


def test_a_derivative_finds_nothing_stale_in_a_cache():
    assert cached(2.0) == 4.0
    assert tl.grad(cached_twice)(2.0) == 32.0


def cached_twice(v):
    return cached(cached(v))


def queue_length(x):
    q = deque([x[0], x[1]], maxlen=5)
    q.append(x[2])
    return q[0] * len(q)


def test_the_text_of_a_queue_is_that_of_a_list():
    text = tl.source(queue_length, like=[X])
    assert "deque" not in text
    assert tl.grad(queue_length)(X).tolist() == [3.0, 0.0, 0.0]


def noisy(rng, mean, spread):
    return rng.normal(mean, spread) ** 2


def test_a_draw_is_made_once_and_is_the_one_of_a_plain_call():
    plain, ours = np.random.default_rng(0), np.random.default_rng(0)
    y, (mean_bar, spread_bar) = tl.value_and_grad(noisy, wrt=(1, 2))(ours, 0.3, 2.0)
    draw = plain.normal(0.3, 2.0)
    assert y == draw**2
    assert ours.random() == plain.random()
    np.testing.assert_allclose([mean_bar, spread_bar], [2 * draw, draw * (draw - 0.3)])
