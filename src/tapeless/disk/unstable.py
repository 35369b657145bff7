"""Why a derivative is not kept: it depends on something that another process could not compare."""

from __future__ import annotations


class UnstableError(Exception):
    """Something has no content that is the same in every process that has it."""
