"""Sets, counters, default dicts, queues, and methods of dicts; nested containers that are copied."""

from __future__ import annotations

from tests.random_programs.expressions import (
    condition,
    scalar,
    scalar_atom,
    vector_atom,
    vector_of,
)
from tests.random_programs.language import SCALAR, Writer, list_of, vector
from tests.random_programs.statements import deep, statement


def over_values(w: Writer) -> tuple[str, str, str]:
    """Return a header of a loop over places and numbers, and its two names."""
    k, t = w.module.fresh("k"), w.module.fresh("t")
    return f"for {k}, {t} in enumerate({vector_atom(w, w.module.size)}):", k, t


@statement(4)
def set_of_integers(w: Writer) -> bool | None:
    if deep(w):
        return False
    seen, total = w.module.fresh("seen"), w.module.fresh("s")
    header, k, t = over_values(w)
    w.line(f"{seen} = {w.pick(['set()', '{1}', 'set([0, 2])'])}")
    w.line(f"{total} = {scalar(w, 1)}")
    w.bind(total, SCALAR)
    w.line(header)
    w.line(f"    if {t} > {w.number()}:")
    w.line(f"        {seen}.{w.pick(['add', 'discard', 'add'])}({w.pick([k, f'{k} % 2', '1'])})")
    w.line(f"    if {k} in {seen}:")
    w.line(f"        {total} = {total} * {t} + {scalar_atom(w)}")
    if w.chance(0.4):
        w.line(f"{seen}.{w.pick(['add(7)', 'discard(0)', 'clear()', 'update([1, 8])'])}")
    w.assign("s", SCALAR, f"{total} * len({seen}) + {scalar_atom(w)}")
    return None


@statement(6)
def table_with_a_default(w: Writer) -> bool | None:
    """Sum into the entries of a default dict, a Counter, or a dict read with a default."""
    if deep(w):
        return False
    d = w.module.fresh("table")
    header, k, t = over_values(w)
    key = w.pick([f"{k} % 2", k, f"{t} > 0.4"])
    starts = ["collections.defaultdict(float)", "collections.Counter()", "{}"]
    start = w.pick([*starts, "collections.defaultdict(lambda: 0.5)"])
    w.line(f"{d} = {start}")
    w.line(header)
    if start == "{}":
        forms = ["{d}[{key}] = {d}.get({key}, 0.0) + {s}", "{d}.setdefault({key}, {s})"]
    else:
        forms = ["{d}[{key}] += {s}", "{d}[{key}] = {d}[{key}] * 0.5 + {s}", "{d}[{key}] -= {s}"]
    value = f"{t} * {scalar_atom(w)}"
    w.line("    " + w.pick(forms).format(d=d, key=key, s=value))
    w.assign("s", SCALAR, w.pick([f"sum({d}.values())", f"sum(t ** 2 for t in {d}.values())"]))
    return None


@statement(4)
def lists_in_a_table(w: Writer) -> bool | None:
    if deep(w):
        return False
    d = w.module.fresh("table")
    header, k, t = over_values(w)
    plain = w.chance(0.5)
    w.line(f"{d} = " + ("{}" if plain else "collections.defaultdict(list)"))
    w.line(header)
    key = w.pick([f"{k} % 2", f"{t} > 0.4"])
    place = f"{d}.setdefault({key}, [])" if plain else f"{d}[{key}]"
    value = f"{t} * {scalar_atom(w)}"
    w.line(f"    {place}.{w.pick([f'append({value})', f'extend([{t}, {value}])'])}")
    item = w.pick(["sum(q)", "q[0]", "q[-1] * len(q)"])
    w.assign("s", SCALAR, f"sum({item} for q in {d}.values())")
    return None


QUEUE = (
    "{q}.append({s})",
    "{q}.appendleft({s})",
    "{q}[0] = {s}",
    "{q}[-1] *= {s}",
    "{q}.rotate(1)",
    "{q}.extend([{s}, {s}])",
    "{q}.append({q}.popleft() * {s})",
    "{q}.appendleft({q}.pop())",
    "{q}.reverse()",
)


@statement(6)
def queue(w: Writer) -> bool | None:
    if deep(w):
        return False
    q, k = w.module.fresh("queue"), w.module.fresh("k")
    most = w.pick(["", "", ", maxlen=2", ", maxlen=3"])
    w.line(f"{q} = collections.deque([{scalar(w, 1)}, {scalar(w, 1)}]{most})")
    lines = [w.pick(QUEUE).format(q=q, s=scalar_atom(w)) for _ in range(w.rng.randrange(1, 4))]
    if w.chance(0.5):
        w.line(f"for {k} in range(2):")
        lines = [f"    {line}" for line in lines]
    for line in lines:
        w.line(line)
    w.assign("s", SCALAR, w.pick([f"sum({q})", f"{q}[0] * {q}[-1]", f"{q}.popleft() + {q}.pop()"]))
    return None


TABLE = (
    '{d}.update(a={s}, c={r})\ndel {d}["c"]',
    '{d} |= {{"b": {s}}}',
    '{d}["b"] = {d}.pop("a") * {s}\n{d}["a"] = {r}',
    '{d}.setdefault("c", {s})\n{d}["a"] *= {d}.pop("c")',
    '{d} = {{**{d}, "a": {s}}}',
    "{d} = {{key: value * {s} for key, value in {d}.items()}}",
    'other = {d}.copy()\nother["a"] = {s}\n{d}["b"] += other["a"] * other["b"]',
    "key, value = {d}.popitem()\n{d}[key] = value * {s}",
    'if "z" not in {d}:\n    {d}["a"] = {d}.get("z", {s})',
    "for key in list({d}):\n    {d}[key] = {d}[key] * {s}",
    '{d}.clear()\n{d}["a"], {d}["b"] = {s}, {r}',
    "{d} = dict(zip({d}, [{s}, {r}]))",
    "{d} = dict(sorted({d}.items(), reverse=True))",
)


@statement(6)
def methods_of_a_dict(w: Writer) -> bool | None:
    if deep(w):
        return False
    d = w.module.fresh("d")
    start = w.pick(['{{"a": {}, "b": {}}}', "dict(a={}, b={})"])
    w.line(f"{d} = " + start.format(scalar(w, 1), scalar(w, 1)))
    for _ in range(w.rng.randrange(1, 3)):
        w.paste(w.pick(TABLE).format(d=d, s=scalar_atom(w), r=scalar_atom(w)))
    w.assign("s", SCALAR, f'{d}["a"] * {d}["b"] + {scalar_atom(w)}')
    return None


COPIES = (
    "copy.deepcopy({rows})",
    "copy.copy({rows})",
    "{rows}[:]",
    "list({rows})",
    "[row[:] for row in {rows}]",
    "{rows}.copy()",
    "{rows} + []",
    "[list(row) for row in {rows}]",
)


@statement(6)
def nested_lists_copied(w: Writer) -> bool | None:
    """Copy a list of lists or of arrays, deeply or not, and store into either."""
    if deep(w):
        return False
    n = w.module.size
    rows, other = w.module.fresh("rows"), w.module.fresh("other")
    lists = w.chance(0.5)
    item = (lambda: f"[{scalar(w, 1)}, {scalar(w, 1)}]") if lists else (lambda: vector_of(w, n, 1))
    w.line(f"{rows} = [{item()}, {item()}]")
    forms = COPIES if lists else (*COPIES[:4], "[row * 1.0 for row in {rows}]", "[*{rows}]")
    w.line(f"{other} = {w.pick(forms).format(rows=rows)}")
    stores = [f"{rows}[0][1] = {scalar(w, 1)}", f"{other}[0][0] *= {scalar_atom(w)}"]
    stores += [f"{other}[1] = {rows}[0]", f"{rows}[1] = {item()}"]
    for line in w.rng.sample(stores, w.rng.randrange(1, 4)):
        if w.chance(0.2):
            with w.block(f"if {condition(w)}:"):
                w.line(line)
        else:
            w.line(line)
    kind = list_of(list_of(SCALAR, 2), 2) if lists else list_of(vector(n), 2)
    w.bind(rows, kind)
    w.bind(other, kind)
    at = "[0][1] * {other}[1][0] + {other}[0][0]"
    w.assign("s", SCALAR, f"{rows}" + at.format(other=other))
    return None
