"""Arrays that are stored into, and handed to a function in a list that goes into NumPy as a whole."""

import numpy as np
import pytest

from tapeless.testing import check_grads

X = np.array([1.0, 2.0])


def stacked(rows):
    return np.stack(rows) * 2.0


def made_an_array(rows):
    table = np.asarray(rows)
    return table * 2.0


def joined_item_by_item(rows):
    columns = np.asarray(rows)
    return np.concatenate([column[..., np.newaxis] for column in columns], axis=-1)


def handed_on(rows):
    return joined_item_by_item(rows)


def changed(x):
    row = x * 2.0
    row[0] = x[0] ** 3
    return row


def the_same_twice(x, join):
    row = x * 2.0
    row += x[1]
    return join([row, row])


def side_by_side(x, join):
    first, second = changed(x), x * x
    second[1] *= first[0]
    return join([first, second]) * x


def of_rank_zero(x, join):
    first, second = np.asarray(x[0] * 2.0), np.asarray(x[1] * x[0])
    if x[0] > 0.0:
        first[...] = first / 2.0
    return join([first, second])


class Scaled:
    def __init__(self, rows):
        self.rows = rows

    def joined(self, join):
        for row in self.rows:
            row *= 0.5
        return join(self.rows)


def by_an_object(x, join):
    return Scaled([x * x, np.sin(x)]).joined(join)


@pytest.mark.parametrize("join", [stacked, made_an_array, joined_item_by_item, handed_on])
@pytest.mark.parametrize("function", [the_same_twice, side_by_side, of_rank_zero, by_an_object])
def test_changed_arrays_in_lists_handed_on(function, join):
    check_grads(lambda x: function(x, join), X, replay=True)
