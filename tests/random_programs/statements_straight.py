"""Assignments: new names, names bound again, several at once, in place, of another kind."""

from __future__ import annotations

from tests.random_programs.expressions import (
    called,
    condition,
    expression,
    places,
    scalar,
    scalar_atom,
    vector_of,
)
from tests.random_programs.language import FLAG, SCALAR, Writer, index, matrix, vector
from tests.random_programs.statements import statement


@statement(10)
def new_scalar(w: Writer) -> None:
    w.assign("s", SCALAR, scalar(w))


@statement(8)
def new_vector(w: Writer) -> None:
    n = w.module.size if w.chance(0.8) else w.module.size - 1
    w.assign("v", vector(n), vector_of(w, n))


@statement(3)
def new_matrix(w: Writer) -> None:
    w.assign("m", matrix(w.module.size), expression(w, matrix(w.module.size)))


@statement(8)
def bind_again(w: Writer) -> bool | None:
    """Bind a name, often a parameter, to a new value that is made of the old one."""
    names = w.assignable(SCALAR) + w.assignable(vector(w.module.size))
    if not names:
        return False
    name = w.pick(names)
    kind = w.kind_of(name)
    other = expression(w, kind, 1)
    form = w.pick(
        ["np.sin({0}) * {1}", "{0} * 0.5 + {1}", "np.tanh({0} + {1})", "{1}", "{0}", "{1} - {0}",
         "-{0}", "1.0 - {0} * {1}"]
    )  # fmt: skip
    w.line(f"{name} = " + form.format(name, other))
    return None


@statement(8)
def in_place(w: Writer) -> bool | None:
    """Write `place op= value`: on names, entries, slots, attributes, slices."""
    if w.chance(0.5):
        found = places(w, SCALAR, storable=True)
        value = scalar(w, 1)
    else:
        found = places(w, vector(w.module.size), storable=True)
        value = scalar_atom(w) if w.chance(0.3) else vector_of(w, w.module.size, 1)
    if not found:
        return False
    place = w.pick(found)
    if place in w.module.outside:  # the name itself, which is bound to what it was in place
        if w.is_nested or place in w.bound():
            return False
        w.globals_stored.add(place)
    w.line(f"{place} {w.pick(['+=', '+=', '-=', '*='])} {value}")
    return None


SIGNS_AND_COPIES = (
    "{0} = -{1}", "{0} = {1} - {0}", "{0} = {1} - {2}", "{0} = -({1} - {0})", "{0} = {1}",
    "{0}, {1} = {1}, {0}", "{0} = 1.0 - {0}", "{0} = -{0} * {1}", "{0} = {0} / -(1.5 + {1} ** 2)",
    "{0} = np.tanh({1}) - {0}", "{0} = {1} * 1.0", "{0} = --{1}", "{0} -= {1} * 0.5",
)  # fmt: skip


@statement(6)
def signs_and_copies(w: Writer) -> None:
    """Hand a few names round, with signs: what one holds is another one's, or its negative."""
    n = w.module.size
    kind = w.pick([SCALAR, vector(n)])
    names = [w.module.fresh(wish) for wish in ("p", "q", "r")]
    for name in names:
        text = scalar(w, 1) if kind == SCALAR else vector_of(w, n, 1)
        w.line(f"{name} = {text} * 1.0")
    lines = [
        w.pick(SIGNS_AND_COPIES).format(*w.rng.sample(names, 3))
        for _ in range(w.rng.randrange(2, 7))
    ]
    if w.chance(0.3):
        at = w.rng.randrange(len(lines))
        head = w.pick([f"for {w.module.fresh('k')} in range(2):", f"if {condition(w)}:"])
        lines[at:] = [head, *(f"    {line}" for line in lines[at:])]
    w.paste("\n".join(lines))
    for name in names:
        w.bind(name, kind)


@statement(4)
def several_at_once(w: Writer) -> None:
    a, b = w.fresh("a"), w.fresh("b")
    if w.chance(0.4):
        w.line(f"{a}, {b} = {scalar(w, 1)}, {scalar(w, 1)}")
    elif w.chance(0.5):
        w.line(f"({a}, {b}), _ = ({scalar(w, 1)}, {scalar(w, 1)}), {scalar(w, 0)}")
    else:
        n = w.module.size
        text = vector_of(w, n, 1)
        w.line(f"{a}, {', '.join('_' for _ in range(n - 2))}, {b} = {text}".replace(", ,", ","))
    if a != b:
        w.bind(a, SCALAR)
        w.bind(b, SCALAR)


@statement(3)
def swap(w: Writer) -> bool | None:
    names = w.assignable(SCALAR) if w.chance(0.6) else w.assignable(vector(w.module.size))
    if len(names) < 2:
        return False
    a, b = w.rng.sample(names, 2)
    w.line(f"{a}, {b} = {b}, {a}")
    return None


@statement(2)
def chained(w: Writer) -> None:
    kind = w.pick([SCALAR, vector(w.module.size)])
    a, b = w.fresh("c"), w.fresh("d")
    w.line(f"{a} = {b} = {expression(w, kind)}")
    w.bind(a, kind)
    w.bind(b, kind)


@statement(2)
def another_kind(w: Writer) -> bool | None:
    """Bind a name to a value of another kind, outside of all blocks."""
    names = w.assignable(vector(w.module.size))
    if len(w.scopes) > 1 or not names:
        return False
    name = w.pick(names)
    w.line(f"{name} = {w.pick(['np.sum({})', '{}[0] * 2.0', 'np.mean({})']).format(name)}")
    w.bind(name, SCALAR)
    return None


@statement(2)
def walrus(w: Writer) -> bool | None:
    if deep_scopes(w):
        return False
    name, other = w.fresh("w"), w.fresh("s")
    w.line(f"{other} = ({name} := {scalar(w, 1)}) * {scalar_atom(w)} + {name}")
    w.bind(name, SCALAR)
    w.bind(other, SCALAR)
    return None


def deep_scopes(w: Writer) -> bool:
    return len(w.scopes) > 3


@statement(4)
def integer(w: Writer) -> None:
    n = w.module.size
    texts = [str(w.rng.randrange(n)), expression(w, index(n))]
    names = w.names_of(index(n))
    if names:
        texts.append(f"({w.pick(names)} + 1) % {n}")
    if w.chance(0.2):
        texts.append(f"int(np.argmax({vector_of(w, n, 0)}))")
    w.assign("i", index(n), w.pick(texts))


@statement(2)
def flag(w: Writer) -> None:
    names = w.assignable(FLAG)
    if names and w.chance(0.5):
        w.line(f"{w.pick(names)} = {condition(w)}")
    else:
        w.assign("flag", FLAG, condition(w))


@statement(3)
def result_of_a_call(w: Writer) -> bool | None:
    kind = w.pick([SCALAR, vector(w.module.size)])
    text = called(w, kind)
    if text is None:
        return False
    w.assign("r", kind, text)
    return None


@statement(2)
def deleted(w: Writer) -> bool | None:
    names = [name for name in w.scopes[-1] if name not in w.readonly and name not in w.captured]
    names = [name for name in names if w.kind_of(name) == SCALAR]
    if len(w.scopes) > 1 or len(names) < 4:
        return False
    name = w.pick(names)
    w.line(f"del {name}")
    del w.scopes[-1][name]
    return None
