"""The journal of a derivative that is run under observation.

An observed derivative is one with calls around each of its statements. In the forward sweep they write
down what the names hold that the mirrored statement will read; in the reverse sweep they take the last
entry off and compare. So the journal sees two things: whether the reverse sweep goes back over the
statements in the order in which they ran, and whether it finds there what the forward sweep had there.
"""

from __future__ import annotations

import contextlib
import types
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tapeless.origins import origin_of
from tapeless.variables import Variable

_LONGEST = 60
_NAMED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, np.ufunc)


class ReplayMismatchError(AssertionError):
    """The reverse sweep of a derivative reads what the forward sweep did not have there."""


# What a value holds


@dataclass(frozen=True)
class Picture:
    """What a value held at one moment: nothing that happens to it later changes the picture.

    Attributes
    ----------
    kind
        Its class.
    form
        What is known of it without its contents: a shape and dtype, a length, keys.
    parts
        Its contents: bytes, or the pictures of what it holds.
    thing
        What is compared by identity, and kept alive for it.
    """

    kind: Any
    form: Any = None
    parts: Any = ()
    thing: Any = None

    def shows(self, other: Picture, contents: bool = True, deep: bool = True) -> bool:
        """Whether a value that had this picture is still the same, seen by the other picture.

        An attribute that an object gained meanwhile is not compared: nothing could have read it. Nor is
        an entry that a default dict has made for one who asked for it. Where it is not looked at `deep`,
        what it holds may have changed in itself.
        """
        if self.kind is not other.kind:
            return False
        if isinstance(self.form, types.CodeType) and self.thing is other.thing:
            return True
        if not isinstance(self.form, types.CodeType) and self.thing is not other.thing:
            return False
        if isinstance(self.form, dict):
            later = dict(zip(other.form, other.parts, strict=True))
            pairs = [
                (part, later.get(key)) for key, part in zip(self.form, self.parts, strict=True)
            ]
            return all(b is not None and a._is_held_as(b, contents, deep) for a, b in pairs)
        if self.form != other.form:
            return False
        if isinstance(self.parts, tuple):
            if len(self.parts) != len(other.parts):
                return False
            pairs = list(zip(self.parts, other.parts, strict=True))
            return all(a._is_held_as(b, contents, deep) for a, b in pairs)
        return not contents or bool(self.parts == other.parts)

    def _is_held_as(self, other: Picture, contents: bool, deep: bool) -> bool:
        """Whether a part is still the same; one with memory of its own need only be of its kind."""
        if not deep and not isinstance(self.parts, str):
            return self.kind is other.kind
        return self.shows(other, contents)

    def __str__(self) -> str:
        text = self._text()
        return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."

    def _text(self) -> str:
        if isinstance(self.parts, bytes):
            shape, dtype = self.form
            text = np.array2string(np.frombuffer(self.parts, dtype).reshape(shape), separator=", ")
            text = " ".join(text.split())
            return text if shape == () or dtype == np.float64 else f"{text} ({dtype})"
        if isinstance(self.parts, str):
            return self.parts
        if self.thing is not None:
            return repr(self.thing)
        if isinstance(self.form, dict):
            held = ", ".join(f"{k}={p}" for k, p in zip(self.form, self.parts, strict=True))
            return f"{self.kind.__name__}({held})"
        if issubclass(self.kind, dict):
            pairs = zip(self.form, self.parts, strict=True)
            return "{" + ", ".join(f"{k!r}: {p}" for k, p in pairs) + "}"
        brackets = "[]" if self.kind is list else "()"
        return brackets[0] + ", ".join(map(str, self.parts)) + brackets[1]


def picture(x: Any, met: dict[int, Any] | None = None) -> Picture:
    """Take a picture of a value.

    Examples
    --------
    >>> a = [1.0, np.zeros(2)]
    >>> before = picture(a)
    >>> a[1][0] = 5.0
    >>> print(before)
    [1.0, [0., 0.]]
    >>> before.shows(picture(a)), before.shows(picture(a), contents=False)
    (False, True)
    """
    met = {} if met is None else met
    x = getattr(type(x), "__stands_for__", x)  # the class or module that it is in a pullback
    cls = type(x)
    if isinstance(x, (np.ndarray, np.generic)):
        if x.dtype.hasobject:
            return Picture(cls, (x.shape, x.dtype), tuple(picture(v, met) for v in np.ravel(x)))
        return Picture(cls, (x.shape, x.dtype), np.asarray(x).tobytes())
    if x is None or isinstance(x, (bool, int, float, complex, str, bytes, slice, range)):
        return Picture(cls, None, repr(x))
    if isinstance(x, _NAMED) and not getattr(x, "__closure__", None):
        return Picture(cls, thing=x)
    if id(x) not in met:
        met[id(x)] = x, Picture(cls, "again")  # for what holds itself
        met[id(x)] = x, _picture_of_parts(x, met)
    found: Picture = met[id(x)][1]
    return found


def _picture_of_parts(x: Any, met: dict[int, Any]) -> Picture:
    cls = type(x)
    of_sparse = cls.__module__.startswith("scipy.sparse")
    if of_sparse and x.format in ("lil", "dok"):  # it may keep zeros, in any order
        whole = x.toarray()
        return Picture(cls, (whole.shape, whole.dtype), whole.tobytes())
    if isinstance(x, (list, tuple)):
        return Picture(cls, len(x), tuple(picture(item, met) for item in x))
    if isinstance(x, dict):
        form = dict.fromkeys(x) if isinstance(x, defaultdict) else tuple(x)
        return Picture(cls, form, tuple(picture(item, met) for item in x.values()))
    if isinstance(x, set) and len(met) > 1:
        return Picture(cls)  # held by another: not undone, and refused where it is read
    if isinstance(x, (set, frozenset)):
        return Picture(cls, len(x), repr(sorted(map(repr, x))))
    if isinstance(x, Variable):
        return Picture(cls, None, (picture(x.value, met),))
    if isinstance(x, types.MethodType):
        return Picture(cls, None, (picture(x.__func__, met), picture(x.__self__, met)))
    if isinstance(x, types.FunctionType):  # a copy of a closure has copies of what is captured
        cells = [cell.cell_contents for cell in x.__closure__ or () if cell != types.CellType()]
        return Picture(cls, x.__code__, tuple(picture(v, met) for v in cells), x)
    held = attributes_of(x)
    if of_sparse:  # which remembers whether its places are in order
        held = {key: item for key, item in held.items() if not key.lstrip("_").startswith("has_")}
    return Picture(cls, dict.fromkeys(held), tuple(picture(v, met) for v in held.values()))


def attributes_of(x: Any) -> dict[str, Any]:
    """Return what an object holds by attribute, in `__slots__` too."""
    declared = [c.__dict__["__slots__"] for c in type(x).__mro__ if "__slots__" in c.__dict__]
    named = [k for names in declared for k in ((names,) if isinstance(names, str) else names)]
    keys = [k for k in named if k[:2] != "__"]
    found = {}
    for key in keys:
        with contextlib.suppress(AttributeError):
            found[key] = object.__getattribute__(x, key)  # past a `__getattr__`
    has_dict = not named or type(x).__dictoffset__
    return {**found, **(getattr(x, "__dict__", {}) if has_dict else {})}


# What is compared


@dataclass(frozen=True)
class Reading:
    """What a statement reads of a name.

    Attributes
    ----------
    name
        The name.
    path
        The attributes and literal indices by which the part that is read is reached.
    contents
        Whether more than its form is read: not so in `np.shape(x)`.
    place
        Whether it is what is stored into: what is there before and after is compared, and not what
        a statement in between finds.
    whole
        Whether all of what is stored into is stored anew: nothing of it needs to be there before.
    either
        Whether it is asked what is the same before and after, its form or which thing it is: not so
        much as its contents have to be undone for that.
    put
        Whether it is only put where something else holds it.
    """

    name: str
    path: tuple[Any, ...] = ()
    contents: bool = True
    place: bool = False
    either: bool = False
    whole: bool = False
    put: bool = False

    def __str__(self) -> str:
        steps = (f".{step[1]}" if step[0] else f"[{step[1]!r}]" for step in self.path)
        return self.name + "".join(steps)

    def find(self, names: dict[str, Any]) -> Picture | None:
        """Take a picture of what is read; None where it is not there."""
        if self.name not in names:
            return None
        found = names[self.name]
        for is_attribute, step in self.path:
            try:
                if is_attribute and not isinstance(found, (np.ndarray, np.generic)):
                    found = attributes_of(found)[step]
                else:
                    found = getattr(found, step) if is_attribute else found[step]
            except (AttributeError, LookupError, TypeError, ValueError):
                return None
        return picture(found, {0: None} if self.put else None)


@dataclass
class Site:
    """A statement of the user's, and what its mirror reads.

    Attributes
    ----------
    filename, lineno, line
        Where it stands, and its text.
    steps
        For each statement of the mirror, what it reads: of the state `after` the statement ran, or of
        that before.
    restored
        The names that the mirror binds again.
    calls
        Whether the mirror runs the reverse sweep of a function that the statement calls.
    again
        The names whose values the mirror computes again.
    shown
        What stands for names that the user did not write.
    part
        Which part of the statement, in words.
    """

    filename: str
    lineno: int | None
    line: str
    steps: list[list[tuple[Reading, bool]]] = field(default_factory=list)
    restored: list[Reading] = field(default_factory=list)
    calls: bool = False
    again: set[str] = field(default_factory=set)
    shown: dict[str, str] = field(default_factory=dict)
    part: str = ""

    @property
    def readings(self) -> list[Reading]:
        """All that is read of the state after the statement ran, or that is stored into."""
        return list(dict.fromkeys(r for step in self.steps for r, _ in step))

    @property
    def kept_before(self) -> list[Reading]:
        """What is there before the statement and is to be there again when its mirror has run."""
        own = {r.name for r in self.restored} | self.again
        bound = {r.name for step in self.steps for r, after in step if after}
        return [*(r for r in self.readings if r.name not in own | bound), *self.restored]

    def __str__(self) -> str:
        place = (self.filename, self.lineno)
        found = origin_of(self.filename, self.lineno)
        filename, lineno = place if found is None else found
        return f"{filename}:{lineno}: `{self.line}`{self.part}"


@dataclass
class Entry:
    """What was there when a statement ran, once."""

    site: Site
    level: int
    before: dict[Reading, Picture | None]
    after: dict[Reading, Picture | None] = field(default_factory=dict)


class Journal:
    """What an observed derivative writes down in its forward sweep and compares in its reverse sweep."""

    def __init__(self) -> None:
        self.sites: list[Site] = []
        self.entries: list[Entry] = []
        self.observed = 0

    def add(self, site: Site) -> int:
        """Number a statement."""
        self.sites.append(site)
        return len(self.sites) - 1

    # In the forward sweep

    def level(self) -> int:
        """Return how many entries there are."""
        return len(self.entries)

    def back_to(self, level: int) -> None:
        """Forget what an exception interrupted, or what has nothing to reverse."""
        del self.entries[level:]

    def before(self, site: int, names: dict[str, Any], /, **more: Any) -> Entry:
        """Look at what a statement finds."""
        at, names = self.sites[site], names | more
        asked = [*at.readings, *at.restored]
        return Entry(at, len(self.entries), {r: r.find(names) for r in asked})

    def after(self, entry: Entry, names: dict[str, Any], /, **more: Any) -> None:
        """Look at what a statement leaves, and write both down."""
        names = names | more
        entry.after = {r: r.find(names) for r in entry.site.readings}
        if not entry.site.calls:
            self.back_to(entry.level)
        self.entries.append(entry)

    # In the reverse sweep

    def mirror(self, site: int, names: dict[str, Any], /, **more: Any) -> Entry:
        """Begin with the mirror of a statement: what it left must be there again."""
        at = self.sites[site]
        if not self.entries:
            self.fail(
                at, "the reverse sweep comes to a statement that the forward sweep did not run"
            )
        entry = self.entries.pop()
        if entry.site is not at:
            self.fail(
                at, f"the reverse sweep comes to this, the forward sweep was last at {entry.site}"
            )
        names = names | more
        for reading, then in entry.after.items():
            if reading.place and not reading.whole:
                self.compare(at, reading, then, reading.find(names), "left")
        return entry

    def step(self, entry: Entry, number: int, names: dict[str, Any], /, **more: Any) -> None:
        """Compare what a statement of a mirror reads."""
        names = names | more
        for reading, after in entry.site.steps[number]:
            if reading.place:
                continue
            then, left = (entry.after if after else entry.before)[reading], entry.after[reading]
            now = reading.find(names)
            known = reading.either and left is not None and now is not None
            if known and left.shows(now, reading.contents):  # type: ignore[union-attr, arg-type]
                continue
            self.compare(entry.site, reading, then, now, "had")

    def mirrored(self, entry: Entry, names: dict[str, Any], /, **more: Any) -> None:
        """End the mirror of a statement: what it found must be there again."""
        names = names | more
        self.observed += 1
        if len(self.entries) != entry.level:
            unread = self.entries[-1].site if self.entries else "nothing"
            self.fail(entry.site, f"the reverse sweep leaves out what ran in this: {unread}")
        for reading in entry.site.kept_before:
            then = entry.before[reading]
            self.compare(entry.site, reading, then, reading.find(names), "found")

    def compare(
        self, site: Site, reading: Reading, then: Picture | None, now: Picture | None, verb: str
    ) -> None:
        """Compare what was there with what is there."""
        deep = (
            verb != "left"
        )  # what a store leaves is its own place: stores into what is there are others
        if then is None or now is None or then.shows(now, reading.contents, deep):
            return
        label = str(reading)
        own = site.shown.get(reading.name)
        if own is not None:
            label = f"`{own}`" + label[len(reading.name) :]
        if verb == "found":
            what = f"where the forward sweep came to this with {label} = {then}, "
            self.fail(site, f"{what}the reverse sweep goes on with {now}")
        self.fail(site, f"the forward sweep {verb} {label} = {then}, the reverse sweep has {now}")

    def finish(self) -> None:
        """Check that the reverse sweep has gone back over all that ran."""
        if self.entries:
            last = self.entries[-1].site
            self.fail(last, "the reverse sweep leaves this out")

    def fail(self, site: Site, what: str) -> None:
        """Report the first difference."""
        raise ReplayMismatchError(f"{site}: {what}")
