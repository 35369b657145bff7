"""Arrays of several sizes that one line makes: in lists, dicts, and names of the trip before."""

from __future__ import annotations

from tests.random_programs.expressions import scalar_atom, vector_atom
from tests.random_programs.language import SCALAR, Writer, vector
from tests.random_programs.statements import deep, statement


def part(w: Writer, k: str) -> str:
    """Write an array that is as long as a number says."""
    v = vector_atom(w, w.module.size)
    forms = [f"{v}[:{k}] * {w.number()}", f"np.sin({v}[:{k}])", f"np.full({k}, {scalar_atom(w)})"]
    return w.pick(forms)


def sizes(w: Writer) -> str:
    n = w.module.size
    return w.pick([f"(1, {n})", f"({n}, 1)", f"(1, {n}, 1)", f"range(1, {n + 1})"])


@statement(2)
def parts_of_several_sizes(w: Writer) -> bool | None:
    if deep(w):
        return False
    k, made, of = w.module.fresh("k"), w.module.fresh("parts"), sizes(w)
    first, last = "0", "-1"
    match w.rng.randrange(3):
        case 0:
            w.line(f"{made} = [{part(w, k)} for {k} in {of}]")
        case 1:
            w.line(f"{made} = []")
            w.line(f"for {k} in {of}:")
            w.line(f"    {made}.append({part(w, k)})")
        case _:
            of = f"(1, {w.module.size})"
            first, last = "1", str(w.module.size)
            w.line(f"{made} = {{{k}: {part(w, k)} for {k} in {of}}}")
    product = f"{made}[{first}] {w.pick(['*', '+', '-'])} {made}[{last}]"
    if "range" in of or of.count(",") == 1:
        w.assign("a", vector(w.module.size), product)
    else:
        w.assign("s", SCALAR, f"np.sum({product})")
    return None


@statement(2)
def product_with_the_trip_before(w: Writer) -> bool | None:
    if deep(w):
        return False
    k, old, new = (w.module.fresh(stem) for stem in ("k", "old", "new"))
    total = w.assign("s", SCALAR, "0.0")
    start = w.pick(["None", part(w, "1")])
    w.line(f"{old} = {start}")
    w.line(f"for {k} in {sizes(w)}:")
    w.line(f"    {new} = {part(w, k)}")
    guard = f"if {old} is not None:\n        {'    ' * w.indent}" if start == "None" else ""
    w.line(f"    {guard}{total} = {total} + np.sum({old} * {new})")
    if w.chance(0.5):
        w.line(f"    {old} = {new}")
    else:
        w.line(f"    if {k} == 1:")
        w.line(f"        {old} = {new}")
    return None
