"""The jvp of `repulsion` in primals/untyped.py, as printed."""

from tapeless.runtime import as_gradient, as_in_place, private_tangent


def repulsion_jvp(x, charge, x_dot, charge_dot):
    x_dot = private_tangent(x_dot, x)
    charge_dot = private_tangent(charge_dot, charge)
    energy_dot = 0.0
    energy = 0.0
    for i in range(len(x)):
        for j in range(i):
            x_difference = x[i] - x[j]
            x_squared = x_difference**2
            charge_x_ratio = charge / x_squared
            energy_dot = +(
                energy_dot
                + (
                    charge_dot / x_squared
                    - (x_dot[i] - x_dot[j]) * (2.0 * x_difference) * charge_x_ratio / x_squared
                )
            )
            energy = as_in_place(energy, energy + charge_x_ratio)
    return energy, as_gradient(energy_dot, energy)
