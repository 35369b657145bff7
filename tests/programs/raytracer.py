"""A ray tracer of spheres over a floor: the mean brightness as a function of material and place."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np


def normalize(v):
    return v / np.linalg.norm(v)


@dataclass
class Ray:
    origin: np.ndarray
    direction: np.ndarray

    def at(self, t):
        return self.origin + t * self.direction


@dataclass
class Material:
    color: np.ndarray
    diffuse: float = 0.8
    reflection: float = 0.0


class Shape(ABC):
    def __init__(self, material):
        self.material = material

    @abstractmethod
    def intersect(self, ray):
        """Return the distance along the ray, or None."""

    @abstractmethod
    def normal(self, p):
        ...


class Sphere(Shape):
    def __init__(self, center, radius, material):
        super().__init__(material)
        self.center = center
        self.radius = radius

    def intersect(self, ray):
        oc = ray.origin - self.center
        b = np.dot(oc, ray.direction)
        c = np.dot(oc, oc) - self.radius**2
        disc = b * b - c
        if disc < 0:
            return None
        t = -b - np.sqrt(disc)
        if t > 1e-4:
            return t
        return None

    def normal(self, p):
        return (p - self.center) / self.radius


class Plane(Shape):
    def __init__(self, height, material):
        super().__init__(material)
        self.height = height

    def intersect(self, ray):
        if abs(ray.direction[1]) < 1e-6:
            return None
        t = (self.height - ray.origin[1]) / ray.direction[1]
        return t if t > 1e-4 else None

    def normal(self, p):
        return np.array([0.0, 1.0, 0.0])


class Scene:
    def __init__(self, shapes, light, background=0.1):
        self.shapes = shapes
        self.light = light
        self.background = np.full(3, background)

    def closest(self, ray):
        best, hit = np.inf, None
        for shape in self.shapes:
            t = shape.intersect(ray)
            if t is not None and t < best:
                best, hit = t, shape
        return best, hit

    def trace(self, ray, depth=0, max_depth=1):
        t, shape = self.closest(ray)
        if shape is None:
            return self.background
        p = ray.at(t)
        n = shape.normal(p)
        to_light = normalize(self.light - p)
        shadow = self.closest(Ray(p + 1e-3 * n, to_light))[1] is not None
        color = 0.1 * shape.material.color
        if not shadow:
            color = color + shape.material.diffuse * max(0.0, np.dot(n, to_light)) * shape.material.color
        if depth < max_depth and shape.material.reflection > 0:
            r = ray.direction - 2 * np.dot(ray.direction, n) * n
            color = color + shape.material.reflection * self.trace(Ray(p + 1e-3 * n, r), depth + 1)
        return color


def render(scene, width, height):
    image = np.zeros((height, width, 3))
    eye = np.array([0.0, 0.5, -3.0])
    for j in range(height):
        for i in range(width):
            target = np.array([(i - width / 2 + 0.5) / width, 0.5 - (j - height / 2 + 0.5) / height, -1.5])
            image[j, i] = scene.trace(Ray(eye, normalize(target - eye)))
    return image


def objective(center, reflection):
    shapes = [
        Sphere(center, 0.7, Material(np.array([0.9, 0.2, 0.2]), reflection=reflection)),
        Plane(-0.5, Material(np.array([0.5, 0.6, 0.7]), diffuse=0.6)),
    ]
    scene = Scene(shapes, light=np.array([3.0, 4.0, -3.0]))
    image = render(scene, 3, 3)
    return np.mean(image**2)


ARGUMENTS = (np.array([0.1, 0.2, 0.3]), 0.3)
