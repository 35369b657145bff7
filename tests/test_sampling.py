"""Tests that are marked `sampled` check one case in so many."""

from __future__ import annotations

import sys

import pytest

CASES = range(10)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", CASES)
def test_cases_that_are_left(case, all_samples):
    assert all_samples or case % 4 == sys.version_info.minor % 4


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", [0])
def test_a_test_with_fewer_cases_is_left(case):
    assert case == 0
