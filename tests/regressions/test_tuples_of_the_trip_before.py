"""A tuple of which items are read before the text binds it is bound wherever its author made sure of it."""

import pytest

from tests import laws


def in_a_loop(x, y):
    total = x
    for i in range(4):
        if i > 0:
            total = total + kept[0] * kept[1]
        x = x * y
        if i == 2:
            continue
        kept = (x, total)
    return total + kept[0]


def with_an_else(x, y):
    total = x
    for i in range(4):
        if i > 0:
            total = total + kept[0] * kept[1]
        x = x * y
        kept = (x, total)
    else:
        total = total * kept[1]
    return total + kept[0]


def in_a_while(x, y):
    total, i = x, 0
    while i < 4:
        if i > 1:
            total = total + kept[0] * kept[1]
        elif i == 1:
            total = total * kept[1]
        kept = (x * total, y)
        i += 1
        if total > 100.0:
            break
    return total + kept[0]


def of_tuples(x, y):
    total = x
    for i in range(3):
        if i > 0:
            total = total + kept[0][1] * kept[1]
        kept = ((x, total * y), y)
        if i == 1:
            continue
        x = x * y
    return total * kept[0][0]


def in_a_callee(x, y):
    return in_a_loop(x * y, y) * x


@pytest.mark.parametrize("function", [in_a_loop, with_an_else, in_a_while, of_tuples, in_a_callee])
def test_it_is_read_where_it_is_bound(function):
    laws.check_function(function, (0.5, 1.3), smooth=function is not of_tuples)
