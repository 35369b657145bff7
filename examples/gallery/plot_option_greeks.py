r"""
Option prices and their Greeks
==============================

The price of an option is a function of the stock, the time that is left, the volatility and the
rate. Its derivatives have Greek names because traders use them every day: *delta* is the slope in
the stock, *gamma* the slope of delta, *vega* the slope in the volatility, *theta* the loss of value
per unit of time.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import special

import tapeless as tl

# %%
# The formula of Black, Scholes and Merton
# ----------------------------------------


def call(stock, strike, years, volatility, rate):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(stock / strike) + (rate + 0.5 * volatility**2) * years) / spread
    d2 = d1 - spread
    return stock * special.ndtr(d1) - strike * np.exp(-rate * years) * special.ndtr(d2)


# %%
# All Greeks at once
# ------------------
# Each entry of the price depends on the same entry of the arguments. So the gradient of the sum holds
# one derivative per entry.


def total(stock, strike, years, volatility, rate):
    return np.sum(call(stock, strike, years, volatility, rate))


stock = np.linspace(60.0, 140.0, 161)
years, volatility = np.full(161, 0.5), np.full(161, 0.2)
inputs = stock, 100.0, years, volatility, 0.03

greeks = tl.grad(total, wrt=("stock", "years", "volatility"))
delta, minus_theta, vega = greeks(*inputs)
gamma = tl.hvp(total)(*inputs, np.ones(161))

# %%

fig, axes = plt.subplots(2, 2, figsize=(8, 5), sharex=True, layout="constrained")
curves = {"delta": delta, "gamma": gamma, "vega": vega, "theta": -minus_theta}
for axis, (name, curve) in zip(axes.ravel(), curves.items()):
    axis.plot(stock, curve)
    axis.axvline(100.0, color="black", linewidth=0.7, linestyle=":")
    axis.set_title(name)
for axis in axes[1]:
    axis.set_xlabel("stock")

# %%
# Delta has a formula of its own, and both agree:

d1 = (np.log(stock / 100.0) + (0.03 + 0.5 * 0.2**2) * 0.5) / (0.2 * np.sqrt(0.5))
assert np.allclose(delta, special.ndtr(d1))
