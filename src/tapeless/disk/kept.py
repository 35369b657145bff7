"""Derivatives are looked for among the files before they are written, and kept there afterwards."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from tapeless.details import details_of
from tapeless.disk import folder
from tapeless.disk.contents import Contents
from tapeless.disk.entries import (
    Pointer,
    derivative_of,
    entry_of,
    pointed_to,
    pointer_of,
    pointer_text,
)
from tapeless.disk.versions import versions
from tapeless.loading import Built, bound
from tapeless.sizes import for_arguments_at_hand
from tapeless.source.watchers import is_watched


class Kept:
    """The place on disk of one derivative.

    Attributes
    ----------
    asked
        The function that an operator made.
    arguments
        One value per parameter, whose kinds count; None for a text made by annotations only.
    before
        The hash of what the derivative may depend on, as it was before anything was written; None
        where it cannot be kept.
    """

    def __init__(self, asked: Any, arguments: Sequence[Any] | None) -> None:
        self.asked = asked
        self.arguments = arguments
        self.before: str | None = None

    def find(self) -> Built | None:
        """Load what another process wrote; None where there is nothing that can be read."""
        if not folder.is_on() or not _may_be_kept(self.asked):
            return None
        try:
            contents = self.described()
            self.before = contents.digest()
            entry = folder.read(self.before)
            pointer = pointed_to(entry)
            if pointer:
                entry = folder.read(self.place_for(pointer, contents))
            return None if entry is None else bound(*derivative_of(entry, contents))
        except Exception:  # whatever a file may hold: it is written anew
            return None

    def keep(self, built: Built) -> None:
        """Keep a derivative, if another process can find what it depends on."""
        if self.before is None:
            return
        try:
            contents = self.described()
            if contents.digest() == self.before:
                places = [watched.external for watched in built.watched]
                entry = entry_of(built.derivative, places, contents)
                pointer = pointer_of(built.derivative, places, contents)
                if pointer:
                    pointer = pointer.joined(pointed_to(folder.read(self.before)))
                    folder.write(self.before, pointer_text(pointer))
                folder.write(self.place_for(pointer, contents), entry)
        except Exception:  # what cannot be written down, or changed meanwhile, is not kept
            return

    def place_for(self, pointer: Pointer, contents: Contents) -> str:
        """Return the name of the entry for what tells entries apart here."""
        if not pointer:
            return str(self.before)
        found = details_of(self.arguments or (), pointer.details), pointer.held(contents)
        return f"{self.before}-{hashlib.sha256(repr(found).encode()).hexdigest()}"

    def described(self) -> Contents:
        """Describe all that the derivative may depend on.

        Raises
        ------
        UnstableError
            If something has no content that another process could compare.
        """
        contents = Contents()
        options = (
            self.asked.mode, self.asked.request, self.asked.title, self.asked.scalarize,
            for_arguments_at_hand(),
        )  # fmt: skip
        contents.start(self.asked.given, self.arguments, versions(), repr(options))
        return contents


def _may_be_kept(asked: Any) -> bool:
    """Whether a derivative depends on nothing but what is described, and nobody watches it made."""
    return asked.variables is None and asked.journal is None and not is_watched()
