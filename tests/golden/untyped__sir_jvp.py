"""The jvp of `sir` in primals/untyped.py, as printed."""

from tapeless.runtime import as_gradient, as_in_place, private_tangent


def sir_jvp(beta, gamma, s0, i0, steps, beta_dot, gamma_dot, s0_dot, i0_dot):
    beta_dot = private_tangent(beta_dot, beta)
    gamma_dot = private_tangent(gamma_dot, gamma)
    s_dot = private_tangent(s0_dot, s0)
    s = s0
    i_dot = private_tangent(i0_dot, i0)
    i = i0
    r = 0.0
    total_dot = 0.0
    total = 0.0
    for _ in range(steps):
        beta_s = beta * s
        infected_dot = (beta_dot * s + beta * s_dot) * i + beta_s * i_dot
        infected = beta_s * i
        recovered = gamma * i
        i_difference_dot = i_dot + infected_dot - (gamma_dot * i + gamma * i_dot)
        s_dot = s_dot - infected_dot
        s = s - infected
        i_dot = i_difference_dot
        i = i + infected - recovered
        r = r + recovered
        total_dot = +(total_dot + i_difference_dot)
        total = as_in_place(total, total + i)
    return total, as_gradient(total_dot, total)
