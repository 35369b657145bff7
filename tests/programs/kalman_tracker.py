"""Tracks a target on a plane with a constant-velocity Kalman filter, and scores the noise levels."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Optional

import numpy as np

logger = logging.getLogger(__name__)


@dataclass
class TrackerConfig:
    dt: float = 0.1
    process_noise: float = 1.0
    measurement_noise: float = 0.5
    gate: Optional[float] = None
    verbose: bool = False


@dataclass
class Track:
    x: np.ndarray
    P: np.ndarray
    history: list = field(default_factory=list)
    log_likelihood: float = 0.0

    @property
    def position(self):
        return self.x[:2]

    @property
    def speed(self):
        return np.hypot(self.x[2], self.x[3])


class KalmanTracker:
    """Constant-velocity model with position measurements."""

    def __init__(self, config=None, x0=None, P0=None):
        self.config = config if config is not None else TrackerConfig()
        self.track = None
        self.n_missed = 0
        dt = self.config.dt
        self.F = np.eye(4)
        self.F[0, 2] = dt
        self.F[1, 3] = dt
        self.H = np.zeros((2, 4))
        self.H[0, 0] = 1.0
        self.H[1, 1] = 1.0
        G = np.array([[0.5 * dt**2, 0], [0, 0.5 * dt**2], [dt, 0], [0, dt]])
        self.Q = G @ G.T * self.config.process_noise**2
        self.R = np.eye(2) * self.config.measurement_noise**2
        if x0 is not None:
            self.start(x0, P0)

    def start(self, x0, P0=None):
        if P0 is None:
            P0 = np.diag([1.0, 1.0, 4.0, 4.0])
        self.track = Track(x=np.asarray(x0, dtype=float), P=P0)

    def predict(self):
        t = self.track
        t.x = self.F @ t.x
        t.P = self.F @ t.P @ self.F.T + self.Q
        return t.x

    def update(self, z):
        t = self.track
        y = z - self.H @ t.x
        S = self.H @ t.P @ self.H.T + self.R
        d2 = y @ np.linalg.solve(S, y)
        if self.config.gate is not None and d2 > self.config.gate:
            self.n_missed += 1
            if self.config.verbose:
                print(f"gated out: {d2:.2f}")
            return False
        K = t.P @ self.H.T @ np.linalg.inv(S)
        t.x = t.x + K @ y
        I = np.eye(4)
        t.P = (I - K @ self.H) @ t.P @ (I - K @ self.H).T + K @ self.R @ K.T
        t.log_likelihood += -0.5 * (d2 + np.log(np.linalg.det(2 * np.pi * S)))
        return True

    def run(self, measurements):
        for k, z in enumerate(measurements):
            if self.track is None:
                self.start(np.array([z[0], z[1], 0.0, 0.0]))
                continue
            self.predict()
            accepted = self.update(z)
            self.track.history.append(self.track.position.copy())
            if self.config.verbose and not accepted:
                logger.warning("step %d: measurement refused", k)
        return self.track


def make_measurements(n=8, seed=0):
    rng = np.random.default_rng(seed)
    t = np.arange(n) * 0.1
    truth = np.stack([np.cos(t), np.sin(2 * t)], axis=1)
    return truth + 0.1 * rng.standard_normal((n, 2))


def objective(log_sigmas):
    config = TrackerConfig(
        process_noise=np.exp(log_sigmas[0]), measurement_noise=np.exp(log_sigmas[1]), gate=25.0
    )
    tracker = KalmanTracker(config)
    track = tracker.run(make_measurements())
    smoothness = sum(np.sum((b - a) ** 2) for a, b in zip(track.history, track.history[1:]))
    return -track.log_likelihood + smoothness + 0.01 * track.speed


ARGUMENTS = (np.array([0.3, -1.0]),)
