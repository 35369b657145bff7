"""The jvp of `springs` in primals/untyped.py, as printed."""

from tapeless.runtime import as_gradient, as_in_place, private_tangent, record_of
from tests.golden.primals.untyped import Spring


def init_jvp(self, k, self_dot, k_dot):
    self_dot.k = k_dot
    self.k = k
    return None, None


def springs_jvp(k, x, k_dot, x_dot):
    k_dot = private_tangent(k_dot, k)
    x_dot = private_tangent(x_dot, x)
    spring = Spring.__new__(Spring)
    spring_dot = record_of()
    init_jvp(spring, k, spring_dot, k_dot)
    total_dot = 0.0
    total = 0.0
    for xi, xi_dot in zip(x, x_dot):
        half_spring_k = 0.5 * spring.k
        half_spring_k_xi = half_spring_k * xi
        total_dot = +(
            total_dot
            + ((0.5 * spring_dot.k * xi + half_spring_k * xi_dot) * xi + half_spring_k_xi * xi_dot)
        )
        total = as_in_place(total, total + half_spring_k_xi * xi)
    return total, as_gradient(total_dot, total)
