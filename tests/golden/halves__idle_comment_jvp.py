"""The jvp of `idle_comment` in primals/halves.py, as printed."""

from tests.golden.primals.halves import product


def idle_comment_jvp(x, x_dot):
    # product.grad, transposed (halves.py:56)
    product_x_dot = x_dot * x + x_dot * x
    product_1 = product(2.0, 3.0)
    return x * x + product_1, product_x_dot
