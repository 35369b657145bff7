"""A differentiable rasterizer: triangles with soft edges, blended by depth into an image buffer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Camera:
    focal: float = 1.5
    width: int = 4
    height: int = 3

    def project(self, points):
        z = points[:, 2]
        return self.focal * points[:, :2] / z[:, None], z

    def pixels(self):
        for row in range(self.height):
            for col in range(self.width):
                x = (col + 0.5) / self.width * 2.0 - 1.0
                y = 1.0 - (row + 0.5) / self.height * 2.0
                yield row, col, x, y


@dataclass
class Triangle:
    vertices: np.ndarray
    color: tuple[float, float, float] = (1.0, 1.0, 1.0)


def edge(a, b, px, py):
    return (b[0] - a[0]) * (py - a[1]) - (b[1] - a[1]) * (px - a[0])


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


class Renderer:
    def __init__(self, camera=None, softness=0.1, background=0.1):
        self.camera = camera or Camera()
        self.softness = softness
        self.background = background

    def shade(self, triangle, light):
        a, b, c = triangle.vertices
        normal = np.cross(b - a, c - a)
        normal = normal / np.linalg.norm(normal)
        diffuse = max(0.0, -normal @ light)
        return np.array(triangle.color) * (0.2 + 0.8 * diffuse)

    def coverage(self, corners, x, y):
        inside = 1.0
        for i in range(3):
            inside = inside * sigmoid(-edge(corners[i], corners[(i + 1) % 3], x, y) / self.softness)
        return inside

    def render(self, triangles, light):
        cam = self.camera
        image = np.full((cam.height, cam.width, 3), self.background)
        weight = np.full((cam.height, cam.width), 1e-3)
        image *= 1e-3
        for triangle in triangles:
            corners, depth = cam.project(triangle.vertices)
            color = self.shade(triangle, light)
            near = np.exp(-depth.mean())
            for row, col, x, y in cam.pixels():
                w = self.coverage(corners, x, y) * near
                image[row, col] += w * color
                weight[row, col] += w
        return image / weight[:, :, None]


def objective(vertices, light):
    light = light / np.linalg.norm(light)
    scene = [
        Triangle(vertices, color=(0.9, 0.3, 0.2)),
        Triangle(vertices[::-1] + np.array([0.3, -0.1, 0.5]), color=(0.2, 0.5, 0.9)),
    ]
    image = Renderer(softness=0.3).render(scene, light)
    target = np.linspace(0.0, 1.0, image.size).reshape(image.shape)
    smooth = np.mean(np.diff(image, axis=0) ** 2) + np.mean(np.diff(image, axis=1) ** 2)
    return np.mean((image - target) ** 2) + 0.1 * smooth


ARGUMENTS = (
    np.array([[-0.5, -0.4, 2.0], [0.1, 0.6, 2.2], [0.6, -0.3, 1.8]]), np.array([0.2, -0.3, 1.0]),
)
