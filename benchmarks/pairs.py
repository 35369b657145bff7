"""Time generated gradients beside the derivatives that an expert wrote by hand.

Each pair of `tests/pairs` is run by turns, so that both sides meet the same state of the machine;
the figures are medians of processor time per call. A ratio above 1 means that the generated
derivative is slower.

    python benchmarks/pairs.py [name ...]
"""

import importlib
import pathlib
import statistics
import sys
import time

import numpy as np

import tapeless as tl

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = 41
SECONDS_PER_ROUND = 2e-3


def seconds(function, args, calls):
    start = time.process_time()
    for _ in range(calls):
        function(*args)
    return (time.process_time() - start) / calls


def calls_for(function, args):
    """Return the number of calls that fill one round; the first call also builds."""
    function(*args)
    calls = 1
    while seconds(function, args, calls) * calls < SECONDS_PER_ROUND:
        calls *= 2
    return calls


def sides(pair):
    """Return the generated derivative and the target, each with its arguments."""
    made = pair.make_inputs(np.random.default_rng(0))
    if getattr(pair, "MODE", "grad") == "jvp":
        primals, tangents = made
        return (tl.jvp, (pair.primal, primals, tangents)), (pair.target, primals + tangents)
    return (tl.grad(pair.primal, wrt=pair.WRT), made), (pair.target, made)


def compare(pair):
    """Return the medians of both sides, in seconds per call."""
    generated, target = sides(pair)
    calls = [calls_for(*side) for side in (generated, target)]
    times = ([], [])
    for _ in range(ROUNDS):
        for found, (function, args), count in zip(times, (generated, target), calls, strict=True):
            found.append(seconds(function, args, count))
    return statistics.median(times[0]), statistics.median(times[1])


def main(names):
    sys.path.insert(0, str(ROOT))
    known = sorted(path.stem for path in (ROOT / "tests" / "pairs").glob("g*.py"))
    chosen = [name for name in known if not names or any(name.startswith(n) for n in names)]
    if not chosen:
        sys.exit(f"no pair of that name; there are {', '.join(known)}")
    print(f"{'pair':24} {'generated':>12} {'target':>12} {'ratio':>7}")
    for name in chosen:
        try:
            generated, target = compare(importlib.import_module(f"tests.pairs.{name}"))
        except tl.TapelessError as error:
            print(f"{name:24} refused: {str(error).splitlines()[0]}")
            continue
        ratio = generated / target
        print(f"{name:24} {generated * 1e6:9.2f} us {target * 1e6:9.2f} us {ratio:7.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
