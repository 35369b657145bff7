"""Distances between points, and rotations in space, written out."""

from tapeless.rules.scipy.spatial import distances, rotations

__all__ = ["distances", "rotations"]
