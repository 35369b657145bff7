"""The grad of `idle_comment` in primals/halves.py, as printed."""

from tests.golden.primals.halves import product


def idle_comment_grad(x):
    # Forward sweep
    # product, inlined
    product_1 = product(2.0, 3.0)
    # Reverse sweep
    # product.grad, as written by its author (halves.py:56)
    x_bar = 2.0 * x
    return x_bar
