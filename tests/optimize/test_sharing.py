"""What shares memory with what, seen by the undoing that it makes needless or keeps."""

import numpy as np

import tapeless as tl
from tapeless.testing import check_grads

FIRST, SECOND = np.array([0, 1, 1, 3]), np.array([2, 0, 3, 3])
W = np.array([0.3, -0.7, 1.1, 0.4])


def summed_at_places(w):
    density = np.full(4, 0.5)
    np.add.at(density, FIRST, w)
    np.add.at(density, SECOND, w)
    return np.sum(density**2)


def test_no_undo_of_what_nobody_reads():
    text = tl.source(summed_at_places, like=(W,))
    assert "_old" not in text
    check_grads(summed_at_places, W)


def read_between(w):
    density = np.full(4, 0.5)
    np.add.at(density, FIRST, w)
    before = density[SECOND] * w
    np.add.at(density, SECOND, before)
    view = density[1:]
    np.add.at(view, np.array([0, 0]), np.sin(view[1:]) * w[0])
    return np.sum(density**3)


def test_what_is_read_between_stores_is_put_back():
    check_grads(read_between, W)


def stored_through_an_open_mesh(w):
    matrix = np.zeros((3, 4))
    rows, columns = np.ix_(np.array([0, 2]), np.array([1, 3]))
    np.add.at(matrix, (rows, columns), w.reshape(2, 2))
    part = matrix[rows, columns]
    matrix[rows, columns] = part * part
    return np.sum(matrix * matrix) + np.sum(part)


def test_a_gathered_part_is_a_copy():
    check_grads(stored_through_an_open_mesh, W)


def two_saved_together(x, n):
    a, b = x.copy(), 2.0 * x
    for i in range(n):
        kept = b[1:] * a[:-1]
        a[1:] = np.sin(kept)
        b[:-1] = a[1:] * b[1:]
    return np.sum(a * b)


def test_saves_that_are_taken_out_together():
    check_grads(lambda x: two_saved_together(x, 3), W)
