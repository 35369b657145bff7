"""The grad of `attracted` in primals/practice.py, as printed."""

import numpy as np


def attracted_grad(places, strength, reach):
    # Forward sweep
    saved = []
    saved_1 = []
    for i in range(len(places)):
        for j in range(i):
            way = places[i] - places[j]
            distance = np.sqrt(way @ way)
            saved_1.append((distance, way))
            if distance > reach:
                continue
            saved.append((reach - distance) ** 2)
    # Reverse sweep
    places_bar = np.zeros_like(places)
    reach_bar = 0.0
    strength_bar = 0.0
    for i in reversed(range(len(places))):
        for j in reversed(range(i)):
            distance, way = saved_1.pop()
            if not distance > reach:
                strength_bar += saved.pop()
                reach_minus_distance_bar = strength * (2.0 * (reach - distance))
                reach_bar += reach_minus_distance_bar
                way_product_bar = (
                    -0.5 * reach_minus_distance_bar / distance if reach_minus_distance_bar else 0.0
                )
                way_bar = 2.0 * way_product_bar * way
                places_bar[j] -= way_bar
                places_bar[i] += way_bar
    return places_bar, strength_bar, reach_bar
