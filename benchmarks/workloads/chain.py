"""A chain of elementwise functions of one long vector."""

import numpy as np

WRT = (0,)
SIZES = {"test": (4,), "1,000": (1_000,), "1,000,000": (1_000_000,)}


def make_inputs(rng, n):
    return (rng.normal(size=n),)


def primal(x):
    bell = np.exp(-0.5 * x * x)
    ratio = bell / (1.0 + bell)
    wave = np.sin(3.0 * x) * ratio
    return np.sum(np.sqrt(1.0 + wave * wave))


def hand(x):
    bell = x * x
    bell *= -0.5
    np.exp(bell, out=bell)
    below = bell + 1.0
    ratio = np.divide(bell, below, out=bell)
    phase = 3.0 * x
    sine = np.sin(phase)
    wave = sine * ratio
    wave_bar = wave * wave
    wave_bar += 1.0
    np.sqrt(wave_bar, out=wave_bar)
    np.divide(wave, wave_bar, out=wave_bar)
    # d(ratio)/dx = -x ratio / (1 + bell)
    wave /= below
    wave *= x
    cosine = np.cos(phase, out=phase)
    cosine *= ratio
    cosine *= 3.0
    cosine -= wave
    cosine *= wave_bar
    return (cosine,)
