"""The likelihood of symbols under a hidden Markov model, by logarithms."""

import numpy as np

WRT = (0, 1, 2)
SIZES = {"test": (3, 4, 5), "10 states, 200 symbols": (10, 20, 200)}


def make_inputs(rng, states, symbols, length):
    start, moves = rng.normal(size=states), rng.normal(size=(states, states))
    return start, moves, rng.normal(size=(states, symbols)), rng.integers(symbols, size=length)


def log_sum_exp(v):
    top = np.max(v, axis=0)
    return top + np.log(np.sum(np.exp(v - top), axis=0))


def primal(start, moves, emissions, symbols):
    log_p = start + emissions[:, symbols[0]]
    for t in range(1, len(symbols)):
        log_p = log_sum_exp(log_p[:, None] + moves) + emissions[:, symbols[t]]
    return log_sum_exp(log_p)


def hand(start, moves, emissions, symbols):
    log_p = start + emissions[:, symbols[0]]
    shares = []
    for t in range(1, len(symbols)):
        share = log_p[:, None] + moves
        top = np.max(share, axis=0)
        share -= top
        np.exp(share, out=share)
        total = np.sum(share, axis=0)
        share /= total
        shares.append(share)
        log_p = np.log(total, out=total)
        log_p += top
        log_p += emissions[:, symbols[t]]
    moves_bar, emissions_bar = np.zeros_like(moves), np.zeros_like(emissions)
    p_bar = np.exp(log_p - np.max(log_p))
    p_bar /= np.sum(p_bar)
    for t in range(len(symbols) - 1, 0, -1):
        emissions_bar[:, symbols[t]] += p_bar
        share = shares.pop()
        share *= p_bar
        moves_bar += share
        p_bar = np.sum(share, axis=1)
    emissions_bar[:, symbols[0]] += p_bar
    return p_bar, moves_bar, emissions_bar
