"""Derivatives of a function of four numbers in each mode, compared with central differences."""

import numpy as np

import tapeless as tl

X = np.array([0.6, -1.4, 2.3, 0.9])
ALONG = np.array([0.3, -0.2, 0.5, 0.7])
OTHER = np.array([-0.4, 0.1, 0.2, 0.6])


def slope(f):
    """Differentiate along a direction by central differences with two steps, extrapolated."""
    coarse, fine = ((f(X + h * ALONG) - f(X - h * ALONG)) / (2 * h) for h in (1e-4, 5e-5))
    return (4 * fine - coarse) / 3


def reverse(f):
    return tl.grad(f)(X.copy()) @ ALONG


def forward(f):
    return tl.jvp(f, (X.copy(),), (ALONG,))[1]


def second(f):
    return tl.hvp(f)(X.copy(), OTHER) @ ALONG


MODES = {"reverse": reverse, "forward": forward, "second order": second}


def compare(f, mode, found):
    wanted = slope((lambda x: tl.grad(f)(x) @ OTHER) if mode == "second order" else f)
    assert abs(found - wanted) < 1e-7 * (1.0 + abs(wanted)), f"{mode}: {found}, expected {wanted}"


def outcome(f, mode):
    """Compare a derivative with differences; return why it is refused, None where it is not."""
    try:
        found = MODES[mode](f)
    except tl.TapelessError as error:
        assert error.filename and error.lineno, f"a refusal without its place: {error}"
        assert error.fix, f"a refusal without a way out: {error}"
        return f"{error.reason} -> {error.fix}"
    compare(f, mode, found)
    return None
