r"""
A gradient that does not overflow
=================================

The softplus function :math:`\log(1 + e^x)` is a smooth hinge. Its slope is between 0 and 1
everywhere, but the chain rule computes it as :math:`e^x / (1 + e^x)`, and in single precision
:math:`e^x` is infinite from :math:`x = 89` on. Infinity divided by infinity is not a number.

A custom gradient says what the slope is in a form that does not overflow.
"""

import matplotlib.pyplot as plt
import numpy as np

import tapeless as tl

# %%
# Two ways to write it
# --------------------
# ``naive`` leaves the derivative to the chain rule. ``log1pexp`` returns its value together with a
# function that maps the gradient from above to the gradient of ``x``.


def naive(x):
    return np.log(1 + np.exp(x))


@tl.custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


# %%
# The slopes
# ----------
# Both gradients are those of a sum, so each entry is the slope at one point.

x = np.linspace(80.0, 100.0, 201, dtype=np.float32)
with np.errstate(over="ignore", invalid="ignore"):
    by_chain_rule = tl.grad(lambda x: np.sum(naive(x)))(x)
    by_custom_gradient = tl.grad(lambda x: np.sum(log1pexp(x)))(x)

fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
left.plot(x, by_chain_rule)
left.set(title="chain rule", xlabel="x", ylabel="slope", xlim=(80, 100), ylim=(0, 1.2))
left.axvspan(x[np.isnan(by_chain_rule)][0], 100, color="tab:red", alpha=0.2, label="not a number")
left.legend(loc="lower left")
right.plot(x, by_custom_gradient)
right.set(title="custom gradient", xlabel="x")

# %%
# The body of ``grad`` stands in the derivative as its author wrote it:

print(tl.source(lambda x: np.sum(log1pexp(x)), like=(x,)))
