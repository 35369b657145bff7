"""Show that an indexed read or store costs what it touches, also in a callee.

Each program loops over the n elements of an array. Linear programs take ten times as long for ten
times the elements; one that made a whole array of zeros per element would take a hundred times.

    python benchmarks/scaling.py [largest n]
"""

import sys
import time

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


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
