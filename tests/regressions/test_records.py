"""Arrays of records, whose items are views and no numbers: what is stored into is followed, or refused."""

import numpy as np
import pytest

import tapeless as tl

V = np.array([0.4, 1.1, 0.7])
FIELDS = np.dtype([("x", "f8"), ("n", "i4")])
TABLE = np.array([(1.0, 2), (2.0, 1), (3.0, 0)], dtype=FIELDS)


def rows_bound_anew(v):
    rec, s = np.zeros(3, dtype=[("x", "f8"), ("n", "i4")]), 0.0
    for k in range(3):
        rec[k] = (2.0 * k, k)
        s = s + v[k] ** 2 * rec["x"][k]
        rec["x"] += 1
    return s * rec["x"][0]


def rows_of_a_named_dtype(v):
    rec, s = np.zeros(3, dtype=FIELDS), 0.0
    for k in range(3):
        rec[k] = (2.0 * k, k)
        s = s + v[k] ** 2 * rec["x"][k]
        rec["x"] += 1
    return s * rec["x"][0]


def row_kept(v):
    rec = np.array([(1.0, 2), (3.0, 4)], dtype=[("x", "f8"), ("n", "i4")])
    row = rec[1]
    s = v[0] * row["x"]
    rec["x"] += 2.0
    s = s + v[1] * row["x"]
    rec[1] = (5.0, 1)
    return s * v[2] * row["x"]


def rows_gone_through(v):
    rec, s = np.zeros(3, dtype="f8,i4"), 0.0
    for row in rec:
        s = s + np.sum(v**2 * row["f0"])
        row["f0"] += 1.0
        s = s * v[0] + np.sum(row["f0"] * v[1])
    return s


@pytest.mark.parametrize("f", [rows_bound_anew, rows_of_a_named_dtype, row_kept, rows_gone_through])
def test_what_changes_is_refused(f):
    with pytest.raises(tl.GradientError, match="is not known here"):
        tl.grad(f)(V)


def read_by_rows(v):
    s = 0.0
    for row in TABLE:
        s = s + v[0] ** 2 * row["x"] * row["n"] + v[1] * row["x"]
    return s


def read_by_fields(v):
    return np.sum(TABLE["x"] * v**2) * TABLE["x"][1] + np.sum(v[TABLE["n"]])


def made_of_columns(v):
    rec = np.rec.fromarrays([np.arange(3.0), np.arange(3)], names="x,n")
    return np.sum(rec.x * v) * rec.n[2] * v[1]


@pytest.mark.parametrize("f", [read_by_rows, read_by_fields, made_of_columns])
def test_tables_are_read(f):
    tl.check_grads(f, V, replay=True)
