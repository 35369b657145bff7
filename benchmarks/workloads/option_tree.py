"""An American put on a binomial tree: a vector that gets shorter, with the choice to exercise."""

import numpy as np

WRT = (0, 1, 2)
SIZES = {"test": (4,), "200 steps": (200,)}


def make_inputs(rng, steps):
    return 100.0, 0.2, 0.05, 105.0, 1.0, steps


def primal(spot, volatility, rate, strike, maturity, steps):
    dt = maturity / steps
    up = np.exp(volatility * np.sqrt(dt))
    discount = np.exp(-rate * dt)
    chance = (np.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    prices = spot * up ** (steps - 2.0 * np.arange(steps + 1))
    value = np.maximum(strike - prices, 0.0)
    for i in range(steps - 1, -1, -1):
        held = discount * (chance * value[:-1] + (1.0 - chance) * value[1:])
        prices = spot * up ** (i - 2.0 * np.arange(i + 1))
        value = np.maximum(held, strike - prices)
    return value[0]


def hand(spot, volatility, rate, strike, maturity, steps):
    dt = maturity / steps
    root = np.sqrt(dt)
    up = np.exp(volatility * root)
    down = 1.0 / up
    discount, growth = np.exp(-rate * dt), np.exp(rate * dt)
    chance = (growth - down) / (up - down)
    other = 1.0 - chance
    # One table of powers serves all steps: that of step i is every other of 2i + 1 in its middle.
    powers = up ** np.arange(steps, -steps - 1, -1.0)
    paid = strike - spot * powers
    value = np.maximum(paid[::2], 0.0)
    exercised_last = paid[::2] > 0.0
    saved = []
    for i in range(steps - 1, -1, -1):
        held = discount * (chance * value[:-1] + other * value[1:])
        now = paid[steps - i : steps + i + 1 : 2]
        saved.append((value, held >= now))
        value = np.maximum(held, now)
    paid_bar = np.zeros_like(paid)
    discount_bar = chance_bar = 0.0
    value_bar = np.ones(1)
    for i in range(steps):
        value, kept = saved.pop()
        held_bar = value_bar * kept
        paid_bar[steps - i : steps + i + 1 : 2] += value_bar - held_bar
        first, second = held_bar @ value[:-1], held_bar @ value[1:]
        discount_bar += chance * first + other * second
        chance_bar += first - second
        value_bar = np.empty(i + 2)
        np.multiply(held_bar, discount * chance, out=value_bar[:-1])
        value_bar[-1] = 0.0
        held_bar *= discount * other
        value_bar[1:] += held_bar
    paid_bar[::2] += value_bar * exercised_last
    paid_bar *= powers
    chance_bar *= discount / (up - down)
    up_bar = -spot * (np.arange(steps, -steps - 1, -1.0) @ paid_bar) / up
    up_bar += chance_bar * (down * down * (1.0 - chance) - chance)
    rate_bar = dt * (chance_bar * growth - discount * discount_bar)
    return -np.sum(paid_bar), up_bar * up * root, rate_bar
