"""Which functions differentiate, and what is asked of them: known by mark, below all that do it.

Code that is differentiated may call `tl.grad` itself. The analysis recognizes such a call here, where
the operators and the classes of what they make are registered, and has the inner derivative written
by the function that is registered for it: it imports neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from tapeless.externals import is_one_of
from tapeless.tree.names import unshadowed
from tapeless.variables import Variable

if TYPE_CHECKING:
    from tapeless.analysis.abstract import Heap
    from tapeless.kinds import Kind
    from tapeless.tree.function import CoreFunction


@dataclass(frozen=True)
class Request:
    """What is asked for: the independents and what the derivative function returns.

    With `variables` the gradients of these come after the others, in a list; alone, if a bare
    gradient with respect to nothing is asked for. `picks` names a parameter for each gradient that is
    returned and, in `*args`, the item; None stands for all of `wrt` as they are.
    """

    wrt: tuple[str, ...]
    bare: bool
    with_value: bool
    has_aux: bool = False
    variables: tuple[Variable, ...] | None = None
    picks: tuple[tuple[str, int | None], ...] | None = None

    def __post_init__(self) -> None:
        """Call the parameters as generated code does."""
        object.__setattr__(self, "wrt", tuple(map(unshadowed, self.wrt)))
        if self.picks is not None:
            picks = tuple((unshadowed(key), item) for key, item in self.picks)
            object.__setattr__(self, "picks", picks)


@dataclass(frozen=True)
class Wanted:
    """A derivative of a function for kinds of its parameters, as it is asked for.

    Attributes
    ----------
    mode
        "grad", "value_and_grad", "vjp", "jvp", "jacobian", "hessian" or "hvp".
    request
        The independents and what is returned.
    kinds, heap
        What is known of the parameters.
    title
        The name of the derivative function.
    local
        The core language of the local functions that the kinds speak of.
    scalarize
        Whether short vectors may become numbers.
    """

    mode: str
    request: Request
    kinds: tuple[Kind, ...]
    heap: Heap
    title: str
    local: dict[Any, CoreFunction] = field(default_factory=dict)
    scalarize: bool = True


F = TypeVar("F", bound=Callable[..., Any])

_OPERATORS: dict[str, Any] = {}
_MADE: list[type] = []
_WRITERS: dict[str, Callable[..., Any]] = {}


def register_operator(mode: str, operator: Any) -> None:
    """Register a public function as the derivative operator of a mode."""
    _OPERATORS[mode] = operator


def operator_of(mode: str) -> Any:
    """Return the derivative operator of a mode."""
    return _OPERATORS[mode]


def operator_mode(found: Any) -> str | None:
    """Name the mode of a derivative operator; None for anything else."""
    return next((mode for mode, known in _OPERATORS.items() if is_one_of(found, (known,))), None)


def register_made(cls: type) -> type:
    """Register the class of the functions that operators make."""
    _MADE.append(cls)
    return cls


def gradients_of(found: Any) -> Any:
    """Return a function that an operator made; None for anything else."""
    return found if isinstance(found, tuple(_MADE)) else None


def register_deriver(write: F) -> F:
    """Register the function that writes the derivative of a function for kinds."""
    _WRITERS["deriver"] = write
    return write


def derive(function: Any, wanted: Wanted) -> Any:
    """Write and load a derivative of a Python function, or of one in the core language."""
    return _WRITERS["deriver"](function, wanted)


def register_tangents(make: F) -> F:
    """Register the function that makes the tangents of a known function."""
    _WRITERS["tangents"] = make
    return make


def tangents_of(function: Any, held: tuple[bool, ...]) -> Any:
    """Return the tangents of a known function, of which some arguments are held fixed."""
    return _WRITERS["tangents"](function, held)
