"""A function's tree must be its own text, at its true place in the file, or refused."""

import doctest
import functools
import importlib
import inspect
import linecache
import os
import pickle
import sys
import textwrap
import types
from concurrent.futures import ThreadPoolExecutor

import gast
import pytest

from tapeless.errors import GradientError, TapelessError, UnsupportedSyntaxError, caret_location
from tapeless.source import reader
from tapeless.source.reader import parse_function, read


def text_of(part, source):
    """The user's text of a part of the tree, found by its position alone."""
    lines = source.lines[part.lineno - 1 : part.end_lineno]
    raw = [line.encode() for line in lines]
    raw[-1] = raw[-1][: part.end_col_offset]
    raw[0] = raw[0][part.col_offset :]
    return b"\n".join(raw).decode()


def returned(source):
    return text_of(source.tree.body[-1].value, source)


def keep(f):
    return f


def plain(x, y=2.0, /, *args, z, **options):
    """A docstring."""
    return x * y + z


@keep
@functools.lru_cache(
    maxsize=3,
)
def cached(x):
    return x + 17


@keep
@keep
def decorated(x):
    return x - 1


def one_line(x): return x * 3  # fmt: skip  # noqa: E704


class Model:
    def method(self, x):
        return self.w * x

    class Inner:
        @staticmethod
        def static(x):
            return x / 5

        @classmethod
        def made(cls, x):
            return cls, x

        def __mangled(self, __x):
            return self.__y + __x


def nested(scale):
    def inner(x):
        def innermost(z):
            return z * x * scale

        return innermost

    return inner


def test_a_plain_function():
    source = read(plain)
    assert source.name == source.tree.name == "plain"
    assert source.filename == __file__
    assert isinstance(source.tree, gast.FunctionDef)
    assert source.lines[source.tree.lineno - 1].startswith("def plain(")
    assert source.tree.col_offset == 0
    assert returned(source) == "x * y + z"
    assert [arg.id for arg in source.tree.args.posonlyargs] == ["x", "y"]


def test_decorators_are_dropped():
    source = read(decorated)
    assert source.tree.decorator_list == []
    assert returned(source) == "x - 1"
    assert source.lines[source.tree.lineno - 1] == "def decorated(x):"
    assert returned(read(cached.__wrapped__)) == "x + 17"


@pytest.mark.parametrize(
    "fn, name, text",
    [
        (one_line, "one_line", "x * 3"),
        (Model.method, "method", "self.w * x"),
        (Model().method, "method", "self.w * x"),
        (Model.Inner.static, "static", "x / 5"),
        (Model.Inner.made, "made", "cls, x"),
        (Model.Inner._Inner__mangled, "__mangled", "self.__y + __x"),
        (nested, "nested", "inner"),
        (nested(2), "inner", "innermost"),
        (nested(2)(3), "innermost", "z * x * scale"),
    ],
)
def test_kinds_of_definitions(fn, name, text):
    source = read(fn)
    assert source.name == source.tree.name == name
    assert returned(source) == text


def test_columns_are_true_inside_classes():
    tree = read(Model.Inner.static).tree
    assert (tree.col_offset, tree.body[0].col_offset) == (8, 12)


def test_each_read_gives_a_tree_of_its_own():
    first = read(plain).tree
    first.body.clear()
    assert read(plain).tree.body


def test_a_file_is_parsed_once(monkeypatch):
    calls = []
    parse = reader._parse
    monkeypatch.setattr(reader, "_parse", lambda *a: calls.append(a) or parse(*a))
    reader._files.pop(__file__, None)
    for _ in range(50):
        read(plain), read(one_line), read(nested(1))
    assert len(calls) == 1


# Lambdas

double, triple = lambda x: x * 2, lambda x: x * 3
same_twice = [lambda x: x + 1, lambda x: x + 1]
over_lines = [
    lambda x, k=2: (
        x
        * k
    ),
    lambda x: x
    - 1,
]  # fmt: skip
by_default = [lambda x, i=i: x * i for i in range(3)]
curried = lambda x: lambda y: lambda z: z * y * x  # noqa: E731
chosen = (lambda x: x if x > 0 else -x) if True else (lambda x: x if x > 1 else -x)
same_but_constant = (lambda x: x * 1.0, lambda x: x * 1, lambda x: x * True, lambda x: x * -0.0)
umlaut = ("äöü", lambda x: x * 7, lambda x: x * 7 + 1)


@pytest.mark.parametrize(
    "fn, text",
    [
        (double, "x * 2"),
        (triple, "x * 3"),
        (over_lines[0], "x\n        * k"),
        (over_lines[1], "x\n    - 1"),
        (by_default[2], "x * i"),
        (curried, "lambda y: lambda z: z * y * x"),
        (curried(1), "lambda z: z * y * x"),
        (curried(1)(2), "z * y * x"),
        (chosen, "x if x > 0 else -x"),
        (same_but_constant[0], "x * 1.0"),
        (same_but_constant[1], "x * 1"),
        (same_but_constant[2], "x * True"),
        (same_but_constant[3], "x * -0.0"),
        (umlaut[1], "x * 7"),
        (umlaut[2], "x * 7 + 1"),
    ],
)
def test_lambdas(fn, text):
    source = read(fn)
    assert source.name == source.tree.name == "lambda_"
    assert returned(source) == text
    assert isinstance(source.tree.body[0], gast.Return)
    assert text_of(source.tree, source).startswith("lambda")


def test_equal_lambdas_in_a_line_are_told_apart_by_their_columns():
    first, second = (read(fn).tree.col_offset for fn in same_twice)
    assert first < second or same_twice[0].__code__ is same_twice[1].__code__


def test_default_values_of_lambdas_stay():
    assert len(read(over_lines[0]).tree.args.defaults) == 1


def test_lambdas_in_a_call_and_in_a_comprehension():
    found = [read(f) for f in [*map(keep, [lambda x: x, lambda x: -x])]]
    assert [returned(source) for source in found] == ["x", "-x"]


def test_lambda_in_a_finally_block():
    try:
        pass
    finally:
        fn = lambda x: x * 11  # noqa: E731
    assert returned(read(fn)) == "x * 11"


def test_lambda_in_an_assertion():
    assert returned(read(lambda x: x + 23)) == "x + 23"


def test_function_with_assertions_that_pytest_has_rewritten():
    def checked(x):
        assert x > 0, "must be positive"
        assert isinstance(x, float) and x != 2 and [1 + x] == [x + 1]
        return x**2

    assert returned(read(checked)) == "x**2"


def test_without_column_information_equal_code_is_refused():
    first, second = (lambda x: x + (1 + 2)), (lambda x: x + 3)
    # What `python -X no_debug_ranges` leaves: entries of up to 8 instructions, lines only.
    length = len(first.__code__.co_code) // 2
    entries = [min(8, length - start) for start in range(0, length, 8)]
    table = b"".join(bytes([0x80 | (13 << 3) | (size - 1), 0]) for size in entries)
    bare = types.FunctionType(first.__code__.replace(co_linetable=table), globals())
    assert bare.__code__.co_code == second.__code__.co_code
    if bare.__code__.co_consts == second.__code__.co_consts:
        with pytest.raises(GradientError, match="several lambdas"):
            read(bare)
    else:
        assert returned(read(bare)) == "x + (1 + 2)"


# Where functions may come from


def test_functions_of_a_pseudo_file_in_linecache():
    text = "def f(x):\n    return x * 41\n"
    name = "<ipython-input-7-abc>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    source = read(namespace["f"])
    assert (source.filename, returned(source)) == (name, "x * 41")


def test_functions_of_a_notebook_cell_with_await():
    text = "await g()\ndef f(x):\n    return x * 43\n"
    name = "<ipython-input-8-abc>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {}
    exec(compile("\n" + text.split("\n", 1)[1], name, "exec"), namespace)
    assert returned(read(namespace["f"])) == "x * 43"


def test_functions_of_a_doctest():
    example = ">>> def f(x):\n...     return x * 47\n>>> returned(read(f))\n'x * 47'\n"
    test = doctest.DocTestParser().get_doctest(example, dict(globals()), "docs", None, 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    assert runner.failures == 0


def test_future_annotations(tmp_path, monkeypatch):
    module = import_text(
        tmp_path,
        monkeypatch,
        """
        from __future__ import annotations

        def f(x: Undefined) -> Undefined:
            g = lambda y: y * x
            return g
        """,
    )
    assert returned(read(module.f)) == "g"
    assert returned(read(module.f(2))) == "y * x"


def import_text(tmp_path, monkeypatch, text, name="user_model"):
    path = tmp_path / f"{name}.py"
    path.write_text(textwrap.dedent(text).lstrip("\n"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.invalidate_caches()
    return importlib.import_module(name)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are newer")
def test_type_parameters(tmp_path, monkeypatch):
    module = import_text(tmp_path, monkeypatch, "def f[T](x: T) -> T:\n    return x * 3\n")
    assert returned(read(module.f)) == "x * 3"


def test_a_wide_file_keeps_true_lines(tmp_path, monkeypatch):
    module = import_text(
        tmp_path, monkeypatch, "'''x\r\ny'''\n\n\nif 1:\n  def f(x): return (x,\n    x)\n"
    )
    source = read(module.f)
    assert (source.tree.lineno, source.tree.col_offset) == (6, 2)
    assert returned(source) == "(x,\n    x)"


# Refusals


@pytest.mark.parametrize(
    "fn, words",
    [
        (len, "`len` has no source"),
        (functools.partial(plain, 1), "has no source"),
        (Model, "`Model` has no source"),
        (cached, "`cached` has no source"),
        (3, "no source"),
    ],
)
def test_what_is_not_a_python_function_is_refused(fn, words):
    with pytest.raises(GradientError, match=words) as caught:
        read(fn)
    assert caught.value.fix
    assert isinstance(caught.value, ValueError)


def test_no_source():
    namespace = {}
    exec("def f(x): return x", namespace)
    with pytest.raises(GradientError, match="`f` has no source"):
        read(namespace["f"])


def make_numbers(x):
    y = lambda: (yield)  # noqa: E731
    return [y, (yield x)]


async def fetch(x):
    return x


async def stream(x):
    yield x


@pytest.mark.parametrize("fn", [make_numbers, fetch, stream])
def test_generators_and_coroutines_are_refused(fn):
    with pytest.raises(UnsupportedSyntaxError) as caught:
        read(fn)
    error = caught.value
    assert isinstance(error, SyntaxError)
    assert error.filename == __file__
    lines, first = inspect.getsourcelines(fn)
    assert first <= error.lineno < first + len(lines)
    assert error.source_line in [line.rstrip("\n") for line in lines]


def test_the_caret_stands_under_the_yield():
    with pytest.raises(UnsupportedSyntaxError) as caught:
        read(make_numbers)
    shown, caret = str(caught.value).splitlines()[1:3]
    assert shown[caret.index("^") :].startswith("yield x")


STALE = "def f(x):\n    return x * 2\n\n\ng, h = lambda x: x * 2, lambda x: x * 3\n"


@pytest.mark.parametrize(
    "new, name",
    [
        ("# a new line\n" + STALE, "f"),
        (STALE.replace("x * 2", "x * 4"), "f"),
        (STALE.replace("x * 2", "x + 2"), "f"),
        (STALE.replace("x * 2", "x"), "f"),
        (STALE.replace("f(x)", "f(y)"), "f"),
        (STALE.replace("f(x)", "k(x)"), "f"),
        ("def f(x):\n  return (((\n", "f"),
        (STALE.replace("g, h =", "h, g  ="), "g"),
        (STALE.replace("x * 2, lambda x: x * 3", "x * 3, lambda x: x * 2"), "g"),
        ("1\n", "g"),
    ],
)
def test_a_file_that_changed_since_import_is_refused(tmp_path, monkeypatch, new, name):
    module = import_text(tmp_path, monkeypatch, STALE)
    read(getattr(module, name))
    path = tmp_path / "user_model.py"
    path.write_text(new)
    later = os.stat(path).st_mtime + 10
    os.utime(path, (later, later))
    with pytest.raises(TapelessError, match="the source of") as caught:
        read(getattr(module, name))
    assert "import it again" in str(caught.value)


def test_changes_elsewhere_do_no_harm(tmp_path, monkeypatch):
    module = import_text(tmp_path, monkeypatch, STALE)
    path = tmp_path / "user_model.py"
    path.write_text(STALE.replace("    return x * 2", "    return x * 2  # twice") + "\nz = 1\n")
    os.utime(path, (1, 1))
    assert returned(read(module.f)) == "x * 2"
    assert returned(read(module.h)) == "x * 3"


def test_threads_read_the_same_tree():
    def read_all(_):
        return [gast.dump(read(fn).tree, include_attributes=True) for fn in (double, one_line)]

    reader._files.pop(__file__, None)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(read_all, range(40)))
    assert all(each == found[0] for each in found)


# Helpers


def test_parse_function():
    tree = parse_function(
        """
        @keep
        def f(x):
            return x
        """
    )
    assert isinstance(tree, gast.FunctionDef)
    assert tree.decorator_list == []
    with pytest.raises(TapelessError):
        parse_function("x = 1")


def test_caret_location():
    source = read(Model.method)
    place = caret_location(source, source.tree.body[0].value.left)
    assert place == {
        "filename": __file__,
        "lineno": source.tree.lineno + 1,
        "col_offset": 15,
        "source_line": "        return self.w * x",
    }
    error = pickle.loads(pickle.dumps(TapelessError("no", **place)))
    assert str(error).endswith("no\n    return self.w * x\n           ^")
    made = caret_location(source, gast.Constant(value=1, kind=None))
    assert made["lineno"] is None and str(TapelessError("no", **made)) == f"{__file__}: no"
