"""How the gradient of a logistic regression scales with the workers of a Dask cluster.

    python benchmarks/dask_scaling.py --rows 2000000 --workers 1 2

Each worker is a process with one thread. The data is drawn on the workers and kept there; what is timed
is a value and gradient, the median of some calls.
"""

import argparse
import os
import statistics
import time

import dask.array as da
import distributed
import numpy as np

from tapeless.interop.dask import value_and_grad

COLUMNS = 20


def loss(w, x, y):
    z = x @ w["slope"] + w["offset"]
    return np.sum(np.logaddexp(0.0, z) - y * z)


def seconds(workers, rows, chunks, repeats):
    cluster = distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        x = da.random.default_rng(0).random((rows, COLUMNS), chunks=(rows // chunks, COLUMNS))
        x = client.persist(x)
        y = client.persist((x[:, 0] > 0.5).astype(float))
        distributed.wait([x, y])
        gradient = value_and_grad(loss, over=("x", "y"))
        times = []
        for i in range(repeats + 1):
            w = {"slope": np.full(COLUMNS, 0.01 * i), "offset": 0.0}
            start = time.perf_counter()
            gradient(w, x, y)
            times.append(time.perf_counter() - start)
        return statistics.median(times[1:])  # the first call writes the derivative


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--chunks", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    given = parser.parse_args()
    # Each worker is one core: the threads of BLAS would share the others.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    print(f"{'workers':>8} {'seconds':>8} {'rows per second':>16} {'speed-up':>9}")
    first = None
    for workers in given.workers:
        taken = seconds(workers, given.rows, given.chunks, given.repeats)
        first = first or taken
        print(f"{workers:8d} {taken:8.3f} {given.rows / taken:16.0f} {first / taken:9.2f}")


if __name__ == "__main__":
    main()
