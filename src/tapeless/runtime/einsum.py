"""Derivatives of `einsum`, which are einsums themselves.

An einsum multiplies its operands, label by label, and sums over the labels that its result does not
have. It is linear in each operand, so the cotangent of one is the einsum of the cotangent of the
result with the other operands, in which that of the operand is what is asked for; and a tangent is
the sum of the einsums in which one operand at a time gives way to its tangent. What was summed for
one operand alone is spread again; what was read off a diagonal is put back there.
"""

from __future__ import annotations

import functools
import string
from typing import Any

import numpy as np


@functools.lru_cache(maxsize=1024)
def einsum_labels(subscripts: str, ranks: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """Spell out the subscripts of `np.einsum`: no blanks, no ellipsis, an explicit result.

    Examples
    --------
    >>> einsum_labels("ij, jk", (2, 2))
    (('ij', 'jk'), 'ik')
    >>> einsum_labels("...i,i->...", (3, 1))
    (('ABi', 'i'), 'AB')
    """
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    used = set(subscripts)
    spare = [c for c in string.ascii_uppercase + string.ascii_lowercase if c not in used]
    hidden = [
        rank - len(term) + 3 if "..." in term else 0
        for term, rank in zip(terms, ranks, strict=True)
    ]
    ellipsis = "".join(spare[: max(hidden)])
    spelled = tuple(
        term.replace("...", ellipsis[len(ellipsis) - count :])
        for term, count in zip(terms, hidden, strict=True)
    )
    if arrow:
        return spelled, output.replace("...", ellipsis)
    letters = inputs.replace(",", "").replace(".", "")
    once = [c for c in sorted(set(letters)) if letters.count(c) == 1]
    return spelled, ellipsis + "".join(once)


@functools.lru_cache(maxsize=1024)
def einsum_transposed(subscripts: str, ranks: tuple[int, ...], i: int) -> tuple[str, str, str]:
    """Return the subscripts of the einsum that computes the cotangent of operand `i`.

    Returns
    -------
    The subscripts, which take the cotangent of the result first and the other operands after it;
    the labels of what they compute; the labels of the operand.

    Examples
    --------
    >>> einsum_transposed("ij,jk->ik", (2, 2), 0)
    ('ik,jk->ij', 'ij', 'ij')
    >>> einsum_transposed("ii->", (2,), 0)
    ('->', '', 'ii')
    """
    terms, output = einsum_labels(subscripts, ranks)
    given = [output, *terms[:i], *terms[i + 1 :]]
    found = "".join(c for c in dict.fromkeys(terms[i]) if any(c in term for term in given))
    return ",".join(given) + "->" + found, found, terms[i]


def einsum_bar(y_bar: Any, subscripts: str, operands: tuple[Any, ...], i: int) -> Any:
    """Return the cotangent of ``operands[i]`` in ``np.einsum(subscripts, *operands)``.

    It is the einsum of the cotangent with the other operands. A label that only this operand has
    was summed, so its cotangent is spread; a label that it has twice selects a diagonal, so its
    cotangent is put there. An axis of length 1 stretches to the others' length, in both directions.

    Examples
    --------
    >>> a, b = np.ones((2, 3)), np.ones((3, 4))
    >>> einsum_bar(np.ones((2, 4)), "ij,jk->ik", (a, b), 0)
    array([[4., 4., 4.],
           [4., 4., 4.]])
    """
    a = operands[i]
    others = operands[:i] + operands[i + 1 :]
    ranks = tuple(np.ndim(operand) for operand in operands)
    transposed, found, labels = einsum_transposed(subscripts, ranks, i)
    g = np.einsum(transposed, y_bar, *others)
    if found == labels and np.shape(g) == np.shape(a):
        return g
    sizes = dict(zip(labels, np.shape(a), strict=True))
    stretched = tuple(k for k, c in enumerate(found) if sizes[c] == 1 and np.shape(g)[k] != 1)
    g = np.sum(g, axis=stretched, keepdims=True)
    distinct = "".join(dict.fromkeys(labels))
    missing = tuple(k for k, c in enumerate(distinct) if c not in found)
    g = np.broadcast_to(np.expand_dims(g, missing), tuple(sizes[c] for c in distinct))
    if distinct == labels:
        return g
    return spread_on_diagonal(g, distinct, labels, sizes)


def einsum_bars(y_bar: Any, subscripts: str, operands: tuple[Any, ...]) -> list[Any]:
    """Return the cotangents of all operands of ``np.einsum(subscripts, *operands)``."""
    return [einsum_bar(y_bar, subscripts, operands, i) for i in range(len(operands))]


def einsum_bar_bars(
    a_bar_bar: Any, y_bar: Any, subscripts: str, operands: tuple[Any, ...], i: int
) -> tuple[Any, list[Any]]:
    """Return the cotangents of `y_bar` and of the operands in `einsum_bar`; that of operand `i` is zero.

    Examples
    --------
    >>> a, b, c = np.ones((1, 2)), np.ones((2, 2)), np.ones((2, 1))
    >>> seed, bars = einsum_bar_bars(b, np.ones((1, 1)), "ij,jk,kl->il", (a, b, c), 1)
    >>> seed, [np.shape(bar) for bar in bars]
    (array([[4.]]), [(1, 2), (2, 2), (2, 1)])
    """
    replaced = with_operand(operands, i, a_bar_bar)
    bars = [
        np.zeros_like(operands[j]) if j == i else einsum_bar(y_bar, subscripts, replaced, j)
        for j in range(len(operands))
    ]
    return np.einsum(subscripts, *replaced), bars


def einsum_bar_dot(
    y_bar: Any, subscripts: str, operands: tuple[Any, ...], operand_dots: Any, i: int
) -> Any:
    """Return the tangent of `einsum_bar` where its operands move, but for operand `i`.

    Examples
    --------
    >>> a, b = np.ones((1, 2)), np.ones((2, 1))
    >>> einsum_bar_dot(np.ones((1, 1)), "ij,jk->ik", (a, b), (a, 3.0 * b), 0)
    array([[3., 3.]])
    """
    made = np.zeros_like(operands[i])
    for j in range(len(operands)):
        if j != i:
            moved = with_operand(operands, j, operand_dots[j])
            made = made + einsum_bar(y_bar, subscripts, moved, i)
    return made


def einsum_dot(subscripts: str, operands: tuple[Any, ...], operand_dots: Any) -> Any:
    """Return the tangent of ``np.einsum(subscripts, *operands)``: each operand moves in turn.

    Examples
    --------
    >>> a, b = np.ones((1, 2)), np.ones((2, 1))
    >>> einsum_dot("ij,jk->ik", (a, b), (a, 3.0 * b))
    array([[8.]])
    """
    moved = [with_operand(operands, i, operand_dots[i]) for i in range(len(operands))]
    y_dot = np.einsum(subscripts, *moved[0])
    for others in moved[1:]:
        y_dot = y_dot + np.einsum(subscripts, *others)
    return y_dot


def einsum_dot_dot(
    subscripts: str, operands: tuple[Any, ...], operand_dots: Any, further_dots: Any
) -> Any:
    """Return the tangent of `einsum_dot` where its operands move further: each two move together.

    Examples
    --------
    >>> x = np.ones(2)
    >>> float(einsum_dot_dot("i,i->", (x, x), (x, x), (2.0 * x, x)))
    6.0
    """
    made: Any = np.zeros_like(np.einsum(subscripts, *operands))
    for i in range(len(operands)):
        moved = with_operand(operands, i, operand_dots[i])
        for j in range(len(operands)):
            if j != i:
                made = made + np.einsum(subscripts, *with_operand(moved, j, further_dots[j]))
    return made


def einsum_dot_bars(
    y_dot_bar: Any, subscripts: str, operands: tuple[Any, ...], operand_dots: Any
) -> list[Any]:
    """Return the cotangents of the operands in `einsum_dot`, whose tangents take their places.

    Examples
    --------
    >>> x = np.ones(1)
    >>> einsum_dot_bars(1.0, "i,i->", (x, x), (2.0 * x, 3.0 * x))
    [array([3.]), array([2.])]
    """
    return [
        einsum_bar_dot(y_dot_bar, subscripts, operands, operand_dots, i)
        for i in range(len(operands))
    ]


def with_operand(operands: tuple[Any, ...], i: int, value: Any) -> tuple[Any, ...]:
    """Return the operands with another value in the place of operand `i`."""
    return (*operands[:i], value, *operands[i + 1 :])


def transposed_of_two(subscripts: str, a_rank: int, b_rank: int, i: int) -> Any:
    """Return the subscripts that give the cotangent of operand `i` of two in one `np.einsum`.

    None where it takes more: a label of that operand is repeated, or nothing else has it.

    Examples
    --------
    >>> transposed_of_two("ij,jk", 2, 2, 1)
    'ik,ij->jk'
    >>> transposed_of_two("ij,k->k", 2, 1, 0) is None
    True
    """
    transposed, found, labels = einsum_transposed(subscripts, (a_rank, b_rank), i)
    return transposed if found == labels else None


def einsum_left_bar(y_bar: Any, subscripts: str, a: Any, b: Any) -> Any:
    """Return the cotangent of `a` in ``np.einsum(subscripts, a, b)``.

    Examples
    --------
    >>> einsum_left_bar(np.ones(2), "ij,j", np.ones((2, 3)), np.arange(3.0))
    array([[0., 1., 2.],
           [0., 1., 2.]])
    """
    if 1 in np.shape(a) or 1 in np.shape(b):
        return einsum_bar(y_bar, subscripts, (a, b), 0)
    if transposed_of_two(subscripts, np.ndim(a), np.ndim(b), 0) is None:
        return einsum_bar(y_bar, subscripts, (a, b), 0)
    return np.einsum(transposed_of_two(subscripts, np.ndim(a), np.ndim(b), 0), y_bar, b)


def einsum_right_bar(y_bar: Any, subscripts: str, a: Any, b: Any) -> Any:
    """Return the cotangent of `b` in ``np.einsum(subscripts, a, b)``."""
    if 1 in np.shape(a) or 1 in np.shape(b):
        return einsum_bar(y_bar, subscripts, (a, b), 1)
    if transposed_of_two(subscripts, np.ndim(a), np.ndim(b), 1) is None:
        return einsum_bar(y_bar, subscripts, (a, b), 1)
    return np.einsum(transposed_of_two(subscripts, np.ndim(a), np.ndim(b), 1), y_bar, a)


def spread_on_diagonal(g: Any, distinct: str, labels: str, sizes: dict[str, int]) -> Any:
    """Put `g`, whose axes are `distinct`, where repeated `labels` agree; elsewhere 0."""
    spare = iter(c for c in string.ascii_letters if c not in labels)
    seen: set[str] = set()
    result, terms, eyes = "", [distinct], []
    for c in labels:
        if c in seen:
            other = next(spare)
            terms.append(c + other)
            eyes.append(np.eye(sizes[c], dtype=np.result_type(g)))
            result += other
        else:
            seen.add(c)
            result += c
    return np.einsum(",".join(terms) + "->" + result, g, *eyes)
