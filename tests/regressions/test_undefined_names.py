"""A name that nothing defines raises NameError where it is read, as Python does."""

import numpy as np
import pytest

import tapeless as tl


def as_a_factor(x):
    return np.sum(x) * undefined  # noqa: F821


def as_an_owner(x):
    return np.sum(x) + undefined[0]  # noqa: F821


def of_an_attribute(x):
    return np.sum(x) + undefined.scale  # noqa: F821


def in_a_local_function(x):
    def inner(y):
        return y * undefined  # noqa: F821

    return inner(np.sum(x))


def in_a_branch(x):
    if np.sum(x) > 100.0:
        return np.sum(x) * undefined  # noqa: F821
    return np.sum(x)


@pytest.mark.parametrize("f", [as_a_factor, as_an_owner, of_an_attribute, in_a_local_function])
def test_it_raises_name_error(f):
    x = np.ones(2)
    with pytest.raises(NameError, match="undefined"):
        tl.grad(f)(x)
    with pytest.raises(NameError, match="undefined"):
        tl.jvp(f, (x,), (x,))


def test_it_does_not_matter_where_it_is_not_read():
    np.testing.assert_array_equal(tl.grad(in_a_branch)(np.ones(2)), np.ones(2))
    with pytest.raises(NameError, match="undefined"):
        tl.grad(in_a_branch)(np.full(2, 100.0))
