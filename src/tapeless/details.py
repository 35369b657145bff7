"""What of its arguments a derivative rests on beside their kinds: how long some axis is, what some text says.

    def layer(x, act="tanh"):
        return getattr(np, act)(x)          ->      np.tanh(x)

A derivative serves all arguments of the kinds that it was made for, and a kind does not say which text it
stands for: most texts are labels, of which a new one comes with every call. Where a text says which
attribute is meant, though, nothing is known without it. So the kind of a text that comes from outside
brings along what it says and where it stands; what makes use of that notes the places, and the derivative
serves those calls only in which the same stands there.

A place in the arguments is a tuple: the position of the argument and the number of an axis, or the position,
`TEXT` and the keys by which the text is reached. Outside the arguments it is a name, and such keys.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any

from tapeless.externals import MISSING, External, Identity

Detail = tuple[Any, ...]
Details = frozenset[Detail]
NO_DETAILS: Details = frozenset()
TEXT = "text"
MOST_STEPS, LONGEST = 8, 200  # of what is computed of texts: a recursion may build them without end


@dataclass(frozen=True, eq=False)
class Reached(External):
    """What is reached from a place by keys: it is looked up from that place every time."""

    path: tuple[Any, ...] = ()

    @property
    def value(self) -> Any:
        """The object that stands there now; `MISSING` where the way no longer leads anywhere."""
        found = super().value
        try:
            for key in self.path:
                found = _item(found, key)
        except (LookupError, TypeError, AttributeError):
            return MISSING
        return found

    @property
    def identity(self) -> Identity:
        """What tells this place from another: the text there is not looked up as the place itself is."""
        return (*super().identity, TEXT, *self.path)


@dataclass(frozen=True)
class Outside:
    """A place outside the arguments."""

    reached: Reached = field(compare=False)
    identity: Identity

    @classmethod
    def of(cls, owner: Any, key: str, path: tuple[Any, ...] = ()) -> Outside:
        """Return the place of what is reached by keys from what a dict, a class or a cell holds."""
        found = Reached(owner, key, baked=True, path=path)
        return cls(found, found.identity)

    def at(self, key: Any) -> Outside:
        """Return the place of an item of what stands here."""
        start = self.reached
        return Outside.of(start.owner, start.key, (*start.path, key))


Place = Detail | Outside
Places = frozenset[Place]
FIXED: Places = frozenset()  # what stands in the program itself


@dataclass(frozen=True)
class Text:
    """What a text says, and which places say so; it was computed of them in some `steps`.

    One that was `held` by a dict or an object may be another as soon as something is stored there.
    """

    value: str
    places: Places = FIXED
    steps: int = 0
    held: bool = False


def computed(value: str, parts: Sequence[Text]) -> Text | None:
    """Return what is known of a text that was computed of others; None where that goes too far.

    Examples
    --------
    >>> computed("_fast", [Text("_"), Text("fast", frozenset([(0, TEXT)]))])
    Text(value='_fast', places=frozenset({(0, 'text')}), steps=1, held=False)
    """
    steps = 1 + max((part.steps for part in parts), default=0)
    if steps > MOST_STEPS or len(value) > LONGEST:
        return None
    places = FIXED.union(*(part.places for part in parts))
    return Text(value, places, steps, any(part.held for part in parts))


def both(a: Text | None, b: Text | None) -> Text | None:
    """Return what is known of a text that is one of two: what it says where both say the same.

    Examples
    --------
    >>> both(Text("sin"), Text("cos")) is None, both(Text("sin"), Text("sin", steps=2)).steps
    (True, 2)
    """
    if a is None or b is None or a.value != b.value:
        return None
    return Text(a.value, a.places | b.places, max(a.steps, b.steps), a.held or b.held)


def in_argument(position: int) -> Places:
    """Return the place of an argument, for the texts in it."""
    return frozenset([(position, TEXT)])


def within(places: Places | None, owner: Any, key: Hashable) -> Places | None:
    """Return the place of an item of a tuple, a dict or an object; None where there is no such place.

    Examples
    --------
    >>> within(in_argument(0), {"loss": "mse"}, "loss")
    frozenset({(0, 'text', 'loss')})
    >>> within(in_argument(0), ["mse"], "*") is None
    True
    """
    if places is None or isinstance(owner, list) or type(key) not in (str, int):
        return None
    if not isinstance(owner, (dict, tuple)) and (
        not str(key).isidentifier() or iskeyword(str(key))
    ):
        return None
    if places == FIXED and not isinstance(owner, tuple):
        return None  # it may come to hold another
    return frozenset(p.at(key) if isinstance(p, Outside) else (*p, key) for p in places)


def details_of(arguments: Sequence[Any], details: Details) -> tuple[Hashable, ...]:
    """Return what arguments have at some places, in a fixed order.

    Examples
    --------
    >>> details_of(["tanh", {"loss": "mse"}], frozenset([(0, TEXT), (1, TEXT, "loss")]))
    ('tanh', 'mse')
    """
    return tuple(_found(arguments[detail[0]], detail) for detail in in_order(details))


def in_order(details: Details) -> list[Detail]:
    """List details in an order that only they decide."""
    return sorted(details, key=repr)


def is_text(detail: Detail) -> bool:
    """Whether a detail is what a text says."""
    return bool(detail[1] == TEXT)


def written(name: str, argument: Any, detail: Detail) -> tuple[str, Hashable]:
    """Write how a detail of an argument is looked up, and return what it is.

    Examples
    --------
    >>> written("x1", {"loss": "mse"}, (1, TEXT, "loss"))
    ("x1['loss']", 'mse')
    """
    if not is_text(detail):
        return f"{name}.shape[{detail[1]}]", _found(argument, detail)
    place, owner = name, argument
    for key in detail[2:]:
        place = f"{place}[{key!r}]" if isinstance(owner, (dict, tuple)) else f"{place}.{key}"
        owner = _item(owner, key)
    return place, _found(argument, detail)


def _found(argument: Any, detail: Detail) -> Hashable:
    if not is_text(detail):
        size: int = argument.shape[detail[1]]
        return size
    for key in detail[2:]:
        argument = _item(argument, key)
    text: str = argument
    return text


def _item(owner: Any, key: Any) -> Any:
    if isinstance(owner, dict) and key not in owner:
        raise KeyError(key)  # a `defaultdict` would make one
    return owner[key] if isinstance(owner, (dict, tuple, list)) else getattr(owner, key)
