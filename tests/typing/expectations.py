"""What checkers of types say of the operators, as a program that they must accept as it stands.

A line that must be an error says so with an ignore comment; a comment that is not needed is an error too.
"""

from collections.abc import Callable
from typing import Any, assert_type

import numpy as np

import tapeless as tl

Array = np.ndarray[Any, np.dtype[np.float64]]


def loss(w: Array, x: Array, *, scale: float = 1.0) -> float:
    return float(scale * np.sum(x @ w))


def loss_and_parts(w: Array, x: Array) -> tuple[float, list[str]]:
    return loss(w, x), ["fit"]


w, x = np.ones(2), np.ones((3, 2))
variable = tl.Variable(1.0)

# The arguments of a gradient are those of the function: their names, types and defaults.

gradient = tl.grad(loss)
assert_type(gradient(w, x), Any)
gradient(w=w, x=x, scale=2.0)
gradient(w)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
gradient(w, x, factor=2.0)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
gradient(w, "x")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
assert_type(tl.grad(lambda t: t * t)(3.0), Any)
tl.grad(loss, wrt=1.5)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]

# What they return

assert_type(tl.grad(loss, ("w", "x"))(w, x), tuple[Any, ...])
assert_type(tl.grad(loss, wrt=(0, 1))(w, x), tuple[Any, ...])
assert_type(tl.grad(loss_and_parts, has_aux=True)(w, x), tuple[Any, list[str]])
assert_type(tl.grad(loss, None, variables=[variable])(w, x), list[Any])
assert_type(tl.grad(loss, variables=[variable])(w, x), Any)
assert_type(tl.value_and_grad(loss)(w, x), tuple[float, Any])
assert_type(tl.value_and_grad(loss, ("w", "x"))(w, x), tuple[float, tuple[Any, ...]])
assert_type(
    tl.value_and_grad(loss_and_parts, has_aux=True)(w, x), tuple[tuple[float, list[str]], Any]
)
assert_type(tl.jacobian(loss)(w, x, scale=2.0), Any)
assert_type(tl.hessian(loss)(w, x, scale=2.0), Any)
tl.hessian(loss)(w)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
assert_type(tl.hvp(loss)(w, x, w), Any)

y, pullback = tl.vjp(loss, w, x)
assert_type(y, float)
assert_type(pullback(1.0), tuple[Any, ...])
tl.vjp(loss, w, "x")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
assert_type(tl.jvp(loss, (w, x), (w, None)), tuple[float, Any])
assert_type(tl.source(loss), str)

# Decorators


@tl.grad
def slope(t: float, power: int = 2) -> float:
    return t**power


@tl.grad(wrt=("a", "b"))
def slopes(a: float, b: float) -> float:
    return a * b


@tl.grad(has_aux=True)
def slope_and_name(a: float) -> tuple[float, str]:
    return a * a, "square"


@tl.value_and_grad(wrt="b")
def value_and_slope(a: float, b: float) -> float:
    return a * b


@tl.hessian()
def curvature(a: float) -> float:
    return a**3


assert_type(slope(2.0, power=3), Any)
slope(2.0, exponent=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
assert_type(slopes(a=1.0, b=2.0), tuple[Any, ...])
assert_type(slope_and_name(1.0), tuple[Any, str])
assert_type(value_and_slope(1.0, b=2.0), tuple[float, Any])
assert_type(curvature(a=1.0), Any)
assert_type(tl.grad(slope)(2.0, power=3), Any)

# Custom gradients and functions that are called as before


@tl.custom_gradient
def log1pexp(t: float, base: int = 2) -> tuple[float, Callable[[float], tuple[float, None]]]:
    e = float(np.exp(t))

    def grad(upstream: float) -> tuple[float, None]:
        return upstream * (1 - 1 / (1 + e)), None

    return float(np.log(1 + e)), grad


@tl.custom_gradient()
def doubled(t: float) -> tuple[float, Callable[[float], float]]:
    return 2.0 * t, lambda upstream: 2.0 * upstream


@tl.custom_gradient  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
def without_gradient(t: float) -> float:
    return t


@tl.recompute_grad
def layer(t: float, power: int = 2) -> float:
    return t**power


assert_type(log1pexp(1.0, base=3), float)
log1pexp(1.0, power=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
assert_type(doubled(t=1.0), float)
assert_type(layer(1.0, power=3), float)
layer("1.0")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
assert_type(tl.grad_pass_through(layer)(1.0, power=3), float)
assert_type(tl.stop_gradient(2.0), float)


@tl.differentiable
def cube(t: float, offset: float = 0.0) -> float:
    return t**3 + offset


assert_type(cube(2.0, offset=1.0), float)
assert_type(cube.grad()(2.0, offset=1.0), Any)
assert_type(cube.value_and_grad("t")(2.0), tuple[float, Any])
assert_type(cube.source(), str)
cube.grad()(2.0, shift=1.0)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

# Methods


class Model:
    rate = 0.5

    @tl.grad(wrt="t")
    def slope(self, t: float) -> float:
        return self.rate * t * t

    @tl.differentiable
    def energy(self, t: float) -> float:
        return self.rate * t

    @tl.custom_gradient
    def step(self, t: float) -> tuple[float, Callable[[float], float]]:
        return self.rate * t, lambda upstream: upstream


assert_type(Model().slope(t=2.0), Any)
assert_type(Model().energy(t=2.0), float)
assert_type(Model().step(t=2.0), float)
Model().slope(t="2")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
assert_type(tl.grad(Model().energy)(t=2.0), Any)

# Functions without annotations, of NumPy and of the standard library


def plain(a, b=2.0):  # type: ignore[no-untyped-def]
    return a * b


assert_type(tl.grad(plain)(1.0, b=3.0), Any)
tl.vjp(plain, 1.0)
tl.jvp(plain, (1.0,), (1.0,))
tl.jacobian(np.sin)(x)  # type: ignore[arg-type]  # mypy sees the first overload of NumPy alone
tl.vjp(np.sin, x)
