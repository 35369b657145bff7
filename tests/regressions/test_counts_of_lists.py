"""`np.bincount` of lists of places beside what varies: mere counts are constant, in forward mode, too."""

import numpy as np
import pytest

from tests import laws

BACK = [np.array([0, 1, 1]), np.array([2, 0, 1])]


def followed_back(scores):
    path = [int(np.argmax(scores))]
    for step in reversed(BACK):
        path.append(int(step[path[-1]]))
    return path[::-1], np.max(scores)


def counts_of_a_path(scores):
    path, best = followed_back(scores)
    return np.sum(np.bincount(path, minlength=3) * scores) + best


def counts_of_signs(scores):
    places = [int(s > 0.0) for s in scores]
    return np.bincount(places, minlength=3) @ scores**2


def weighted_counts(scores):
    places = [int(s > 0.0) for s in scores]
    return np.sum(np.bincount(places, weights=scores**2, minlength=3) ** 2)


@pytest.mark.parametrize("f", [counts_of_a_path, counts_of_signs, weighted_counts])
def test_laws_and_replay(f):
    laws.check_orders(f, np.array([1.0, -2.0, 0.5]))


def counted_and_scored(scores):
    path, best = followed_back(scores)
    return np.bincount(path, minlength=3) @ scores + best


def signs_and_sum(scores):
    signs = []
    for s in scores:
        signs.append(1 if s > 0.0 else 0)
    return signs, np.sum(scores)


def counted_of_signs(scores):
    signs, total = signs_and_sum(scores)
    signs = np.array(signs)
    return np.bincount(signs, minlength=3) @ scores * total + np.sum(signs * scores)


@pytest.mark.parametrize("f", [counted_and_scored, counted_of_signs])
def test_a_product_with_the_counts(f):
    laws.check_orders(f, np.array([1.0, -2.0, 0.5]))
