"""`dict.fromkeys`: one value for all keys, the same object."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.4, 0.25])
SPECIES = ["A", "B"]
REACTIONS = [({"A": 1, "B": 1}, 0.8), ({"B": 2}, 0.2)]


def sums_by_name(x):
    change = dict.fromkeys(SPECIES, 0.0)
    for (taken, rate), v in zip(REACTIONS, x):
        for name, count in taken.items():
            change[name] -= count * rate * v
    return change["A"] * change["B"]


def begun_with_what_varies(x):
    found = dict.fromkeys(range(3), x[0])
    for i in range(2):
        found[i] *= x[1]
    return sum(found.values())


def one_array_for_all(x):
    found = dict.fromkeys(["u", "v"], x * 1.0)
    found["u"] = found["u"] * x[0]
    found["v"][0] = x[1] ** 2
    return np.sum(found["u"] * found["v"])


def one_list_for_all(x):
    found = dict.fromkeys("ab", [])
    found["a"].append(x[0])
    found["b"].append(x[0] * x[1])
    return sum(found["a"]) * len(found["b"])


def keys_in_their_order(x):
    seen, total = dict.fromkeys([3, 1, 3, 2]), 0.0
    for i, key in enumerate(seen):
        total += (i + 1) * key * x[0]
    return total * x[1] if seen[1] is None else total


CASES = [
    sums_by_name, begun_with_what_varies, one_array_for_all, one_list_for_all, keys_in_their_order,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_derivatives(f):
    laws.check_orders(f, X)
