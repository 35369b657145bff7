"""The jvp of `attracted` in primals/practice.py, as printed."""

import numpy as np


def attracted_jvp(places, strength, reach, places_dot, strength_dot, reach_dot):
    energy_dot = 0.0
    energy = 0.0
    for i in range(len(places)):
        for j in range(i):
            way_dot = places_dot[i] - places_dot[j]
            way = places[i] - places[j]
            distance = np.sqrt(way @ way)
            distance_dot = (way_dot @ way + way @ way_dot) * 0.5 / distance
            if distance > reach:
                continue
            reach_minus_distance = reach - distance
            reach_distance_power = reach_minus_distance**2
            energy_dot += strength_dot * reach_distance_power + strength * (
                (reach_dot - distance_dot) * (2.0 * reach_minus_distance)
            )
            energy += strength * reach_distance_power
    return energy, energy_dot
