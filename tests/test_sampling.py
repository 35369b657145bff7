"""Tests that are marked `sampled` check one case in so many."""

from __future__ import annotations

import pytest

CASES = range(10)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", CASES)
def test_cases_that_are_left(case, all_samples):
    assert all_samples or case in (0, 4, 8)
