"""Every rule of fft.py, run by itself, for real and complex signals, whole and cut."""

import numpy as np
import pytest

from tapeless.errors import GradientError
from tapeless.rules import declare, fft
from tapeless.testing import check_rule


def normal(*shape):
    return np.asarray(np.random.default_rng(len(shape)).normal(size=shape))


def waves(*shape):
    return normal(*shape) + 1j * np.random.default_rng(7).normal(size=shape)


LENGTHS = [(None,), (3,), (7,), (6, 0), (None, 0, "ortho"), (None, -1, "forward"), (1,)]
SIZES = [
    (), (None, (0,)), (None, (-1, 0)), ((5, 2), (0, 1)), ((2, -1), (1, 2)), (None, None, "ortho"),
    (None, (0, 2), "forward"), ((1, 6), (2, 0), "backward"),
]  # fmt: skip
ONE_AXIS = [np.fft.fft, np.fft.ifft, np.fft.irfft, np.fft.hfft]
ONE_AXIS_OF_REAL = [np.fft.rfft, np.fft.ihfft]
AXES = [np.fft.fftn, np.fft.ifftn, np.fft.irfftn, np.fft.fft2, np.fft.ifft2, np.fft.irfft2]
AXES_OF_REAL = [np.fft.rfftn, np.fft.rfft2]
SHIFTS = [np.fft.fftshift, np.fft.ifftshift]


@pytest.mark.parametrize("rest", LENGTHS)
@pytest.mark.parametrize("fn", [*ONE_AXIS, *ONE_AXIS_OF_REAL], ids=lambda f: f.__name__)
def test_along_one_axis(fn, rest):
    for x in (normal(4), normal(5), normal(3, 4), waves(5), waves(3, 4)):
        if fn in ONE_AXIS or not np.iscomplexobj(x):
            check_rule(fn, x, *rest)


@pytest.mark.parametrize("rest", SIZES)
@pytest.mark.parametrize("fn", [*AXES, *AXES_OF_REAL], ids=lambda f: f.__name__)
def test_along_several_axes(fn, rest):
    for x in (normal(3, 4, 3), waves(2, 2, 3)):
        if fn in AXES or not np.iscomplexobj(x):
            check_rule(fn, x, *rest)


def test_one_axis_twice():
    check_rule(np.fft.fftn, waves(3), None, (0, 0))
    for rule in (fft.fft_fftn, fft.fft_ifftn):
        with pytest.raises(GradientError, match="twice"):
            rule(waves(3), (3, 3), (0, 0))[1](waves(3))
    for rule in (fft.fft_rfftn, fft.fft_irfftn):
        with pytest.raises(GradientError, match="twice"):
            rule(normal(3), None, (0, 0))[1](waves(3))


@pytest.mark.parametrize("fn", SHIFTS)
def test_shifts(fn):
    for args in ((normal(5),), (normal(3, 4),), (waves(3, 4), 0), (normal(2, 3, 4), (-1, 0))):
        check_rule(fn, *args)


def rules_here():
    return {
        primal: rule.function
        for primal, rule in declare._RULES.items()
        if rule.form != "zero" and rule.function.__module__ == fft.__name__
    }


def test_every_rule_is_checked():
    given = {*ONE_AXIS, *ONE_AXIS_OF_REAL, *AXES, *AXES_OF_REAL, *SHIFTS}
    assert set(rules_here()) == {*given, fft.fitted, fft.rfftn_bar, fft.irfftn_bar}
