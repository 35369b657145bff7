"""A check of what was written: each value that the reverse sweep reads is the one that was meant.

Whoever writes the reverse sweep writes the names of the forward sweep, and means what they held when the
mirrored statement ran; the recorder puts in what saves and restores them. Here both sweeps are followed
once more, with a *version* in place of each value: every binding makes a new one, a copy or a save hands
one on, branches and loops join them. The reverse sweep is walked with what its restores bring back, and
each name that it reads must have the version that the forward statement saw there.

    i = 0                   # i: 1                  # i: 1      read: 1
    y = x[i]                # y: 2, read i: 1       x_bar[i] += y_bar
    i_1 = i                 # i_1: 1                i = i_1     # i: 1 again
    i = i + 1               # i: 3                  # i: 3

Where several versions are possible, all are carried along, and each must be right. What cannot be followed
(an exception may come anywhere in a `try`) is left out. A difference is a mistake of this tool, and an
error before anything runs.
"""

from __future__ import annotations

from tapeless.differentiate.reverse.mirrored import Mirrored
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.verify.backward import check
from tapeless.differentiate.verify.possible import Followed
from tapeless.errors import PLEASE_REPORT, InternalError


def check_versions(sweep: Sweep, items: list[Mirrored], counts: frozenset[str]) -> None:
    """Check that the reverse sweep of a function reads what its forward sweep had there.

    Parameters
    ----------
    sweep
        What wrote them.
    items
        Both sweeps, with saves.
    counts
        Names that are asked for by their last value only.

    Raises
    ------
    InternalError
        If it does not, with the statement of the user's whose mirror reads another version.
    """
    undone = {
        split.forward: split.reverse
        for split in sweep.module.splits.values()
        if split is not None and split.undoes
    }
    met = Followed(sweep.function.parameters, counts, undone)
    check(met, items)
    if met.found:
        statement, reason = met.found[0]
        place = statement if hasattr(statement, "lineno") else sweep.function.tree
        raise sweep.function.error(place, reason, PLEASE_REPORT, InternalError)
