"""What is inside the rod? Conductivity of a layered rod from thermometers on its surface.

A rod is heated at its left end for a while and radiates at its right end. Inside, heat flows by
Fourier's law,

    c dT/dt = d/dx (k(x) dT/dx),    -k dT/dx = q(t) at the left,
    -k dT/dx = r ((1 + T)**4 - 1) at the right,

with T counted from the temperature of the room, in units of that temperature. The equation is
solved by finite volumes and explicit time steps; the flux through the face between two cells uses
the harmonic mean of their conductivities, because it is resistances that add up.

A few thermometers are read at a few times, and some readings are lost. The program finds the
conductivity of every cell, and the radiation constant r, that explain the readings best: a least
squares problem in the logarithm of k, with a penalty on its roughness, whose gradient comes from
running the time stepping backwards.
"""

import numpy as np

import tapeless as tl

CELLS = 16
LENGTH = 1.0
DT = 1e-3
HEATER_POWER = 2.0
HEATER_OFF = 0.25
NOISE = 2e-3
SMOOTHNESS = 0.3
MELTING = 50.0


class Rod:
    """Temperatures of the cells of a rod, and the means to move them on in time."""

    def __init__(self, conductivity, radiation, length=LENGTH):
        self.n = len(conductivity)
        self.dx = length / self.n
        left, right = conductivity[:-1], conductivity[1:]
        self.face_conductivity = 2.0 * left * right / (left + right)
        self.radiation = radiation
        self.temperature = np.zeros(self.n)
        self.flux = np.zeros(self.n + 1)
        self.time = 0.0
        self.heat_in = 0.0

    def update_flux(self, power):
        t = self.temperature
        self.flux[0] = power
        self.flux[1:-1] = -self.face_conductivity * (t[1:] - t[:-1]) / self.dx
        self.flux[-1] = self.radiation * ((1.0 + t[-1]) ** 4 - 1.0)

    def step(self, dt, power):
        """One explicit Euler step, in place."""
        self.update_flux(power)
        self.temperature += (dt / self.dx) * (self.flux[:-1] - self.flux[1:])
        self.time += dt
        self.heat_in += dt * (self.flux[0] - self.flux[-1])

    def stored_heat(self):
        return np.sum(self.temperature) * self.dx

    def melted(self):
        return np.max(self.temperature) > MELTING


def heater(time):
    """Power of the heater: it ramps up, holds, and is switched off."""
    if time >= HEATER_OFF:
        return 0.0
    ramp = time / 0.05
    if ramp < 1.0:
        return HEATER_POWER * ramp
    return HEATER_POWER


def simulate(rod, sensors, times):
    """Read the sensors at the given times, until the rod melts."""
    readings = np.zeros((len(times), len(sensors)))
    for row, time in enumerate(times):
        while rod.time < time - 0.5 * DT:
            rod.step(DT, heater(rod.time))
            if rod.melted():
                return readings
        readings[row] = rod.temperature[sensors]
    return readings


def roughness(log_k):
    jumps = log_k[1:] - log_k[:-1]
    return np.sum(jumps**2)


def misfit(log_k, radiation: float, measured, arrived, sensors, times):
    """Half the sum of squared residuals over the noise, plus the penalty on rough profiles."""
    rod = Rod(np.exp(log_k), radiation)
    readings = simulate(rod, sensors, times)
    total = 0.0
    for i in range(len(times)):
        kept = arrived[i]
        if np.sum(kept) == 0:
            continue
        residual = (readings[i] - measured[i])[kept] / NOISE
        total += 0.5 * np.sum(residual**2)
    # The scheme conserves heat: what it stored is what came in less what went out
    assert abs(rod.stored_heat() - rod.heat_in) < 1e-8
    return total + 0.5 * SMOOTHNESS * roughness(log_k)


def true_profile():
    """A good conductor with a worse one let into it."""
    x = (np.arange(CELLS) + 0.5) * LENGTH / CELLS
    return np.where((x > 0.35) & (x < 0.65), 0.3, 1.0)


def measure(seed=0):
    """Readings of an experiment on the true rod, with noise, and which of them arrived."""
    rng = np.random.default_rng(seed)
    sensors = np.array([0, 3, 6, 9, 12, 15])
    times = 0.04 * np.arange(1, 13)
    readings = simulate(Rod(true_profile(), 0.5), sensors, times)
    readings = readings + NOISE * rng.normal(size=readings.shape)
    arrived = rng.uniform(size=readings.shape) > 0.1
    arrived[5] = False
    return readings, arrived, sensors, times


def make_inputs():
    rng = np.random.default_rng(1)
    return -0.3 + 0.1 * rng.normal(size=CELLS), 0.4, *measure()


def main(steps=300, rate=0.05):
    """Adam on log k and log r, from a uniform rod."""
    experiment = measure()
    value_and_grad = tl.value_and_grad(misfit, wrt=("log_k", "radiation"))
    p = np.full(CELLS + 1, np.log(0.7))
    p[-1] = np.log(0.3)
    mean, square = np.zeros_like(p), np.zeros_like(p)
    history = []
    for step in range(1, steps + 1):
        radiation = float(np.exp(p[-1]))
        value, (by_log_k, by_radiation) = value_and_grad(p[:-1], radiation, *experiment)
        history.append(value)
        slope = np.append(by_log_k, by_radiation * radiation)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        scale = np.sqrt(square / (1.0 - 0.99**step)) + 1e-8
        # the rate falls to zero, so that the last steps settle down
        p = p - rate * (1.0 - (step - 1) / steps) * mean / (1.0 - 0.9**step) / scale
        if step == 1 or step % max(steps // 6, 1) == 0:
            print(f"step {step:4d}   misfit {value:12.2f}")
    print("cell   true k   found k")
    for i, (true, found) in enumerate(zip(true_profile(), np.exp(p[:-1]), strict=True)):
        print(f"{i:4d} {true:8.2f} {found:9.3f}")
    print(f"radiation constant 0.50, found {np.exp(p[-1]):.3f}")
    return history


if __name__ == "__main__":
    main()
