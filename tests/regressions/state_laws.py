"""What holds of a derivative of a function that reads or changes state outside its arguments.

A program is made anew for every derivative: `make()` gives the function and its state. In every mode
the derivative is that of central differences, the value and the state afterwards are those of one
plain call, and the argument is as it was. Whatever happens to argument and state between the two
sweeps of a pullback, the pullback gives the same, any number of times.
"""

import numpy as np

import tapeless as tl

X = np.array([0.3, 0.5, 0.7])
DIRECTION = np.array([1.0, -0.5, 2.0])


def held(state):
    """Copy all that a state holds, as lists and dicts of arrays and numbers."""
    if isinstance(state, np.ndarray):
        return state.copy()
    if isinstance(state, tl.Variable):
        return held(state.value)
    if isinstance(state, (list, tuple)):
        return [held(item) for item in state]
    if isinstance(state, dict):
        return {key: held(item) for key, item in state.items() if key[:2] != "__"}
    if hasattr(state, "__dict__") and not callable(state) or isinstance(state, type):
        return held(dict(vars(state)))
    return state


def same(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return np.array_equal(a, b)


def spoil(state):
    """Change in place everything that a state holds."""
    if isinstance(state, np.ndarray):
        state *= -3.7
        state += 11.0
    elif isinstance(state, tl.Variable):
        state.assign(state.value * -3.7 + 11.0)
    elif isinstance(state, (list, dict)):
        for key, item in enumerate(state) if isinstance(state, list) else list(state.items()):
            if isinstance(item, float):
                state[key] = item * -3.7 + 11.0
            else:
                spoil(item)
    elif isinstance(state, tuple):
        for item in state:
            spoil(item)
    elif hasattr(state, "__dict__") and not callable(state):
        spoil(vars(state))


def differences(make, step=1e-5):
    def value(t):
        return make()[0](X + t * DIRECTION)

    return (value(step) - value(-step)) / (2.0 * step)


def check(make):
    """Check the derivatives of a program in all modes of first order."""
    wanted = differences(make)
    f, state = make()
    y = f(X.copy())
    left = held(state)

    def check_one(derivative, of):
        f, state = make()
        x = X.copy()
        value, slope = derivative(f, x)
        np.testing.assert_allclose(slope, wanted, rtol=1e-6, atol=1e-6, err_msg=of)
        np.testing.assert_allclose(value, y, rtol=1e-13, err_msg=of)
        np.testing.assert_array_equal(x, X, err_msg=of)
        assert same(held(state), left), f"{of} leaves {held(state)}, a plain call {left}"

    check_one(lambda f, x: (y, tl.grad(f)(x) @ DIRECTION), "grad")
    check_one(lambda f, x: _along(*tl.value_and_grad(f)(x)), "value_and_grad")
    check_one(lambda f, x: tl.jvp(f, (x,), (DIRECTION,)), "jvp")

    f, state = make()
    x = X.copy()
    value, pullback = tl.vjp(f, x)
    np.testing.assert_allclose(value, y, rtol=1e-13, err_msg="vjp")
    assert same(held(state), left), f"vjp leaves {held(state)}, a plain call {left}"
    np.testing.assert_allclose(pullback(1.0)[0] @ DIRECTION, wanted, rtol=1e-6, err_msg="pullback")
    spoil(state)
    x += 5.0
    present = held(state)
    for _ in range(2):
        np.testing.assert_allclose(pullback(1.0)[0] @ DIRECTION, wanted, rtol=1e-6, err_msg="later")
        assert same(held(state), present), "a pullback changes state"


def _along(y, gradient):
    return y, gradient @ DIRECTION


def check_second_order(make):
    """Check the second derivative of a program, forward over reverse."""
    f, state = make()
    f(X.copy())
    left = held(state)
    f, state = make()
    slope = tl.jvp(tl.grad(f), (X.copy(),), (DIRECTION,))[1]
    wanted = differences(lambda: (tl.grad(make()[0]), None))
    np.testing.assert_allclose(slope, wanted, rtol=1e-5, atol=1e-5)
    assert same(held(state), left)
