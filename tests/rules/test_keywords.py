"""The keywords of functions, in calls as programs have them: those of `keywords.txt`.

Each call stands in a function, whose gradient and tangent are compared with differences and with each
other, and differentiated again. A keyword that is not followed is refused, and named.
"""

import copy
import math

import numpy as np
import pytest

import tapeless as tl
from tests.rules import grid
from tests.rules.test_second_order import (
    check_second_order,
    check_tangent_of_gradient,
    pair,
    type_like,
    weighted_sum,
)

scipy = pytest.importorskip("scipy", reason="most of the calls are of SciPy's functions")

from scipy import (  # noqa: E402
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    special,
)
from scipy.sparse import linalg as _of_sparse  # noqa: E402, F401
from scipy.spatial import distance  # noqa: E402
from scipy.spatial.transform import Rotation  # noqa: E402

NAMES = {
    "fft": fft, "integrate": integrate, "interpolate": interpolate, "linalg": linalg,
    "ndimage": ndimage, "optimize": optimize, "signal": signal, "sparse": sparse,
    "special": special, "distance": distance, "Rotation": Rotation,
    "ij": (np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)),
    "ijm": (np.repeat(np.arange(2), 3), np.tile(np.arange(3), 2)),
}  # fmt: skip
FILE = grid.GRID_FILE.with_name("keywords.txt")
ALL = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line[:1] not in ("#", "")]
REFUSED = [line.removeprefix("refused: ") for line in ALL if line.startswith("refused: ")]
FORWARD = [line.removeprefix("forward: ") for line in ALL if line.startswith("forward: ")]
ONCE = [line.removeprefix("once: ") for line in ALL if line.startswith("once: ")]
TWICE = [line for line in ALL if not line.startswith(("refused: ", "forward: ", "once: "))]
TOGETHER = 4
EACH = 256  # one group of so many is checked, but for --all-samples


@pytest.fixture(autouse=True)
def names(monkeypatch):
    """Let the calls name the modules of SciPy; what a call may overwrite is a copy."""
    kept = {key: x.copy() if isinstance(x, np.ndarray) else x for key, x in grid.SAMPLES.items()}
    for key, value in {**kept, **NAMES}.items():
        monkeypatch.setitem(grid.SAMPLES, key, value)


def is_there(line):
    """Whether these versions have the function and the keywords of a line."""
    try:
        fresh = {k: x.copy() if isinstance(x, np.ndarray) else x for k, x in grid.SAMPLES.items()}
        eval(line, fresh)
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return False
    return True


def groups_of(lines):
    return [lines[i : i + TOGETHER] for i in range(0, len(lines), TOGETHER)]


def check_first_order(lines):
    f, values = weighted_sum(lines)
    y, gradient = tl.value_and_grad(f, wrt=tuple(range(len(values))))(*values)
    assert np.allclose(y, f(*copy.deepcopy(values)), rtol=1e-9)  # a call may overwrite them
    rng = np.random.default_rng(7)
    for _ in range(2):
        u = [type_like(x, rng.normal(size=np.shape(x))) for x in values]
        wide, narrow = (
            (f(*shifted(values, u, h)) - f(*shifted(values, u, -h))) / (2 * h) for h in (1e-4, 5e-5)
        )
        along = pair(gradient, u)
        size = sum(float(np.sum(np.abs(g * d))) for g, d in zip(gradient, u, strict=True))
        tangent = tl.jvp(f, tuple(values), tuple(u))[1]
        assert math.isclose(along, (4 * narrow - wide) / 3, rel_tol=1e-5, abs_tol=1e-5 * (1 + size))
        assert math.isclose(along, tangent, rel_tol=1e-9, abs_tol=1e-9 * (1 + size))


def shifted(values, direction, step):
    return [x + step * d for x, d in zip(values, direction, strict=True)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.sampled(EACH)
@pytest.mark.parametrize("lines", groups_of(TWICE))
def test_twice(lines):
    for line in filter(is_there, lines):
        check_first_order([line])
        check_second_order([line])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.sampled(EACH)
@pytest.mark.parametrize("lines", groups_of(FORWARD))
def test_twice_in_forward_mode(lines):
    for line in filter(is_there, lines):
        check_first_order([line])
        check_tangent_of_gradient(*weighted_sum([line]), np.random.default_rng(3))
        with pytest.raises(tl.TapelessError):
            check_second_order([line])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.sampled(6)
@pytest.mark.parametrize("line", ONCE)
def test_once(line):
    if not is_there(line):
        pytest.skip("these versions do not take it")
    check_first_order([line])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", REFUSED)
def test_refused(line):
    if not is_there(line):
        pytest.skip("these versions do not take it")
    f, values = weighted_sum([line])
    with pytest.raises(tl.TapelessError) as caught:
        tl.grad(f, wrt=tuple(range(len(values))))(*values)
    assert str(caught.value).strip()
