"""Linear systems in continuous time: what they answer to a signal, and to a frequency, written out.

Between two samples the signal is a line, or constant, so that the state goes from one to the next by an
exponential of a matrix that holds the system and the signal (Franklin, Powell and Workman 1998).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, signal

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out
from tapeless.rules.reasons import no_derivative

_SYSTEM = "systems are differentiated as (num, den) or (A, B, C, D)"
_TUPLE = "give the tuple of its numbers: (system.num, system.den)"


def space_of(system: Any) -> Any:
    """Return the four matrices of a system; those of a transfer function are in companion form."""
    if not isinstance(system, (tuple, list)):
        raise GradientError(_SYSTEM, fix=_TUPLE)
    if len(system) == 4:
        return tuple([np.atleast_2d(m) for m in system])
    if len(system) != 2:
        raise GradientError(_SYSTEM, fix="convert it by signal.zpk2tf")
    num, den = np.atleast_1d(system[0]), np.atleast_1d(system[1])
    count = len(den) - 1
    if np.ndim(num) != 1 or len(num) > count + 1 or count == 0:
        raise GradientError("transfer functions are differentiated with one proper numerator")
    above = np.concatenate([np.zeros(count + 1 - len(num)), num]) / den[0]
    below = den[1:] / den[0]
    a = np.concatenate([-np.reshape(below, (1, count)), np.eye(count)[:-1]])
    c = above[1:] - above[0] * below
    return a, np.eye(count)[:, :1], np.reshape(c, (1, count)), np.reshape(above[0], (1, 1))


def steps_of(a: Any, b: Any, dt: Any, interp: Any) -> Any:
    """Return what the state, and the signal before and after, add to the state in one step."""
    n, inputs = np.shape(b)
    more = 2 * inputs if interp else inputs
    upper = np.concatenate([a * dt, b * dt, np.zeros((n, more - inputs))], axis=1)
    slopes = np.eye(more, n + more, n + inputs)
    whole = linalg.expm(np.concatenate([upper, slopes]).T)
    if not interp:
        return whole[:n, :n], whole[n:, :n], np.zeros((inputs, n))
    after = whole[n + inputs :, :n]
    return whole[:n, :n], whole[n : n + inputs, :n] - after, after


def signal_lsim(system: Any, U: Any, T: Any, X0: Any = None, interp: Any = True) -> Any:
    """Without a signal, or with a constant, the state decays from where it is."""
    a, b, c, d = space_of(system)
    times = np.atleast_1d(T)
    if len(times) < 2:
        raise GradientError("lsim is differentiated for two times or more")
    inputs = np.zeros((len(times), np.shape(b)[1]))
    if U is not None:
        inputs = inputs + np.reshape(U, (-1, np.shape(b)[1]))
    keep, before, after = steps_of(a, b, times[1] - times[0], interp)
    x = np.zeros(np.shape(a)[0]) if X0 is None else np.asarray(X0)
    x = x @ linalg.expm(a.T * times[0])
    rows = [x]
    for i in range(1, len(times)):
        x = x @ keep + inputs[i - 1] @ before + inputs[i] @ after
        rows.append(x)
    states = np.stack(rows)
    return times, np.squeeze(states @ c.T + inputs @ d.T), np.squeeze(states)


def signal_freqs(b: Any, a: Any, worN: Any = 200, plot: Any = None) -> Any:
    if np.ndim(worN) == 0:
        raise GradientError(
            "freqs is differentiated for frequencies that are given",
            fix="give an array: how far they reach depends on the filter",
        )
    w = np.asarray(worN)
    return w, np.polyval(b, 1j * w) / np.polyval(a, 1j * w)


def signal_freqresp(system: Any, w: Any = None, n: Any = 10000) -> Any:
    if w is None or not isinstance(system, (tuple, list)) or len(system) != 2:
        raise GradientError(_SYSTEM, fix="give the frequencies, and (num, den)")
    return signal_freqs(system[0], system[1], w)


def signal_bode(system: Any, w: Any = None, n: Any = 100) -> Any:
    """The phase is in degrees, and goes on where it would jump."""
    w, h = signal_freqresp(system, w, n)
    phase = np.unwrap(np.angle(h))
    return w, 20.0 * np.log10(np.abs(h)), phase * (180.0 / np.pi)


for _function in (signal_lsim, signal_freqs, signal_freqresp, signal_bode):
    written_out(getattr(signal, _function.__name__.removeprefix("signal_")), _function)
no_derivative(
    "how far it reaches depends on the system; take scipy.signal.lsim with the times and the signal",
    signal.step,
    signal.impulse,
)
