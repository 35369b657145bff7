"""A linear-phase FIR filter with a windowed start, scored on the bands of a specification."""

import functools
import logging
import time

import numpy as np

logger = logging.getLogger("fir")


def timed(function):
    """Say how long a call took."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        result = function(*args, **kwargs)
        logger.info("%s took %.3f ms", function.__name__, 1e3 * (time.perf_counter() - start))
        return result

    return wrapper


BANDS = [
    {"name": "pass", "edges": (0.0, 0.2), "gain": 1.0, "weight": 1.0},
    {"name": "stop", "edges": (0.3, 0.5), "gain": 0.0, "weight": 4.0},
]


def window(name, n, **params):
    k = np.arange(n)
    if name == "hann":
        return 0.5 - 0.5 * np.cos(2 * np.pi * k / (n - 1))
    if name == "gauss":
        sigma = params.get("sigma", 0.4)
        return np.exp(-0.5 * ((k - (n - 1) / 2) / (sigma * (n - 1) / 2)) ** 2)
    if name == "rect":
        return np.ones(n)
    raise KeyError(name)


class FIR:
    def __init__(self, taps):
        taps = np.asarray(taps)
        if taps.ndim != 1:
            raise ValueError("taps must be a vector")
        self.taps = taps

    @classmethod
    def lowpass(cls, cutoff, n, window_name="hann", **params):
        m = np.arange(n) - (n - 1) / 2
        ideal = 2 * cutoff * np.sinc(2 * cutoff * m)
        taps = ideal * window(window_name, n, **params)
        taps /= taps.sum()
        return cls(taps)

    def response(self, frequencies):
        n = np.arange(len(self.taps))
        phase = np.exp(-2j * np.pi * np.outer(frequencies, n))
        return phase @ self.taps

    @timed
    def filter(self, x):
        y = np.zeros(len(x))
        for i in range(len(x)):
            for j, h in enumerate(self.taps):
                if i - j < 0:
                    break
                y[i] += h * x[i - j]
        return y

    def __len__(self):
        return len(self.taps)


def band_errors(fir, bands=BANDS, points=5):
    errors = {}
    for band in bands:
        f = np.linspace(*band["edges"], points)
        magnitude = np.abs(fir.response(f))
        errors[band["name"]] = band["weight"] * np.mean((magnitude - band["gain"]) ** 2)
    return errors


def objective(cutoff, sigma, correction):
    fir = FIR.lowpass(cutoff, 7, window_name="gauss", sigma=sigma)
    fir.taps[:4] += correction
    fir.taps[4:] += correction[2::-1]
    errors = band_errors(fir)
    worst = max(errors.values())
    t = np.arange(8)
    clean = fir.filter(np.cos(0.2 * t) + 0.3 * np.cos(2.6 * t))
    return sum(errors.values()) + 0.5 * worst + 0.01 * np.sum(clean[len(fir) - 1 :] ** 2)


ARGUMENTS = (0.24, 0.5, np.array([0.01, -0.02, 0.01, 0.03]))
