"""The page of a view: one HTML file that needs nothing else, no network and no other file.

The user's lines stand left, those of the derivative right. Each line names the lines that it belongs to, so
the script only has to follow; without it the numbers at the end of each line say the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.resources import files
from string import Template

from tapeless.origins import shown_location
from tapeless.source.highlight import Tokens, between, tokens_by_line, whole
from tapeless.view.facts import DerivedLine, Facts, Place, UsersLine, UsersText

_SWEEPS = {"forward sweep": "forward", "reverse sweep": "reverse"}


def page_of(facts: Facts, what: str) -> str:
    """Write the page; `what` says of what it is the derivative."""
    names = _Names(facts)
    given = sum(1 for line in facts.lines if line.text.strip())
    own = sum(1 for text in facts.texts for line in text.lines if line.text.strip())
    return Template(_part("page.html")).substitute(
        title=escape(facts.name),
        what=escape(what),
        size=f"{_counted(own)} of yours, {_counted(given)} of derivative",
        style=_part("style.css"),
        script=_part("script.js"),
        source="\n".join(_source(text, names) for text in facts.texts),
        derivative="\n".join(_derivative(facts, names)),
        legend="\n".join(_legend(facts)),
    )


def _part(name: str) -> str:
    return files("tapeless.view").joinpath(name).read_text(encoding="utf-8")


def _counted(lines: int) -> str:
    return f"{lines} line" if lines == 1 else f"{lines} lines"


class _Names:
    """The names of the user's lines in the page: `s1-41` is line 41 of the second function."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.several = len({text.filename for text in facts.texts}) > 1
        self.known: dict[Place, str] = {
            (text.filename, line.number): f"s{i}-{line.number}"
            for i, text in enumerate(facts.texts)
            for line in text.lines
        }

    def of(self, origin: Place | None) -> str:
        """Return the name of a line; "" where it is not shown."""
        return "" if origin is None else self.known.get(origin, "")

    def told(self, origin: Place) -> str:
        """Say a line to a reader."""
        filename, number = origin
        return f"{number} of {_short(filename)}" if self.several else str(number)


def _short(filename: str) -> str:
    return filename.replace("\\", "/").rpartition("/")[2]


# The user's side


def _source(text: UsersText, names: _Names) -> str:
    tokens = tokens_by_line("\n".join(line.text for line in text.lines))
    lines = [
        _users_line(text, line, tokens[i] if i < len(tokens) else (), names)
        for i, line in enumerate(text.lines)
    ]
    first, last = text.lines[0].number, text.lines[-1].number
    badge = '<span class="badge">custom gradient</span>' if text.spliced else ""
    label = f"{text.name}, {_short(text.filename)}, lines {first} to {last}"
    return (
        f'<figure class="text{" custom" if text.spliced else ""}">'
        f"<figcaption><b>{escape(text.name)}</b>{badge}"
        f'<span class="file">{escape(shown_location(text.filename, first, folder=False))}</span></figcaption>'
        f'<ol class="code" role="listbox" aria-label="{escape(label)}">{"".join(lines)}</ol></figure>'
    )


def _users_line(text: UsersText, line: UsersLine, tokens: Tokens, names: _Names) -> str:
    name = names.of((text.filename, line.number))
    begins = names.of((text.filename, line.stands_for))
    gives = " ".join(f"d{number}" for number in line.gives)
    said = ""
    if line.gives:
        said = f"gives {_listed('line', list(map(str, line.gives)))} of the derivative"
    continues = begins if begins != name else ""
    kinds = "" if gives or continues else "idle"
    return _line(name, line.number, whole(tokens), gives, said, kinds, continues)


# The derivative's side


def _derivative(facts: Facts, names: _Names) -> Iterator[str]:
    tokens = tokens_by_line("\n".join(line.text for line in facts.lines))
    for i, line in enumerate(facts.lines):
        yield _derived_line(line, tokens[i] if i < len(tokens) else (), names)


def _derived_line(line: DerivedLine, tokens: Tokens, names: _Names) -> str:
    pieces = []
    for part in line.parts:
        piece = between(tokens, part.start, part.end)
        name = names.of(part.origin)
        classes = "part spliced" if part.spliced else "part"
        pieces.append(
            f'<span class="{classes}" data-from="{name}">{piece}</span>' if name else piece
        )
    origins = [origin for origin in line.origins if names.of(origin)]
    told = [names.told(origin) for origin in origins]
    said = f"from {_listed('line', told)}" if told else ""
    said = ", ".join(filter(None, ["tangent" * line.tangent, said]))
    kinds = [_SWEEPS.get(line.sweep, "")]
    kinds += [key for key in ("spliced", "heading", "note", "tangent") if getattr(line, key)]
    gives = " ".join(names.of(origin) for origin in origins)
    shown = " ".join(str(number) for _, number in origins)
    classes = " ".join(filter(None, kinds))
    return _line(f"d{line.number}", line.number, "".join(pieces), gives, said, classes, "", shown)


def _line(
    name: str, number: int, code: str, linked: str, said: str, kinds: str, stands_for: str = "",
    shown: str = "",
) -> str:  # fmt: skip
    """Write one line: its number, its code, and in small what it comes from."""
    classes = " ".join(filter(None, ["line", kinds]))
    alias = f' data-as="{stands_for}"' if stands_for else ""
    hidden = f'<span class="said">, {escape(said)}</span>' if said else ""
    refs = f'<span class="refs" aria-hidden="true">{escape(shown)}</span>' if shown else ""
    return (
        f'<li id="{name}" class="{classes}" role="option" aria-selected="false" tabindex="-1"'
        f' data-links="{linked}"{alias}><span class="n" aria-hidden="true">{number}</span>'
        f"<code>{code or ' '}</code>{hidden}{refs}</li>"
    )


def _listed(word: str, told: list[str]) -> str:
    """Write "line 1" or "lines 1, 2 and 3"."""
    if len(told) == 1:
        return f"{word} {told[0]}"
    return f"{word}s {', '.join(told[:-1])} and {told[-1]}"


def _legend(facts: Facts) -> Iterator[str]:
    met = {line.sweep for line in facts.lines}
    for sweep, short in _SWEEPS.items():
        if sweep in met:
            yield f'<li class="{short}">{sweep}</li>'
    if any(line.tangent for line in facts.lines):
        yield '<li class="tangent">tangent</li>'
    if any(line.spliced for line in facts.lines):
        yield '<li class="spliced">custom gradient, as its author wrote it</li>'
