"""The gradient of a logistic regression on more rows than the workers of a Dask cluster may hold.

    python benchmarks/dask_out_of_core.py --gigabytes 10 --limit 1GB

The rows are drawn by the tasks, chunk by chunk, as files would be read. Printed are the size of all rows,
the most memory that a worker had, and how far the result is from that of a loop over the chunks in
this process.
"""

import argparse
import os
import resource
import time

import dask
import distributed
import numpy as np

import tapeless as tl
from tapeless.interop.dask import value_and_grad

COLUMNS = 100
ROWS = 50_000  # in a chunk of 40 MB
GIGABYTE = 1e9


def loss(w, x, y):
    z = x @ w
    return np.sum(np.logaddexp(0.0, z) - y * z)


def rows(seed):
    return np.random.default_rng(seed).random((ROWS, COLUMNS))


def labels(x):
    return (x[:, 0] > 0.5).astype(float)


def out_of_core(w, chunks, workers, limit):
    """Return the value, the gradient, the seconds and the peak memory of the workers."""
    cluster = distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, memory_limit=limit, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        xs = [dask.delayed(rows)(seed) for seed in range(chunks)]
        ys = [dask.delayed(labels)(x) for x in xs]
        start = time.perf_counter()
        value, gradient = value_and_grad(loss, over=("x", "y"))(w, xs, ys)
        taken = time.perf_counter() - start
        peaks = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    return value, gradient, taken, max(peaks.values())


def one_by_one(w, chunks):
    gradient, value, total = tl.value_and_grad(loss), 0.0, np.zeros_like(w)
    for seed in range(chunks):
        x = rows(seed)
        found, slope = gradient(w, x, labels(x))
        value, total = value + found, total + slope
    return value, total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--limit", default="1GB", help="memory of a worker")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    # Each worker is one core: the threads of BLAS would share the others.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    w = np.linspace(-1.0, 1.0, COLUMNS)
    chunks = max(1, round(given.gigabytes * GIGABYTE / (8 * ROWS * COLUMNS)))
    value, gradient, taken, peak = out_of_core(w, chunks, given.workers, given.limit)
    there, slope = one_by_one(w, chunks)
    apart = max(abs(value - there) / abs(there), np.max(np.abs(gradient - slope) / np.abs(slope)))
    size = 8 * ROWS * COLUMNS * chunks / GIGABYTE
    print(f"{size:.1f} GB of rows in {chunks} chunks, {given.workers} workers of {given.limit}")
    print(f"{taken:.1f} s, at most {peak / GIGABYTE:.2f} GB in a worker")
    print(f"relative difference from one process: {apart:.1e}")


if __name__ == "__main__":
    main()
