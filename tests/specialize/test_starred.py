"""Starred arguments: what a parameter of the callee stands for is read off the sequence that is starred."""

import numpy as np

import tapeless as tl
from tapeless.testing import check_grads


def wave(t, amplitude, rate, shift=0.0):
    return amplitude * np.sin(rate * t) + shift


def of_the_first(t, amplitude, rate):
    return amplitude * np.sin(rate * t)


def from_an_array(t, p):
    return np.sum(of_the_first(t, *p))


def with_a_default(t, p):
    return np.sum(wave(t, *p) ** 2)


def before_others(p):
    return wave(*p, 0.7)


def from_a_list(p):
    given = [2.0 * p[0], p[1]]
    return wave(p[1], *given, shift=p[0])


t = np.linspace(0.0, 2.0, 4)


def test_of_an_array():
    check_grads(from_an_array, t, np.array([1.2, 0.7]), order=2)
    assert " = p\n" in tl.source(from_an_array, like=(t, np.ones(2)))


def test_defaults_are_taken_where_there_is_no_item():
    check_grads(with_a_default, t, np.array([1.2, 0.7]), order=1)
    check_grads(with_a_default, t, np.array([1.2, 0.7, 0.3]), order=1)


def test_beside_others():
    check_grads(before_others, np.array([1.2, 0.7, 0.3]), order=1)
    check_grads(before_others, np.array([1.2, 0.7]), order=1)
    check_grads(from_a_list, np.array([1.2, 0.7]), order=1)
