"""Reprojection errors of cameras and points: small vectors, one observation after the other."""

import math

import numpy as np

WRT = (0, 1, 2)
SIZES = {"test": (2, 3, 4), "100 observations": (5, 30, 100)}


def make_inputs(rng, cameras, points, observations):
    cams = np.concatenate(
        [
            0.3 * rng.normal(size=(cameras, 3)),  # rotation
            rng.normal(size=(cameras, 3)),  # centre
            rng.uniform(0.8, 1.2, size=(cameras, 1)),  # focal length
            0.1 * rng.normal(size=(cameras, 4)),  # principal point, radial distortion
        ],
        axis=1,
    )
    x = rng.normal(size=(points, 3)) + np.array([0.0, 0.0, 8.0])
    weights = rng.uniform(0.5, 1.0, size=observations)
    seen = np.stack([np.arange(observations) % cameras, np.arange(observations) % points], axis=1)
    features = rng.normal(size=(observations, 2))
    return cams, x, weights, seen, features


def rotate(rotation, point):
    angle = np.sqrt(np.sum(rotation**2))
    axis = rotation / angle
    sine, cosine = np.sin(angle), np.cos(angle)
    return (
        point * cosine
        + np.cross(axis, point) * sine
        + axis * (np.dot(axis, point) * (1.0 - cosine))
    )


def project(camera, point):
    local = rotate(camera[0:3], point - camera[3:6])
    image = local[0:2] / local[2]
    squared = np.sum(image**2)
    distortion = 1.0 + camera[9] * squared + camera[10] * squared**2
    return image * distortion * camera[6] + camera[7:9]


def primal(cameras, points, weights, seen, features):
    total = 0.0
    for k in range(len(weights)):
        i, j = seen[k]
        error = weights[k] * (project(cameras[i], points[j]) - features[k])
        total += np.sum(error**2) + (1.0 - weights[k] ** 2) ** 2
    return total


def hand_observation(camera, point, weight, feature, camera_bar, point_bar):
    """Add to the adjoints of one camera and one point; return that of the weight."""
    r0, r1, r2, c0, c1, c2, focal, _, _, k1, k2 = camera
    p0, p1, p2 = point[0] - c0, point[1] - c1, point[2] - c2
    angle = math.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
    a0, a1, a2 = r0 / angle, r1 / angle, r2 / angle
    s, c = math.sin(angle), math.cos(angle)
    x0, x1, x2 = a1 * p2 - a2 * p1, a2 * p0 - a0 * p2, a0 * p1 - a1 * p0
    along = a0 * p0 + a1 * p1 + a2 * p2
    v = 1.0 - c
    av = along * v
    l0, l1, l2 = p0 * c + x0 * s + a0 * av, p1 * c + x1 * s + a1 * av, p2 * c + x2 * s + a2 * av
    u0, u1 = l0 / l2, l1 / l2
    q = u0 * u0 + u1 * u1
    distortion = 1.0 + k1 * q + k2 * (q * q)
    df = distortion * focal
    e0, e1 = u0 * df + camera[7] - feature[0], u1 * df + camera[8] - feature[1]
    # Reverse
    twice = 2.0 * weight
    weight_bar = twice * (e0 * e0 + e1 * e1) - 2.0 * twice * (1.0 - weight * weight)
    y0_bar, y1_bar = twice * weight * e0, twice * weight * e1
    camera_bar[7] += y0_bar
    camera_bar[8] += y1_bar
    df_bar = y0_bar * u0 + y1_bar * u1
    camera_bar[6] += df_bar * distortion
    distortion_bar = df_bar * focal
    camera_bar[9] += distortion_bar * q
    camera_bar[10] += distortion_bar * q * q
    q2_bar = 2.0 * distortion_bar * (k1 + 2.0 * k2 * q)
    l0_bar, l1_bar = (y0_bar * df + q2_bar * u0) / l2, (y1_bar * df + q2_bar * u1) / l2
    l2_bar = -(l0_bar * u0 + l1_bar * u1)
    c_bar = l0_bar * p0 + l1_bar * p1 + l2_bar * p2
    s_bar = l0_bar * x0 + l1_bar * x1 + l2_bar * x2
    av_bar = l0_bar * a0 + l1_bar * a1 + l2_bar * a2
    c_bar -= av_bar * along
    along_bar = av_bar * v
    x0_bar, x1_bar, x2_bar = l0_bar * s, l1_bar * s, l2_bar * s
    p0_bar = l0_bar * c + along_bar * a0 + x1_bar * a2 - x2_bar * a1
    p1_bar = l1_bar * c + along_bar * a1 + x2_bar * a0 - x0_bar * a2
    p2_bar = l2_bar * c + along_bar * a2 + x0_bar * a1 - x1_bar * a0
    a0_bar = l0_bar * av + along_bar * p0 + x2_bar * p1 - x1_bar * p2
    a1_bar = l1_bar * av + along_bar * p1 + x0_bar * p2 - x2_bar * p0
    a2_bar = l2_bar * av + along_bar * p2 + x1_bar * p0 - x0_bar * p1
    angle_bar = s_bar * c - c_bar * s - (a0_bar * a0 + a1_bar * a1 + a2_bar * a2) / angle
    camera_bar[0] += a0_bar / angle + angle_bar * a0
    camera_bar[1] += a1_bar / angle + angle_bar * a1
    camera_bar[2] += a2_bar / angle + angle_bar * a2
    camera_bar[3] -= p0_bar
    camera_bar[4] -= p1_bar
    camera_bar[5] -= p2_bar
    point_bar[0] += p0_bar
    point_bar[1] += p1_bar
    point_bar[2] += p2_bar
    return weight_bar


def hand(cameras, points, weights, seen, features):
    cameras, points, weights = cameras.tolist(), points.tolist(), weights.tolist()
    cameras_bar = [[0.0] * 11 for _ in cameras]
    points_bar = [[0.0] * 3 for _ in points]
    weights_bar = [
        hand_observation(cameras[i], points[j], weight, feature, cameras_bar[i], points_bar[j])
        for (i, j), weight, feature in zip(seen.tolist(), weights, features.tolist())
    ]
    return np.array(cameras_bar), np.array(points_bar), np.array(weights_bar)
