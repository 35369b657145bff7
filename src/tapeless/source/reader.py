"""From a function to its syntax tree, in the places of the user's own file.

Python keeps of a function its code, not its text. The text is found again through what the code
remembers: the file's name and the line of the `def` (or of its first decorator). The whole file is
parsed, not the lines of the function, so every line and column of the tree is true whatever the
indentation, and an error can draw its caret under the user's text.

Finding text by its line is only right while the file is what was imported, and a line may hold
several lambdas. So the text found is compiled again and compared with the code of the function:
instructions, constants, names, and for lambdas also the columns that the code remembers of each
instruction. What does not match is refused: the derivative of another function is worse than none.
"""

from __future__ import annotations
import __future__

import ast
import dis
import inspect
import linecache
import os
import textwrap
import threading
import time
import types
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.errors import GradientError, TapelessError, UnsupportedSyntaxError, caret_location
from tapeless.origins import is_generated, line_of_part, path_of
from tapeless.source.python_trees import gast_tree
from tapeless.tree.classes import SCOPE_DECLARATIONS

LAMBDA_NAME = "lambda_"

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
# `nested_scopes` is left out: its flag also says that a function is nested.
_FUTURE_FLAGS = sum(
    {
        getattr(__future__, name).compiler_flag
        for name in __future__.all_feature_names
        if name != "nested_scopes"
    }
)
_FILES_KEPT = 128
_NAMELESS = ("<string>", "<stdin>")
_WHERE_TO_DEFINE = "define it in a file or a notebook, not in `exec` or at the prompt"
_MARKED_LINE = 1_000_000_000


@dataclass(frozen=True)
class Source:
    """A function as text: its tree, and the file that the positions in the tree refer to.

    Attributes
    ----------
    tree : gast.FunctionDef
        The function without its decorators. A lambda is a definition with one `return`.
    filename : str
        The file, or the pseudo file of a notebook cell, a doctest or a generated module.
    lines : tuple of str
        All lines of the file, without line ends.
    name : str
        The name in the `def`; `lambda_` for a lambda.
    """

    tree: gast.FunctionDef
    filename: str
    lines: tuple[str, ...]
    name: str


def read(fn: Callable[..., Any], generators: bool = False) -> Source:
    """Read the source of a Python function.

    Parameters
    ----------
    fn : callable
        A function written in Python: a `def` or a lambda, nested or not, or a method.
    generators : bool
        Whether functions with `yield` are read too.

    Returns
    -------
    Source
        A tree of its own for every call, with the lines and columns of the user's file.

    Raises
    ------
    GradientError
        If the function has no source, or its file has changed since it was imported.
    UnsupportedSyntaxError
        If it is asynchronous, or a generator and these are not read.

    Examples
    --------
    >>> source = read(textwrap.dedent)
    >>> source.name, type(source.tree).__name__
    ('dedent', 'FunctionDef')
    """
    code = _code_of(fn)
    with _reading:
        file = _file_of(code, fn)
        found = _find(file, code)
        if not (generators and code.co_flags & inspect.CO_GENERATOR):
            _refuse_resumable(file, code, found)
        tree = _with_private_names(_definition(found), file.classes.get(id(found), ""))
        if is_generated(file.filename):
            _number_parts(tree, file.filename)
        return Source(tree, file.filename, file.lines, _plain_name(code))


def _number_parts(tree: gast.FunctionDef, filename: str) -> None:
    """Let the parts of a generated line say which of the lines that it comes from is theirs."""
    for part in gast.walk(tree):
        if isinstance(part, gast.expr) and hasattr(part, "col_offset"):
            part.lineno = line_of_part(filename, part.lineno, part.col_offset)


def files_read() -> list[str]:
    """Name the files that functions were read from, the last ones if there were many."""
    return list(_files)


def parse_function(text: str) -> gast.FunctionDef:
    """Parse the text of one function definition, at any indentation.

    Examples
    --------
    >>> parse_function("def square(x): return x * x").name
    'square'
    """
    for statement in ast.parse(textwrap.dedent(text)).body:
        if isinstance(statement, ast.FunctionDef):
            return _definition(statement)
    raise TapelessError("the text holds no function definition", fix="start it with `def`")


# From the function to its file


@dataclass
class _File:
    """A parsed file, and what was compiled of it so far."""

    filename: str
    raw_lines: list[str]
    tree: ast.Module
    lines: tuple[str, ...] = ()
    by_first_line: dict[int, list[_Function]] = field(default_factory=dict)
    top_level: dict[int, ast.stmt] = field(default_factory=dict)
    imports: list[ast.stmt] = field(default_factory=list)
    classes: dict[int, str] = field(default_factory=dict)
    compiled: dict[tuple[int, int, bool], list[types.CodeType]] = field(default_factory=dict)
    unread: list[ast.stmt] = field(default_factory=list)  # of which no function was asked for

    def __post_init__(self) -> None:
        self.lines = tuple(line.rstrip("\r\n") for line in self.raw_lines)
        self.imports = list(_module_imports(self.tree.body))
        self.unread = list(self.tree.body)

    def beginning_at(self, line: int) -> list[_Function]:
        """List the functions that begin on a line."""
        around = [s for s in self.unread if _first_line(s) <= line <= (s.end_lineno or 0)]
        self.unread = [s for s in self.unread if s not in around]
        for statement, part in ((s, part) for s in around for part in ast.walk(s)):
            if isinstance(part, _Function):
                self.by_first_line.setdefault(_first_line(part), []).append(part)
                self.top_level[id(part)] = statement
            elif isinstance(part, ast.ClassDef):  # outer classes are met before inner ones
                self.classes |= {id(inner): part.name for inner in ast.walk(part)}
        return self.by_first_line.get(line, [])


def _module_imports(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The imports that bind names of the module, also those under `if` and `try`."""
    for statement in block:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            if getattr(statement, "module", None) != "__future__":
                yield statement
        elif not isinstance(statement, (_Function, ast.ClassDef)):
            for inner in ("body", "orelse", "finalbody", "handlers"):
                for part in getattr(statement, inner, []):
                    yield from _module_imports(getattr(part, "body", [part]))


_files: OrderedDict[str, _File] = OrderedDict()
_reading = threading.Lock()  # the trees of files are shared, and marked for a moment


def _code_of(fn: Callable[..., Any]) -> types.CodeType:
    fn = getattr(fn, "__func__", fn)
    if isinstance(fn, types.FunctionType):
        return fn.__code__
    wrapped = getattr(fn, "__wrapped__", None)
    if isinstance(wrapped, types.FunctionType):
        way_out = f"pass the function that it wraps: `{_called(fn)}.__wrapped__`"
    elif isinstance(fn, type):
        way_out = "pass a function that makes and uses the instance"
    elif isinstance(vars(type(fn)).get("__call__"), types.FunctionType):
        way_out = "pass a function, or the method `__call__` of the object"
    else:
        way_out = "pass a function written in Python that calls it"
    raise _no_source(_called(fn), way_out)


def _called(fn: object) -> str:
    return str(getattr(fn, "__qualname__", None) or f"{type(fn).__qualname__} object")


def _no_source(name: str, fix: str) -> GradientError:
    return GradientError(f"`{name}` has no source to read", fix=fix, function=name)


def _file_of(code: types.CodeType, fn: Callable[..., Any]) -> _File:
    filename = path_of(code, getattr(fn, "__globals__", {}))
    linecache.checkcache(filename)
    # Through the module, for doctest replaces this function while examples run.
    raw_lines = linecache.getlines(filename, getattr(fn, "__globals__", None))
    if not raw_lines:
        raise _no_source(_plain_name(code), _WHERE_TO_DEFINE)
    known = _files.get(filename)
    if known is None or (known.raw_lines is not raw_lines and known.raw_lines != raw_lines):
        known = _parse(filename, raw_lines, code)
        _files[filename] = known
    _files.move_to_end(filename)
    while len(_files) > _FILES_KEPT:
        _files.popitem(last=False)
    return known


def _parse(filename: str, raw_lines: list[str], code: types.CodeType) -> _File:
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        tree = compile("".join(raw_lines), filename, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise _stale(filename, code, "cannot be parsed any more") from error
    assert isinstance(tree, ast.Module)
    return _File(filename, raw_lines, tree)


def _stale(filename: str, code: types.CodeType, what: str) -> GradientError:
    if filename in _NAMELESS:
        # Python 3.13 keeps lines under these names, but only those of the last command.
        return _no_source(_plain_name(code), _WHERE_TO_DEFINE)
    return GradientError(
        f"the source of `{_plain_name(code)}` {what}",
        fix="if the file has changed since it was imported, import it again",
        filename=filename,
        lineno=code.co_firstlineno,
        function=_plain_name(code),
    )


def _plain_name(code: types.CodeType) -> str:
    return LAMBDA_NAME if code.co_name == "<lambda>" else code.co_name


# From the file to the definition


def _first_line(part: Any) -> int:
    decorators = getattr(part, "decorator_list", None)
    return int((decorators[0] if decorators else part).lineno)


def _find(file: _File, code: types.CodeType) -> _Function:
    here = [
        part
        for part in file.beginning_at(code.co_firstlineno)
        if getattr(part, "name", "<lambda>") == code.co_name
    ]
    if not here:
        raise _stale(file.filename, code, "is not at the line where Python remembers it")
    exact = [part for part in here if _compiles_to(file, part, code)]
    if not exact and len(here) == 1 and _may_be_instrumented(file, here[0], code):
        return here[0]
    if not exact:
        raise _stale(file.filename, code, "does not match the function that was imported")
    if len(exact) > 1 and len({ast.dump(part) for part in exact}) > 1:
        raise GradientError(
            "several lambdas in this line compile to the same code, so the text is not certain",
            fix="put each in a line of its own, or use `def`",
            filename=file.filename,
            lineno=code.co_firstlineno,
            function=_plain_name(code),
        )
    return exact[0]


def _compiles_to(file: _File, part: _Function, code: types.CodeType) -> bool:
    return any(_same_code(own, code) for own in _own_codes(file, part, code))


def _own_codes(file: _File, part: _Function, code: types.CodeType) -> Iterator[types.CodeType]:
    """The codes that this part compiles to, in a file and in a notebook.

    The compiler treats calls on imported names in a way of its own: the imports belong to it, except in a
    notebook, where each statement of a cell is compiled by itself.
    """
    flags = code.co_flags & _FUTURE_FLAGS | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    for in_file in (True, False) if file.imports else (True,):
        key = id(part), flags, in_file
        if key not in file.compiled:
            file.compiled[key] = _compile_marked(file, part, flags, in_file)
        yield from file.compiled[key]


def _compile_marked(
    file: _File, part: _Function, flags: int, in_file: bool
) -> list[types.CodeType]:
    """Compile the statement of the module that `part` stands in, and pick out the part's own code.

    The outermost statement, for it decides which names are captured, global or mangled. The part
    is told apart by a line number that no other has: a code's first line is its definition's.
    """
    decorators = getattr(part, "decorator_list", None)
    marked: Any = decorators[0] if decorators else part
    places = ("lineno", "end_lineno", "col_offset", "end_col_offset")
    true_places = [getattr(marked, place) for place in places]
    try:
        marked.lineno = marked.end_lineno = _MARKED_LINE
        marked.col_offset = marked.end_col_offset = 0
        imports = file.imports if in_file else []
        module = ast.Module([*imports, file.top_level[id(part)]], [])
        whole = compile(module, file.filename, "exec", flags, dont_inherit=True)
    finally:
        for place, true_place in zip(places, true_places, strict=True):
            setattr(marked, place, true_place)
    return [each for each in codes_within(whole) if each.co_firstlineno == _MARKED_LINE]


def codes_within(code: types.CodeType) -> Iterator[types.CodeType]:
    """Return the code of the functions that are defined in a function."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from codes_within(constant)


def _same_code(own: types.CodeType, code: types.CodeType) -> bool:
    if _traits(own) != _traits(code):
        return False
    # A `def` is alone in its line. Lambdas are not: they are told apart by their columns, which
    # `python -X no_debug_ranges` leaves out.
    return code.co_name != "<lambda>" or all(
        own_place == place or own_place[0] == _MARKED_LINE or place[2] is None
        for own_place, place in zip(own.co_positions(), code.co_positions(), strict=True)
    )


def _traits(code: types.CodeType) -> tuple[object, ...]:
    return (
        code.co_name,
        _signature(code),
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        [_constant_traits(constant) for constant in code.co_consts],
    )


def _signature(code: types.CodeType) -> tuple[object, ...]:
    flags = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    count = code.co_argcount + code.co_kwonlyargcount + flags.bit_count()
    return (
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        flags,
        code.co_varnames[:count],
    )


def _constant_traits(constant: object) -> object:
    if isinstance(constant, types.CodeType):
        return _traits(constant)
    if isinstance(constant, tuple):
        return tuple(_constant_traits(item) for item in constant)
    if isinstance(constant, frozenset):
        return frozenset(_constant_traits(item) for item in constant)
    # By type and text: 0.0 and -0.0, or 1 and True, are equal and yet not the same constant.
    return type(constant).__name__, repr(constant)


# Import hooks (pytest's assertions, run-time type checkers) add to a function's code. Such code is
# accepted if all that the text says is in it and the file is as old as this process.

_READ_SINCE = time.time()


def _may_be_instrumented(file: _File, part: _Function, code: types.CodeType) -> bool:
    if isinstance(part, ast.Lambda) or not _unchanged(file.filename):
        return False
    return any(_is_within(own, code) for own in _own_codes(file, part, code))


def _unchanged(filename: str) -> bool:
    try:
        return os.stat(filename).st_mtime < _READ_SINCE
    except OSError:
        return filename not in _NAMELESS


def _is_within(own: types.CodeType, code: types.CodeType) -> bool:
    return (
        own.co_name == code.co_name
        and _signature(own) == _signature(code)
        and _ingredients(own) <= _ingredients(code)
    )


def _ingredients(code: types.CodeType) -> Counter[object]:
    """Names, constants and arithmetic, counted, of the code and the functions defined in it."""
    arithmetic = Counter(
        (step.opname, step.argrepr)
        for each in [code, *codes_within(code)]
        for step in dis.get_instructions(each)
        if step.opname == "BINARY_OP" or step.opname == "UNARY_NEGATIVE"
    )
    mentioned: set[object] = set()
    for each in [code, *codes_within(code)]:
        mentioned.update(each.co_names, each.co_freevars)
        mentioned.update(
            _constant_traits(constant)
            for constant in each.co_consts
            if isinstance(constant, (int, float, complex, str))
        )
    return Counter(arithmetic) + Counter(mentioned)


# From the definition to the tree


def _definition(part: _Function) -> gast.FunctionDef:
    if isinstance(part, ast.Lambda):
        statement = ast.copy_location(ast.Return(part.body), part.body)
        part = ast.copy_location(_def_of(LAMBDA_NAME, part.args, [statement]), part)
    tree: gast.FunctionDef = gast_tree(part)
    tree.decorator_list = []
    return tree


def _with_private_names(tree: gast.FunctionDef, cls: str) -> gast.FunctionDef:
    """Spell the private names in a method as Python does: `self.__w` is `self._Model__w`."""
    if not cls.strip("_"):
        return tree

    def spelled(key: Any) -> Any:
        private = isinstance(key, str) and key.startswith("__") and not key.endswith("__")
        return f"_{cls.lstrip('_')}{key}" if private else key

    for part in gast.walk(tree):
        for place in ("id", "attr", "arg", "name") if part is not tree else ():
            if hasattr(part, place):
                setattr(part, place, spelled(getattr(part, place)))
        if type(part) in SCOPE_DECLARATIONS:
            part.names = [spelled(key) for key in part.names]
    return tree


def _def_of(name: str, args: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    definition = ast.FunctionDef(name, args, body, [], returns=None, type_comment=None)
    if "type_params" in definition._fields:
        definition.type_params = []  # type: ignore[attr-defined, unused-ignore]
    return definition


def _refuse_resumable(file: _File, code: types.CodeType, found: _Function) -> None:
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        what, fix = "asynchronous functions", "differentiate the plain function that does the work"
        at: ast.AST = found
    elif code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ITERABLE_COROUTINE):
        what, fix = "generator functions", "collect the values in a list and return it"
        at = next(_yields(found), found)
    else:
        return
    raise UnsupportedSyntaxError(
        f"{what} cannot be differentiated",
        fix=fix,
        function=_plain_name(code),
        **caret_location(file, at),
    )


def _yields(part: ast.AST) -> Iterator[ast.AST]:
    """The `yield`s of a function, in order, without those of the functions defined in it."""
    for child in ast.iter_child_nodes(part):
        if isinstance(child, (ast.Yield, ast.YieldFrom)):
            yield child
        elif not isinstance(child, _Function):
            yield from _yields(child)
