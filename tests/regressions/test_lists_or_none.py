"""Where a list or dict stands on one way, None may stand on another: of None there is nothing to count."""

import numpy as np
import pytest

from tests import laws


def scaled(held, x):
    if held is None:
        return x
    return held[0] * x


def handed_to_a_function(x, chosen):
    held = None
    if chosen:
        held = [x, 2.0]
    return scaled(held, x)


def of_the_trip_before(x, chosen):
    before, y = None, x
    for _ in range(3):
        now = {"a": y, "b": x * x}
        if before is not None:
            y = y * before["a"]
        before = now
    return y if chosen else y * y


def beside_a_number(x, chosen):
    held = None
    for _ in range(2):
        pair = (held, x)
        held = [np.sin(x), x]
    return held[0] * pair[1] if chosen else held[1]


def rebound_without_reading(x, chosen):
    total = np.sum([3.0, x, x])
    for _ in range(3):
        held = [np.sqrt(total), total]
    return sum(held)


def a_dict_of_keywords(x, chosen):
    def product(a, **options):
        kept = None
        if "shift" in options:
            kept = dict(options)
        total = a * options["c"]
        for key, value in options.items():
            total = total * value if key != "c" else total
        return total if kept is None else total * kept["shift"]

    return product(x, c=2.0 * x) * product(x, shift=x, c=x * x)


FUNCTIONS = [
    handed_to_a_function, of_the_trip_before, beside_a_number, rebound_without_reading,
    a_dict_of_keywords,
]  # fmt: skip


@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_lists_or_none(f, chosen):
    laws.check_function(f, (0.7, chosen))
    laws.check_second_order(f, (0.7, chosen), (0,), np.random.default_rng(0))
