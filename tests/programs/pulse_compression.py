"""A radar pulse: a chirp with a window, its echo with Doppler, and the matched filter's sidelobes."""

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Pulse:
    bandwidth: float = 0.4
    duration: int = 12
    taper: float = 0.1
    curvature: float = 0.0

    def samples(self):
        t = np.arange(self.duration) / self.duration - 0.5
        phase = np.pi * self.bandwidth * self.duration * (t**2 + self.curvature * t**3)
        amplitude = np.ones(self.duration)
        edge = np.abs(t) > 0.3
        amplitude[edge] *= 1.0 - self.taper * (np.abs(t[edge]) - 0.3) ** 2 / 0.04
        return amplitude * np.exp(1j * phase)


class Channel:
    """Delays, attenuates and shifts in frequency."""

    def __init__(self, length):
        self.length = length
        self.targets = []

    def add_target(self, delay, gain, doppler=0.0):
        self.targets.append((delay, gain, doppler))
        return self

    def __call__(self, pulse):
        received = np.zeros(self.length, dtype=complex)
        n = np.arange(len(pulse))
        for delay, gain, doppler in self.targets:
            received[delay : delay + len(pulse)] += gain * pulse * np.exp(2j * np.pi * doppler * n)
        return received


class MatchedFilter:
    def __init__(self, reference, n_fft=32):
        self.n_fft = n_fft
        self.spectrum = np.conj(np.fft.fft(reference, n_fft))
        self.gain = np.sum(np.abs(reference) ** 2)

    def apply(self, received):
        spectrum = np.fft.fft(received, self.n_fft)
        return np.fft.ifft(spectrum * self.spectrum) / self.gain


def sidelobe_ratio(compressed, peak, width=2):
    power = np.abs(compressed) ** 2
    mask = np.ones(len(power), dtype=bool)
    mask[peak - width : peak + width + 1] = False
    return 10.0 * np.log10(np.mean(power[mask]) / power[peak])


def score(pulse, doppler):
    samples = pulse.samples()
    channel = Channel(24).add_target(3, 1.0, doppler).add_target(8, 0.3)
    compressed = MatchedFilter(samples).apply(channel(samples))
    return sidelobe_ratio(compressed[:20], 3)


def objective(bandwidth, taper, curvature, doppler):
    pulse = Pulse(bandwidth=bandwidth, taper=taper)
    plain = score(pulse, doppler)
    bent = score(replace(pulse, curvature=curvature), doppler)
    energy = np.sum(np.abs(pulse.samples()) ** 2)
    return plain + 0.5 * bent - 0.05 * energy


ARGUMENTS = (0.45, 0.3, 0.2, 0.01)
