"""A particle filter with soft resampling and seeded noise."""

import numpy as np


class ParticleFilter:
    def __init__(self, n_particles, transition, likelihood, rng=None, resample_threshold=0.5):
        self.n = n_particles
        self.transition = transition
        self.likelihood = likelihood
        self.rng = rng or np.random.default_rng(0)
        self.threshold = resample_threshold
        self.particles = None
        self.weights = None
        self.ess_history = []
        self._log_likelihood = 0.0

    @property
    def log_likelihood(self):
        return self._log_likelihood

    def initialize(self, mean=0.0, std=1.0):
        self.particles = mean + std * self.rng.standard_normal(self.n)
        self.weights = np.ones(self.n) / self.n

    def effective_sample_size(self):
        return 1.0 / np.sum(self.weights**2)

    def step(self, y):
        noise = self.rng.standard_normal(self.n)
        self.particles = self.transition(self.particles, noise)
        w = self.weights * self.likelihood(y, self.particles)
        total = w.sum()
        self._log_likelihood += np.log(total)
        self.weights = w / total
        ess = self.effective_sample_size()
        self.ess_history.append(ess)
        if ess < self.threshold * self.n:
            self.resample()

    def resample(self, alpha=0.5):
        proposal = alpha * self.weights + (1 - alpha) / self.n
        u = (self.rng.random() + np.arange(self.n)) / self.n
        idx = np.minimum(np.searchsorted(np.cumsum(proposal), u), self.n - 1)
        self.particles = self.particles[idx]
        w = self.weights[idx] / proposal[idx]
        self.weights = w / w.sum()

    def estimate(self):
        return self.weights @ self.particles


def run(observations, phi, log_q, log_r, verbose=False, seed=1):
    q, r = np.exp(log_q), np.exp(log_r)

    def transition(x, noise):
        return phi * x + q * noise

    def likelihood(y, x):
        return np.exp(-0.5 * ((y - x) / r) ** 2) / (np.sqrt(2 * np.pi) * r)

    pf = ParticleFilter(20, transition, likelihood, rng=np.random.default_rng(seed))
    pf.initialize(std=0.5)
    estimates = []
    for t, y in enumerate(observations):
        pf.step(y)
        estimates.append(pf.estimate())
        if verbose:
            print(f"t={t} estimate={estimates[-1]:.3f} ess={pf.ess_history[-1]:.1f}")
    return np.array(estimates), pf.log_likelihood


def objective(phi, log_q, log_r):
    observations = np.array([0.3, 0.5, 0.2, -0.1])
    estimates, loglik = run(observations, phi, log_q, log_r)
    return np.sum((estimates - observations) ** 2) - loglik


ARGUMENTS = (0.9, -1.0, -0.5)
