"""The grad of `chain_energy` in primals/untyped.py, as printed."""

from tapeless.runtime import zeros


def chain_energy_grad(positions, stiffness, rest):
    # Forward sweep
    saved = []
    for i in range(len(positions) - 1):
        stretch = positions[i + 1] - positions[i] - rest
        saved.append((stretch, stretch**2))
    # Reverse sweep
    positions_bar = zeros(positions)
    rest_bar = 0.0
    stiffness_bar = 0.0
    for i in reversed(range(len(positions) - 1)):
        stretch, stretch_squared = saved.pop()
        stretch_bar = stiffness * stretch
        stiffness_bar += stretch_squared * 0.5
        rest_bar -= stretch_bar
        positions_bar[i] -= stretch_bar
        positions_bar[i + 1] += stretch_bar
    return positions_bar, stiffness_bar, rest_bar
