"""Stores: through views and aliases, into lists, dicts, objects, and state outside."""

from __future__ import annotations

from tests.random_programs.expressions import (
    expression,
    index_of,
    places,
    scalar,
    scalar_atom,
    vector_atom,
    vector_of,
)
from tests.random_programs.language import (
    SCALAR,
    Kind,
    Writer,
    dict_of,
    list_of,
    matrix,
    tuple_of,
    vector,
)
from tests.random_programs.statements import deep, statement


@statement(9)
def store(w: Writer) -> bool | None:
    """Store into an entry, a slot or an attribute."""
    kind = w.pick([SCALAR, SCALAR, SCALAR, vector(w.module.size)])
    found = [place for place in places(w, kind, storable=True) if place[-1] == "]" or "." in place]
    if not found:
        return False
    place, value = w.pick(found), expression(w, kind, 1)
    # NumPy mixes up a row that is stored into from a column that crosses it
    w.line(f"{place} = {value}{'' if kind is SCALAR else ' + 0.0'}")
    return None


@statement(4)
def store_into_a_part(w: Writer) -> bool | None:
    n = w.module.size
    arrays = places(w, vector(n), storable=True)
    if not arrays:
        return False
    a = w.pick(arrays)
    short = n - 1
    value = scalar_atom(w) if w.chance(0.4) else vector_of(w, short, 1)
    match w.rng.randrange(6):
        case 0 | 1:
            w.line(f"{a}[1:] {w.pick(['=', '+=', '*='])} {value}")
        case 2:
            w.line(f"{a}[:-1] {w.pick(['=', '-='])} {value}")
        case 3:
            w.line(f"{a}[[0, -1]] {w.pick(['=', '*='])} {scalar_atom(w)}")
        case 4:
            w.line(f"{a}[{a} > {w.number()}] {w.pick(['=', '*='])} {scalar_atom(w)}")
        case _:
            w.line(f"{a}[:] = {vector_of(w, n, 1)}{' + 0.0' if '[' in a else ''}")
    return None


@statement(5)
def array_to_store_into(w: Writer) -> None:
    n = w.module.size
    if w.chance(0.25):
        sources = [f"np.zeros(({n}, {n}))", expression(w, matrix(n), 1) + " * 1.0"]
        w.assign("g", matrix(n), w.pick(sources))
    else:
        sources = [f"np.zeros({n})", f"({vector_of(w, n, 1)}) * 1.0", f"{vector_atom(w, n)}.copy()"]
        w.assign("a", vector(n), w.pick(sources))


@statement(6)
def view_or_alias(w: Writer) -> bool | None:
    """Bind another name to memory that has one."""
    n = w.module.size
    matrices, vectors = places(w, matrix(n), True), places(w, vector(n), True)
    lists = w.names(lambda kind: kind.sort in ("list", "dict", "object"))
    if matrices and w.chance(0.5):
        m = w.pick(matrices)
        form = w.pick(["{0}[{1}]", "{0}[:, {1}]", "{0}.T[{1}]", "np.diag({0})"])
        if form.startswith("np"):
            w.readonly.add(w.assign("row", vector(n), form.format(m)))
        else:
            w.assign("row", vector(n), form.format(m, index_of(w, n)))
    elif vectors and w.chance(0.7):
        v = w.pick(vectors)
        form = w.pick(["{0}", "{0}[:]", "{0}[::-1]", "np.asarray({0})", "{0}.reshape({1})"])
        w.assign("p", vector(n), form.format(v, n))
        if w.chance(0.3):
            w.assign("p", vector(n - 1), f"{v}[1:]")
    elif lists:
        name = w.pick(lists)
        w.assign("p", w.kind_of(name), name)
    else:
        return False
    return None


@statement(2)
def alias_by_chance(w: Writer) -> bool | None:
    names = w.assignable(vector(w.module.size))
    if len(names) < 2:
        return False
    a, b = w.rng.sample(names, 2)
    w.assign("p", vector(w.module.size), f"{a} if {scalar_atom(w)} > {w.number()} else {b}")
    return None


IN_PLACE = (
    "np.add.at({a}, [{i}, {j}], {s})",
    "{a}.fill({s})",
    "np.multiply({a}, {s}, out={a})",
    "{a}.sort()",
    "np.copyto({a}, {v})",
    "np.put({a}, [{i}], {s})",
    "np.add({a}, {v}, out={a})",
)


@statement(3)
def call_in_place(w: Writer) -> bool | None:
    """Call a function or method of NumPy that stores into its argument."""
    n = w.module.size
    arrays = w.assignable(vector(n))
    if not arrays:
        return False
    text = w.pick(IN_PLACE).format(
        a=w.pick(arrays),
        i=index_of(w, n),
        j=index_of(w, n),
        s=scalar_atom(w),
        v=vector_atom(w, n),
    )
    w.line(f"_ = {text}" if w.chance(0.15) else text)
    return None


# Containers


@statement(5)
def new_container(w: Writer) -> None:
    v = vector(w.module.size)
    kind: Kind = w.pick(
        [
            list_of(SCALAR, 2),
            list_of(SCALAR, 3),
            list_of(v, 2),
            list_of(list_of(SCALAR, 2), 2),
            dict_of(a=SCALAR, b=v),
            dict_of(p=SCALAR, q=list_of(SCALAR, 2)),
            tuple_of(SCALAR, v),
            tuple_of(SCALAR, list_of(SCALAR, 2)),
        ]
    )
    w.assign(kind.sort[0], kind, expression(w, kind, 1))


@statement(5)
def change_a_list(w: Writer) -> bool | None:
    lists = [(n, k) for n, k in w.bound().items() if k.sort == "list" and n not in w.readonly]
    if not lists:
        return False
    name, kind = w.pick(lists)
    item = kind.part("item")
    match w.rng.randrange(8):
        case 0 | 1 | 2:
            w.line(f"{name}.append({expression(w, item, 1)})")
        case 3:
            w.line(f"{name} += [{expression(w, item, 1)}]")
        case 4:
            w.line(f"{name}.append({expression(w, item, 1)})")
            w.assign("t", item, f"{name}.pop()")
        case 5 if w.names_of(kind):
            w.line(f"{name}.extend({w.pick(w.names_of(kind))}[:])")
        case 6:
            w.line(f"{name}.insert({w.rng.randrange(kind.size)}, {expression(w, item, 1)})")
        case _:
            if deep(w) or len(w.scopes) > 1 or kind.size < 3:
                w.line(f"{name}.append({expression(w, item, 1)})")
            else:
                w.assign("t", item, f"{name}.pop(0)")
                w.bind(name, list_of(item, kind.size - 1))
    return None


@statement(2)
def list_in_a_loop(w: Writer) -> bool | None:
    if deep(w):
        return False
    n = w.rng.randrange(2, 4)
    name = w.assign("l", list_of(SCALAR, 0), "[]")
    i = w.fresh("k")
    with w.loop(f"for {i} in range({n}):") as loop:
        loop.jumps = False
        w.scopes[-1][i] = Kind("index", w.module.size if n <= w.module.size else n)
        w.readonly.add(i)
        w.line(f"{name}.append({scalar(w)})")
    w.bind(name, list_of(SCALAR, n))
    return None


@statement(2)
def unpack(w: Writer) -> bool | None:
    names = w.names(lambda kind: kind.sort == "tuple")
    if not names:
        return False
    name = w.pick(names)
    kinds = [part for _, part in w.kind_of(name).parts]
    targets = [w.fresh("e") for _ in kinds]
    if len(set(targets)) < len(targets):
        return False
    w.line(f"{', '.join(targets)} = {name}")
    for target, kind in zip(targets, kinds):
        w.bind(target, kind)
    return None


@statement(2)
def dict_loop(w: Writer) -> bool | None:
    names = [n for n, k in w.bound().items() if k == dict_of(a=SCALAR, b=SCALAR, c=SCALAR)]
    if deep(w):
        return False
    if not names:
        kind = dict_of(a=SCALAR, b=SCALAR, c=SCALAR)
        w.assign("d", kind, expression(w, kind, 1))
        return None
    name = w.pick(names)
    key, value, total = w.fresh("key"), w.fresh("t"), w.fresh("s")
    w.line(f"{total} = {w.number()}")
    with w.loop(f"for {key}, {value} in {name}.items():"):
        w.scopes[-1][value] = SCALAR
        w.line(f"{total} += {scalar(w, 1)} * {value}")
        if w.chance(0.5):
            w.line(f"{name}[{key}] = {scalar(w, 1)}")
    w.bind(total, SCALAR)
    return None


# State outside


@statement(4)
def store_outside(w: Writer) -> bool | None:
    """Change a number, a list, a dict, an array or an object of the module."""
    if not w.module.outside:
        return False
    name = w.pick(sorted(w.module.outside))
    kind = w.module.outside[name]
    if kind == SCALAR:
        if w.is_nested or name in w.bound():
            return False
        w.globals_stored.add(name)
        w.line(f"{name} {w.pick(['=', '+=', '*='])} {scalar(w, 1)}")
    elif kind.sort == "list":
        at = w.rng.randrange(kind.size)
        w.line(f"{name}[{at}] {w.pick(['=', '+='])} {scalar(w, 1)}")
    elif kind.sort == "vector":
        w.line(f"{name}[{index_of(w, kind.size)}] {w.pick(['=', '*='])} {scalar(w, 1)}")
    elif kind.sort == "dict":
        key = w.pick([key for key, part in kind.parts if part == SCALAR])
        w.line(f'{name}["{key}"] {w.pick(["=", "+="])} {scalar(w, 1)}')
    else:
        return False
    return None
