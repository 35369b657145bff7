r"""
Swinging up a pendulum on a cart
================================

A pendulum hangs from a cart. How must the cart be pushed so that after three seconds the pendulum
stands upright, and stands still? The force at each of 60 moments is an unknown. The simulation is a
plain loop; its gradient says for every force at once how to change it.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

import tapeless as tl

# %%
# Cart and pendulum
# -----------------
# The cart weighs 1 kg, the bob 0.3 kg, the rod is half a metre long. Angle 0 hangs down.

CART, BOB, ROD, G = 1.0, 0.3, 0.5, 9.81
STEPS, DT = 60, 0.05


def push(state, force):
    """The state after one time step, by the semi-implicit Euler rule in five parts."""
    x, angle, speed, turn = state
    for _ in range(5):
        s, c = np.sin(angle), np.cos(angle)
        mass = CART + BOB * s**2
        pull = force + BOB * s * (ROD * turn**2 + G * c)
        speed = speed + DT / 5 * pull / mass
        bend = -pull * c / mass - G * s
        turn = turn + DT / 5 * bend / ROD
        x = x + DT / 5 * speed
        angle = angle + DT / 5 * turn
    return x, angle, speed, turn


def cost(forces):
    state = (0.0, 0.0, 0.0, 0.0)
    total = 0.0
    for force in forces:
        state = push(state, force)
        total += 1e-4 * force**2 + 1e-2 * state[0] ** 2
    x, angle, speed, turn = state
    missed = x**2 + (1.0 + np.cos(angle)) + speed**2
    return total + 30.0 * missed + turn**2


# %%
# The forces
# ----------
# Forces may be at most 12 newtons, which is too weak to lift the bob in one go.

start = 3.0 * np.sin(np.linspace(0.0, 6.0 * np.pi, STEPS))
fit = optimize.minimize(
    tl.value_and_grad(cost),
    start,
    jac=True,
    method="L-BFGS-B",
    bounds=[(-12.0, 12.0)] * STEPS,
    options={"maxiter": 300},
)
states = [(0.0, 0.0, 0.0, 0.0)]
for force in fit.x:
    states.append(push(states[-1], force))
path = np.array(states)
print(f"cost {fit.fun:.3f} after {fit.nit} iterations")
print(f"the bob ends {np.degrees(np.arccos(-np.cos(path[-1, 1]))):.1f} degrees from upright")

# %%

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.step(DT * np.arange(STEPS), fit.x, where="post")
left.set(xlabel="time (s)", ylabel="force (N)")
colours = plt.get_cmap("viridis")(np.linspace(0.0, 1.0, len(path)))
for (x, angle, _, _), colour in zip(path, colours):
    tip = x + ROD * np.sin(angle), -ROD * np.cos(angle)
    right.plot([x, tip[0]], [0.0, tip[1]], color=colour, alpha=0.6, linewidth=1)
    right.plot(*tip, "o", color=colour, markersize=4)
right.set(aspect="equal", xlabel="position (m)", title="dark first, bright last")
assert np.cos(path[-1, 1]) < -0.99
