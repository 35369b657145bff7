"""What makes a printed text a module of its own: imports, constants, and what is left to be bound.

Generated functions read names of the user's module and of enclosing functions. When a text is loaded,
these are handed over; when it is printed, somebody will put it into a file. So every name that it reads
is imported from where that very object is found; a number or a string that a function captured is
written down; and of anything else the reader is told that it must be bound.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import enum
import symtable
import sys
import types
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tapeless.externals import MISSING, External, Externals, home_of, is_runtime
from tapeless.source.loader import GeneratedText
from tapeless.source.printer import unparse
from tapeless.tree.build import has_text

_NO_HOME = (
    "numpy",
    "scipy.special",
)  # where ufuncs are found, which do not say where they are from


def import_of(key: str, external: External) -> str:
    """Write the import that binds a name to what it stands for; nothing where there is none.

    Examples
    --------
    >>> import_of("np", External({"np": np}, "np"))
    'import numpy as np'
    >>> import_of("f", External(None, "f", np.exp))
    'from numpy import exp as f'
    >>> import_of("k", External({"k": 2.0, "__name__": "no.such.module"}, "k"))
    ''
    """
    value = external.value
    if value is MISSING:
        return ""
    if isinstance(value, types.ModuleType):
        path = value.__name__
        return f"import {path}" if path == key else f"import {path} as {key}"
    for where, what in _homes(external):
        if _found(where, what) is value:
            if where == "builtins" and what == key:
                return ""
            return f"from {where} import {what}" + ("" if what == key else f" as {key}")
    return ""


def imports_of(externals: Externals, used: Container[str]) -> list[str]:
    """Write the imports that bind names to what they stand for, one for each module.

    Examples
    --------
    >>> found = {"np": External({"np": np}, "np"), "sin": External(None, "sin", np.sin)}
    >>> imports_of(found | {"f": External(None, "f", np.exp)}, {"np", "sin", "f"})
    ['import numpy as np', 'from numpy import exp as f, sin']
    """
    lines = sorted({import_of(key, e) for key, e in externals.items() if key in used} - {""})
    found = [line for line in lines if line.startswith("import")]
    taken: dict[str, list[str]] = {}
    for line in lines:
        module, separator, what = line.partition(" import ")
        if separator:
            taken.setdefault(module, []).append(what)
    return found + [f"{module} import {', '.join(what)}" for module, what in taken.items()]


def _homes(external: External) -> Iterator[tuple[str, str]]:
    """List the modules that may hold what a name stands for, with its name there."""
    owner, key = external.owner, external.key
    if is_runtime(external.value):
        own = str(external.value.__module__)
        yield from ((where, external.value.__name__) for where in (home_of(own), own))
    while isinstance(owner, dict):
        loader = owner.get("__loader__")
        if not isinstance(loader, GeneratedText):
            label = str(owner.get("__name__", ""))
            yield from ((where, key) for where in dict.fromkeys([home_of(label), _home(label)]))
            break
        outer = loader.externals.get(key)
        owner, key = (None, key) if outer is None else (outer.owner, outer.key)
    value = external.value
    what = getattr(value, "__name__", None)
    if isinstance(what, str) and what.isidentifier():
        module = getattr(value, "__module__", None)
        if str(module).startswith("scipy."):
            parts = str(module).split(".")  # whose files are private: scipy.sparse.linalg._norm
            yield from ((".".join(parts[:depth]), what) for depth in (2, 3))
        labels = _NO_HOME if module is None else (home_of(str(module)), _home(str(module)))
        yield from ((where, what) for where in dict.fromkeys(labels))


def _home(module: str) -> str:
    """Return the name by which a module is imported: a script by that of its file."""
    if module != "__main__":
        return module
    main: Any = sys.modules["__main__"]
    if getattr(main, "__spec__", None) is not None:
        return str(main.__spec__.name)
    path = Path(getattr(main, "__file__", None) or "")
    return path.stem if path.suffix == ".py" and path.stem.isidentifier() else ""


def home_of_main() -> str:
    """Return the name by which the script that runs could be imported; "" where there is none."""
    return _home("__main__")


def _found(where: str, what: str) -> Any:
    """Return what a module holds under a name, MISSING where it cannot be imported from there."""
    if not where:
        return MISSING
    main = sys.modules["__main__"]
    if where != "__main__" and where == _home("__main__"):
        return getattr(main, what, MISSING)
    if where == "__main__":
        return MISSING  # another program has another
    return getattr(sys.modules.get(where), what, MISSING)


def complete(text: str, externals: Mapping[str, External]) -> str:
    r"""Add to a text what its names stand for that no import binds.

    Examples
    --------
    >>> text = "def f_grad(x):\n    return k * a\n"
    >>> held = {"k": External(None, "k", 2.0), "a": External(None, "a", np.ones(3))}
    >>> print(complete(text, held), end="")
    # No import gives these:
    k = 2.0
    # a = ...  (an array of shape (3,): bind it before use)
    <BLANKLINE>
    <BLANKLINE>
    def f_grad(x):
        return k * a
    """
    missing = sorted(_unbound(text) & set(externals))
    values = {key: externals[key].value for key in missing}
    told = {key: value for key, value in values.items() if value is not MISSING}
    if not told:
        return text
    names = _names(text)
    others = {key: e.value for key, e in externals.items()} | dict.fromkeys(names - set(externals))
    written = {key: _written(value, others) for key, value in told.items()}
    known = [f"{key} = {line}" for key, line in written.items() if line]
    left = [
        f"# {key} = ...  ({_described(told[key])}: bind it before use)"
        for key, line in written.items()
        if not line
    ]
    kinds = {kind for key, line in written.items() if line for kind in _enums_of(told[key])}
    roots = {kind.__name__: External(None, kind.__name__, kind) for kind in kinds}
    holders = [_holder_of(told[key], others) for key, line in written.items() if line]
    roots |= {holder.name: External(holder.module, holder.name) for holder in holders if holder}
    head, body = split_after_imports(text)
    head = "\n".join([*head.splitlines(), *imports_of(roots, set(roots) - names)])
    lines = "\n".join(["# No import gives these:", *known, *left])
    return f"{head}\n\n{lines}".lstrip("\n") + f"\n\n\n{body}\n"


def split_after_imports(text: str) -> tuple[str, str]:
    """Split a module after its imports, blank lines left out."""
    body = ast.parse(text).body
    imports = [s for s in body if isinstance(s, (ast.Import, ast.ImportFrom))]
    lines = text.splitlines()
    end = (imports[-1].end_lineno or 0) if imports else 0
    return "\n".join(lines[:end]).strip("\n"), "\n".join(lines[end:]).strip("\n")


def _unbound(text: str) -> set[str]:
    """Name what the functions of a module read that neither it nor Python binds."""
    module = symtable.symtable(text, "module", "exec")
    bound = {s.get_name() for s in module.get_symbols() if s.is_assigned() or s.is_imported()}
    read = {s.get_name() for s in module.get_symbols() if s.is_referenced()}
    tables = list(module.get_children())
    for table in tables:
        read |= {s.get_name() for s in table.get_symbols() if s.is_global()}
        tables += table.get_children()
    return {key for key in read if key not in bound and not hasattr(builtins, key)}


def _names(text: str) -> frozenset[str]:
    """Name all that a module and its functions bind or read."""
    tables = [symtable.symtable(text, "module", "exec")]
    for table in tables:
        tables += table.get_children()
    return frozenset(symbol.get_name() for table in tables for symbol in table.get_symbols())


def _written(value: Any, others: Mapping[str, Any]) -> str:
    """Write a value so that it is had again, bit for bit; nothing where its text does not give it."""
    if type(value) is tuple:
        items = [_written(item, others) for item in value]
        return f"({', '.join(items)}{',' * (len(items) == 1)})" if all(items) else ""
    if isinstance(value, enum.Enum):
        return _written_member(value, others)
    holder = _holder_of(value, others)
    if holder is not None:
        return f"{holder.name}{holder.path}"
    return repr(value) if has_text(value) else ""


def _written_member(value: enum.Enum, others: Mapping[str, Any]) -> str:
    """Write a member by its class, where this can be imported and its name means nothing else."""
    kind = type(value)
    alias = kind.__name__
    free = others.get(alias, kind) is kind
    named = value.name in kind.__members__  # a sum of flags need not be
    importable = named and free and import_of(alias, External(None, alias, kind))
    return f"{alias}.{value.name}" if importable else ""


class _Holder(NamedTuple):
    """A global of a module that holds a function: a table, or a class."""

    module: dict[str, Any]
    name: str
    path: str


def _holder_of(value: Any, others: Mapping[str, Any]) -> _Holder | None:
    """Find a global that holds a function which has no name of its own, and how it is had from there."""
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    if not isinstance(value, types.FunctionType) or module is None:
        return None
    for key, thing in vars(module).items():
        path = _path_within(thing, value)
        if path and others.get(key, thing) is thing:
            if import_of(key, External(vars(module), key)):
                return _Holder(vars(module), key, path)
    return None


def _path_within(thing: Any, value: Any) -> str:
    """Write how something is had from what holds it; nothing where it is not held.

    Examples
    --------
    >>> _path_within({"sin": np.sin}, np.sin), _path_within([abs, len], len)
    ('["sin"]', '[1]')
    """
    if type(thing) is dict:
        plain = [key for key, item in thing.items() if item is value and type(key) in (str, int)]
        return f"[{unparse(ast.Constant(plain[0])).strip()}]" if plain else ""
    if type(thing) in (list, tuple):
        return next((f"[{i}]" for i, item in enumerate(thing) if item is value), "")
    if not isinstance(thing, type):
        return ""
    for f in dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ():
        for part in ("default", "default_factory"):
            if getattr(f, part) is value:
                return f".__dataclass_fields__[{unparse(ast.Constant(f.name)).strip()}].{part}"
    return next((f".{key}" for key in vars(thing) if getattr(thing, key, None) is value), "")


def _enums_of(value: Any) -> set[type[enum.Enum]]:
    """List the classes whose members the text of a value names."""
    if type(value) is tuple:
        return {kind for item in value for kind in _enums_of(item)}
    return {type(value)} if isinstance(value, enum.Enum) else set()


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
        return f"the function {value.__name__}"
    label = type(value).__name__
    return f"an {label}" if label[0] in "aeiouAEIOU" else f"a {label}"
