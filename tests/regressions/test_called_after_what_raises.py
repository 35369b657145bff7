"""Calls of what a function would have made that always raises: the error says why, and is not hidden."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


class LawError(Exception):
    pass


def refuse(x):
    raise LawError("no such law")


def called(x):
    law = refuse(x)
    return law(x) * 2.0


def methods_called(x):
    law = refuse(x)
    return law.slope(x).at(x) + law(x)


def called_or_not(x):
    try:
        law = refuse(x)
    except LawError:
        return x * x
    return law(x) + law.slope(x)


def one_of_two(x, known):
    law = np.sin if known else refuse(x)
    return law(x) * x


def test_the_error_is_raised():
    for f in (called, methods_called, lambda x: one_of_two(x, False)):
        with pytest.raises(LawError, match="no such law"):
            tl.grad(f)(1.2)
        with pytest.raises(LawError, match="no such law"):
            tl.jvp(f, (1.2,), (1.0,))


@pytest.mark.parametrize("f", [called_or_not, lambda x: one_of_two(x, True)])
def test_what_does_not_raise(f):
    laws.check_orders(f, 1.2)
