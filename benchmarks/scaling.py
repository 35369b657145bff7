"""Show that an indexed read or store costs what it touches, also in a callee.

Each program loops over the n elements of an array. Linear programs take ten times as long for ten
times the elements; one that made a whole array of zeros per element would take a hundred times.
Loops of scalars are measured beside themselves: the time of a gradient over that of the loop.

    python benchmarks/scaling.py [largest n]
"""

import math
import sys
import time
import tracemalloc

import numpy as np

import tapeless as tl


def element(x, i):
    return x[i] * x[i]


def reads_in_a_callee(x):
    s = 0.0
    for i in range(len(x)):
        s = s + element(x, i)
    return s


def relax(u, i, c):
    d = c * (u[i - 1] + u[i + 1]) * u[i]
    u[i] = u[i] + d
    return d * d


def stores_in_a_callee(x):
    u = x.copy()
    e = 0.0
    for i in range(1, len(u) - 1):
        e = e + relax(u, i, 0.1)
    return e


def stores(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * x[i]
    return np.sum(y)


class Walker:
    def __init__(self, path):
        self.path = path
        self.height = 0.0

    def step(self, i):
        self.height = self.height + np.sin(self.path[i])


def reads_in_a_method(x):
    walker = Walker(x)
    for i in range(len(x)):
        walker.step(i)
    return walker.height


PROGRAMS = (reads_in_a_callee, stores_in_a_callee, stores, reads_in_a_method)


def orbit(x, n):
    y, t, i = x, 0.0, 0
    while i < n:
        y = y + 0.001 * math.sin(y) * t
        t = t + 1e-5
        i += 1
    return y


def root(x, n):
    y, k = 1.0, 0
    while k < n:
        y = y - 0.01 * (y * y - x) / (2.0 * y)
        k += 1
    return y


def by_cases(x, n):
    y, s, k = x, 0.0, 0
    while k < n:
        if y > 1.0:
            y = 0.5 * y
        else:
            y = y * y + 0.3
        s += y * x
        k += 1
    return s


def one_by_one(x, n):
    a = np.zeros(n)
    a[0] = x
    for i in range(1, n):
        a[i] = a[i - 1] + 1e-5 * math.sin(a[i - 1])
    return a[n - 1]


def over_and_over(x, n):
    a = np.full(99, x)
    for i in range(n):
        j = i % 98
        a[j + 1] = 0.5 * a[j + 1] + 0.3 * a[j] * a[j]
    return np.sum(a)


LOOPS = (orbit, root, by_cases, one_by_one, over_and_over)


def ratio(f, n):
    """Return the time of a gradient over that of a function, and the bytes that it keeps for each trip."""
    g = tl.grad(f)
    g(0.5, 10)
    times = {f: [], g: []}
    for _ in range(5):
        for run in (f, g):
            start = time.process_time()
            run(0.5, n)
            times[run].append(time.process_time() - start)
    tracemalloc.start()
    g(0.5, n)
    kept = tracemalloc.get_traced_memory()[1] / n
    tracemalloc.stop()
    return min(times[g]) / min(times[f]), kept


def seconds(g, n):
    x = np.random.default_rng(0).uniform(0.1, 0.5, size=n)
    g(x)
    times = []
    for _ in range(3):
        start = time.process_time()
        g(x)
        times.append(time.process_time() - start)
    return min(times)


def main(largest=100_000):
    sizes = [n for n in (1_000, 10_000, 100_000, 1_000_000) if n <= largest]
    print(f"{'seconds for n =':24}" + "".join(f"{n:>12}" for n in sizes))
    for program in PROGRAMS:
        g = tl.grad(program)
        times = [seconds(g, n) for n in sizes]
        print(f"{program.__name__:24}" + "".join(f"{t:12.4f}" for t in times))
    print("10 times the elements should take about 10 times as long")
    for program in LOOPS:
        slower, kept = ratio(program, largest)
        print(f"{program.__name__:24}{slower:10.2f} x the loop {kept:8.0f} bytes a trip")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
