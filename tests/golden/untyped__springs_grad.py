"""The grad of `springs` in primals/untyped.py, as printed."""

import numpy as np
from tapeless.runtime import AdjointRecord, as_in_place, full, unbroadcast, zeros
from tests.golden.primals.untyped import Spring


def init_fwd(self, k):
    self.k = k
    return None, (k,)


def init_rev(saved, self_bar):
    (k,) = saved
    k_bar = full(self_bar.k, k)
    return k_bar


def springs_grad(k, x):
    # Forward sweep
    saved = []
    spring = Spring.__new__(Spring)
    _, saved_init = init_fwd(spring, k)
    total = 0.0
    for xi in x:
        half_spring_k = 0.5 * spring.k
        half_spring_k_xi = half_spring_k * xi
        spring_xi_product = half_spring_k_xi * xi
        saved.append((total, spring_xi_product, half_spring_k, half_spring_k_xi))
        total = as_in_place(total, total + spring_xi_product)
    # Reverse sweep
    total_bar = 1.0
    spring_bar = AdjointRecord()
    x_bar = zeros(x)
    for k_1 in range(len(x) - 1, -1, -1):
        xi = x[k_1]
        total, spring_xi_product, half_spring_k, half_spring_k_xi = saved.pop()
        total_spring_sum_bar = total_bar
        total_bar = unbroadcast(total_bar, total)
        spring_xi_product_bar = unbroadcast(total_spring_sum_bar, spring_xi_product)
        half_spring_k_xi_bar = spring_xi_product_bar * xi
        xi_bar = np.sum(spring_xi_product_bar * half_spring_k_xi) + np.sum(
            half_spring_k_xi_bar * half_spring_k
        )
        spring_bar.k = spring_bar.k + half_spring_k_xi_bar * xi * 0.5
        x_bar[k_1] += xi_bar
    k_bar = init_rev(saved_init, spring_bar)
    return np.array(k_bar), x_bar
