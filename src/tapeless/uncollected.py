"""The collector of cyclic garbage rests while a derivative is written.

Writing makes many trees that are all in use, and hardly any cycles. The collector is started by how many
objects are made: it goes through the trees again and again, for a fifth of the time, and finds nothing. What
is not used any more is let go of by counting references, as ever, and the most that is needed is the same.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Let the collector rest meanwhile, if it is at work.

    Examples
    --------
    >>> import gc
    >>> with uncollected():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    at_work = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if at_work:
            gc.enable()
