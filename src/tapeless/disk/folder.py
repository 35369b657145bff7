"""The files of the cache: one for each entry, written whole or not at all.

The text of an entry is run. So whoever can write into the folder can run code as its user, and the
folder is made for its owner alone; one that others own or can write into is not used, nor is a file
that others own or can write to, nor a link. Everything that the file system refuses counts as an entry
that is not there, or cannot be kept: the cache is never a reason to fail.

`TAPELESS_CACHE=0` switches it off; `TAPELESS_CACHE_DIR` puts it elsewhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

_SUFFIX = ".json"
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def is_on() -> bool:
    """Whether derivatives are kept."""
    return os.environ.get("TAPELESS_CACHE", "") != "0"


def place() -> Path:
    """Return the folder of the entries, whether it is there or not."""
    given = os.environ.get("TAPELESS_CACHE_DIR")
    if given:
        return Path(given) / "derivatives"
    import platformdirs

    return platformdirs.user_cache_path("tapeless", appauthor=False) / "derivatives"


def obstacle() -> str:
    """Return why nothing is kept; "" where nothing stands in the way."""
    if not is_on():
        return "TAPELESS_CACHE is 0"
    try:
        found = os.lstat(place())
    except FileNotFoundError:
        return ""
    except OSError as error:
        return str(error.strerror)
    return "" if is_owned(found, stat.S_ISDIR) else "it is not a folder of yours alone"


def read(key: str) -> str | None:
    """Return the text of an entry; None where there is none, or not all of it."""
    try:
        folder = place()
        if not is_owned(os.lstat(folder), stat.S_ISDIR):
            return None
        handle = os.open(folder / (key + _SUFFIX), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with open(handle, encoding="utf-8", newline="") as stream:
            if not is_owned(os.fstat(handle), stat.S_ISREG):
                return None
            check, _, text = stream.read().partition("\n")
    except (OSError, ValueError, RuntimeError):
        return None
    return text if check == _check(key, text) else None


def write(key: str, text: str) -> None:
    """Keep the text of an entry, if that can be done."""
    try:
        folder = place()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_owned(os.lstat(folder), stat.S_ISDIR):
            return
        write_whole(folder / (key + _SUFFIX), f"{_check(key, text)}\n{text}")
    except (OSError, ValueError, RuntimeError):
        return


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    import tempfile  # which takes as long to import as an entry to read

    handle, temporary = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def files() -> Iterator[os.stat_result]:
    """List the files of the entries, by what the system says of them."""
    for path in _paths():
        if path.suffix == _SUFFIX:
            with contextlib.suppress(OSError):
                yield path.stat()


def clear() -> int:
    """Remove all entries, and what interrupted processes left; return how many entries it were.

    Raises
    ------
    OSError
        If a file cannot be removed.
    """
    removed = 0
    for path in _paths():
        with contextlib.suppress(FileNotFoundError):  # another process clears as well
            path.unlink()
            removed += path.suffix == _SUFFIX
    return removed


def _paths() -> list[Path]:
    """List the files that are the cache's own."""
    try:
        found = sorted(place().iterdir())
    except (OSError, RuntimeError):
        return []
    return [path for path in found if path.suffix in (_SUFFIX, ".part")]


def is_owned(found: os.stat_result, is_kind: Callable[[int], bool]) -> bool:
    """Whether something is of its kind, and nobody but the user can have written it."""
    if not is_kind(found.st_mode):
        return False
    if not hasattr(os, "geteuid"):
        return True  # the folders of a user are protected by other means there
    return found.st_uid == os.geteuid() and not found.st_mode & _OTHERS_MAY_WRITE


def _check(key: str, text: str) -> str:
    """Return what tells a text that is whole and stands under its own name from another."""
    return hashlib.sha256(f"{key}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()
