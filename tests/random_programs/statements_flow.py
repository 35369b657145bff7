"""Branches, loops and jumps, and the integers and flags that steer them."""

from __future__ import annotations

from tests.random_programs.expressions import (
    condition,
    expression,
    index_of,
    scalar,
    scalar_atom,
    vector_atom,
    vector_of,
)
from tests.random_programs.language import COUNT, FLAG, SCALAR, Kind, Writer, index, matrix, vector
from tests.random_programs.statements import deep, statement, write_body, write_statement


@statement(9)
def branch(w: Writer) -> bool | None:
    if deep(w):
        return False
    with w.block(f"if {condition(w)}:", exports=w.chance(0.1)):
        write_body(w, 3)
    if w.chance(0.2):
        with w.block(f"elif {condition(w)}:"):
            write_body(w, 2)
    if w.chance(0.45):
        with w.block("else:"):
            write_body(w, 2)
    return None


@statement(4)
def branch_that_binds(w: Writer) -> bool | None:
    """Bind a name on both ways, to values of one kind."""
    if deep(w):
        return False
    kind = w.pick([SCALAR, SCALAR, vector(w.module.size), index(w.module.size)])
    name = w.fresh("b")
    with w.block(f"if {condition(w)}:"):
        if w.chance(0.3):
            write_statement(w)
        w.line(f"{name} = {expression(w, kind)}")
    with w.block("else:"):
        if w.chance(0.3):
            write_statement(w)
        w.line(f"{name} = {expression(w, kind)}")
    w.bind(name, kind)
    return None


@statement(5)
def loop_over_a_range(w: Writer) -> bool | None:
    if deep(w):
        return False
    n = w.module.size
    name = w.fresh("k")
    bounds = w.pick(
        [f"range({n})", f"range({n})", f"range(1, {n})", "range(2)", f"range({n - 1}, -1, -1)"]
    )
    if w.chance(0.1):
        bounds = f"range({index_of(w, n)} + 1)"
    with w.loop(f"for {name} in {bounds}:", exports=w.chance(0.25)) as loop:
        w.scopes[-1][name] = index(n)
        w.readonly.add(name)
        write_body(w, 4)
    write_else(w, loop.jumped)
    return None


@statement(4)
def loop_over_values(w: Writer) -> bool | None:
    if deep(w):
        return False
    n = w.module.size
    name, counter = w.fresh("t"), w.fresh("j")
    values = vector_atom(w, n)
    item: Kind = SCALAR
    lists = w.names(lambda kind: kind.sort == "list" and kind.part("item") == SCALAR)
    if lists and w.chance(0.3):
        # a copy: the body may append to what it runs over
        values = f"{w.pick(lists)}[:]"
    elif w.chance(0.2):
        found = w.names_of(matrix(n))
        if found:
            values, item = w.pick(found), vector(n)
    form = w.rng.randrange(4)
    other = w.fresh("u")
    headers = [
        f"for {name} in {values}:",
        f"for {counter}, {name} in enumerate({values}):",
        f"for {name}, {other} in zip({values}, {vector_atom(w, n)}):",
        f"for {name} in {values}:",
    ]
    with w.loop(headers[form], exports=w.chance(0.15)) as loop:
        w.scopes[-1][name] = item
        if form == 1:
            w.scopes[-1][counter] = COUNT
            w.readonly.add(counter)
        if form == 2:
            w.scopes[-1][other] = SCALAR
        write_body(w, 3)
    write_else(w, loop.jumped)
    return None


@statement(4)
def loop_that_counts(w: Writer) -> bool | None:
    """Write a `while` that ends because its counter grows at the head of its body."""
    if deep(w):
        return False
    counter = w.fresh("n")
    w.line(f"{counter} = 0")
    w.bind(counter, COUNT)
    w.readonly.add(counter)
    limit = w.rng.randrange(2, 5)
    test = f"{counter} < {limit}"
    if w.chance(0.3):
        test += f" and ({condition(w)})"
    with w.loop(f"while {test}:", exports=w.chance(0.2)) as loop:
        step = 1 if w.chance(0.8) else f"1 + ({condition(w)})"
        w.line(f"{counter} += {step}")
        write_body(w, 3)
        if w.chance(0.15):
            with w.block(f"if {condition(w)}:"):
                w.line(f"{counter} = {limit + 2}")
                if w.chance(0.5):
                    w.line("break")
                    loop.jumped = True
    write_else(w, loop.jumped)
    return None


def write_else(w: Writer, jumped: bool) -> None:
    if jumped and w.chance(0.5) or w.chance(0.05):
        with w.block("else:"):
            write_body(w, 2)


@statement(5)
def jump(w: Writer) -> bool | None:
    if not w.loops or not w.loops[-1].jumps or deep(w):
        return False
    word = w.pick(["break", "continue", "continue"])
    with w.block(f"if {condition(w)}:"):
        if w.chance(0.5):
            write_statement(w)
        w.line(word)
    w.loops[-1].jumped |= word == "break"
    return None


@statement(3)
def early_return(w: Writer) -> bool | None:
    if w.result is None or not w.returns_left or deep(w) or len(w.scopes) > 3:
        return False
    w.returns_left -= 1
    with w.block(f"if {condition(w)}:"):
        if w.chance(0.3):
            write_statement(w)
        w.line(f"return {expression(w, w.result)}")
    return None


# Integers and flags that steer


@statement(4)
def largest_by_hand(w: Writer) -> bool | None:
    """Search an extreme entry, reading at the best index on the way."""
    if deep(w):
        return False
    n = w.module.size
    best, i, y = w.fresh("best"), w.fresh("i"), w.fresh("y")
    x = vector_atom(w, n)
    if "np." in x:
        return False
    w.line(f"{best}, {y} = 0, 0.0")
    w.bind(best, index(n))
    w.bind(y, SCALAR)
    w.readonly.add(best)
    with w.loop(f"for {i} in range(1, {n}):"):
        w.scopes[-1][i] = index(n)
        w.readonly.add(i)
        with w.block(f"if {x}[{i}] {w.pick('><')} {x}[{best}]:"):
            w.line(f"{best} = {i}")
            if w.chance(0.3):
                write_statement(w)
        w.line(f"{y} += {x}[{best}] {w.pick(['** 2', '* 0.5', f'* {scalar_atom(w)}'])}")
        if w.chance(0.4):
            write_statement(w)
    return None


@statement(4)
def index_that_moves(w: Writer) -> bool | None:
    """Change an index or a flag under a test that reads what it steers."""
    n = w.module.size
    names = w.assignable(index(n))
    if not names:
        w.assign("i", index(n), str(w.rng.randrange(n)))
        return None
    if deep(w):
        return False
    i = w.pick(names)
    if w.chance(0.5):
        w.assign("s", SCALAR, f"{vector_atom(w, n)}[{i}] ** 2")
    test = f"{vector_atom(w, n)}[{i}] > {w.number()}" if w.chance(0.6) else f"{i} < {n - 1}"
    with w.block(f"if {test}:"):
        w.line(f"{i} = ({i} + 1) % {n}" if w.chance(0.7) else f"{i} = 0")
    if w.chance(0.4):
        with w.block("else:"):
            w.line(f"{i} = {w.rng.randrange(n)}")
    return None


@statement(3)
def clipped_step(w: Writer) -> bool | None:
    """March to an end with a last step that is clipped."""
    if deep(w):
        return False
    t, dt, y = w.fresh("t"), w.fresh("dt"), w.fresh("y")
    end = scalar_atom(w) if w.chance(0.3) else "0.95"
    step = w.pick(["0.3217", "0.4139"])  # of no sample: a trip that just fits is a kink
    w.line(f"{t}, {dt}, {y} = 0.0, {step}, {scalar(w, 1)}")
    count = w.fresh("n")
    w.line(f"{count} = 0")
    with w.loop(f"while {t} < {end} and {count} < 5:"):
        with w.block(f"if {t} + {dt} > {end}:"):
            w.line(f"{dt} = {end} - {t}")
        w.line(f"{y} = {y} + {dt} * {w.pick(['np.sin', 'np.cos'])}({y} * {scalar_atom(w)})")
        w.line(f"{t} += {dt}")
        w.line(f"{count} += 1")
        if w.chance(0.3):
            write_statement(w)
    w.bind(y, SCALAR)
    w.bind(t, SCALAR)
    return None


@statement(2)
def shift_register(w: Writer) -> bool | None:
    """Hand values on from name to name in a loop."""
    if deep(w):
        return False
    kind = w.pick([SCALAR, SCALAR, vector(w.module.size)])
    length = w.rng.randrange(3, 7)
    names = [w.fresh("q") for _ in range(length)]
    if len(set(names)) < length:
        return False
    for name in names:
        w.line(f"{name} = {expression(w, kind, 0)}")
        w.bind(name, kind)
    with w.loop(f"for _ in range({w.rng.randrange(2, length + 1)}):"):
        for new, old in zip(names, names[1:]):
            w.line(f"{new} = {old}")
        w.line(f"{names[-1]} = {expression(w, kind)}")
    return None


@statement(2)
def flag_that_steers(w: Writer) -> bool | None:
    if deep(w) or not w.loops:
        return False
    flags = w.assignable(FLAG)
    if not flags:
        return False
    name = w.pick(flags)
    with w.block(f"if {name}:"):
        write_statement(w)
        w.line(f"{name} = {w.pick(['False', condition(w)])}")
    if w.chance(0.5):
        with w.block("else:"):
            w.line(f"{name} = {condition(w)}")
    return None


@statement(3)
def tries(w: Writer) -> bool | None:
    """Write a `try`, whose body may raise on some ways."""
    if deep(w):
        return False
    with w.block("try:", exports=False):
        write_body(w, 2)
        if w.chance(0.5):
            with w.block(f"if {condition(w)}:"):
                w.line('raise ValueError("stop")')
            write_statement(w)
    if w.chance(0.7):
        with w.block(w.pick(["except ValueError:", "except (ValueError, KeyError) as error:"])):
            write_body(w, 2)
        if w.chance(0.3):
            with w.block("else:"):
                write_body(w, 1)
        if w.chance(0.3):
            with w.block("finally:"):
                write_body(w, 1)
    else:
        with w.block("except ValueError:"):
            w.line("pass")
    return None


@statement(1)
def finally_only(w: Writer) -> bool | None:
    if deep(w):
        return False
    with w.block("try:", exports=True):
        write_body(w, 2)
    with w.block("finally:"):
        write_body(w, 2)
    return None


@statement(2)
def comprehension(w: Writer) -> None:
    n = w.module.size
    t = w.fresh("t")
    source = vector_of(w, n, 1)
    w.scopes.append({t: SCALAR})
    item = scalar(w, 1)
    w.scopes.pop()
    form = w.rng.randrange(4)
    if form == 0:
        w.assign("s", SCALAR, f"sum({item} for {t} in {source})")
    elif form == 1:
        w.assign("v", vector(n), f"np.array([{item} for {t} in {source}])")
    elif form == 2:
        w.assign("s", SCALAR, f"sum([{item} for {t} in {source} if {t} > {w.number()}])")
    else:
        w.assign("s", SCALAR, f"max([{item} for {t} in {source}])")
