"""Every sort of rule at the edges of its domain, through the whole tool: dtypes, ranks, memory.

At each variant of the arguments the gradient of every argument has its type, shape and dtype, is right
against differences along a random direction, and forward mode is its transpose. Nothing is checked where
the function itself raises; nothing may crash.
"""

import math
import operator
import warnings

import numpy as np
import pytest

import tapeless as tl

RNG = np.random.default_rng(0)


def u(*shape):
    return RNG.uniform(0.3, 0.9, size=shape)


V, W, M, N = u(3), u(3), u(2, 3), u(2, 3)
S = u(3, 3) + 2 * np.eye(3)
C = np.array([[True, False, True], [False, True, True]])


def stored(x, v):
    y = np.zeros((2, 3), dtype=np.result_type(x, v))
    y[:] = x
    y[0] = v
    return y


def added(x, v):
    y = x * 1.0
    y += v
    return y * y


def gathered(x, v):
    rows = []
    for i in range(2):
        rows.append(x[i] * v)
    return np.stack(rows)


ONE = {
    "exp": (np.exp, M),
    "sqrt": (np.sqrt, M),
    "tanh": (np.tanh, M),
    "abs": (np.abs, M),
    "real": (np.real, M),
    "conjugate": (np.conjugate, M),
    "angle": (np.angle, M),
    "sinc": (np.sinc, M),
    "square": (lambda x: x**2, M),
    "root": (lambda x: x**-0.5, M),
    "power_of_two": (lambda x: 2**x, M),
    "modf": (np.modf, M),
    "nan_to_num": (np.nan_to_num, M),
    "sum": (np.sum, M),
    "sum_0": (lambda x: np.sum(x, axis=0), M),
    "mean": (lambda x: x.mean(axis=-1, keepdims=True), M),
    "prod": (lambda x: np.prod(x, axis=0), M),
    "max": (lambda x: np.max(x, axis=0), M),
    "var": (np.var, M),
    "nanstd": (lambda x: np.nanstd(x, axis=0), M),
    "median": (np.median, M),
    "quantile": (lambda x: np.quantile(x, 0.3), V),
    "cumsum": (np.cumsum, M),
    "cumprod": (np.cumprod, M),
    "gradient": (np.gradient, u(5)),
    "diff": (np.diff, M),
    "ediff1d": (np.ediff1d, V),
    "take": (lambda x: np.take(x, [0, 2, 2]), M),
    "sort": (np.sort, M),
    "mask": (lambda x: x[x > 0.5], M),
    "newaxis": (lambda x: x[None, ..., None], M),
    "reversed": (lambda x: x[..., ::-1], M),
    "ravel": (np.ravel, M),
    "reshape": (lambda x: np.reshape(x, (3, 2)), M),
    "transpose": (np.transpose, M),
    "squeeze": (np.squeeze, M),
    "atleast_2d": (np.atleast_2d, V),
    "tile": (lambda x: np.tile(x, 2), V),
    "repeat": (lambda x: np.repeat(x, 2), V),
    "roll": (lambda x: np.roll(x, 1), M),
    "pad": (lambda x: np.pad(x, 1, mode="edge"), M),
    "resize": (lambda x: np.resize(x, (3, 3)), V),
    "diagflat": (np.diagflat, V),
    "trace": (np.trace, S),
    "array": (np.array, M),
    "asarray": (np.asarray, M),
    "astype": (lambda x: x.astype(np.complex128), M),
    "full": (lambda x: np.full((4, 2, 3), x), M),
    "norm": (np.linalg.norm, M),
    "inv": (np.linalg.inv, S),
    "det": (np.linalg.det, S),
    "fft": (np.fft.fft, V),
    "rfft": (np.fft.rfft, V),
    "irfft": (np.fft.irfft, V),
    "math_exp": (math.exp, 0.6),
    "math_modf": (math.modf, 1.7),
    "math_frexp": (math.frexp, 1.7),
}
TWO = {
    "mul": (operator.mul, M, N),
    "div": (operator.truediv, M, N),
    "pow": (operator.pow, M, N),
    "builtin_pow": (pow, M, N),
    "arctan2": (np.arctan2, M, N),
    "maximum": (np.maximum, M, N),
    "nextafter": (np.nextafter, M, N),
    "clip": (lambda x, a: np.clip(x, a, 0.8), M, V),
    "where": (lambda a, b: np.where(C, a, b), M, N),
    "select": (lambda a, b: np.select([C], [a], b), M, N),
    "choose": (lambda a, b: np.choose(np.array([0, 1, 1]), (a, b)), V, W),
    "interp": (lambda x, y: np.interp(x, np.array([0.0, 0.5, 1.0]), y), V, W),
    "average": (lambda x, w: np.average(x, weights=w), V, W),
    "trapezoid": (lambda y, x: np.trapezoid(y, x), V, np.array([0.1, 0.5, 0.7])),
    "cov": (lambda a, b: np.cov(a, b), u(5), u(5)),
    "convolve": (np.convolve, V, u(2)),
    "correlate": (np.correlate, V, u(2)),
    "append": (np.append, V, W),
    "stack": (lambda a, b: np.stack([a, b]), M, N),
    "concatenate": (lambda a, b: np.concatenate([a, b]), M, N),
    "insert": (lambda x, v: np.insert(x, 1, v), V, 0.4),
    "meshgrid": (lambda a, b: np.meshgrid(a, b, indexing="ij"), V, W),
    "linspace": (lambda a, b: np.linspace(a, b, 4), V, W),
    "dot": (np.dot, V, W),
    "matvec": (operator.matmul, M, V),
    "matmul": (operator.matmul, S, S.T),
    "inner": (np.inner, M, V),
    "outer": (np.outer, V, W),
    "vdot": (np.vdot, V, W),
    "vecdot": (np.vecdot, M, N),
    "kron": (np.kron, V, M),
    "tensordot": (lambda a, b: np.tensordot(a, b, 1), M, V),
    "einsum": (lambda a, b: np.einsum("...i,i->...", a, b), M, V),
    "cross": (np.cross, V, W),
    "solve": (np.linalg.solve, S, V),
    "polyval": (np.polyval, V, W),
    "hypot": (lambda a, b: math.hypot(a, b), 1.7, 0.6),
    "stored": (stored, M, V),
    "added": (added, M, V),
    "gathered": (gathered, M, V),
}


def single(x):
    return x.astype(np.float32) if isinstance(x, np.ndarray) else np.float32(x)


def complex_of(x):
    return x + 0.3j * (0.5 + x) if isinstance(x, np.ndarray) else complex(x, 0.2)


def first(x):
    return float(np.ravel(x)[0])


def read_only(x):
    made = np.asfortranarray(x)
    made.flags.writeable = False
    return made


def backwards(x):
    return np.ascontiguousarray(x[..., ::-1])[..., ::-1]


VARIANTS_OF_ONE = {
    "single": single,
    "complex": complex_of,
    "read_only": read_only,
    "backwards": backwards,
    "rank_0": lambda x: np.array(first(x)),
    "numpy_scalar": lambda x: np.float64(first(x)),
    "python_float": first,
    "of_one": lambda x: np.ravel(x)[:1],
    "empty": lambda x: x[:0],
}
VARIANTS_OF_TWO = {
    "both_single": (single, single),
    "first_single": (single, None),
    "second_single": (None, single),
    "first_complex": (complex_of, None),
    "second_complex": (None, complex_of),
    "single_beside_numpy": (single, lambda x: np.float64(first(x))),
    "first_rank_0": (lambda x: np.array(first(x)), None),
    "second_float": (None, first),
    "second_integers": (None, lambda x: np.arange(np.size(x)).reshape(np.shape(x)) % 3 + 1),
    "second_of_one": (None, lambda x: x[:1]),
    "both_empty": (lambda x: x[:0], lambda x: x[:0]),
}


def is_number(y):
    return isinstance(y, float | complex | np.inexact) or (
        isinstance(y, np.ndarray) and y.dtype.kind in "fc"
    )


def leaves(y):
    return [p for part in y for p in leaves(part)] if isinstance(y, list | tuple) else [y]


def rebuilt(y, parts):
    if isinstance(y, list | tuple):
        made = [rebuilt(item, parts) for item in y]
        return type(y)(*made) if hasattr(y, "_fields") else type(y)(made)
    return next(parts) if is_number(y) else None


def random_like(rng, y):
    g = rng.normal(size=np.shape(y))
    if np.iscomplexobj(y):
        g = g + 1j * rng.normal(size=np.shape(y))
    return np.asarray(g, y.dtype) if isinstance(y, np.ndarray) else type(y)(g)


def pair(a, b):
    return sum(float(np.sum(np.asarray(p, complex) * q).real) for p, q in zip(a, b, strict=True))


def in_double(x):
    if not is_number(x) or isinstance(x, float | complex):
        return x
    return x.astype(np.result_type(x, np.float64))


def slope(f, args, k, direction, seeds):
    """Return the slope of the paired value along a direction of one argument, and its error."""

    def along(step):
        moved = [in_double(x) for x in args]
        moved[k] = moved[k] + step * direction
        if isinstance(args[k], np.ndarray):
            moved[k] = np.asarray(moved[k])
        return pair(seeds, filter(is_number, leaves(f(*moved))))

    wide, narrow = (along(1e-4) - along(-1e-4)) / 2e-4, (along(5e-5) - along(-5e-5)) / 1e-4
    return (4.0 * narrow - wide) / 3.0, abs(wide - narrow)


def check(f, args):
    rng = np.random.default_rng(1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "error", DeprecationWarning
            )  # as an array of one entry for a number
            y = f(*args)
            f(*map(in_double, args))
    except Exception:  # whatever NumPy says of such arguments
        pytest.skip("the function itself refuses these")
    found = list(filter(is_number, leaves(y)))
    if not found or not all(np.all(np.isfinite(part)) for part in found):
        pytest.skip("the value is not finite")
    seeds = [random_like(rng, part) for part in found]
    bars = tl.vjp(f, *args)[1](rebuilt(y, iter(seeds)))
    is_single = any(np.result_type(x) in (np.float32, np.complex64) for x in args if is_number(x))
    dots, total = [], 0.0
    for k, (x, g) in enumerate(zip(args, bars, strict=True)):
        if not is_number(x):
            dots.append(None)
            continue
        assert isinstance(g, type(x)), f"{type(g)} for {type(x)}"
        assert (np.shape(g), np.result_type(g)) == (np.shape(x), np.result_type(x))
        direction = random_like(rng, x)
        wanted, error = slope(f, args, k, direction, seeds)
        got = pair([g], [direction])
        size = 1.0 + abs(wanted) + float(np.sum(np.abs(g)))
        assert abs(got - wanted) <= error + (2e-5 if is_single else 1e-6) * size
        dots.append(direction)
        total += got
    _, y_dot = tl.jvp(f, tuple(args), tuple(dots))
    pairs = zip(leaves(y_dot), leaves(y), strict=True)
    pushed = [a for a, b in pairs if is_number(b)]
    for a, b in zip(pushed, found, strict=True):
        assert np.shape(a) == np.shape(b)
        assert np.iscomplexobj(b) or not np.iscomplexobj(a)
    size = 1.0 + sum(float(np.sum(np.abs(np.multiply(p, q)))) for p, q in zip(seeds, pushed))  # noqa: B905
    assert abs(pair(seeds, pushed) - total) <= (1e-4 if is_single else 1e-9) * size


@pytest.mark.filterwarnings("ignore")
@pytest.mark.sampled(2)
@pytest.mark.parametrize("variant", VARIANTS_OF_ONE.values(), ids=VARIANTS_OF_ONE)
@pytest.mark.parametrize(("f", "x"), ONE.values(), ids=ONE)
def test_one_argument(f, x, variant):
    try:
        x = variant(x)
    except Exception:  # a number has no such variant
        pytest.skip("no such variant")
    check(f, [x])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.sampled(2)
@pytest.mark.parametrize("variants", VARIANTS_OF_TWO.values(), ids=VARIANTS_OF_TWO)
@pytest.mark.parametrize(("f", "a", "b"), TWO.values(), ids=TWO)
def test_two_arguments(f, a, b, variants):
    try:
        args = [x if change is None else change(x) for change, x in zip(variants, (a, b))]  # noqa: B905
    except Exception:  # a number has no such variant
        pytest.skip("no such variant")
    check(f, args)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [n for n, (_, a, b) in TWO.items() if np.shape(a) == np.shape(b)])
def test_one_array_as_both_arguments(name):
    f, a, _ = TWO[name]
    check(f, [a, a])


def middles(x):
    return np.median(x) + np.nanmedian(x) + np.nanquantile(x, 0.3) + np.histogram(x)[1][0]


def along_no_axis(x):
    return np.cumsum(x, axis=0)[0] * np.cumprod(x, axis=0)[0] * np.squeeze(x, axis=0)


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:All-NaN", "ignore:invalid value")
def test_of_nothing_and_along_no_axis():
    assert tl.grad(middles)(np.zeros(0)).shape == (0,)
    assert np.isclose(tl.grad(along_no_axis)(np.array(2.0)), 12.0)
