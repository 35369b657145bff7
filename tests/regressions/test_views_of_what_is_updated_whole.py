"""An array that is updated in place keeps its name: its views reach its adjoint by the same path."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

P = np.random.default_rng(0).normal(size=(4, 3))
V = np.array([0.3, -0.2, 0.7])


def added(p, dt):
    q = p.copy()
    d = q[0] - q[1]
    q += d * dt
    return np.sum(q**2)


def in_a_loop(p, dt):
    q = p.copy()
    for i in range(3):
        d = np.sin(q[i] * q[i + 1])
        q += d * dt
        q[i] *= d
    return np.sum(q**2)


def multiplied(p, dt):
    q = p * 1.0
    first = q[0]
    q *= np.cos(q) + dt
    q[1] = first * q[2]
    q -= first
    q /= 2.0 + q**2
    return np.sum(q * first)


def by_a_column(p, dt):
    q = p + 0.0
    column = q[:, 1]
    q += column[:, None] * dt
    q **= 2
    return np.sum(column * q[:, 0])


def transposed(p, dt):
    q = p.copy()
    t = q.T
    q += dt * q
    return np.sum(t[1] * t[2])


def bodies(pos, vel, dt):
    pos, vel = pos.copy(), vel.copy()
    for _ in range(3):
        force = np.zeros_like(pos)
        for i in range(len(pos)):
            for j in range(len(pos)):
                if i != j:
                    d = pos[j] - pos[i]
                    force[i] += d / (np.sum(d**2) + 0.1) ** 1.5
        vel += force * dt
        pos += vel * dt
    return np.sum(vel**2) + np.sum(pos[0])


def bound_again(p, dt):
    q = p.copy()
    first = q[0]
    q += dt
    q = q * first
    q += first
    return np.sum(q**2)


def on_one_way(p, dt):
    q = p.copy()
    row = q[1]
    if dt > 0:
        q += row * dt
    else:
        q = 2.0 * q
    return np.sum(row * q)


def of_two(p, dt):
    a, b = p.copy(), p * dt
    for _ in range(2):
        c = a if dt > 0 else b
        c += b[0] * dt
    return np.sum(a * b)


def view_updated(p, dt):
    q = p.copy()
    row = q[0]
    row += dt * q[1]
    q += row
    return np.sum(q**2)


def by_another_name(p, dt):
    q = p.copy()
    same = q
    same += q[0] * dt
    q *= same[1]
    return np.sum(same**2)


def by_its_own_view(p, dt):
    q = p.copy()
    q += q[::-1] * dt
    q[1:] += q[:-1]
    return np.sum(q**3)


def kept_in_a_list(p, dt):
    q = p.copy()
    rows = [q[0], q[1]]
    q += rows[1] * dt
    return np.sum(rows[0] * q)


def scaled(q, dt):
    q += q[0] * dt
    return q[1]


def by_a_callee(p, dt):
    q = p.copy()
    row = scaled(q, dt)
    q *= row
    return np.sum(q * row)


def of_a_scalar(p, dt):
    s = p[0, 0]
    s += dt
    q = p[1].copy()
    q += s * q[0]
    return np.sum(q) * s


CASES = [
    added, in_a_loop, multiplied, by_a_column, transposed, bound_again, on_one_way, of_two, view_updated,
    by_another_name, by_its_own_view, kept_in_a_list, by_a_callee, of_a_scalar,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives(f, order):
    check_grads(f, P, 0.3, order=order, replay=True, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("f", CASES)
def test_text_alone(f):
    text = {}
    exec(tl.source(f, wrt=("p", "dt"), like=(P, 0.3)), text)
    got = next(v for k, v in text.items() if k == f"{f.__name__}_grad")(P.copy(), 0.3)
    want = tl.grad(f, wrt=("p", "dt"))(P, 0.3)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("order", [1, 2])
def test_bodies(order):
    check_grads(bodies, P, P[::-1], 0.1, order=order, replay=True, rtol=1e-4, atol=1e-5)


def test_no_memory_is_asked():
    assert "AdjointMemory" not in tl.source(bodies, like=(P, P, 0.1))
    assert "AdjointMemory" not in tl.source(added, like=(P, 0.1))
