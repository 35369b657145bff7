"""Where a printed line breaks: marks in its text, and the layout that follows from them.

The text of an expression carries invisible marks: where a line may break and how strongly the operator
there binds, which part of a statement may take brackets if it must be split, and where a string starts
and ends. If a statement fits in a line, the marks vanish. If not, its last bracket is opened, its
content indented in a line of its own; if that is too long as well, it is split at the operators that
bind least, one item in a line.
"""

from __future__ import annotations

from collections.abc import Iterator

LINE_LENGTH = 100
INDENT = "    "

# A break is one private character that stands for a space; the greater its number, the earlier it
# breaks. None of the marks can occur in a string, where they would be escaped.

_STRING_START, _STRING_END = "\x00", "\x01"
_OPTIONAL_START, _OPTIONAL_END = "\x02", "\x03"
_FIRST_BREAK = 0xE000
POWER_BREAK, TERM_BREAK, SUM_BREAK, SHIFT_BREAK = (chr(_FIRST_BREAK + n) for n in range(4))
BIT_AND_BREAK, BIT_XOR_BREAK, BIT_OR_BREAK = (chr(_FIRST_BREAK + n) for n in range(4, 7))
COMPARE_BREAK, LOGIC_BREAK, TERNARY_BREAK = (chr(_FIRST_BREAK + n) for n in range(7, 10))
COMMA_BREAK, FOR_BREAK = (chr(_FIRST_BREAK + n) for n in range(10, 12))
_BREAKS = [chr(_FIRST_BREAK + n) for n in range(12)]
COMMA = "," + COMMA_BREAK
_IN_ONE_LINE = str.maketrans(
    dict.fromkeys(_BREAKS, " ")
    | dict.fromkeys([_STRING_START, _STRING_END, _OPTIONAL_START, _OPTIONAL_END])
)


def flat(text: str) -> str:
    """Return marked text as it reads in one line."""
    return text.translate(_IN_ONE_LINE)


def optional(text: str) -> str:
    """Mark text that may be bracketed if its line must be split."""
    return _OPTIONAL_START + text + _OPTIONAL_END


def unbroken(text: str) -> str:
    """Mark text that stays in one line, whatever brackets it holds: strings above all."""
    return _STRING_START + flat(text) + _STRING_END


_OPENING = {"(": ")", "[": "]", "{": "}", _OPTIONAL_START: _OPTIONAL_END}
_CLOSING = set(_OPENING.values())


def split_line(text: str, indent: int, definition: bool = False) -> list[str]:
    """Lay out one marked line in as many lines as it needs.

    Examples
    --------
    >>> split_line("f(x)", 1)
    ['    f(x)']
    """
    if _fits(text, indent):
        return [INDENT * indent + flat(text)]
    brackets = _outer_brackets(text)
    if definition and brackets:
        brackets = [next((each for each in brackets if text[each[0]] == "("), brackets[0])]
    return _split_at_bracket(text, indent, brackets)


def _fits(text: str, indent: int) -> bool:
    return len(INDENT) * indent + len(flat(text)) <= LINE_LENGTH


def _outer_brackets(text: str) -> list[tuple[int, int]]:
    """The places of the bracket pairs that stand in no other, without empty ones."""
    return [
        (start, end) for kind, start, end in _scan(text) if kind == "bracket" and end > start + 1
    ]


def _scan(text: str) -> Iterator[tuple[str, int, int]]:
    """The outermost brackets ("bracket", start, end) and breaks ("break", place, place)."""
    opened: list[int] = []
    in_string = 0
    for place, character in enumerate(text):
        if character == _STRING_START:
            in_string += 1
        elif character == _STRING_END:
            in_string -= 1
        elif in_string:
            continue
        elif character in _OPENING:
            opened.append(place)
        elif character in _CLOSING:
            if len(opened) == 1:
                yield "bracket", opened[0], place
            if opened:
                opened.pop()
        elif not opened and character >= _BREAKS[0] and character in _BREAKS:
            yield "break", place, place


def _split_at_bracket(text: str, indent: int, brackets: list[tuple[int, int]]) -> list[str]:
    """Open the last bracket before which the line fits."""
    for start, end in reversed(brackets):
        if text[start] == _OPTIONAL_START and _needs_no_brackets(text, start, end, indent):
            bare = text[:start] + text[start + 1 : end] + text[end + 1 :]
            return _split_at_bracket(bare, indent, _outer_brackets(bare))
        if _fits(text[: start + 1], indent):
            return _opened(text, start, end, indent)
    if brackets:
        return _opened(text, *brackets[-1], indent)
    return [INDENT * indent + flat(text)]


def _needs_no_brackets(text: str, start: int, end: int, indent: int) -> bool:
    """Whether a value is better split at a bracket of its own than in brackets around it."""
    value = text[start + 1 : end]
    brackets = _outer_brackets(value)
    breaks = [value[place] for kind, place, _ in _scan(value) if kind == "break"]
    if not brackets:
        return not breaks and not _fits(value, indent + 1)
    last_start, last_end = brackets[-1]
    head_fits = _fits(text[:start] + value[: last_start + 1], indent)
    if not breaks:
        return head_fits
    loosest = max(breaks)
    if breaks.count(loosest) > 1 or loosest >= TERNARY_BREAK:
        return False
    first_start, first_end = brackets[0]
    ends_in_bracket = last_end == len(value) - 1
    starts_with_bracket = first_start == 0 and _fits(value[first_end:] + text[end:], indent)
    return head_fits and (ends_in_bracket or starts_with_bracket)


def _opened(text: str, start: int, end: int, indent: int) -> list[str]:
    # Black gives each item of a display a line of its own, but first tries one line for a call's.
    before = text[start - 1 : start]
    is_display = not (before.isidentifier() or before in _ENDS)
    opening, closing = text[start], text[end]
    if opening == _OPTIONAL_START:
        opening, closing = "(", ")"
    head = INDENT * indent + flat(text[:start]) + opening
    body = _body_lines(text[start + 1 : end], indent + 1, is_display)
    tail = split_line(closing + text[end + 1 :], indent)
    return [head, *body, *tail]


_ENDS = {*")]}0123456789", _STRING_END}


def _body_lines(text: str, indent: int, is_display: bool, tail: str = "") -> list[str]:
    """The content of opened brackets, or a part of it, with `tail` behind its last line."""
    breaks = [(text[place], place) for kind, place, _ in _scan(text) if kind == "break"]
    loosest = max((mark for mark, _ in breaks), default="")
    explode = is_display and loosest == COMMA_BREAK
    if _fits(text + tail, indent) and not explode:
        return [INDENT * indent + flat(text + tail)]
    if not breaks:
        return split_line(text + tail, indent)
    places = [place for mark, place in breaks if mark == loosest]
    starts, ends = [0, *[place + 1 for place in places]], [*places, len(text)]
    items = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    if loosest == COMMA_BREAK:
        items = [item.removesuffix(",") for item in items]
        tails = ["," for _ in items]
    else:
        tails = [*["" for _ in items[1:]], tail]
    return [
        line
        for item, after in zip(items, tails, strict=True)
        for line in _body_lines(item, indent, False, after)
    ]
