"""try, except, else, finally, and with."""

import numpy as np

INPUTS = {
    "coupling": (1.5, 2),
    "ends": (np.array([0.6, 1.4, 2.3]), 5),
    "retried": (1.5,),
    "interrupted": (1.5, 2),
    "in_frame": (0.4, 1.5),
    "until_missing": (np.array([0.6, 1.4, 2.3]),),
}
COUPLINGS = [1.7, -0.6]


def coupling(x: float, k: int):
    try:
        c = COUPLINGS[k]
    except IndexError:
        c = x
    else:
        x = x * x
    return c * x


def ends(x: "Float[np.ndarray, 'n']", n: int):  # noqa: F722, F821
    s = 0.0
    for i in range(n):
        try:
            s += x[i] * x[i]
        except IndexError:
            s += 1.0
            continue
        s = s * 1.5
    return s


def domain(x: float):
    if x < 0.0:
        raise ValueError("negative")
    return np.sqrt(x)


def retried(x: float):
    shift = 0.0
    for _ in range(5):
        try:
            y = domain(shift - x)
            break
        except ValueError:
            shift = shift + 1.0
    return y * x


def interrupted(x: float, k: int):
    y = x
    try:
        y = y * x
        y = y * COUPLINGS[k]
    except IndexError:
        y = y + 1.0
    return y * y


class Frame:
    def __init__(self, angle):
        self.angle = angle

    def __enter__(self):
        return np.cos(self.angle)

    def __exit__(self, kind, error, trace):
        self.angle = 0.0


def in_frame(x: float, y: float):
    with Frame(x) as c:
        return c * y


def until_missing(x: "Float[np.ndarray, 'n']"):  # noqa: F722, F821
    s = 1.0
    i = 0
    try:
        while True:
            s = s * x[i] + 1.0
            i += 1
    except IndexError:
        pass
    return s
