"""The laws that derivatives obey, as checks.

Three laws say whether derivatives are right, and none of them needs another tool.

Differences
    The slope of ``<y_bar, f(x)>`` along a unit vector is the entry of the gradient there. The slope
    is taken from central differences at two steps; what is left between the two is the error
    estimate.
Transposition
    Forward and reverse mode are each other's transpose: ``<y_bar, J x_dot> == <J^T y_bar, x_dot>``
    for all seeds, up to rounding.
Symmetry
    A gradient is the gradient of something: the slope of ``<grad(x), v>`` along `u` is the slope of
    ``<grad(x), u>`` along `v`. This, from differences of the first derivatives, is the check of
    second order.

The pairing is bilinear, ``<a, b> = Re(sum(a * b))``, also for complex values, so that the entry of
a cotangent is the derivative along the real axis less ``1j`` times that along the imaginary axis.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeless.structures import aligned, leaves_of, rebuild, tangent_like

_STEP = 1e-3
_SHORTER, _MOST_SHORTER = 0.125, 3  # steps that follow where two differences do not agree
_MOST_ENTRIES = 64


class DerivativeMismatchError(AssertionError):
    """A derivative breaks one of the laws that derivatives obey."""


@dataclass(frozen=True)
class Tolerance:
    """How closely derivatives must agree."""

    rtol: float
    atol: float


@dataclass(frozen=True)
class Map:
    """A function with derivatives, in the one form that the laws are checked for.

    `pull(args, y_bar)` gives one cotangent per argument, `push(args, tangents)` the tangent of the
    value; either may be None. `names` are those of the arguments, for messages.
    """

    title: str
    names: tuple[str, ...]
    value: Callable[[Sequence[Any]], Any]
    pull: Callable[[Sequence[Any], Any], Sequence[Any]] | None
    push: Callable[[Sequence[Any], Sequence[Any]], Any] | None

    def mismatch(self, what: str) -> Exception:
        """Return the error that says what does not fit."""
        return DerivativeMismatchError(f"{self.title}: {what}")


# Arithmetic of lists of leaves


def _pair(a: Sequence[Any], b: Sequence[Any]) -> float:
    return float(sum(np.real(np.sum(np.multiply(p, q))) for p, q in zip(a, b, strict=True)))


def random_like(rng: np.random.Generator, x: Any) -> Any:
    """Draw a tangent or cotangent for a leaf."""
    g = rng.normal(size=np.shape(x))
    if np.iscomplexobj(x):
        g = g + 1j * rng.normal(size=np.shape(x))
    if isinstance(x, np.ndarray):
        return np.asarray(g).astype(x.dtype)
    return type(x)(g)


def shifted(x: Any, step: float, direction: Any) -> Any:
    """Move a leaf along a direction."""
    moved = x + step * direction
    if isinstance(x, np.ndarray):
        return np.asarray(moved, dtype=x.dtype)
    return type(x)(moved)


def _slope(
    phi: Callable[[list[Any]], float], leaves: list[Any], along: list[Any]
) -> tuple[float, float]:
    """Differentiate `phi` along a direction by central differences; return also the error."""
    scale = min(
        (float(np.max(np.abs(x))) for x, d in zip(leaves, along, strict=True) if np.any(d)),
        default=1.0,
    )
    eps = max((float(np.finfo(np.result_type(x)).eps) for x in leaves), default=0.0)
    # In double precision the step is small for the sake of kinks nearby; where rounding is coarse
    # it is where the errors of the extrapolation, h**4 and eps / h, meet.
    h = max(_STEP, eps**0.2) * (scale if 0.01 < scale < 1.0 else max(scale, 1.0) if scale else 1.0)
    values: list[float] = []

    def difference(step: float) -> float:
        ahead = [shifted(x, step, d) for x, d in zip(leaves, along, strict=True)]
        behind = [shifted(x, -step, d) for x, d in zip(leaves, along, strict=True)]
        values.extend((phi(ahead), phi(behind)))
        return (values[-2] - values[-1]) / (2.0 * step)

    def extrapolated(h: float) -> tuple[float, float]:
        wide, narrow = difference(h), difference(0.5 * h)
        slope = (4.0 * narrow - wide) / 3.0
        rounding = 4.0 * eps * (max(map(abs, values)) + scale * abs(slope)) / h
        return slope, abs(narrow - wide) + rounding

    found = extrapolated(h)
    for _ in range(_MOST_SHORTER):
        if not found[1] > _forgiven(abs(found[0])):  # undefined where an argument leaves the domain
            break
        h *= _SHORTER
        found = min(found, extrapolated(h), key=lambda pair: pair[1])
    return found


def _forgiven(size: float) -> float:
    """Return how much an estimate of the error forgives at most: else it would forgive anything."""
    return 1e-3 * (size + 1e-3)


def _agree(got: float, expected: float, size: float, error: float, tol: Tolerance) -> bool:
    allowance = tol.atol + tol.rtol * size + min(error, _forgiven(size))
    return abs(got - expected) <= allowance or (np.isnan(got) and np.isnan(expected))


def _units(x: Any, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """Return the unit vectors of a leaf, with ``1j`` times them if it is complex."""
    size = int(np.size(x))
    chosen = range(size) if size <= _MOST_ENTRIES else sorted(rng.permutation(size)[:_MOST_ENTRIES])
    for i in chosen:
        index = np.unravel_index(i, np.shape(x))
        entry = "[" + ", ".join(str(int(j)) for j in index) + "]" if index else ""
        for unit in (1.0, 1j) if np.iscomplexobj(x) else (1.0,):
            vector = np.zeros(np.shape(x), dtype=np.result_type(x, type(unit)))
            vector[index] = unit
            yield entry, vector


# The laws


def check_laws(f: Map, args: Sequence[Any], order: int, tol: Tolerance, seed: int = 0) -> None:
    """Check all laws at a point; the symmetry of the second derivative at order 2."""
    rng = np.random.default_rng(seed)
    y = f.value(args)
    point = _Point(f, list(args), y, [random_like(rng, leaf) for _, leaf in leaves_of(y)], tol)
    if f.pull is not None:
        point.check_differences(rng)
    directions = [random_like(rng, leaf) for leaf in point.leaves]
    if f.push is not None:
        point.check_transposition(directions)
    if order >= 2 and f.pull is not None and point.leaves and point.y_bar_leaves:
        u = [random_like(rng, leaf) for leaf in point.leaves]
        v = [random_like(rng, leaf) for leaf in point.leaves]
        point.check_symmetry(u, v)


@dataclass(frozen=True)
class _Point:
    """Where the laws of a function are checked: its arguments, its value and the seed."""

    f: Map
    args: list[Any]
    y: Any
    y_bar_leaves: list[Any]
    tol: Tolerance

    @property
    def paths(self) -> list[tuple[str, Any]]:
        """The leaves of the arguments with their places."""
        named = zip(self.f.names, self.args, strict=True)
        return [pair for name, arg in named for pair in leaves_of(arg, name)]

    @property
    def leaves(self) -> list[Any]:
        """The leaves of the arguments."""
        return [leaf for _, leaf in self.paths]

    @property
    def y_bar(self) -> Any:
        """The seed, with the structure of the value."""
        return rebuild(self.y, iter(self.y_bar_leaves), lambda value: None)

    def arguments(self, new: Sequence[Any]) -> list[Any]:
        """Make arguments of other leaves."""
        return list(rebuild(self.args, iter(new)))

    def weighted_value(self, new: list[Any]) -> float:
        """Pair the seed with the value for other leaves."""
        leaves = [leaf for _, leaf in leaves_of(self.f.value(self.arguments(new)))]
        if list(map(np.shape, leaves)) != list(map(np.shape, self.y_bar_leaves)):
            raise self.f.mismatch(
                "the value has another structure beside this point, "
                "so differences do not tell its derivative"
            )
        return _pair(self.y_bar_leaves, leaves)

    def gradient(self, new: Sequence[Any]) -> list[Any]:
        """Return the cotangents of other leaves."""
        assert self.f.pull is not None
        current = self.arguments(new)
        found = self.f.pull(current, copy.deepcopy(self.y_bar))
        return [
            leaf
            for name, arg, g in zip(self.f.names, current, found, strict=True)
            for leaf in aligned(arg, g, name, self.f.mismatch)
        ]

    def tangent(self, new: Sequence[Any], directions: Sequence[Any]) -> list[Any]:
        """Return the tangent of the value at other leaves."""
        assert self.f.push is not None
        tangents = tangent_like(self.args, iter(directions))
        y_dot = self.f.push(self.arguments(new), tangents)
        return list(aligned(self.y, y_dot, "the value's tangent", self.f.mismatch))

    def check_differences(self, rng: np.random.Generator) -> None:
        """Compare the gradient with differences, and see that it leaves the arguments as they are."""
        before = copy.deepcopy(self.args)
        leaves = self.leaves
        found = self.gradient(leaves)
        changed = f"{self.f.title}: the arguments were changed by the gradient"
        check_same(before, self.args, changed)
        for k, (path, leaf) in enumerate(self.paths):
            for entry, unit in _units(leaf, rng):
                along: list[Any] = [np.zeros(np.shape(x)) for x in leaves]
                along[k] = unit
                expected, error = _slope(self.weighted_value, leaves, along)
                got = _pair([found[k]], [unit])
                if not _agree(got, expected, max(abs(got), abs(expected), 1.0), error, self.tol):
                    imaginary = np.iscomplexobj(unit) and np.imag(unit).any()
                    raise DerivativeMismatchError(
                        f"{self.f.title}: the gradient of {path}{entry}"
                        f"{' (imaginary part)' if imaginary else ''} is {got}, "
                        f"differences give {expected} (error about {error:.1e}"
                        f"{', perhaps of a kink nearby' if error > _forgiven(abs(expected)) else ''})"
                    )

    def check_transposition(self, directions: list[Any]) -> None:
        """Compare the tangent with the gradient, or with differences where there is none."""
        leaves = self.leaves
        pushed = _pair(self.y_bar_leaves, self.tangent(leaves, directions))
        if self.f.pull is not None:
            expected, error = _pair(self.gradient(leaves), directions), 0.0
            law = "<y_bar, J x_dot> differs from <J^T y_bar, x_dot>"
        else:
            expected, error = _slope(self.weighted_value, leaves, directions)
            law = "the tangent differs from differences"
        size = sum(float(np.sum(np.abs(leaf))) for leaf in self.y_bar_leaves) + abs(expected)
        if not _agree(pushed, expected, size, error, self.tol):
            raise DerivativeMismatchError(
                f"{self.f.title}: {law}: got {pushed}, expected {expected}"
            )

    def check_symmetry(self, u: list[Any], v: list[Any]) -> None:
        """Compare the second derivative along two directions with that along them in turn."""

        def slope_along_u(new: list[Any]) -> float:
            if self.f.push is not None:
                return _pair(self.y_bar_leaves, self.tangent(new, u))
            return _pair(self.gradient(new), u)

        def gradient_along_v(new: list[Any]) -> float:
            return _pair(self.gradient(new), v)

        expected, error_1 = _slope(slope_along_u, self.leaves, v)
        got, error_2 = _slope(gradient_along_v, self.leaves, u)
        size = max(abs(expected), abs(got), 1.0)
        loose = Tolerance(10.0 * self.tol.rtol, 10.0 * self.tol.atol)
        if not _agree(got, expected, size, error_1 + error_2, loose):
            raise DerivativeMismatchError(
                f"{self.f.title}: the second derivative is not symmetric: <v, H u> is {got}, "
                f"<u, H v> is {expected}"
            )


def check_same(a: Any, b: Any, message: str) -> None:
    """Check that two structures have the same leaves."""
    ours = [leaf for _, leaf in leaves_of(a)]
    theirs = [leaf for _, leaf in leaves_of(b)]
    if len(ours) != len(theirs):
        raise DerivativeMismatchError(f"{message}: {len(theirs)} values against {len(ours)}")
    for p, q in zip(ours, theirs, strict=True):
        if not np.array_equal(p, q, equal_nan=True):
            raise DerivativeMismatchError(f"{message}: {q} against {p}")
