"""Rewrites of a program that keep its meaning, so that its derivatives must be the same.

Each is a function from the tree of a module, the function in it to change, and a source of
randomness, to whether it found a place for itself; it changes the tree. They are careful rather
than clever: a statement is moved into a function of its own only where nothing but plain names goes
in and out. One of them keeps what is computed and returns more of it. A derivative is checked against
differences of the rewritten program, so that the check does not rest on them.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Function = ast.FunctionDef
Rewrite = Callable[["Site"], bool]
TABLE: dict[str, Rewrite] = {}
_SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def rewrite(function: Rewrite) -> Rewrite:
    TABLE[function.__name__] = function
    return function


@dataclass
class Site:
    """A function in a module that is to be rewritten; whether nothing in the module calls it."""

    module: ast.Module
    function: Function
    rng: random.Random
    is_entry: bool = False

    def fresh(self, stem: str) -> str:
        taken = {node.id for node in ast.walk(self.module) if isinstance(node, ast.Name)}
        taken |= {n.name for n in ast.walk(self.module) if isinstance(n, _SCOPES[::2])}
        taken |= {node.arg for node in ast.walk(self.module) if isinstance(node, ast.arg)}
        return next(name for i in range(1, 1000) if (name := f"{stem}_{i}") not in taken)

    def pick(self, items: list) -> object:
        return items[self.rng.randrange(len(items))]

    def before_function(self, text: str) -> None:
        """Put definitions into the module, before the definition that holds the function."""
        at = next(
            i
            for i, statement in enumerate(self.module.body)
            if any(node is self.function for node in ast.walk(statement))
        )
        self.module.body[at:at] = ast.parse(text).body


def rewritten(text: str, name: str, seed: int) -> tuple[str, list[str]]:
    """Rewrite the function of this name in one to three ways; give the text and what was done."""
    rng = random.Random(f"{name} {seed}")
    done = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        for how in rng.sample(sorted(TABLE), 5):
            changed = applied(text, name, how, rng)
            if changed is not None:
                text = changed
                done.append(how)
                break
    return text, done


def applied(text: str, name: str, how: str, rng: random.Random) -> str | None:
    """Apply one rewrite to the function of this name, or to one that it calls."""
    module = ast.parse(text)
    found = functions_reached(module, name)
    if not found:
        return None
    function = found[0] if rng.random() < 0.6 else rng.choice(found)
    inner = [node for f in ast.walk(module) if isinstance(f, _SCOPES) for node in ast.walk(f)]
    called = any(isinstance(node, ast.Name) and node.id == name for node in inner)
    site = Site(module, function, rng, function is found[0] and not called)
    if not TABLE[how](site):
        return None
    try:
        result = ast.unparse(ast.fix_missing_locations(module))
        compile(result, "rewritten", "exec")
    except SyntaxError:  # such as `nonlocal` of a name that became an attribute
        return None
    return result


def functions_reached(module: ast.Module, name: str) -> list[Function]:
    """Return the function of this name and those of the module that it names, methods included."""
    known: dict[str, list[Function]] = {}
    for statement in module.body:
        match statement:
            case ast.FunctionDef():
                known.setdefault(statement.name, []).append(statement)
            case ast.ClassDef():
                methods = [one for one in statement.body if isinstance(one, ast.FunctionDef)]
                known.setdefault(statement.name, []).extend(methods)
    reached: list[Function] = []
    waiting = list(known.get(name, []))
    while waiting:
        function = waiting.pop(0)
        if any(function is one for one in reached):
            continue
        reached.append(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in known:
                waiting += known[node.id]
    return [f for f in reached if is_plain(f)]


def is_plain(function: Function) -> bool:
    """Whether a function is neither a generator nor decorated nor special."""
    nodes = list(ast.walk(function))
    return not (
        function.decorator_list
        or any(isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)) for node in nodes)
        or any(isinstance(node, ast.Name) and node.id == "super" for node in nodes)
        or function.name == "samples"
    )


# What a statement needs


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a function or a statement without entering the functions in it."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _SCOPES):
            yield child
        else:
            yield from own_nodes(child)


def parameters_of(function: Function) -> list[str]:
    a = function.args
    return [arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs)] + [
        arg.arg for arg in (a.vararg, a.kwarg) if arg is not None
    ]


def declared(function: Function) -> set[str]:
    """Names that are global or nonlocal somewhere in the function."""
    return {
        name
        for node in ast.walk(function)
        if isinstance(node, (ast.Global, ast.Nonlocal))
        for name in node.names
    }


def locals_of(function: Function) -> set[str]:
    names = set(parameters_of(function))
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node is not function:
            names.add(node.name)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
    return names - declared(function)


def captured(function: Function) -> set[str]:
    """Names that an inner function, class or comprehension uses."""
    inner = [
        node
        for node in ast.walk(function)
        if isinstance(node, (*_SCOPES, *_COMPREHENSIONS)) and node is not function
    ]
    return {
        name
        for scope in inner
        for node in ast.walk(scope)
        for name in (
            [node.id]
            if isinstance(node, ast.Name)
            else [node.arg]
            if isinstance(node, ast.arg)
            else []
        )
    }


Block = tuple[list[ast.stmt], int]


def statements_of(function: Function) -> list[Block]:
    """Every statement of the function itself, as its list and its place in it."""
    found: list[Block] = []

    def visit(body: list[ast.stmt]) -> None:
        for at, statement in enumerate(body):
            found.append((body, at))
            if isinstance(statement, _SCOPES):
                continue
            for field in ("body", "orelse", "finalbody"):
                visit(getattr(statement, field, []))
            for handler in getattr(statement, "handlers", []):
                visit(handler.body)
            for case in getattr(statement, "cases", []):
                visit(case.body)

    visit(function.body)
    return found


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def is_movable(statement: ast.stmt) -> bool:
    """Whether a statement may stand in a function of its own: no jumps, scopes or bindings inside."""
    return isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr)) and not any(
        isinstance(node, (*_SCOPES, *_COMPREHENSIONS, ast.NamedExpr, ast.Starred))
        for node in ast.walk(statement)
    )


def names_read(statement: ast.stmt, function: Function) -> list[str]:
    """Locals of the function that the statement reads, in order."""
    local = locals_of(function)
    return list(
        dict.fromkeys(
            node.id
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and node.id in local and isinstance(node.ctx, ast.Load)
        )
    )


def replaced(block: Block, text: str) -> None:
    body, at = block
    body[at : at + 1] = ast.parse(text).body


def name_bound(statement: ast.stmt) -> str | None:
    """The one plain name that the statement binds, if that is all it binds."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            return name
    return None


def binds_nothing(statement: ast.stmt) -> bool:
    return not any(
        isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        for node in ast.walk(statement)
    )


# A statement goes elsewhere


def moved_statement(site: Site) -> tuple[Block, list[str], str | None] | None:
    """Choose a statement that can be a function of the names it reads, and of one it binds."""
    function = site.function
    outside = declared(function)
    found = []
    for body, at in statements_of(function):
        statement = body[at]
        if not is_movable(statement) or is_docstring(statement):
            continue
        name = name_bound(statement)
        if name in outside or (name is None and not binds_nothing(statement)):
            continue
        reads = names_read(statement, function)
        if isinstance(statement, ast.AugAssign) and name is not None and name not in reads:
            reads.append(name)
        if any(n in outside for n in reads) or "self" in reads and name == "self":
            continue
        if any(isinstance(node, ast.Name) and node.id in outside for node in ast.walk(statement)):
            continue
        found.append(((body, at), reads, name))
    return site.pick(found) if found else None  # type: ignore[return-value]


def indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in text.splitlines())


@rewrite
def into_helper(site: Site) -> bool:
    """`y = x * s` becomes `y = moved(x, s)`; a store happens in the helper."""
    chosen = moved_statement(site)
    if chosen is None:
        return False
    (body, at), reads, name = chosen
    helper = site.fresh("moved")
    text = ast.unparse(body[at])
    returned = f"\n    return {name}" if name else ""
    site.before_function(f"def {helper}({', '.join(reads)}):\n{indented(text, 4)}{returned}")
    call = f"{helper}({', '.join(reads)})"
    replaced((body, at), f"{name} = {call}" if name else site.rng.choice([call, f"_ = {call}"]))
    return True


@rewrite
def into_method(site: Site) -> bool:
    chosen = moved_statement(site)
    if chosen is None or "self" in chosen[1]:
        return False
    (body, at), reads, name = chosen
    owner = site.fresh("Moved")
    text = ast.unparse(body[at])
    returned = f"\n        return {name}" if name else ""
    parameters = ", ".join(["self", *reads])
    site.before_function(
        f"class {owner}:\n    def run({parameters}):\n{indented(text, 8)}{returned}"
    )
    call = f"{owner}().run({', '.join(reads)})"
    replaced((body, at), f"{name} = {call}" if name else call)
    return True


@rewrite
def into_nested(site: Site) -> bool:
    """Move a statement into a nested function that reads what it needs from around it."""
    chosen = moved_statement(site)
    if chosen is None:
        return False
    (body, at), reads, name = chosen
    inner = site.fresh("nested")
    statement = body[at]
    if name is None:
        replaced((body, at), f"def {inner}():\n{indented(ast.unparse(statement), 4)}\n{inner}()")
    elif isinstance(statement, ast.AugAssign):
        text = f"    nonlocal {name}\n{indented(ast.unparse(statement), 4)}"
        replaced((body, at), f"def {inner}():\n{text}\n{inner}()")
    else:
        value = ast.unparse(statement.value)  # type: ignore[attr-defined]
        replaced((body, at), f"def {inner}():\n    return {value}\n{name} = {inner}()")
    return True


@rewrite
def through_a_tuple(site: Site) -> bool:
    """`y = e` becomes `y, rest = (e, 0)` or `pair = (e,); y = pair[0]`."""
    found = [
        block
        for block in statements_of(site.function)
        if isinstance(block[0][block[1]], ast.Assign) and name_bound(block[0][block[1]])
    ]
    if not found:
        return False
    body, at = site.pick(found)  # type: ignore[misc]
    name, value = name_bound(body[at]), ast.unparse(body[at].value)
    other = site.fresh("pair")
    forms = [
        f"{name}, {other} = ({value}, 0)",
        f"{other} = ({value},)\n{name} = {other}[0]",
        f"({name},) = [{value}]",
        f"{other} = {{'v': {value}}}\n{name} = {other}['v']",
        f"{name} = {other} = {value}",
    ]
    replaced((body, at), site.rng.choice(forms))
    return True


@rewrite
def call_bound(site: Site) -> bool:
    """Bind the result of a call that stands alone."""
    found = [
        (body, at)
        for body, at in statements_of(site.function)
        if isinstance(body[at], ast.Expr) and isinstance(body[at].value, ast.Call)  # type: ignore[attr-defined]
    ]
    if not found:
        return False
    body, at = site.pick(found)  # type: ignore[misc]
    text = ast.unparse(body[at])
    result = site.fresh("result")
    forms = [f"_ = {text}", f"{result} = {text}", f"{result} = [{text}]", f"if {text}:\n    pass"]
    replaced((body, at), site.rng.choice(forms[:3]))
    return True


# A statement gets something around it


def wrapped_statement(site: Site) -> Block | None:
    """Choose a statement that may stand in a block of its own (a jump would leave it)."""
    found = [
        (body, at)
        for body, at in statements_of(site.function)
        if not is_docstring(body[at])
        and not isinstance(body[at], (ast.Global, ast.Nonlocal, ast.Break, ast.Continue))
    ]
    return site.pick(found) if found else None  # type: ignore[return-value]


def leaves(statement: ast.stmt) -> bool:
    """Whether a `break` or `continue` in the statement belongs to a loop around it."""

    def visit(node: ast.AST) -> bool:
        if isinstance(node, (ast.Break, ast.Continue)):
            return True
        if isinstance(node, _SCOPES):
            return False
        if isinstance(node, (ast.For, ast.While)):
            return any(map(visit, node.orelse))
        return any(map(visit, ast.iter_child_nodes(node)))

    return visit(statement)


def wrap(site: Site, header: str, footer: str = "", jumps: bool = True) -> bool:
    block = wrapped_statement(site)
    if block is None or (not jumps and leaves(block[0][block[1]])):
        return False
    text = ast.unparse(block[0][block[1]])
    replaced(block, f"{header}\n{indented(text, 4)}\n{footer}")
    return True


@rewrite
def under_a_test(site: Site) -> bool:
    tests = ["if True:", "if 1 < 2:", "if not False:", "if np.pi > 3.0:"]
    return wrap(site, site.rng.choice(tests), site.rng.choice(["", "else:\n    pass"]))


@rewrite
def under_a_truth(site: Site) -> bool:
    """The statement stands in a branch that asks whether something holds anything, and changes that."""
    block = wrapped_statement(site)
    if block is None or isinstance(block[0][block[1]], ast.Return):
        return False
    name = site.fresh("held")
    made, fill, empty = site.rng.choice(
        [("[0]", "append(0)", "pop()"), ("{0: 0}", "setdefault(0, 1)", "pop(0)"),
         ("{0}", "add(0)", "clear()")]
    )  # fmt: skip
    text = indented(ast.unparse(block[0][block[1]]), 4)
    if site.rng.random() < 0.5:
        header = f"{name} = {made}\nif {name}:\n    {name}.{empty}"
    else:
        header = f"{name} = {made}\n{name}.{empty}\nif not {name}:\n    {name}.{fill}"
    replaced(block, f"{header}\n{text}")
    return True


@rewrite
def held_together(site: Site) -> bool:
    """Some helper puts what the function is given into one list, and forgets it."""
    names = [a.arg for a in site.function.args.args]
    if len(names) < 2:
        return False
    helper = site.fresh("hold")
    given = ", ".join(names[-2:])
    site.before_function(f"def {helper}(a, b):\n    kept = [a, b]\n    return len(kept)")
    body = site.function.body
    at = 1 if body and is_docstring(body[0]) else 0
    body[at:at] = ast.parse(f"{helper}({given})").body
    return True


@rewrite
def loop_of_one_trip(site: Site) -> bool:
    name = site.fresh("once")
    form = site.rng.randrange(3)
    if form == 0:
        return wrap(site, f"for {name} in range(1):", jumps=False)
    if form == 1:
        return wrap(site, f"for {name} in (0,):", "else:\n    pass", jumps=False)
    block = wrapped_statement(site)
    if block is None or leaves(block[0][block[1]]):
        return False
    text = ast.unparse(block[0][block[1]])
    replaced(block, f"while True:\n{indented(text, 4)}\n    break")
    return True


@rewrite
def in_a_try(site: Site) -> bool:
    footers = ["finally:\n    pass", "except ZeroDivisionError:\n    raise"]
    return wrap(site, "try:", site.rng.choice(footers))


@rewrite
def else_added(site: Site) -> bool:
    found = [
        body[at]
        for body, at in statements_of(site.function)
        if isinstance(body[at], (ast.If, ast.For, ast.While)) and not body[at].orelse  # type: ignore[attr-defined]
    ]
    if not found:
        return False
    chosen = site.pick(found)
    chosen.orelse = ast.parse("pass").body  # type: ignore[attr-defined]
    return True


@rewrite
def branch_turned_round(site: Site) -> bool:
    """`if c: A` / `else: B` becomes `if not c: B` / `else: A`."""
    found = [body[at] for body, at in statements_of(site.function) if isinstance(body[at], ast.If)]
    if not found:
        return False
    chosen: ast.If = site.pick(found)  # type: ignore[assignment]
    chosen.test = ast.UnaryOp(ast.Not(), chosen.test)
    chosen.body, chosen.orelse = chosen.orelse or ast.parse("pass").body, chosen.body
    return True


@rewrite
def test_named(site: Site) -> bool:
    """`if c:` becomes `flag = c` and `if flag:`."""
    found = [
        (body, at) for body, at in statements_of(site.function) if isinstance(body[at], ast.If)
    ]
    if not found:
        return False
    body, at = site.pick(found)  # type: ignore[misc]
    name = site.fresh("test")
    test = ast.unparse(body[at].test)
    body[at].test = ast.Name(name, ast.Load())
    body[at:at] = ast.parse(f"{name} = {test}").body
    return True


# Names


def body_start(function: Function) -> int:
    at = 0
    while at < len(function.body) and (
        is_docstring(function.body[at]) or isinstance(function.body[at], (ast.Global, ast.Nonlocal))
    ):
        at += 1
    return at


@rewrite
def through_identity(site: Site) -> bool:
    """Bind a parameter to itself: `x = same(x)`."""
    names = [n for n in parameters_of(site.function) if n not in declared(site.function)]
    if not names:
        return False
    name = site.rng.choice(names)
    form = site.rng.randrange(4)
    if form == 0:
        text = f"{name} = {name}"
    elif form == 1:
        text = f"{name} = ({name},)[0]"
    else:
        helper = site.fresh("same")
        site.before_function(f"def {helper}(v):\n    return v")
        text = f"{name} = {helper}({name})"
    at = body_start(site.function)
    site.function.body[at:at] = ast.parse(text).body
    return True


@rewrite
def returned_through(site: Site) -> bool:
    found = [
        (body, at)
        for body, at in statements_of(site.function)
        if isinstance(body[at], ast.Return) and body[at].value is not None  # type: ignore[attr-defined]
    ]
    if not found:
        return False
    body, at = site.pick(found)  # type: ignore[misc]
    value = ast.unparse(body[at].value)
    name = site.fresh("result")
    helper = site.fresh("same")
    form = site.rng.randrange(4)
    if form == 3:
        site.before_function(f"def {helper}(v):\n    return v")
    forms = [
        f"{name} = {value}\nreturn {name}",
        f"return ({value},)[0]",
        f"if True:\n    return {value}\nraise AssertionError",
        f"return {helper}({value})",
    ]
    replaced((body, at), forms[form])
    return True


@rewrite
def returned_in_a_structure(site: Site) -> bool:
    """`return y` becomes `return {"y": y, "rest": [a, b]}`, with what else is there at the end."""
    body = site.function.body
    returns = [node for node in own_nodes(site.function) if isinstance(node, ast.Return)]
    if not site.is_entry or len(returns) != 1 or body[-1] is not returns[0]:
        return False
    bound = [name_bound(statement) for statement in body[body_start(site.function) :]]
    names = sorted({*parameters_of(site.function), *filter(None, bound)} - {"self", "_"})
    if returns[0].value is None or not names:
        return False
    y, a, b = ast.unparse(returns[0].value), site.rng.choice(names), site.rng.choice(names)
    forms = [
        f"{{'y': {y}, 'rest': [{a}, {b}]}}",
        f"[{y}, ({a}, {b})]",
        f"({y}, {{'a': {a}, 'b': {{'b': {b}}}}})",
        f"[[{a}, {y}], [{b}]]",
        f"({y}, {a})",
    ]
    replaced((body, len(body) - 1), f"return {site.rng.choice(forms)}")
    return True


@rewrite
def store_through_alias(site: Site) -> bool:
    found = []
    for body, at in statements_of(site.function):
        match body[at]:
            case (
                ast.Assign(
                    targets=[
                        ast.Subscript(value=ast.Name(id=name))
                        | ast.Attribute(value=ast.Name(id=name))
                    ]
                )
                | ast.AugAssign(
                    target=ast.Subscript(value=ast.Name(id=name))
                    | ast.Attribute(value=ast.Name(id=name))
                )
            ):
                found.append(((body, at), name))
    if not found:
        return False
    (body, at), name = site.pick(found)  # type: ignore[misc]
    alias = site.fresh("alias")
    statement = body[at]
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    target.value.id = alias
    body[at:at] = ast.parse(f"{alias} = {name}").body
    return True


SHADOWING = (
    "np math len sum max min abs range list tuple dict float int zip enumerate reversed sorted type "
    "isinstance zeros zeros_like ones full copy bars saved v_1 x_bar y_bar out result end_1 tl"
).split()


@rewrite
def shadowing_name(site: Site) -> bool:
    """Return a local the name of a builtin, of a module, or of what generated code may use."""
    function = site.function
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    used |= locals_of(function) | declared(function)
    # a keyword of a call may name a parameter
    keywords = {node.arg for node in ast.walk(site.module) if isinstance(node, ast.keyword)}
    names = [
        n
        for n in sorted(locals_of(function) - captured(function) - keywords - {"self", "cls", "_"})
        if not any(
            isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar))
            and node.name == n
            or isinstance(node, (ast.FunctionDef, ast.ClassDef))
            and node.name == n
            or isinstance(node, ast.alias)
            for node in ast.walk(function)
        )
    ]
    free = [name for name in SHADOWING if name not in used]
    if not names or not free:
        return False
    old, new = site.rng.choice(names), site.rng.choice(free)
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == old:
            node.id = new
        elif isinstance(node, ast.arg) and node.arg == old:
            node.arg = new
    return True


# A local lives elsewhere


def housed(site: Site, place: str, setup: str, at_module: str = "") -> bool:
    """Keep a local in a place such as `box.v`, after `setup` at the head of the function."""
    function = site.function
    unfit = captured(function) | {"self", "cls", "_"}
    for node in ast.walk(function):
        if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            unfit.add(node.name)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            unfit.add(node.name)
        elif isinstance(node, (ast.NamedExpr,)) and isinstance(node.target, ast.Name):
            unfit.add(node.target.id)
        elif isinstance(node, ast.Delete):
            unfit |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.alias):
            unfit.add(node.asname or node.name)
    names = sorted(locals_of(function) - unfit)
    if not names:
        return False
    name = site.rng.choice(names)
    if at_module:
        site.before_function(at_module)
    new = ast.parse(place, mode="eval").body

    class Housing(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            if node.id != name:
                return node
            moved = ast.parse(ast.unparse(new), mode="eval").body
            moved.ctx = node.ctx  # type: ignore[attr-defined]
            return moved

    function.body = [Housing().visit(statement) for statement in function.body]
    at = body_start(function)
    text = setup
    if name in parameters_of(function):
        text += f"\n{place} = {name}"
    function.body[at:at] = ast.parse(text).body
    return True


@rewrite
def in_an_attribute(site: Site) -> bool:
    box, owner = site.fresh("box"), site.fresh("Box")
    return housed(site, f"{box}.v", f"{box} = {owner}()", f"class {owner}:\n    pass")


@rewrite
def in_a_slot(site: Site) -> bool:
    slots = site.fresh("slots")
    if site.rng.random() < 0.5:
        return housed(site, f"{slots}[0]", f"{slots} = [None]")
    return housed(site, f"{slots}['v']", f"{slots} = {{}}")


@rewrite
def in_state_outside(site: Site) -> bool:
    """Keep a local in an object or list of the module."""
    outside, owner = site.fresh("OUTSIDE"), site.fresh("Outside")
    if site.rng.random() < 0.5:
        return housed(site, f"{outside}[0]", "pass", f"{outside} = [None]")
    text = f"class {owner}:\n    v = None\n{outside} = {owner}()"
    return housed(site, f"{outside}.v", "pass", text)


@rewrite
def keywords_for_positions(site: Site) -> bool:
    """Call a function of the module by keyword, or with a star."""
    known = {
        s.name: s
        for s in site.module.body
        if isinstance(s, ast.FunctionDef) and not s.decorator_list and not s.args.posonlyargs
    }
    local = locals_of(site.function)
    calls = [
        node
        for node in own_nodes(site.function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in known
        and node.func.id not in local
        and not any(isinstance(arg, ast.Starred) for arg in node.args)
        and 0 < len(node.args) <= len(known[node.func.id].args.args)
        and not any(keyword.arg is None for keyword in node.keywords)
    ]
    if not calls:
        return False
    call: ast.Call = site.pick(calls)  # type: ignore[assignment]
    names = [arg.arg for arg in known[call.func.id].args.args]  # type: ignore[attr-defined]
    last, name = call.args[-1], names[len(call.args) - 1]
    form = site.rng.randrange(3)
    if form == 0:
        call.keywords.insert(0, ast.keyword(name, last))
        call.args = call.args[:-1]
    elif form == 1:
        call.args[-1] = ast.Starred(ast.Tuple([last], ast.Load()), ast.Load())
    else:
        call.keywords.insert(0, ast.keyword(None, ast.Dict([ast.Constant(name)], [last])))
        call.args = call.args[:-1]
    return True
