"""Long loops: the gradient of `checkpoint_loop` is that of the loop, with little kept."""

import tracemalloc

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import GradientError
from tapeless.runtime import steps_run_again
from tapeless.testing import check_grads, check_replay
from tests import laws
from tests.solvers.long_loops import (
    PROGRAMS,
    K,
    Model,
    State,
    U,
    into_its_state,
    of_a_custom_gradient,
    of_dicts_in_place,
    of_objects_in_place,
    plain_loop,
    smooth,
    unchanged,
)


def gradients(f):
    return tl.grad(f, wrt=(0, 1))(U.copy(), K.copy())


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_the_loop_written_out(name):
    f, g = PROGRAMS[name](tl.checkpoint_loop), PROGRAMS[name](plain_loop)
    assert f(U.copy(), K.copy()) == g(U.copy(), K.copy())
    for mine, other in zip(gradients(f), gradients(g), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-13)
    check_grads(f, U, K, order=1)
    check_replay(f, U.copy(), K.copy())


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_pullback_may_be_called_again(name):
    f = PROGRAMS[name](tl.checkpoint_loop)
    _, pullback = tl.vjp(f, U, K)
    for _ in range(2):
        for mine, other in zip(pullback(1.0), gradients(f), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-13)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", PROGRAMS)
def test_second_order(name):
    f, g = PROGRAMS[name](tl.checkpoint_loop), PROGRAMS[name](plain_loop)
    np.testing.assert_allclose(tl.hessian(f)(U, K), tl.hessian(g)(U, K), rtol=1e-10, atol=1e-12)


def test_all_laws():
    laws.check_function(lambda u: np.sum(tl.checkpoint_loop(smooth, u, 6, K) ** 2), (U,))


@pytest.mark.parametrize("n", [*range(13), 17, 23, 31, 40])
def test_for_every_number_of_snapshots(n):
    def f(u, k, snapshots):
        return np.sum(tl.checkpoint_loop(smooth, u, n, k / 10.0, snapshots=snapshots) ** 2)

    def g(u, k):
        return np.sum(plain_loop(smooth, u, n, k / 10.0) ** 2)

    wanted = tl.grad(g, wrt=(0, 1))(U, K)
    mine = tl.grad(f, wrt=(0, 1))
    for snapshots in (None, *range(1, n + 2)):
        u_bar, k_bar = mine(U, K, snapshots)
        np.testing.assert_array_equal(u_bar, wanted[0])
        np.testing.assert_allclose(k_bar, wanted[1], rtol=1e-14)


RUNS = []


def logged(u, i, k):
    RUNS.append(i)
    return u + 0.01 * k * np.cos(u)


@pytest.mark.parametrize(
    "n, snapshots", [(1, 1), (2, 1), (7, 1), (10, 3), (40, 5), (41, 40), (100, 6)]
)
def test_the_step_runs_as_often_as_the_theory_says(n, snapshots):
    def f(u):
        return np.sum(tl.checkpoint_loop(logged, u, n, 0.5, snapshots=snapshots))

    RUNS.clear()
    tl.grad(f)(U)
    assert len(RUNS) == n + 1 + steps_run_again(n, snapshots)


def test_four_runs_by_default():
    def f(u, n):
        return np.sum(tl.checkpoint_loop(logged, u, n, 0.5))

    slope = tl.grad(f)
    for n in (1, 5, 50, 500):
        RUNS.clear()
        slope(U, n)
        assert len(RUNS) <= 4 * n


def heat(u, i, k):
    new = u.copy()
    new[1:-1, 1:-1] += k * (
        u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
    ) - 0.001 * np.sin(u[1:-1, 1:-1])
    return new


@pytest.mark.parametrize("n", [50, 400])
def test_few_fields_are_kept(n):
    def f(u, k, snapshots):
        return np.sum(tl.checkpoint_loop(heat, u, n, k, snapshots=snapshots) ** 2)

    u = np.random.default_rng(0).normal(size=(100, 100))
    slope = tl.grad(f)
    slope(u[:9, :9], 0.1, 2)
    for snapshots in (2, 10):
        tracemalloc.start()
        slope(u, 0.1, snapshots)
        peak = tracemalloc.get_traced_memory()[1] / u.nbytes
        tracemalloc.stop()
        assert peak <= snapshots + 25, (snapshots, peak)


def sum_of_objects(u, k, n):
    return np.sum(tl.checkpoint_loop(of_objects_in_place, State(u, k), n, k, snapshots=3).u)


def sum_of_dicts(u, k, n):
    return np.sum(tl.checkpoint_loop(of_dicts_in_place, {"u": u, "v": k}, n, k, snapshots=3)["u"])


@pytest.mark.parametrize("f", [sum_of_objects, sum_of_dicts])
def test_adjoints_of_a_step_are_let_go(f):
    u = np.linspace(0.1, 0.2, 20_000)
    slope = tl.grad(f)
    slope(u, 1.0 * u, 2)
    peaks = []
    for n in (80, 320):
        tracemalloc.start()
        slope(u, 1.0 * u, n)
        peaks.append(tracemalloc.get_traced_memory()[1] / u.nbytes)
        tracemalloc.stop()
    assert peaks[1] <= peaks[0] + 1, peaks


def test_custom_gradients_count():
    f, g = of_a_custom_gradient(tl.checkpoint_loop), of_a_custom_gradient(plain_loop)
    np.testing.assert_allclose(gradients(f), gradients(g), rtol=1e-14)


WEIGHT = tl.Variable([0.5, 0.7, 0.9, 1.1, 1.3], name="WEIGHT")


def of_a_variable(u, i):
    return u + 0.1 * WEIGHT * np.sin(u)


def test_variables_get_gradients():
    found = [
        tl.grad(lambda u, loop=loop: np.sum(loop(of_a_variable, u, 5) ** 2), variables=[WEIGHT])(U)
        for loop in (tl.checkpoint_loop, plain_loop)
    ]
    for mine, other in zip(*([x, *w] for x, w in found), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-14)
    assert np.all(found[0][1][0] != 0.0)


def test_objects_that_are_arguments():
    def f(u, model, loop):
        return np.sum(loop(model.step, u, 5) ** 2)

    slope = tl.grad(f, wrt=(0, 1))
    mine, other = (slope(U, Model(K), loop) for loop in (tl.checkpoint_loop, plain_loop))
    np.testing.assert_allclose(mine[0], other[0], rtol=1e-14)
    np.testing.assert_allclose(mine[1].k, other[1].k, rtol=1e-14)


def test_single_precision():
    def f(u, k):
        return np.sum(tl.checkpoint_loop(smooth, u, 20, k) ** 2)

    u_bar, k_bar = tl.grad(f, wrt=(0, 1))(U.astype("f4"), np.float32(0.1))
    assert u_bar.dtype == np.float32 and k_bar.dtype == np.float32
    wanted = tl.grad(f, wrt=(0, 1))(U, 0.1)
    np.testing.assert_allclose(u_bar, wanted[0], rtol=1e-5)
    np.testing.assert_allclose(k_bar, wanted[1], rtol=1e-5)


def test_arguments_are_left_as_they_are():
    u, k = U.copy(), K.copy()

    def f(u, k):
        return np.sum(tl.checkpoint_loop(into_its_state, u, 7, k))

    assert f(u, k) == tl.value_and_grad(f)(u, k)[0]
    np.testing.assert_array_equal(u, U)
    y = tl.checkpoint_loop(unchanged, u, 0)
    assert not np.shares_memory(y, u)


def test_it_is_sent_along():
    made = tl.standalone(tl.grad(PROGRAMS["smooth"](tl.checkpoint_loop)), like=(U, K))
    np.testing.assert_array_equal(made(U, K), gradients(PROGRAMS["smooth"](tl.checkpoint_loop))[0])
    assert "import tapeless" not in made.text


# What is refused

COUNT = {"n": 0}


def drawing(u, i):
    return u * np.random.normal()


def counting(u, i):
    COUNT["n"] += 1
    return u * COUNT["n"]


def storing(u, i, k):
    k[0] = u[0]
    return u * k


def of_another_form(u, i):
    return u, u


def with_another_key(s, i):
    return {"a": s["a"], "b": s["a"]}


def of_lists(s, i):
    return [2.0 * s[0]]


@pytest.mark.parametrize(
    "step, start, args, reason",
    [
        (drawing, lambda u: u, (), "'drawing' draws random numbers, so checkpoint_loop cannot"),
        (counting, lambda u: u, (), "'counting' uses state outside its arguments that it changes"),
        (storing, lambda u: u, (K,), "'storing' stores into its arguments"),
        (of_another_form, lambda u: u, (), "returns a state of another form than it is given"),
        (with_another_key, lambda u: {"a": u}, (), "returns a state of another form"),
        (of_lists, lambda u: [u], (), "what the state of this loop holds is not known here"),
    ],
)
def test_refusals(step, start, args, reason):
    def f(u):
        y = tl.checkpoint_loop(step, start(u), 5, *args)
        return np.sum(y)

    with pytest.raises(GradientError, match=reason) as caught:
        tl.grad(f)(U)
    assert caught.value.lineno == f.__code__.co_firstlineno + 1


def with_noise(u, i, noise):
    return u * noise[i]


def with_its_count(s, i):
    u, n = s
    return u * n, n + 1.0


def storing_into_a_copy(u, i, k):
    k = k.copy()
    k[0] = u[0]
    return u * k


def of_items(s, i):
    return (2.0 * s[0],)


@pytest.mark.parametrize(
    "step, start, args",
    [
        (with_noise, lambda u: u, (np.linspace(0.5, 1.5, 5),)),
        (with_its_count, lambda u: (u, 1.0), ()),
        (of_items, lambda u: (u,), ()),
    ],
)
def test_ways_out(step, start, args):
    def f(u):
        y = tl.checkpoint_loop(step, start(u), 5, *args)
        return np.sum(y if isinstance(y, np.ndarray) else y[0])

    check_grads(f, U, order=2)


def test_a_copy_that_is_stored_into():
    def f(u):
        return np.sum(tl.checkpoint_loop(storing_into_a_copy, u, 5, K))

    check_grads(f, U, order=1)
    step = 1e-6 * K
    expected = (tl.grad(f)(U + step) - tl.grad(f)(U - step)) / 2e-6
    np.testing.assert_allclose(tl.hvp(f)(U, K), expected, rtol=1e-6, atol=1e-8)
    with pytest.raises(GradientError, match="shows entries of an array that is stored into"):
        tl.grad(lambda u: np.sum(tl.grad(f)(u) * K))(U)


def test_no_snapshots():
    with pytest.raises(ValueError, match="a loop needs at least 1 snapshot, not 0"):
        tl.grad(lambda u: np.sum(tl.checkpoint_loop(smooth, u, 3, K, snapshots=0)))(U)
