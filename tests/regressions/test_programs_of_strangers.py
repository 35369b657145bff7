"""Programs as a physicist, a statistician, a quant or an engineer writes them, each in one piece."""

import logging
from contextlib import contextmanager

import numpy as np
import pytest

import tapeless.testing
from tests import laws


def draw(seed, *shapes):
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape) for shape in shapes)


class KalmanFilter:
    def __init__(self, A, H, Q, R):
        self.A, self.H, self.Q, self.R = A, H, Q, R
        self.reset()

    def reset(self):
        self.x = np.zeros(self.A.shape[0])
        self.P = np.eye(self.A.shape[0])
        self.loglik = 0.0

    def predict(self):
        self.x = self.A @ self.x
        self.P = self.A @ self.P @ self.A.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = np.linalg.solve(S.T, (self.P @ self.H.T).T).T
        self.x = self.x + K @ y
        self.P = (np.eye(len(self.x)) - K @ self.H) @ self.P
        sign, logdet = np.linalg.slogdet(S)
        self.loglik -= 0.5 * (y @ np.linalg.solve(S, y) + logdet + len(y) * np.log(2 * np.pi))


OBS = np.array([[0.3], [0.7], [0.4], [1.2], [1.9]])


def kalman_class(theta):
    dt = 0.5
    q, r = np.exp(theta[0]), np.exp(theta[1])
    kf = KalmanFilter(
        np.array([[1.0, dt], [0.0, 1.0]]),
        np.array([[1.0, 0.0]]),
        q * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]]),
        r * np.eye(1),
    )
    for z in OBS:
        kf.predict()
        kf.update(z)
    return -kf.loglik


def logsumexp(a, axis=None):
    m = a.max(axis=axis, keepdims=True)
    out = np.log(np.sum(np.exp(a - m), axis=axis)) + np.squeeze(m, axis=axis)
    return out


def hmm_forward(logits, means, log_sd):
    obs = [0.1, 1.9, 2.2, -0.3, 0.4]
    A = logits - logsumexp(logits, axis=1)[:, None]
    sd = np.exp(log_sd)

    def emission(y):
        return -0.5 * ((y - means) / sd) ** 2 - log_sd - 0.5 * np.log(2 * np.pi)

    alpha = np.log(np.full(len(means), 1 / len(means))) + emission(obs[0])
    for y in obs[1:]:
        alpha = emission(y) + logsumexp(alpha[:, None] + A, axis=0)
    return logsumexp(alpha)


def viterbi_backtrack(A, E):
    T, S = E.shape
    score = np.zeros((T, S))
    back = np.zeros((T, S), dtype=int)
    score[0] = E[0]
    for t in range(1, T):
        for s in range(S):
            cand = score[t - 1] + A[:, s]
            k = int(np.argmax(cand))
            back[t, s] = k
            score[t, s] = cand[k] + E[t, s]
    s = int(np.argmax(score[-1]))
    path = [s]
    for t in range(T - 1, 0, -1):
        s = back[t, s]
        path.append(s)
    path.reverse()
    total = E[0, path[0]]
    for t in range(1, T):
        total += A[path[t - 1], path[t]] * E[t, path[t]]
    return total + score[-1].max() ** 2


def laplacian(u, out):
    c = out[1:-1, 1:-1]
    c[...] = -4 * u[1:-1, 1:-1]
    c += u[:-2, 1:-1]
    c += u[2:, 1:-1]
    c += u[1:-1, :-2]
    c += u[1:-1, 2:]
    return out


def heat_stencil_views(u0, kappa):
    u = u0.copy()
    buf = np.zeros_like(u)
    inner = u[1:-1, 1:-1]
    for step in range(3):
        lap = laplacian(u, buf)
        inner += 0.1 * kappa * lap[1:-1, 1:-1]
        u[0] = u[1]
        u[-1] = u[-2]
        u[:, 0], u[:, -1] = u[:, 1], u[:, -2]
    return np.sum(u * u) + np.sum(buf)


def softmin(*xs, gamma=0.5):
    z = -np.array(xs) / gamma
    zmax = np.max(z)
    return -gamma * (zmax + np.log(np.sum(np.exp(z - zmax))))


def edit_distance_soft(x, y):
    n, m = len(x), len(y)
    inf = 1e3
    D = [[inf] * (m + 1) for _ in range(n + 1)]
    D[0][0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (x[i - 1] - y[j - 1]) ** 2
            D[i][j] = cost + softmin(D[i - 1][j], D[i][j - 1], D[i - 1][j - 1])
    return D[n][m]


def make_integrator(gain):
    total = 0.0
    calls = 0

    def step(err, dt):
        nonlocal total, calls
        calls += 1
        total += err * dt
        return gain * total

    return step


def closure_counter_nonlocal(x0, ki, kp):
    integ = make_integrator(ki)
    prev = [x0]
    x = x0
    for k in range(5):
        err = 1.0 - x
        u = kp * err + integ(err, 0.1)
        x = x + 0.1 * (u - x)
        prev.append(x)
    return sum(p * p for p in prev)


def simpson(fa, fm, fb, a, b):
    return (b - a) / 6 * (fa + 4 * fm + fb)


def adaptive(g, a, b, fa, fm, fb, whole, eps, depth=0):
    m = (a + b) / 2
    lm, rm = (a + m) / 2, (m + b) / 2
    flm, frm = g(lm), g(rm)
    left = simpson(fa, flm, fm, a, m)
    right = simpson(fm, frm, fb, m, b)
    delta = left + right - whole
    if depth > 6 or abs(delta) <= 15 * eps:
        return left + right + delta / 15
    return adaptive(g, a, m, fa, flm, fm, left, eps / 2, depth + 1) + adaptive(
        g, m, b, fm, frm, fb, right, eps / 2, depth + 1
    )


def recursion_quadrature(alpha, upper):
    def g(t):
        return np.exp(-alpha * t) * np.sin(3 * t)

    a, b = 0.0, upper
    fa, fm, fb = g(a), g((a + b) / 2), g(b)
    return adaptive(g, a, b, fa, fm, fb, simpson(fa, fm, fb, a, b), 1e-4)


EDGES = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]])


class Network:
    rest = 1.0

    def __init__(self, k):
        self.k = k
        self.steps = 0

    def forces(self, x):
        F = np.zeros_like(x)
        i, j = EDGES.T
        d = x[j] - x[i]
        ln = np.sqrt(np.sum(d**2, axis=1, keepdims=True))
        t = self.k[:, None] * (ln - self.rest) * d / ln
        np.add.at(F, i, t)
        np.subtract.at(F, j, t)
        return F

    def step(self, x, v, dt=0.05):
        v += dt * self.forces(x)
        x += dt * v
        self.steps += 1


def mass_spring_add_at(x, v, k):
    net = Network(k)
    for _ in range(4):
        net.step(x, v)
    return 0.5 * np.sum(v**2) + np.sum(x[:, 0]) * net.steps


def batches(data, size):
    for i in range(0, len(data), size):
        yield i // size, data[i : i + size]


def generator_batches(w, lr):
    data = np.array(
        [[1.0, 2.0, 3.0], [0.5, -1.0, 0.2], [1.5, 0.3, 0.1], [0.2, 0.8, -0.6], [0.1, 0.0, 1.0]]
    )
    w = w.copy()
    velocity = np.zeros_like(w)
    losses = []
    for k, batch in batches(data, 2):
        X, y = batch[:, :2], batch[:, 2]
        r = X @ w - y
        g = 2 * X.T @ r / len(batch)
        velocity *= 0.9
        velocity += g
        w -= lr * velocity
        losses.append(np.mean(r**2))
    return losses[-1] + sum(losses) / len(losses)


class Gas:
    R = 8.314

    def __init__(self, n, V):
        self._n, self._V = n, V
        self._T = 300.0

    @property
    def T(self):
        return self._T

    @T.setter
    def T(self, value):
        if value < 0:
            raise ValueError("negative temperature")
        self._T = value

    @property
    def P(self):
        return self._n * self.R * self._T / self._V

    def expand(self, factor):
        self._V *= factor
        self.T = self.T * factor ** (1 - 5 / 3)
        return self


class VdW(Gas):
    def __init__(self, n, V, a, b):
        super().__init__(n, V)
        self.a, self.b = a, b

    @property
    def P(self):
        ideal = super().P * self._V / (self._V - self._n * self.b)
        return ideal - self.a * self._n**2 / self._V**2


def property_setter_temperature(n, V, T, a):
    g = VdW(n, V, a, 0.01)
    g.T = T
    p0 = g.P
    g.expand(1.3).expand(0.9)
    return np.log(g.P / p0) + 1e-3 * g.T


def thomas(a, b, c, d):
    n = len(d)
    cp, dp = c.copy(), d.copy()
    cp[0] /= b[0]
    dp[0] /= b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        if i < n - 1:
            cp[i] = cp[i] / m
        dp[i] = (dp[i] - a[i] * dp[i - 1]) / m
    x = dp
    for i in reversed(range(n - 1)):
        x[i] -= cp[i] * x[i + 1]
    return x


def tridiagonal_thomas(u0, D):
    n = len(u0)
    r = D * 0.1
    u = u0
    lower, diag, upper = np.full(n, -r), np.full(n, 1 + 2 * r), np.full(n, -r)
    diag[0] = diag[-1] = 1 + r
    for _ in range(3):
        u = thomas(lower, diag, upper, u)
    return np.sum(u**2 * np.arange(n))


class MonteCarlo:
    rng_seed = 7

    def __init__(self, n_paths, n_steps):
        rng = np.random.default_rng(self.rng_seed)
        self.z = rng.standard_normal((n_paths, n_steps))

    def paths(self, s0, mu, sigma, T):
        dt = T / self.z.shape[1]
        incr = (mu - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * self.z
        return s0 * np.exp(np.cumsum(incr, axis=1))


MC = MonteCarlo(6, 4)


def barrier_monte_carlo(s0, sigma):
    S = MC.paths(s0, 0.03, sigma, 1.0)
    alive = S.max(axis=1) < 200.0
    payoff = np.where(alive, np.maximum(S[:, -1] - 95.0, 0.0), 0.0)
    itm = payoff[payoff > 0]
    return np.mean(payoff) + (np.std(itm) if len(itm) > 1 else 0.0)


class Layer:
    def __init__(self, **params):
        self.params = params
        self.cache = {}

    def forward(self, x):
        raise NotImplementedError


class Conv1d(Layer):
    def __init__(self, kernel, stride=1):
        super().__init__(kernel=kernel)
        self.stride = stride

    def forward(self, x):
        k = self.params["kernel"]
        n = (len(x) - len(k)) // self.stride + 1
        out = np.empty(n)
        for i in range(n):
            out[i] = x[i * self.stride : i * self.stride + len(k)] @ k
        self.cache["out"] = out
        return out


class Pool(Layer):
    def forward(self, x):
        m = x.reshape(-1, 2).max(axis=1)
        self.cache["argmax"] = x.reshape(-1, 2).argmax(axis=1)
        return m


class Sequential(Layer):
    def __init__(self, *layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x


def conv_net_dict_state(x, k1, k2):
    net = Sequential(Conv1d(k1), Pool(), Conv1d(kernel=k2, stride=1))
    y = net.forward(x)
    act = sum(np.sum(np.abs(l.cache["out"])) for l in net.layers if "out" in l.cache)
    return np.sum(y**2) + 0.1 * act


class Optimizer:
    def __init__(self, lr):
        self.lr = lr
        self.state = {}
        self.t = 0

    def step(self, params, grads):
        self.t += 1
        for name, g in grads.items():
            params[name] = self.update(name, params[name], g)


class Adam(Optimizer):
    def __init__(self, lr, b1=0.9, b2=0.99):
        super().__init__(lr)
        self.b1, self.b2 = b1, b2

    def update(self, name, p, g):
        m, v = self.state.get(name, (0.0, 0.0))
        m = self.b1 * m + (1 - self.b1) * g
        v = self.b2 * v + (1 - self.b2) * g * g
        self.state[name] = (m, v)
        mh = m / (1 - self.b1**self.t)
        vh = v / (1 - self.b2**self.t)
        return p - self.lr * mh / (np.sqrt(vh) + 1e-8)


def adam_optimizer_class(a, b, lr):
    opt = Adam(lr)
    params = {"a": a, "b": b}
    for _ in range(3):
        grads = {
            "a": 2 * (params["a"] - 1) * params["b"],
            "b": (params["a"] - 1) ** 2 + params["b"],
        }
        opt.step(params, grads)
    return params["a"] ** 2 + params["b"]


def lattice_boltzmann_roll(rho0, tau):
    w = np.array([4 / 6, 1 / 6, 1 / 6])
    c = [0, 1, -1]
    F = w[:, None] * rho0[None, :]
    for _ in range(3):
        rho = F.sum(axis=0)
        u = (F[1] - F[2]) / rho
        for i, (ci, wi) in enumerate(zip(c, w)):
            feq = wi * rho * (1 + 3 * ci * u + 4.5 * (ci * u) ** 2 - 1.5 * u**2)
            F[i] += -(F[i] - feq) / tau
            F[i] = np.roll(F[i], ci)
        bounce = F[1, 0], F[2, -1]
        F[2, -1], F[1, 0] = bounce
    return np.sum(F[1] ** 2) + rho[1] * u[2]


def fem_assembly_ix(E, nodes, load):
    n = len(nodes)
    K = np.zeros((n, n))
    F = np.zeros(n)
    for e in range(n - 1):
        h = nodes[e + 1] - nodes[e]
        dofs = [e, e + 1]
        ke = E[e] / h * np.array([[1.0, -1.0], [-1.0, 1.0]])
        K[np.ix_(dofs, dofs)] += ke
        F[dofs] += load * h / 2
    free = np.arange(1, n)
    u = np.zeros(n)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], F[free])
    return F @ u


class Settings:
    eps = 1e-3
    _stack = []

    @classmethod
    def push(cls, **kw):
        cls._stack.append({k: getattr(cls, k) for k in kw})
        for k, v in kw.items():
            setattr(cls, k, v)

    @classmethod
    def pop(cls):
        for k, v in cls._stack.pop().items():
            setattr(cls, k, v)


@contextmanager
def settings(**kw):
    Settings.push(**kw)
    try:
        yield Settings
    finally:
        Settings.pop()


def smooth_abs(x):
    return np.sqrt(x * x + Settings.eps)


def singleton_settings_context(x):
    a = np.sum(smooth_abs(x))
    with settings(eps=0.1):
        b = np.sum(smooth_abs(x))
    return a * b + np.sum(smooth_abs(x[:1]))


log_of_logging = logging.getLogger(__name__)


def rosen(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def rosen_grad(x):
    g = np.zeros_like(x)
    g[:-1] = -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    g[1:] += 200 * (x[1:] - x[:-1] ** 2)
    return g


def logging_bfgs(x0):
    n = len(x0)
    H = np.eye(n) * 1e-3
    x = x0
    g = rosen_grad(x)
    for it in range(2):
        p = -H @ g
        t = 1.0
        while rosen(x + t * p) > rosen(x) + 1e-4 * t * (g @ p):
            t /= 2
            if t < 1e-10:
                break
        s = t * p
        x = x + s
        g_new = rosen_grad(x)
        y = g_new - g
        rho = 1.0 / (y @ s)
        I = np.eye(n)
        H = (I - rho * np.outer(s, y)) @ H @ (I - rho * np.outer(y, s)) + rho * np.outer(s, s)
        g = g_new
        log_of_logging.debug("iter %d f=%s", it, rosen(x))
        print(f"iter {it}: {rosen(x):.3f}")
    return rosen(x)


CASES = [
    (kalman_class, (np.array([-1.0, -0.5]),)),
    (
        hmm_forward,
        (np.array([[0.3, -0.2], [0.1, 0.8]]), np.array([0.0, 2.0]), np.array([-0.2, 0.1])),
    ),
    (viterbi_backtrack, draw(0, (3, 3), (4, 3))),
    (heat_stencil_views, (*draw(2, (4, 5)), 0.7)),
    (edit_distance_soft, (np.array([0.3, 1.2, -0.4]), np.array([0.1, 0.9]))),
    (closure_counter_nonlocal, (0.2, 0.7, 1.5)),
    (recursion_quadrature, (0.7, 2.0)),
    (
        mass_spring_add_at,
        (*draw(4, (4, 2), (4, 2)), np.array([0.6, 1.1, 0.9, 1.4, 0.7])),
    ),
    (generator_batches, (np.array([0.3, -0.2]), 0.1)),
    (property_setter_temperature, (1.1, 2.0, 310.0, 0.4)),
    (tridiagonal_thomas, (np.array([1.0, 0.2, -0.3, 0.5]), 0.8)),
    (barrier_monte_carlo, (100.0, 0.25)),
    (conv_net_dict_state, draw(3, 8, 3, 2)),
    (adam_optimizer_class, (0.3, 1.2, 0.1)),
    (lattice_boltzmann_roll, (np.array([1.0, 1.2, 0.9, 1.1]), 0.8)),
    (fem_assembly_ix, (np.array([1.0, 2.0, 1.5]), np.array([0.0, 0.4, 1.1, 1.5]), 0.7)),
    (singleton_settings_context, (np.array([0.5, -0.2]),)),
    (logging_bfgs, (np.array([-1.1, 1.3, 0.7]),)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_laws_and_replay(f, args):
    laws.check_function(f, args)
    tapeless.testing.check_replay(f, *args)
