"""A portfolio of calls by Black and Scholes: long vectors, a branch by `where`."""

import numpy as np

WRT = (0, 1, 2)
SIZES = {"test": (4,), "1,000": (1_000,), "100,000": (100_000,)}
SLOPE = 0.2316419
POLYNOMIAL = (0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429)


def make_inputs(rng, n):
    spot, strike = rng.uniform(80.0, 120.0, size=(2, n))
    volatility, maturity = rng.uniform(0.1, 0.4, size=n), rng.uniform(0.5, 2.0, size=n)
    return spot, volatility, 0.03, strike, maturity, rng.normal(size=n)


def normal_cdf(x):
    """Approximate the distribution function (Abramowitz and Stegun, 26.2.17)."""
    a, b, c, d, e = POLYNOMIAL
    k = 1.0 / (1.0 + SLOPE * np.abs(x))
    tail = k * (a + k * (b + k * (c + k * (d + k * e))))
    tail = tail * np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi)
    return np.where(x >= 0.0, 1.0 - tail, tail)


def primal(spot, volatility, rate, strike, maturity, quantity):
    spread = volatility * np.sqrt(maturity)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * maturity) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-rate * maturity)
    price = spot * normal_cdf(d1) - discounted * normal_cdf(d2)
    return np.sum(quantity * price)


def hand_normal(x):
    """Return the approximated distribution function and its derivative."""
    a, b, c, d, e = POLYNOMIAL
    size = np.abs(x)
    k = SLOPE * size
    k += 1.0
    np.divide(1.0, k, out=k)
    inner = k * (c + k * (d + k * e))
    inner += b
    inner *= k
    inner += a
    inner *= k
    density = x * x
    density *= -0.5
    np.exp(density, out=density)
    density /= np.sqrt(2.0 * np.pi)
    tail = inner * density
    # the derivative of the polynomial, times that of k
    slope = k * (3.0 * c + k * (4.0 * d + k * (5.0 * e)))
    slope += 2.0 * b
    slope *= k
    slope += a
    slope *= k
    slope *= k
    slope *= SLOPE
    size *= inner
    slope += size
    slope *= density
    return np.where(x >= 0.0, 1.0 - tail, tail), slope


def hand(spot, volatility, rate, strike, maturity, quantity):
    root = np.sqrt(maturity)
    spread = volatility * root
    d1 = volatility * volatility
    d1 *= 0.5
    d1 += rate
    d1 *= maturity
    d1 += np.log(spot / strike)
    d1 /= spread
    n1, slope1 = hand_normal(d1)
    n2, slope2 = hand_normal(d1 - spread)
    n1 *= quantity
    owed = np.exp(-rate * maturity)
    owed *= strike
    owed *= quantity
    slope1 *= spot
    slope1 *= quantity
    slope2 *= owed
    d_bar = slope1
    d_bar -= slope2
    slope2 *= root
    volatility_bar = slope2
    volatility_bar -= d_bar * d1 / volatility
    log_bar = np.divide(d_bar, spread, out=spread)
    n1 += log_bar / spot
    log_bar *= maturity
    owed *= n2
    rate_bar = np.sum(log_bar) + owed @ maturity
    log_bar *= volatility
    volatility_bar += log_bar
    return n1, volatility_bar, rate_bar
