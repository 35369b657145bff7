"""The jvp of `chain_energy` in primals/untyped.py, as printed."""

from tapeless.runtime import as_gradient, as_in_place, private_tangent


def chain_energy_jvp(positions, stiffness, rest, positions_dot, stiffness_dot, rest_dot):
    positions_dot = private_tangent(positions_dot, positions)
    stiffness_dot = private_tangent(stiffness_dot, stiffness)
    rest_dot = private_tangent(rest_dot, rest)
    energy_dot = 0.0
    energy = 0.0
    for i in range(len(positions) - 1):
        stretch = positions[i + 1] - positions[i] - rest
        half_stiffness = 0.5 * stiffness
        stretch_squared = stretch**2
        energy_dot = +(
            energy_dot
            + (
                0.5 * stiffness_dot * stretch_squared
                + half_stiffness
                * ((positions_dot[i + 1] - positions_dot[i] - rest_dot) * (2.0 * stretch))
            )
        )
        energy = as_in_place(energy, energy + half_stiffness * stretch_squared)
    return energy, as_gradient(energy_dot, energy)
