"""Sums and means over rows in chunks: on threads and a cluster, out of core, with a worker killed."""

import collections
import os
import signal
import time

import numpy as np
import pytest

import tapeless as tl
from tests.laws import float_leaves

dask = pytest.importorskip("dask", reason="Dask is not installed")
pytest.importorskip("distributed", reason="distributed is not installed")

import dask.array as da  # noqa: E402
import dask.bag as db  # noqa: E402
import distributed  # noqa: E402

from tapeless.interop.dask import value_and_grad  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
Weights = collections.namedtuple("Weights", "slope offset")


def logistic(w, x, y):
    z = x @ w["slope"] + w["offset"]
    return np.sum(np.logaddexp(0.0, z) - y * z)


def logistic_mean(w, x, y):
    z = x @ w["slope"] + w["offset"]
    return np.mean(np.logaddexp(0.0, z) - y * z) + 0.1 * np.sum(w["slope"] ** 2)


def squares(w, records):
    total = 0.0
    for record in records:
        total += (w[0] * record["x"] + w[1] - record["y"]) ** 2
    return total


W = {"slope": np.linspace(-1.0, 1.0, 5), "offset": 0.3}
X = np.random.default_rng(0).normal(size=(101, 5))
Y = (X[:, 0] > 0).astype(float)


def agree(found, wanted, tolerance=1e-12):
    assert found[0] == pytest.approx(wanted[0], rel=tolerance)
    pairs = list(zip(float_leaves(found[1]), float_leaves(wanted[1]), strict=True))
    assert pairs
    for a, b in pairs:
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
        assert np.shape(a) == np.shape(b)


@pytest.mark.parametrize("loss", [logistic, logistic_mean])
def test_arrays(loss):
    f = value_and_grad(loss, over=("x", "y"), mean=loss is logistic_mean)
    wanted = tl.value_and_grad(loss)(W, X, Y)
    # 100 rows and a last chunk of one, which is another kind of array; other chunks for y
    x, y = da.from_array(X, chunks=(20, 2)), da.from_array(Y, chunks=33)
    agree(f(W, x, y), wanted)
    agree(f(W, y=y, x=x), wanted)
    # sizes that are not known, with chunks that turn out to be empty
    kept = x.rechunk((20, -1))[da.from_array(X[:, 1] > 0.5, chunks=20)]
    wanted = tl.value_and_grad(loss)(W, X[X[:, 1] > 0.5], Y[X[:, 1] > 0.5])
    agree(f(W, kept, y.rechunk(20)[da.from_array(X[:, 1] > 0.5, chunks=20)]), wanted)


def test_delayed_chunks():
    f = value_and_grad(logistic_mean, over=("x", "y"), mean=True)
    bounds = [0, 0, 40, 41, 101]
    xs = [dask.delayed(X[i:j]) for i, j in zip(bounds, bounds[1:])]
    ys = [dask.delayed(Y[i:j]) for i, j in zip(bounds, bounds[1:])]
    agree(f(W, xs, ys), tl.value_and_grad(logistic_mean)(W, X, Y))
    with pytest.raises(ValueError, match=r"chunks that belong together have \[1, 40\] rows"):
        f(W, xs[1:], [ys[1], ys[1], ys[3]])


def test_bags():
    records = [{"x": float(i), "y": 2.0 * i} for i in range(50)]
    bag = db.from_sequence(records, npartitions=12).filter(lambda r: r["x"] >= 10.0)
    w = Weights(1.5, 0.5)
    found = value_and_grad(squares, over="records")(w, bag)
    agree(found, tl.value_and_grad(squares)(w, records[10:]))
    assert type(found[1]) is Weights


def test_a_captured_value_is_the_one_at_the_call(monkeypatch):
    f = value_and_grad(scaled, over="x")
    x = da.from_array(X[:, 0], chunks=30)
    assert f(2.0, x)[1] == pytest.approx(np.sum(X[:, 0]))
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert f(2.0, x)[1] == pytest.approx(3.0 * np.sum(X[:, 0]))


SCALE = 1.0


def scaled(w, x):
    return SCALE * np.sum(w * x)


def test_what_does_not_fit_is_refused():
    x, y = da.ones((6, 5), chunks=(2, 5)), da.ones(6, chunks=3)
    with pytest.raises(tl.GradientError, match="'z' in over= is not a parameter of 'logistic'"):
        value_and_grad(logistic, over=("x", "z"))
    with pytest.raises(tl.GradientError, match="'x' comes in chunks, and a gradient"):
        value_and_grad(logistic, wrt=("w", "x"), over="x")
    with pytest.raises(tl.GradientError, match="over= names no parameter"):
        value_and_grad(logistic, over=())
    with pytest.raises(tl.GradientError, match="'y' is in Dask .Array., and not in over="):
        value_and_grad(logistic, over="x")(W, x, y)
    f = value_and_grad(logistic, over=("x", "y"))
    with pytest.raises(tl.GradientError, match="'x' comes in chunks, and ndarray is none"):
        f(W, X, Y)
    with pytest.raises(tl.GradientError, match="'x' has 3, 'y' has 1"):
        f(W, x, [dask.delayed(np.ones(6))])
    with pytest.raises(tl.GradientError, match="of 0 dimensions"):
        f(W, x, da.ones(()))
    with pytest.raises(ValueError, match="there are no rows"):
        f(W, x[:0], y[:0])


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit=LIMIT, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as made:
        yield made


LIMIT = 256 * 2**20


def test_a_regression_larger_than_the_memory_of_a_worker(client):
    x = da.random.default_rng(0).random((1_700_000, 20), chunks=(100_000, 20))
    assert x.nbytes > LIMIT
    y = (x[:, 0] > 0.5).astype(float)
    w = {"slope": np.linspace(-1.0, 1.0, 20), "offset": 0.3}
    before = client.run(os.getpid)
    found = value_and_grad(logistic_mean, over=("x", "y"), mean=True)(w, x, y)
    assert client.run(os.getpid) == before
    with dask.config.set(scheduler="synchronous"):
        numbers = x.compute()
    in_one = tl.value_and_grad(logistic_mean)(w, numbers, (numbers[:, 0] > 0.5).astype(float))
    agree(found, in_one)
    assert not any(client.run(eval, "'tapeless' in __import__('sys').modules").values())


def test_a_worker_that_is_killed_loses_nothing(client):
    def slowly(block):
        time.sleep(0.05)
        return block

    x = da.from_array(X[:100], chunks=(4, 5)).map_blocks(slowly, dtype=float)
    y = da.from_array(Y[:100], chunks=4)
    made = client.compute(value_and_grad(logistic, over=("x", "y")).delayed(W, x, y))
    while client.run_on_scheduler(finished) < 10:
        time.sleep(0.02)
    pids = client.run(os.getpid)
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    assert not made.done()
    agree(made.result(timeout=60), tl.value_and_grad(logistic)(W, X[:100], Y[:100]))
    assert set(client.run(os.getpid).values()) != set(pids.values())


def finished(dask_scheduler):
    return sum(task.state == "memory" for task in dask_scheduler.tasks.values())
