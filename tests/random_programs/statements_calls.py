"""Calls for their effect, closures, methods, and custom gradients made on the spot."""

from __future__ import annotations

from tests.random_programs.expressions import (
    call_of,
    expression,
    places,
    scalar,
    scalar_atom,
)
from tests.random_programs.language import SCALAR, ClassShape, Signature, Writer, list_of, vector
from tests.random_programs.statements import deep, statement, write_body


@statement(6)
def call_that_stores(w: Writer) -> bool | None:
    """Call a helper that stores into its argument; its result is dropped, bound or bound over it."""
    found = [
        s
        for s in w.module.functions
        if s.parameters and s.parameters[0][1].sort in ("vector", "list", "object")
    ]
    if not found:
        return False
    signature = w.pick(found)
    names = w.assignable(signature.parameters[0][1])
    if not names:
        return False
    name = w.pick(names)
    text = call_of(w, signature, first=name)
    match w.rng.randrange(4):
        case 0 if signature.result == signature.parameters[0][1]:
            w.line(f"{name} = {text}")
        case 1 if signature.result is not None:
            w.assign("r", signature.result, text)
        case 2:
            w.line(f"_ = {text}")
        case _:
            w.line(text)
    return None


@statement(5)
def method(w: Writer) -> bool | None:
    shapes = {shape.name: shape for shape in w.module.classes}
    roots = {**w.bound(), **w.module.outside}
    objects = [name for name, kind in roots.items() if kind.name in shapes]
    if not objects:
        return new_object(w)
    name = w.pick(objects)
    signature = w.pick(shapes[roots[name].name].methods)
    text = call_of(w, signature, owner=f"{name}.")
    if signature.result is not None and w.chance(0.7):
        w.assign("r", signature.result, text)
    else:
        w.line(text)
    return None


@statement(3)
def new_object(w: Writer) -> bool | None:
    if not w.module.classes:
        return False
    shape: ClassShape = w.pick(w.module.classes)
    w.assign("o", shape.kind(), expression(w, shape.kind(), 1))
    return None


def nested_writer(w: Writer, parameters: dict) -> Writer:
    """Return a writer of a body that sees the names of the function around it, as they are."""
    inner = Writer(w.module, budget=6, indent=w.indent + 1)
    inner.scopes = [{name: kind for name, kind in w.bound().items()}, parameters]
    inner.readonly = set(w.bound())
    inner.is_nested = True
    w.captured |= set(w.bound())
    return inner


@statement(4)
def closure(w: Writer) -> bool | None:
    """Define a function that reads, and with `nonlocal` changes, names around it; call it."""
    if deep(w) or w.is_nested:
        return False
    name, t = w.module.fresh("inner"), w.module.fresh("t")
    own = w.scopes[0]
    shared = [n for n in own if own[n] == SCALAR and n not in w.readonly]
    inner = nested_writer(w, {t: SCALAR})
    body: list[str] = []
    if shared and w.chance(0.6):
        changed = w.pick(shared)
        body.append("    " * inner.indent + f"nonlocal {changed}")
        inner.readonly.discard(changed)
        update = scalar(inner, 1)
        inner.line(f"{changed} = {changed} * 0.5 + {t} * {update}")
    write_body(inner, 2)
    if w.chance(0.8):
        inner.line(f"return {scalar(inner, 2)}")
        result = SCALAR
    else:
        result = None
    w.line(f"def {name}({t}{w.pick(['', '', '=0.7'])}):")
    w.lines += body + inner.lines
    for _ in range(w.rng.randrange(1, 3)):
        if result is not None and w.chance(0.8):
            w.assign("r", SCALAR, f"{name}({scalar(w, 1)})")
        else:
            w.line(f"{name}({scalar(w, 1)})")
        if w.chance(0.4):
            write_body(w, 1)
    return None


@statement(2)
def lambda_of_a_local(w: Writer) -> None:
    name, t = w.module.fresh("h"), w.module.fresh("t")
    w.scopes.append({t: SCALAR})
    body = scalar(w, 2)
    w.scopes.pop()
    w.captured |= set(w.bound())
    w.line(f"{name} = lambda {t}: {body}")
    w.assign("r", SCALAR, f"{name}({scalar_atom(w)}) + {name}({w.number()})")


@statement(2)
def call_with_a_function(w: Writer) -> bool | None:
    """Hand a function of the program to another, or keep it in a container."""
    found = [s for s in w.module.functions if s.result == SCALAR and s.parameters[0][1] == SCALAR]
    found = [s for s in found if s.required == 1]
    if not found:
        return False
    one = w.pick(found).name
    form = w.pick(
        [
            "sum(map({0}, [{1}, {2}]))",
            "[{0}, np.sin][{3}]({1})",
            '{{"f": {0}}}["f"]({1})',
            "(lambda h: h({1}) + h({2}))({0})",
            "max([{1}, {2}], key={0})",
        ]
    )
    text = form.format(one, scalar_atom(w), scalar_atom(w), w.rng.randrange(2))
    w.assign("r", SCALAR, text)
    return None


@statement(2)
def list_handed_on(w: Writer) -> bool | None:
    """Append in a call."""
    lists = w.names_of(list_of(SCALAR, 2))
    takers = [s for s in w.module.functions if s.parameters[0][1] == list_of(SCALAR, 2)]
    if not lists or not takers:
        return False
    w.line(call_of(w, w.pick(takers), first=w.pick(lists)))
    return None


@statement(2)
def result_into_a_place(w: Writer) -> bool | None:
    """Bind what a call stores into and returns to a slot or attribute."""
    kind = vector(w.module.size)
    found = [s for s in w.module.functions if s.result == kind and s.returns_its_first]
    targets = [p for p in places(w, kind, storable=True) if p[-1] == "]" or "." in p]
    if not found or not targets:
        return False
    signature: Signature = w.pick(found)
    w.line(f"{w.pick(targets)} = {call_of(w, signature)}")
    return None


@statement(3)
def several_results(w: Writer) -> bool | None:
    """Unpack or keep what a call returns as a tuple, a list or a dict."""
    found = [
        s for s in w.module.functions if s.result and s.result.sort in ("tuple", "list", "dict")
    ]
    if not found:
        return False
    signature = w.pick(found)
    result = signature.result
    assert result is not None
    if result.sort == "tuple" and w.chance(0.7):
        targets = [w.module.fresh("e") for _ in result.parts]
        w.line(f"{', '.join(targets)} = {call_of(w, signature)}")
        for target, (_, kind) in zip(targets, result.parts):
            w.bind(target, kind)
    else:
        w.assign("e", result, call_of(w, signature))
    return None
