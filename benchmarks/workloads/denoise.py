"""An image near a noisy one whose total variation, smoothed, is small."""

import numpy as np

WRT = (0,)
SIZES = {"test": (4, 5), "64 x 64": (64, 64), "1,000 x 1,000": (1_000, 1_000)}


def make_inputs(rng, rows, columns):
    noisy = rng.normal(size=(rows, columns))
    return noisy + 0.1 * rng.normal(size=noisy.shape), noisy, 0.3


def primal(image, noisy, weight):
    down = image[1:, :-1] - image[:-1, :-1]
    across = image[:-1, 1:] - image[:-1, :-1]
    variation = np.sum(np.sqrt(down**2 + across**2 + 1e-6))
    return 0.5 * np.sum((image - noisy) ** 2) + weight * variation


def hand(image, noisy, weight):
    corner = image[:-1, :-1]
    down = image[1:, :-1] - corner
    across = image[:-1, 1:] - corner
    over = down * down
    over += across * across
    over += 1e-6
    np.sqrt(over, out=over)
    np.divide(weight, over, out=over)
    down *= over
    across *= over
    image_bar = image - noisy
    image_bar[1:, :-1] += down
    image_bar[:-1, 1:] += across
    down += across
    image_bar[:-1, :-1] -= down
    return (image_bar,)
