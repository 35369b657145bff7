"""Names whose value changes its sort: numbers that arrays update, constants beside what varies."""

from __future__ import annotations

from tests.random_programs.expressions import condition, scalar, scalar_atom, vector_atom, vector_of
from tests.random_programs.language import SCALAR, Writer, vector
from tests.random_programs.statements import deep, statement, write_body

UPDATES = ("+= {v}", "-= {v}", "*= {v}", "*= {v} * {v}", "/= 1.5 + {v} ** 2", "**= {v}")


@statement(6)
def number_that_an_array_updates(w: Writer) -> bool | None:
    """Begin with a number, which `op=` makes an array of: in a line, a branch or a loop."""
    if deep(w):
        return False
    n = w.module.size
    name, k = w.module.fresh("grown"), w.module.fresh("k")
    update = f"{name} {w.pick(UPDATES).format(v=vector_atom(w, n))}"
    w.line(f"{name} = {w.pick(['1.0', '0.7', '1', scalar_atom(w)])}")
    match w.rng.randrange(4):
        case 0:
            w.line(update)
        case 1:
            w.paste(f"for {k} in range({w.rng.randrange(1, 4)}):\n    {update}")
        case 2:
            w.paste(f"for {k} in {vector_atom(w, n)}:\n    {name} *= {k}\n{update}")
        case _:
            w.line(update)
            with w.block(f"if {condition(w)}:"):
                w.line(f"{name} {w.pick(['*=', '+='])} {vector_of(w, n, 1)}")
    w.bind(name, vector(n))
    return None


@statement(4)
def integers_that_become_floats(w: Writer) -> bool | None:
    """Hand an array on from trip to trip that holds integers at first."""
    if deep(w):
        return False
    n = w.module.size
    old, total, k = w.module.fresh("old"), w.module.fresh("s"), w.module.fresh("k")
    v = vector_atom(w, n)
    start = w.pick([f"np.full({n}, 1)", f"np.ones({n}, dtype=int)", f"np.arange({n})", "[1, 2, 0]"])
    w.line(f"{old} = {start if start[0] != '[' else f'np.array({start})'}")
    w.line(f"{total} = {w.pick(['0', '0.0', '1'])}")
    w.line(f"for {k} in range(3):")
    w.line(f"    {total} = {total} + np.sum({old} * {v})")
    w.line(f"    {old} = {w.pick([f'{old} * {v}', f'np.sin({v}) + {old}', f'{v} * {k}'])}")
    w.bind(total, SCALAR)
    w.bind(old, vector(n))
    return None


@statement(6)
def constant_before_an_exception(w: Writer) -> bool | None:
    """Bind a name that carried a derivative to a constant, and raise."""
    if deep(w):
        return False
    kind = w.pick([SCALAR, vector(w.module.size)])
    name = w.module.fresh("r")
    value = scalar(w, 1) if kind == SCALAR else vector_of(w, kind.size, 1)
    constant = w.number() if kind == SCALAR else f"np.full({kind.size}, {w.number()})"
    w.line(f"{name} = {value}")
    w.bind(name, kind)
    with w.block("try:"):
        if w.chance(0.5):
            w.line(f"{name} = {constant}")
        with w.block(f"if {condition(w)}:"):
            w.line(f"{name} = {constant}")
            w.line(w.pick(['raise ValueError("no")', "raise KeyError", "{}[0]"]))
        write_body(w, 2)
    with w.block("except (ValueError, KeyError):"):
        if w.chance(0.6):
            write_body(w, 2)
        elif w.chance(0.5):
            w.line(f"{name} = {constant}")
    return None


@statement(4)
def name_of_a_context(w: Writer) -> bool | None:
    """Bind what a context gives to a name that may carry a derivative."""
    if deep(w):
        return False
    kind = w.pick([SCALAR, vector(w.module.size)])
    text = scalar(w, 1) if kind == SCALAR else vector_of(w, kind.size, 1)
    names = w.assignable(kind)
    name = w.pick(names) if names and w.chance(0.5) else w.module.fresh("r")
    context = w.pick(
        [
            f"contextlib.nullcontext({text})",
            "contextlib.suppress(ValueError)",
            'np.errstate(all="ignore")',
        ]
    )
    with w.block(f"with {context} as {name}:"):
        if not context.startswith("contextlib.null"):
            w.line(f"{name} = {text}")
        w.bind(name, kind)
        write_body(w, 2)
        if "suppress" in context and w.chance(0.5):
            with w.block(f"if {condition(w)}:"):
                w.line('raise ValueError("left")')
            write_body(w, 1)
    w.bind(name, kind)
    return None
