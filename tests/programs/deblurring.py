"""Deblurs an image by gradient descent on a total-variation objective."""

import numpy as np

DEFAULTS = dict(n_iter=3, step=0.4, tv_weight=0.02, verbose=False, boundary="reflect")


def gaussian_kernel(sigma, radius=None):
    if radius is None:
        radius = 2
    t = np.arange(-radius, radius + 1)
    k = np.exp(-0.5 * (t / sigma) ** 2)
    return k / k.sum()


def convolve_rows(image, kernel):
    out = np.zeros_like(image)
    r = len(kernel) // 2
    padded = np.pad(image, ((0, 0), (r, r)), mode="edge")
    for i, w in enumerate(kernel):
        out += w * padded[:, i : i + image.shape[1]]
    return out


def blur(image, kernel):
    return convolve_rows(convolve_rows(image, kernel).T, kernel).T


def tv_gradient(u, eps=1e-3):
    gx = np.diff(u, axis=1, append=u[:, -1:])
    gy = np.diff(u, axis=0, append=u[-1:, :])
    norm = np.sqrt(gx**2 + gy**2 + eps)
    px, py = gx / norm, gy / norm
    div = px + py
    div[:, 1:] -= px[:, :-1]
    div[1:, :] -= py[:-1, :]
    return -div


class Deblurrer:
    def __init__(self, kernel, **options):
        unknown = set(options) - set(DEFAULTS)
        if unknown:
            raise TypeError(f"unknown options {sorted(unknown)}")
        self.options = {**DEFAULTS, **options}
        self.kernel = kernel
        self.errors = []

    def run(self, data, u0=None):
        opts = self.options
        u = data.copy() if u0 is None else u0.copy()
        for it in range(opts["n_iter"]):
            residual = blur(u, self.kernel) - data
            self.errors.append(0.5 * np.sum(residual**2))
            g = blur(residual, self.kernel[::-1]) + opts["tv_weight"] * tv_gradient(u)
            u = u - opts["step"] * g
            if opts["verbose"]:
                print(f"it {it}: {self.errors[-1]:.5f}")
        return np.clip(u, 0.0, 1.0)


def psnr(a, b):
    return -10 * np.log10(np.mean((a - b) ** 2))


def objective(sigma, tv_weight):
    rng = np.random.default_rng(0)
    truth = 0.2 + 0.6 * rng.uniform(size=(6, 7))
    data = blur(truth, gaussian_kernel(1.0))
    deblurrer = Deblurrer(gaussian_kernel(sigma), tv_weight=tv_weight)
    restored = deblurrer.run(data)
    return -psnr(restored, truth) + deblurrer.errors[-1]


ARGUMENTS = (0.9, 0.02)
