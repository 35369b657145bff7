"""Short programs as people write them: matrices written out, sums filled in place, likelihoods."""

import numpy as np

INPUTS = {
    "arm": (np.array([0.3, -0.5, 1.1]), np.array([1.0, 0.7]), np.array([0.2, 0.9])),
    "filtered": (np.array([[0.2, -0.4], [1.0, 0.3]]), np.arange(12.0).reshape(3, 4) / 7.0),
    "volatility": (np.array([0.1, 0.2, 0.7]), np.array([0.3, -1.2, 0.8, 0.1])),
    "classified": (np.array([[0.5, -1.2, 2.0], [0.1, 0.7, -0.3]]), np.array([[1.0, 0, 0], [0, 0, 1]])),
    "attracted": (np.array([[0.0, 0.1], [1.0, 0.4], [2.3, -0.2]]), 1.5, 2.0),
    "orbit": (np.array([1.1, 0.4]), np.array([1.0, 0.0]), 0.1, 2),
}


def rotation(angle: float):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def arm(angles: "Float[np.ndarray, 'n']", start: "Float[np.ndarray, '2']", target: "Float[np.ndarray, '2']"):
    position = start
    for angle in angles:
        position = rotation(angle) @ position + np.array([1.0, 0.0])
    return np.sum((position - target) ** 2)


def filtered(kernel: "Float[np.ndarray, 'k l']", image: "Float[np.ndarray, 'm n']"):
    out = np.zeros(image.shape)
    for i in range(2):
        for j in range(2):
            out += kernel[i, j] * np.roll(image, (i, j), (0, 1))
    return np.sum(out**2)


def volatility(params: "Float[np.ndarray, '3']", returns: "Float[np.ndarray, 'n']"):
    omega, alpha, beta = params
    variance = np.mean(returns**2)
    likelihood = 0.0
    for r in returns:
        likelihood += -0.5 * (np.log(2 * np.pi * variance) + r * r / variance)
        variance = omega + alpha * r * r + beta * variance
    return -likelihood


def classified(logits: "Float[np.ndarray, 'n k']", labels: "Float[np.ndarray, 'n k']"):
    logits = logits - logits.max(axis=1, keepdims=True)
    log_probs = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(np.sum(labels * log_probs, axis=1))


def attracted(places: "Float[np.ndarray, 'n 2']", strength: float, reach: float):
    energy = 0.0
    for i in range(len(places)):
        for j in range(i):
            way = places[i] - places[j]
            distance = np.sqrt(way @ way)
            if distance > reach:
                continue
            energy += strength * (reach - distance) ** 2
    return energy


def turned(state: "Float[np.ndarray, '2']", params: "Float[np.ndarray, '2']"):
    k, c = params
    x, v = state
    return np.array([v, -k * x - c * v])


def orbit(params: "Float[np.ndarray, '2']", start: "Float[np.ndarray, '2']", h: float, steps: int):
    state = start
    for _ in range(steps):
        middle = state + 0.5 * h * turned(state, params)
        state = state + h * turned(middle, params)
    return np.sum(state**2)
