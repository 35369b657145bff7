"""Gains of a PID controller with anti-windup, scored on a second-order plant with dead time."""

import logging
from collections import deque

import numpy as np

log = logging.getLogger(__name__)

DEFAULTS = {
    "dt": 0.05,
    "u_max": 4.0,
    "derivative_filter": 0.1,
    "dead_time": 2,
    "setpoint": 1.0,
}


class PID:
    """A parallel PID controller whose integral stops where the actuator saturates."""

    def __init__(self, kp, ki, kd, config):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.config = config
        self.reset()

    def reset(self):
        self.integral = 0.0
        self.last_error = None
        self.filtered = 0.0
        self.saturated = 0

    def __call__(self, error):
        dt = self.config["dt"]
        if self.last_error is None:
            slope = 0.0
        else:
            slope = (error - self.last_error) / dt
        self.last_error = error
        a = dt / (self.config["derivative_filter"] + dt)
        self.filtered += a * (slope - self.filtered)
        u = self.kp * error + self.ki * self.integral + self.kd * self.filtered
        if abs(u) > self.config["u_max"]:
            self.saturated += 1
            return self.config["u_max"] * np.sign(u)
        self.integral += error * dt
        return u


class Plant:
    def __init__(self, damping=0.7, stiffness=2.0):
        self.damping = damping
        self.stiffness = stiffness
        self.state = np.zeros(2)

    def step(self, u, dt):
        position, velocity = self.state
        acceleration = u - self.damping * velocity - self.stiffness * position
        self.state = self.state + dt * np.array([velocity, acceleration])
        return self.state[0]


def simulate(controller, plant, n_steps, **options):
    config = {**DEFAULTS, **options}
    pending = deque([0.0] * config["dead_time"])
    trace = np.zeros(n_steps)
    effort = 0.0
    y = 0.0
    for k in range(n_steps):
        u = controller(config["setpoint"] - y)
        pending.append(u)
        y = plant.step(pending.popleft(), config["dt"])
        trace[k] = y
        effort += u**2
        if k % 10 == 0:
            log.debug("step %d: y = %.3f", k, y)
    return trace, effort / n_steps


def objective(kp, ki, kd):
    controller = PID(kp, ki, kd, dict(DEFAULTS))
    trace, effort = simulate(controller, Plant(), 25, setpoint=0.8)
    error = trace - 0.8
    weights = np.arange(1, len(error) + 1) / len(error)
    return np.sum(weights * error**2) + 1e-3 * effort


ARGUMENTS = (2.0, 0.8, 0.3)
