"""What branches of forward sweeps save is handed over by the branch, and taken apart by the same one."""

import numpy as np
import pytest

import tapeless as tl


class Law:
    """A law of several sorts; its methods have halves, for they are called twice."""

    def __init__(self, sort, rate):
        self.sort = sort
        self.rate = rate
        self.level = 1.0


class TwoSorts(Law):
    def step(self, y):
        if self.sort == "steep":
            a = np.exp(self.rate * y)
            b = np.sin(a)
            y = a * b + y
        else:
            c = np.cos(y)
            y = c * self.rate / (1.0 + c * c)
        self.level = self.level * y
        return y


class ThreeSorts(Law):
    def step(self, y):
        if self.sort == "steep":
            a = np.exp(self.rate * y)
            b = np.sin(a)
            y = a * b + y
        elif self.sort == "flat":
            c = np.cos(y)
            y = c * self.rate / (1.0 + c * c)
        else:
            y = y * self.rate
        return y


class ReadLater(Law):
    def step(self, y):
        a = 0.5 * y
        if self.rate > 0.2:
            a = np.exp(self.rate * y)
            b = np.sin(a)
            c = np.cos(b)
            y = a * b * c
        return y * a * a


class ChangesWhatItAsks(Law):
    def step(self, y):
        n = len(self.sort)
        if n > 4:
            a = np.exp(self.rate * y)
            b = np.sin(a)
            y = a * b
        n = 3 if n == 5 else 5
        if n > 4:
            c = np.cos(y)
            d = np.exp(c)
            y = c * d
        return y * n


class ReturnsEarly(Law):
    def step(self, y):
        if self.sort == "flat":
            a = np.exp(self.rate * y)
            b = np.sin(a)
            return a * b
        c = np.cos(y)
        return c * np.exp(c * self.rate)


class StepsWithin(Law):
    def step(self, y):
        if self.sort == "steep":
            total = 0.0
            for k in range(3):
                a = np.exp(self.rate * y)
                y = np.sin(a) * y
                total = total + y * a
            b = np.exp(-total)
            y = b * total
            if y > 0.1:
                d = np.sin(y)
                y = d * d * b
        return y * 0.7


class AsksWithin(Law):
    def step(self, y):
        c = y > 0.1
        if self.sort == "steep":
            if c:
                d = np.sin(y)
                y = d * d * np.exp(d)
            else:
                d = np.cos(y)
                y = d * d * d
        if c:
            y = y * y * y
        return y


LAWS = [TwoSorts, ThreeSorts, ReadLater, ChangesWhatItAsks, ReturnsEarly, StepsWithin, AsksWithin]


def twice(make, sort):
    def objective(y, rate):
        law = make(sort, rate)
        return law.step(law.step(y) * 0.5) * law.level

    return objective


@pytest.mark.parametrize("sort", ["steep", "flat", "none"])
@pytest.mark.parametrize("make", LAWS)
def test_derivatives(make, sort):
    tl.check_grads(twice(make, sort), 0.4, 0.3, order=2, replay=sort == "steep")


def text_of(make):
    return tl.source(twice(make, "steep"), wrt=("y", "rate"), like=(0.4, 0.3))


def test_names_of_branches_begin_as_nothing_no_more():
    text = text_of(TwoSorts)
    assert text.count("saved_branch = (") == 2
    assert "a, b, y_1 = saved_branch" in text
    assert "None\n" not in text
    text = text_of(ThreeSorts)
    assert text.count("saved_branch = (") == text.count("saved_branch_1 = (") == 2
    assert "c_1, saved_branch_1 = saved_branch\n" in text
    assert "None\n" not in text


def test_branches_within_branches():
    text = text_of(StepsWithin)
    assert "d, d_squared, y_2 = saved_branch_1\n" in text
    assert text.count("None\n") == 2
