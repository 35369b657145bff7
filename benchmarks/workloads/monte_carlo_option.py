"""A call on an average price, by simulated paths: long vectors in a short loop."""

import numpy as np

WRT = (0, 1, 2)
SIZES = {"test": (5, 3), "10,000 paths": (10_000, 12)}


def make_inputs(rng, paths, steps):
    return 100.0, 0.2, 0.05, 100.0, 1.0, rng.normal(size=(steps, paths))


def primal(spot, volatility, rate, strike, maturity, draws):
    steps, paths = draws.shape
    dt = maturity / steps
    price = np.full(paths, spot)
    total = np.zeros(paths)
    for z in draws:
        growth = (rate - 0.5 * volatility**2) * dt + volatility * np.sqrt(dt) * z
        price = price * np.exp(growth)
        total += price
    payoff = np.maximum(total / steps - strike, 0.0)
    return np.exp(-rate * maturity) * np.mean(payoff)


def hand(spot, volatility, rate, strike, maturity, draws):
    steps, paths = draws.shape
    dt = maturity / steps
    root = np.sqrt(dt)
    drift = (rate - 0.5 * volatility**2) * dt
    price = np.full(paths, spot)
    total = np.zeros(paths)
    prices = np.empty_like(draws)
    for z, kept in zip(draws, prices):
        np.multiply(z, volatility * root, out=kept)
        kept += drift
        np.exp(kept, out=kept)
        kept *= price
        total += kept
        price = kept
    total /= steps
    total -= strike
    paid = total > 0.0
    discount = np.exp(-rate * maturity)
    value = discount * (total @ paid) / paths
    each = paid * (discount / (steps * paths))
    # the adjoint of the growth in each step, summed from the last one on
    growth_bar = np.zeros(paths)
    drift_bar = noise_bar = 0.0
    for z, price in zip(draws[::-1], prices[::-1]):
        price *= each
        growth_bar += price
        drift_bar += np.sum(growth_bar)
        noise_bar += growth_bar @ z
    volatility_bar = root * noise_bar - volatility * dt * drift_bar
    return np.sum(growth_bar) / spot, volatility_bar, dt * drift_bar - maturity * value
