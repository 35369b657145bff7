"""One gradient serves arrays of any size: what a slice leaves may have one entry, and is then repeated."""

import numpy as np
import pytest

import tapeless as tl

SIZES = (9, 20, 3, 8, 7, 2, 1, 0, 4, 9)


def stencil(u, alpha):
    u = u.copy()
    for _ in range(3):
        u[1:-1] = u[1:-1] + 0.1 * alpha[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**3)


def strided(u, alpha):
    return np.sum(np.sin(u[::2]) * np.mean(alpha[1:])) + np.sum(u[-3:] * alpha[:1])


def centred(u, alpha):
    rows = u[:, None] * alpha[None, :]
    return np.sum(np.tanh(rows - np.sum(rows, axis=1, keepdims=True)) * alpha[:, None])


@pytest.mark.parametrize("f", [stencil, strided, centred])
def test_sizes_of_axes(f):
    gradient, rng = tl.grad(f, wrt=(0, 1)), np.random.default_rng(0)
    for size in SIZES:
        if f is strided and size < 2:
            continue  # the mean of nothing
        args = [rng.normal(size=size) for _ in range(2)]
        directions = [rng.normal(size=size) for _ in range(2)]

        def along(t, args=args, directions=directions):
            return f(*[x + t * d for x, d in zip(args, directions, strict=True)])

        bars = gradient(*args)
        slope = sum(bar @ d for bar, d in zip(bars, directions, strict=True))
        assert np.isclose(slope, (along(1e-5) - along(-1e-5)) / 2e-5, rtol=1e-6, atol=1e-7)


def test_what_is_sent_along_serves_short_arrays_too():
    long, short = (np.linspace(0.1, 1.0, n) for n in (20, 3))
    sent = tl.standalone(tl.grad(stencil, wrt=(0, 1)), like=(long, long))
    for got, wanted in zip(
        sent(short, short), tl.grad(stencil, wrt=(0, 1))(short, short), strict=True
    ):
        assert np.array_equal(got, wanted)


def test_nothing_is_summed_where_a_stencil_leaves_more_than_one_entry():
    long = np.ones(20)
    assert "unbroadcast" not in tl.source(stencil, wrt=(0, 1), like=(long, long))


def spread_over_an_axis(x, w, at):
    total = np.zeros(len(x))
    np.add.at(total, at, x[at] * w)
    return np.sum(total**2)


def one_for_many(x, w, at):
    total = np.zeros(len(x))
    np.add.at(total, at, w[:1])
    return np.sum(total**2 * x)


def cyclic(x, w, at):
    corners = x[at][:, None] * np.array([1.0, 2.0, 3.0])
    sides = corners[:, [1, 2, 0]] - corners[:, [2, 0, 1]]
    return np.sum(np.sin(sides) * corners) * w[0]


def by_a_list_that_grows(x, w, at):
    places = [0]
    for k in range(1, 3):
        places.append(k)
    return np.sum(np.sin(x[places]) * x[at][:3]) + np.sum(w)


@pytest.mark.parametrize("f", [spread_over_an_axis, one_for_many, cyclic, by_a_list_that_grows])
def test_sizes_of_gathered_entries(f):
    gradient, rng = tl.grad(f, wrt=(0, 1)), np.random.default_rng(0)
    for size, count in [(9, 9), (4, 12), (5, 1), (5, 3)]:
        x, at = rng.normal(size=size), rng.integers(0, size, size=count)
        for w in (rng.normal(size=count), rng.normal(size=1)):
            tl.check_grads(f, x, w, at)
            bars = gradient(x, w, at)
            assert [bar.shape for bar in bars] == [x.shape, w.shape]


def test_text_of_gathered_entries():
    x, w, at = np.ones(9), np.ones(12), np.arange(12) % 9
    for f in (spread_over_an_axis, cyclic):
        assert "unbroadcast" not in tl.source(f, wrt=(0, 1), like=(x, w, at))
