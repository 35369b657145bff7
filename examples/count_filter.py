"""A state-space model of weekly counts, fitted by maximum likelihood with standard errors.

The number of cases in week t is Poisson with log mean

    eta_t = design[t] @ beta + x_t,    x_t = phi * x_{t-1} + sigma * e_t,

where e_t is standard normal, so that bad weeks come in clusters. The state x_t is filtered: it is
held as a normal with mean m and variance P, moved on by the autoregression, and updated with the
count of the week by Laplace's method. The mode of the posterior has no closed form; Newton's
iteration finds it in a few steps, and the curvature at the mode gives the new variance. The
logarithm of the normalising constant, summed over the weeks, is the approximate log-likelihood.

Weeks without a report (a negative count) move the state on and tell nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import tapeless as tl

NEWTON_TOLERANCE = 1e-10
LARGEST_STEP = 3.0


@dataclass
class Params:
    """What is estimated: regression coefficients, persistence, logarithm of the innovation sd."""

    beta: np.ndarray
    phi: float
    log_sigma: float

    def sigma(self):
        return math.exp(self.log_sigma)

    def stationary(self):
        return abs(self.phi) < 1.0


class LaplaceFilter:
    """The normal approximation to the state, week after week."""

    def __init__(self, params, weeks):
        self.phi = params.phi
        self.noise = params.sigma() ** 2
        self.mean = 0.0
        self.var = self.noise / (1.0 - self.phi**2)
        self.path = np.zeros(weeks)
        self.week = 0
        self.newton_steps = 0

    def predict(self):
        self.mean = self.phi * self.mean
        self.var = self.phi**2 * self.var + self.noise

    def find_mode(self, count, offset):
        """Newton's iteration for the mode of the posterior of the state."""
        x = self.mean
        while True:
            rate = math.exp(offset + x)
            slope = count - rate - (x - self.mean) / self.var
            step = slope / (rate + 1.0 / self.var)
            self.newton_steps += 1
            if step > LARGEST_STEP:
                x += LARGEST_STEP
                continue
            x += step
            if abs(step) < NEWTON_TOLERANCE:
                return x

    def update(self, count, offset):
        """Take in the count of one week; return its log-likelihood, less log(count!)."""
        mode = self.find_mode(count, offset)
        rate = math.exp(offset + mode)
        curvature = rate + 1.0 / self.var
        height = count * (offset + mode) - rate - 0.5 * (mode - self.mean) ** 2 / self.var
        result = height - 0.5 * math.log(self.var * curvature)
        self.mean = mode
        self.var = 1.0 / curvature
        return result

    def record(self):
        self.path[self.week] = self.mean
        self.week += 1


def run_filter(params, counts, design):
    """Return the log-likelihood and the filtered states."""
    kalman = LaplaceFilter(params, len(counts))
    total = 0.0
    for count, row in zip(counts, design):
        if kalman.week > 0:
            kalman.predict()
        if count >= 0:
            offset = row @ params.beta
            if offset > 25.0:
                # exp would soon overflow; such parameters are out of the question anyway
                return -1e6 * offset, kalman.path
            total += kalman.update(count, offset)
        kalman.record()
    return total, kalman.path


def objective(params: Params, counts, design):
    """Negative log-posterior per week, with weak priors that keep the fit away from the edges."""
    if not params.stationary():
        return 1e6 * params.phi**2
    loglik, path = run_filter(params, counts, design)
    prior = 0.5 * np.sum(params.beta**2) / 100.0 + 0.5 * (params.log_sigma + 1.0) ** 2
    prior -= math.log(1.0 - params.phi**2)
    # the states are to have mean zero: the level belongs to the intercept
    drift = np.mean(path)
    return (prior - loglik) / len(counts) + 0.1 * drift**2


def season(weeks, period=52.0):
    """Intercept, and one harmonic of the year."""
    angle = 2.0 * np.pi * np.arange(weeks) / period
    return np.stack([np.ones(weeks), np.cos(angle), np.sin(angle)], axis=1)


def simulate_counts(weeks, truth, seed=3):
    rng = np.random.default_rng(seed)
    design = season(weeks)
    state = 0.0
    counts = np.zeros(weeks, dtype=int)
    for t in range(weeks):
        state = truth.phi * state + truth.sigma() * rng.normal()
        counts[t] = rng.poisson(np.exp(design[t] @ truth.beta + state))
    counts[rng.uniform(size=weeks) < 0.05] = -1
    return counts, design


TRUTH = Params(beta=np.array([1.5, 0.6, -0.3]), phi=0.8, log_sigma=math.log(0.3))


def make_inputs():
    counts, design = simulate_counts(40, TRUTH)
    return Params(np.array([1.2, 0.3, 0.1]), 0.6, -1.1), counts, design


def as_vector(params):
    return np.concatenate([params.beta, [params.phi, params.log_sigma]])


def as_params(vector):
    return Params(vector[:-2].copy(), float(vector[-2]), float(vector[-1]))


def minimise(value_and_grad, start, steps):
    """BFGS with step halving. Returns the best point and the values on the way."""
    p, inverse = start, np.eye(len(start))
    value, slope = value_and_grad(p)
    history = [value]
    for _ in range(steps):
        direction = -inverse @ slope
        length = 1.0
        while True:
            move = length * direction
            new_value, new_slope = value_and_grad(p + move)
            if new_value < value + 1e-4 * (slope @ move):
                break
            length *= 0.5
            if length < 1e-8:
                return p, history
        change = new_slope - slope
        p, value, slope = p + move, new_value, new_slope
        history.append(value)
        if np.max(np.abs(slope)) < 1e-6:
            break
        if change @ move > 0:
            rho = 1.0 / (change @ move)
            left = np.eye(len(p)) - rho * np.outer(move, change)
            inverse = left @ inverse @ left.T + rho * np.outer(move, move)
    return p, history


def standard_errors(slope_at, p, step=1e-4):
    """From the observed information: differences of the gradient, inverted."""
    information = np.zeros((len(p), len(p)))
    for i in range(len(p)):
        shift = np.zeros(len(p))
        shift[i] = step
        information[i] = (slope_at(p + shift) - slope_at(p - shift)) / (2.0 * step)
    return np.sqrt(np.diag(np.linalg.inv(0.5 * (information + information.T))))


def main(weeks=260, steps=50):
    counts, design = simulate_counts(weeks, TRUTH)
    fitted = tl.value_and_grad(objective, wrt="params")

    def value_and_grad(vector):
        value, slope = fitted(as_params(vector), counts, design)
        return value, as_vector(slope)

    start = as_vector(Params(np.zeros(3), 0.5, -0.5))
    best, history = minimise(value_and_grad, start, steps)
    print(f"{np.sum(counts >= 0)} weeks with reports of {weeks}")
    print(f"objective {history[0]:.4f} -> {history[-1]:.4f} in {len(history) - 1} BFGS steps")
    errors = standard_errors(lambda p: weeks * value_and_grad(p)[1], best)
    names = ("intercept", "cos", "sin", "phi", "log sigma")
    print("             truth  estimate   s.e.")
    for name, true, found, error in zip(names, as_vector(TRUTH), best, errors, strict=True):
        print(f"{name:10s} {true:7.3f} {found:9.3f} {error:6.3f}")
    return history


if __name__ == "__main__":
    main()
