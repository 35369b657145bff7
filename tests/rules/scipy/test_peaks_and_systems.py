"""Peaks, waveforms and linear systems of `scipy.signal`, in programs."""

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is not installed")

from scipy import signal  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError, NoGradientError  # noqa: E402
from tapeless.rules.declare import find_written  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

rng = np.random.default_rng(0)
y = np.cumsum(rng.normal(size=24)) * 0.3 + np.sin(np.arange(24.0))
t, v = np.linspace(0.1, 1.0, 7), np.array([1.1, 0.7, 2.0, 3.0])
times, driven = np.linspace(0.0, 2.0, 9), rng.normal(size=9)
STEP = (
    np.array([[-1.0, 0.3], [0.2, -2.0]]),
    np.array([[1.0], [0.5]]),
    np.array([[1.0, 2.0]]),
    [[0.3]],
)


def widths(y):
    places, found = signal.find_peaks(y, prominence=0.05, width=0.1, wlen=None, rel_height=0.4)
    ends = np.sum(found["left_ips"] * found["width_heights"]) + np.sum(found["right_ips"])
    return (
        np.sum(found["prominences"] ** 2) + np.sum(found["widths"]) + ends + np.sum(y[places] ** 2)
    )


def heights(y):
    _, found = signal.find_peaks(y, height=np.mean(y), threshold=0.0, distance=2, plateau_size=1)
    steps = np.sum(found["left_thresholds"] * found["right_thresholds"])
    return np.sum(found["peak_heights"] ** 2) + steps + np.sum(found["plateau_sizes"]) * y[0]


def measured(y):
    places = signal.find_peaks(y)[0]
    wide = signal.peak_widths(y, places, rel_height=0.3, prominence_data=None, wlen=9)
    prominences, _, _ = signal.peak_prominences(y, places, wlen=7)
    extremes = np.sum(y[signal.argrelmax(y)[0]]) + len(signal.find_peaks(y) + (1, 2)) * y[0]
    return wide[0] @ prominences + extremes


def chirps(t, v):
    total = 0.0
    for method in ("linear", "quadratic", "logarithmic", "hyperbolic"):
        total = total + np.sum(signal.chirp(t, v[0], v[1], v[2], method=method, phi=v[3]))
    turned = signal.chirp(t, f0=v[0], t1=2.0, f1=3.0, vertex_zero=False, method="q", complex=False)
    return total + np.sum(turned**2)


def pulses(t, v):
    wave, other, around = signal.gausspulse(t, v[0], bw=v[1], bwr=-8, retquad=True, retenv=True)
    teeth = np.sum(signal.sawtooth(9.0 * t, v[1])) + np.sum(signal.square(9.0 * t, duty=0.3) * t)
    swept = np.sum(signal.sweep_poly(t, v, phi=20.0)) + signal.gausspulse(
        "cutoff", fc=v[0], tpr=-50
    )
    return np.sum(wave * around + other) + teeth + swept


def answered(v, driven):
    system = ([v[0]], [1.0, v[1], v[2]])
    _, out, states = signal.lsim(system, driven, times)
    w, h = signal.freqs(system[0], system[1], worN=[0.5, 2.0])
    _, size, phase = signal.bode(system, w=[0.5, 2.0])
    return np.sum(out**2) + np.sum(states) + np.sum(np.abs(h) ** 2) + np.sum(size * phase)


def stepped(driven, start):
    held = signal.lsim(STEP, U=driven, T=times, X0=start, interp=False)[1]
    return np.sum(held**2) + np.sum(signal.lsim(STEP, None, times + 0.5, X0=start)[1])


def resonance(v):
    _, h = signal.freqresp(([v[0]], [1.0, v[1], 2.0]), w=np.array([0.5, 1.4]))
    return np.abs(h[1]) / np.abs(h[0])


PROGRAMS = [
    (widths, (y,)), (heights, (y,)), (measured, (y,)), (chirps, (t, v)), (pulses, (t, v)),
    (answered, (v, driven)), (stepped, (driven, np.array([1.0, 2.0]))), (resonance, (v,)),
]  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_programs(f, args):
    assert np.isclose(tl.value_and_grad(f)(*args)[0], f(*args), rtol=1e-10)
    check_grads(f, *args, order=1, rtol=1e-5)


@pytest.mark.parametrize(("f", "args"), [(resonance, (v,))])
def test_second_order(f, args):
    check_grads(f, *args, order=2, modes=("reverse",), rtol=1e-5)


def test_peaks_have_the_values_of_scipy():
    flat = np.round(2.0 * y)
    for x, given in (
        (
            y,
            {
                "height": -1,
                "threshold": 0,
                "distance": 2,
                "prominence": 0.1,
                "width": 0.1,
                "wlen": 9,
            },
        ),
        (flat, {"width": 0, "plateau_size": (1, 2), "rel_height": 1.0}),
        (y, {"prominence": (0.1, None)}),
    ):
        expected, found = signal.find_peaks(x, **given), find_written(signal.find_peaks)(x, **given)
        np.testing.assert_array_equal(found[0], expected[0])
        assert set(found[1]) == set(expected[1])
        for key, values in expected[1].items():
            np.testing.assert_allclose(found[1][key], values)
            assert found[1][key].dtype == values.dtype


def test_systems_have_the_values_of_scipy():
    for system in (STEP, ([1.0, 2.0, 0.5], [2.0, 3.0, 1.0]), ([1.0], [1.0, 0.5, 2.0, 3.0])):
        for given in ({}, {"interp": False}):
            expected = signal.lsim(system, driven, times, **given)
            found = find_written(signal.lsim)(system, driven, times, **given)
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, other)


def test_frequencies_that_the_filter_chooses_are_refused():
    with pytest.raises(GradientError, match="frequencies that are given"):
        tl.grad(lambda v: np.sum(np.abs(signal.freqs(v, [1.0, 2.0])[1])))(v)


def test_systems_that_are_objects_are_refused():
    system = signal.lti([1.0], [1.0, 2.0])
    with pytest.raises(GradientError, match="systems are differentiated as"):
        tl.grad(lambda u: np.sum(signal.lsim(system, u, times)[1]))(driven)


@pytest.mark.parametrize("fn", [signal.step, signal.impulse])
def test_answers_that_reach_as_far_as_the_system_does_are_refused(fn):
    with pytest.raises(NoGradientError, match="scipy.signal.lsim"):
        tl.grad(lambda a: np.sum(fn(([1.0], [1.0, a]))[1]))(0.7)
