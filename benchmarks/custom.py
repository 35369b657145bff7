"""Time spliced custom gradients beside what an expert would write, and beside calls of `grad`.

For each size derivatives of one program are run by turns: the generated one, with the rule spliced
into it, as a function of the text that `tl.source` prints; the same through `tl.grad`, which looks at
the kinds of its arguments first; the same by hand; and through `tl.grad` for the same rule with its
`grad` handed on by a function, so that it cannot be spliced and is called. The figures are medians of
processor time per call, and ratios.

    python benchmarks/custom.py
"""

import statistics
import time

import numpy as np

import tapeless as tl

ROUNDS = 61
SECONDS_PER_ROUND = 2e-3
SIZES = (10, 1_000, 1_000_000)


@tl.custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


def handed_on(grad):
    return grad


@tl.custom_gradient
def log1pexp_called(x):
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), handed_on(grad)  # which function this gives is not seen in the text


def loss(x, y):
    return np.sum(log1pexp(x) * y)


def loss_called(x, y):
    return np.sum(log1pexp_called(x) * y)


def loss_by_hand(x, y):
    e = np.exp(x)
    return y * (1 - 1 / (1 + e))


def seconds(function, args, calls):
    start = time.process_time()
    for _ in range(calls):
        function(*args)
    return (time.process_time() - start) / calls


def calls_for(function, args):
    """Return the number of calls that fill one round."""
    calls = 1
    while seconds(function, args, calls) * calls < SECONDS_PER_ROUND:
        calls *= 2
    return calls


def medians(functions, args):
    """Time functions by turns: the median of each, in seconds per call."""
    calls = [calls_for(function, args) for function in functions]
    times = [[] for _ in functions]
    for _ in range(ROUNDS):
        for found, function, count in zip(times, functions, calls, strict=True):
            found.append(seconds(function, args, count))
    return [statistics.median(found) for found in times]


def as_shipped(text, name):
    """Make the function of a generated text, as one who pastes it into a file has it."""
    namespace = {}
    exec(compile(text, "<shipped>", "exec"), namespace)
    return namespace[name]


def main():
    rng = np.random.default_rng(0)
    args = rng.normal(size=10), rng.normal(size=10)
    text = tl.source(loss, like=args)
    sides = {
        "spliced": as_shipped(text, "loss_grad"),
        "by hand": loss_by_hand,
        "tl.grad": tl.grad(loss),
        "tl.grad, called": tl.grad(loss_called),
    }
    print("".join(f"{title:>18}" for title in ["n", *sides, "spliced/hand", "called/tl.grad"]))
    for n in SIZES:
        args = rng.normal(size=n), rng.normal(size=n)
        for f in sides.values():
            np.testing.assert_allclose(f(*args), loss_by_hand(*args), rtol=1e-12)
        spliced, by_hand, ours, called = medians(list(sides.values()), args)
        row = "".join(f"{t * 1e6:15.2f} us" for t in (spliced, by_hand, ours, called))
        print(f"{n:18}{row}{spliced / by_hand:18.2f}{called / ours:18.2f}")
    print(f"\n{text}", end="")


if __name__ == "__main__":
    main()
