"""Dicts that are merged, `{**a, **b}` and `a | b`: each slot is what one of them holds there."""

import numpy as np
import pytest

from tests import laws

DEFAULTS = {"rate": 0.1, "steps": 3, "boundary": "periodic", "limits": (-0.9, 0.9), "clip": None}
U = np.cos(np.arange(6.0))


def stepped(u, settings):
    if settings["boundary"] == "periodic":
        u = u + settings["rate"] * (np.roll(u, 1) + np.roll(u, -1) - 2 * u)
    else:
        around = np.zeros_like(u)
        around[1:-1] = u[2:] - 2 * u[1:-1] + u[:-2]
        u = u + settings["rate"] * around
    if settings.get("clip") is not None:
        u = np.clip(u, *settings["clip"])
    return u


def with_keywords(u, **given):
    settings = {**DEFAULTS, **given}
    for step in range(settings["steps"]):
        u = stepped(u, settings)
        u[step] *= 0.9
    return np.sum(u**2)


def with_a_rate(u, rate):
    settings = {**DEFAULTS, "rate": rate, "clip": DEFAULTS["limits"]}
    u = stepped(u, settings)
    u[0] *= rate
    return np.sum(u**2)


def by_bar(u, rate):
    settings = DEFAULTS | {"rate": rate}
    u = np.clip(stepped(u, settings), *settings["limits"])
    u[0] *= rate
    return np.sum(u**2)


def by_update(u, rate):
    settings = dict(DEFAULTS)
    settings.update(rate=rate, boundary="fixed")
    u = np.clip(stepped(u, settings), *settings["limits"])
    u[1] += rate
    return np.sum(u**2)


def clipped(u):
    return with_keywords(u, clip=(-0.8, 0.8), boundary="fixed", steps=2)


CASES = [
    (with_keywords, (U,)),
    (clipped, (U,)),
    (with_a_rate, (U, 0.2)),
    (by_bar, (U, 0.2)),
    (by_update, (U, 0.2)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_merged_dicts(f, args):
    laws.check_orders(f, *args)
