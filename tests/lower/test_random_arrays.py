"""Random programs on arrays give the same as loops, and so do their gradients."""

import numpy as np
import pytest
from array_programs import Program
from random_arrays import check, check_in_parts, gradient, made

FIRST, COUNT = 1, 20
AGREE_AT_LEAST = 10


@pytest.mark.parametrize("what", [lambda f: f, gradient], ids=["values", "gradients"])
@pytest.mark.filterwarnings("ignore")
def test_random_programs_agree(what):
    agreed = 0
    with np.errstate(all="ignore"):
        for seed in range(FIRST, FIRST + COUNT):
            f = made(Program(seed).text(), str(seed))
            agreed += check(what(f)) == "agrees"
    assert agreed >= (AGREE_AT_LEAST if what is not gradient else 3)


@pytest.mark.parametrize("what", [lambda f: f, gradient], ids=["values", "gradients"])
@pytest.mark.filterwarnings("ignore")
def test_random_programs_agree_in_parts(what):
    told = []
    with np.errstate(all="ignore"):
        for seed in range(FIRST, FIRST + 10):
            f = made(Program(seed).text(), str(seed))
            told.append(check_in_parts(what(f), seed))
    assert told.count("agrees in parts") >= 7
