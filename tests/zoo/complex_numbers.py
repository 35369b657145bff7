"""Real results by way of complex numbers: moduli, angles, norms and spreads."""

import numpy as np

X = np.array([0.3, 0.5, 0.8])
W = np.array([1.3, 0.2, -0.4])


def direction(x):
    z = x * np.exp(1j * x)
    return np.sum((z / np.abs(z)).real * W)


def times_modulus(x):
    z = x * np.exp(1j * x)
    r = abs(z)
    return np.sum((z * r).imag * W)


def over_norm(x):
    z = x * np.exp(1j * x)
    n = np.linalg.norm(z)
    return np.sum((z / n).imag * W)


def times_variance(x):
    z = x + 1j * x**2
    return np.sum((z * np.var(z)).imag * W)


def spread_and_angle(x):
    z = x + 1j * x**2
    return np.sum((z * np.std(z) + np.angle(z) * z).imag * W)


def real_times_modulus(x):
    z = x * np.exp(1j * x)
    return np.sum(z.real * np.abs(z))


def squared_modulus(x):
    z = x * np.exp(1j * x)
    return np.sum(np.abs(z) ** 2 * np.cos(x))


def of_two_numbers(x):
    z = complex(x[0], x[1])
    return abs(z) * (z / abs(z)).real + x[2]


def scalar_modulus(x):
    z = x[0] + 1j * x[1]
    r = abs(z)
    return (z * r).imag * x[2]


def windowed_spectrum(x):
    window = {"hann": np.hanning, "flat": np.ones}["hann"](x.size)
    return np.sum(np.abs(np.fft.rfft(x * window + x)) ** 2)


def unknown_rank_made_complex(x):
    rows = np.stack([x, x * 2.0])[np.arange(2) % 1]
    z = rows.T.reshape((-1,) + x.shape) * (1.0 + 2.0j)
    return np.sum(np.abs(z * z) ** 1.5)


def real_part_of_a_slot(x):
    slots = [None]
    slots[0] = x
    z = 1j * slots[0]
    return [z.real, ((2.0 + 1j) * z).imag]


CASES = [
    (function.__name__, function, (X,))
    for function in (
        direction,
        times_modulus,
        over_norm,
        times_variance,
        spread_and_angle,
        real_times_modulus,
        squared_modulus,
        of_two_numbers,
        scalar_modulus,
        real_part_of_a_slot,
    )
]
CASES += [
    ("windowed_spectrum", windowed_spectrum, (np.array([0.5, 1.5, 0.7]),)),
    ("unknown_rank_made_complex", unknown_rank_made_complex, (np.array([0.5, 1.5]),)),
]
