"""Grids whose sizes are taken from an object that has a field named like one of NumPy's own variables."""

import dataclasses

import numpy as np
import pytest

from tests import laws


@dataclasses.dataclass(frozen=True)
class Camera:
    size: tuple = (2, 3)

    @property
    def pixels(self):
        h, w = self.size
        y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
        return np.stack([x, y], -1)


def in_a_property(u):
    return np.sum(np.sin(u * Camera().pixels))


def in_the_function(u):
    h, w = Camera().size
    y, x = np.mgrid[0:h, 0:w]
    return np.sum(np.sin(u * x) * y)


def an_open_grid(u):
    h, w = Camera().size
    y, x = np.ogrid[0 : 1 : h * 1j, 0:w]
    return np.sum(np.sin(u * x) * y)


@pytest.mark.parametrize("f", [in_a_property, in_the_function, an_open_grid])
def test_derivatives(f):
    laws.check_orders(f, 0.3)
