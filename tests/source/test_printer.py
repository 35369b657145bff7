"""Printed text must parse back to the tree it came from, and read as black would write it."""

import ast
import functools
import itertools
import pathlib
import random
import sysconfig
import textwrap

import gast
import pytest

from tapeless.source.printer import unparse
from tapeless.tree.comments import comment, is_comment


def dumped(tree):
    for part in ast.walk(tree):
        if isinstance(part, ast.Constant):
            part.kind = None
    return ast.dump(tree)


def assert_round_trip(tree):
    assert dumped(ast.parse(unparse(tree))) == dumped(tree)


# The standard library


def same(one, other):
    """What `ast.dump(one) == ast.dump(other)` says but for `kind`, in a fraction of the time."""
    if type(one) is not type(other):
        return False
    if isinstance(one, ast.Constant):
        return repr(one.value) == repr(other.value)
    if isinstance(one, ast.AST):
        return all(
            same(getattr(one, name, None), getattr(other, name, None)) for name in one._fields
        )
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def test_what_is_the_same():
    texts = [
        "x",
        "x()",
        "1",
        "1.0",
        "True",
        "'1'",
        "-0.0",
        "0.0",
        "f(x)",
        "f(*x)",
        "x + 1",
        "x - 1",
    ]
    for one, other in itertools.product(texts, repeat=2):
        assert same(ast.parse(one), ast.parse(other)) == (one == other)


@functools.cache
def standard_library():
    root = pathlib.Path(sysconfig.get_path("stdlib"))
    files = sorted(root.rglob("*.py"))
    return [path for path in files if "site-packages" not in path.parts]


def of_the_language():
    """List the files of the library that are about syntax; a Python may come without its tests."""
    stems = (
        "ast coroutines decorators dictcomps extcall fstring generators grammar keywordonlyarg "
        "named_expressions patma positional_only_arg string_literals syntax type_annotations "
        "unpack_ex unparse with"
    )
    names = {f"test_{stem}.py" for stem in stems.split()}
    return [path for path in standard_library() if path.name in names]


def parsed(path):
    try:
        return ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):  # samples of broken syntax
        return None


PORTIONS = 40
SAMPLED = 4  # one file in so many


@pytest.mark.parametrize("portion", range(0, PORTIONS, SAMPLED))
@pytest.mark.filterwarnings("ignore")
def test_round_trip_of_the_standard_library(portion, all_samples):
    chosen = range(portion, portion + (SAMPLED if all_samples else 1))
    paths = [path for i in chosen for path in standard_library()[i::PORTIONS]]
    trees = {path: parsed(path) for path in {*paths, *(of_the_language() if portion == 0 else [])}}
    wrong = []
    for path, tree in trees.items():
        if tree is not None and not same(ast.parse(unparse(tree)), tree):
            wrong.append(str(path))
    assert not wrong
    assert any(tree is not None for tree in trees.values())


# Random expressions


def random_expression(rng, depth):
    if depth == 0:
        leaves = ["x", "y.z", "1", "2.5", "3j", "f(x)", "a[0]", "'s'", "()", "True", "1e309"]
        return ast.parse(rng.choice(leaves), mode="eval").body
    part = lambda: random_expression(rng, rng.randrange(depth))  # noqa: E731
    kinds = [
        lambda: ast.BinOp(part(), rng.choice(OPERATORS)(), part()),
        lambda: ast.BinOp(part(), ast.Pow(), part()),
        lambda: ast.UnaryOp(rng.choice(UNARY)(), part()),
        lambda: ast.BoolOp(rng.choice([ast.And, ast.Or])(), [part(), part()]),
        lambda: ast.Compare(part(), [ast.Lt(), ast.NotIn()], [part(), part()]),
        lambda: ast.IfExp(part(), part(), part()),
        lambda: ast.Call(part(), [part()], [ast.keyword("k", part())]),
        lambda: ast.Subscript(part(), ast.Slice(part(), part(), part()), ast.Load()),
        lambda: ast.Subscript(part(), ast.Tuple([part(), part()], ast.Load()), ast.Load()),
        lambda: ast.Attribute(part(), "t", ast.Load()),
        lambda: ast.Tuple([part() for _ in range(rng.randrange(4))], ast.Load()),
        lambda: ast.Lambda(NO_ARGUMENTS, part()),
        lambda: ast.NamedExpr(ast.Name("w", ast.Store()), part()),
        lambda: ast.Await(part()),
        lambda: ast.Yield(part()),
        lambda: ast.Dict([part(), None], [part(), part()]),
        lambda: ast.GeneratorExp(part(), [ast.comprehension(TARGET, part(), [part()], 0)]),
        lambda: ast.JoinedStr([ast.FormattedValue(part(), -1, None)]),
    ]
    return rng.choice(kinds)()


OPERATORS = [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult]
OPERATORS += [ast.LShift, ast.RShift, ast.BitOr, ast.BitXor, ast.BitAnd]
UNARY = [ast.UAdd, ast.USub, ast.Invert, ast.Not]
NO_ARGUMENTS = ast.parse("lambda: 0", mode="eval").body.args
TARGET = ast.Name("i", ast.Store())


@pytest.mark.parametrize("seed", range(40))
def test_round_trip_of_random_expressions(seed):
    rng = random.Random(seed)
    for _ in range(50):
        expression = random_expression(rng, rng.randrange(1, 6))
        for statement in (
            ast.Expr(expression),
            ast.Assign([ast.Name("v", ast.Store())], expression),
            ast.Return(expression),
            ast.If(expression, [ast.Pass()], []),
            ast.For(ast.Name("v", ast.Store()), expression, [ast.Pass()], []),
            ast.With([ast.withitem(expression, None)], [ast.Pass()]),
            ast.Assert(expression, expression),
        ):
            statement.type_comment = None
            assert_round_trip(ast.Module([statement], []))


@pytest.mark.parametrize("seed", range(10))
def test_long_random_expressions_are_wrapped(seed):
    rng = random.Random(seed)
    for _ in range(20):
        items = [random_expression(rng, 3) for _ in range(12)]
        call = ast.Call(ast.Name("function", ast.Load()), items, [])
        assert_round_trip(ast.Module([ast.Expr(call)], []))
        chain = items[0]
        for item in items[1:]:
            chain = ast.BinOp(chain, rng.choice(OPERATORS)(), item)
        assert_round_trip(ast.Module([ast.Return(chain)], []))


# Spelling

EXPRESSIONS = """
x[1:2, ::3]
x[(1, 2):3]
x[[1, 2]:]
x[a + 1 : b]
x[: n - 1]
x[n - 1 :]
x[:: n + 1]
x[a:b:c]
x[-1:]
x[i]
x[i, j]
x[i,]
x[*i]
x[*i, j]
x[()]
x[f(i) : g(j) : 2]
x[..., None]
h**2
a.b**-2
x ** f(y)
x[0] ** 2
(-x) ** 2
-(x**2)
2 ** -f(x)
(a**b) ** c
a ** b**c
-x * y
-(x * y)
a - (b - c)
a - b - c
a / (b * c)
a * b / c
(a + b) * c
a @ b.T
a < b < c
(a < b) < c
not a in b
not (a and b)
(not a) == b
a and b or c
a and (b or c)
a if b else c if d else e
(a if b else c) if d else e
lambda: 0
lambda x, /, y=1, *z, k, **m: x + y
(lambda x: x)(1)
f(*a, **b)
f(a, b=c)
f(x for x in y)
f((x for x in y), 1)
f((yield))
[x for x, y in z if a if b]
{x: y for x in z}
{1, 2}
{**a, "b": 1}
{}
()
(1,)
a, b
(a, b), c
(x := 1)
f(x := 1)
"a"
'"'
"'"
"\\"'"
"\\n\\t\\\\\\x00é"
b"a\\xff"
f"{x} {y!r:>{w}} {{}}"
f"{x['a']}"
f"{ {1: 2}[1]}"
f"{(lambda x: 1)}"
f"{x = }"
1e309
1j
(1).real
(1.5).real
1.0
1e-10
...
await_
x.y.z(1)[2]
~x
not x
"""


@pytest.mark.parametrize("text", EXPRESSIONS.strip().splitlines())
def test_spelling_of_expressions(text):
    written = unparse(ast.parse(text, mode="eval"))
    respelled = {'f"{x = }"': 'f"x = {x!r}"'}
    assert written == respelled.get(text, text)
    assert ast.dump(ast.parse(written, mode="eval")) == ast.dump(ast.parse(text, mode="eval"))


STATEMENTS = [
    "return a, b",
    "return",
    "return (yield x)",
    "for i, x in enumerate(y):\n    pass\nelse:\n    break",
    "a = b, c = d",
    "(a,) = b",
    "a = (*b, c)",
    "a += (1, 2)",
    "a = (1, 2)",
    "a: b = (1, 2)",
    "for x in (a, b):\n    pass",
    "x: int = 1",
    "(x): int",
    "x.y: int",
    "del a, b[0]",
    "assert a, b",
    "raise A from b",
    "global a, b",
    "import a.b as c, d",
    "from . import a",
    "from ..b import *",
    "from .b import c as d, e",
    "if x := 1:\n    pass",
    "if a:\n    b\nelif c:\n    d\nelse:\n    e",
    "while a:\n    continue",
    "with a as b, c as (d, e), f:\n    pass",
    "with ((a, b)):\n    pass",
    "try:\n    a\nexcept (B, C) as d:\n    e\nexcept:\n    f\nelse:\n    g\nfinally:\n    h",
    "try:\n    a\nexcept* B:\n    c",
    "async def f():\n    async with a as b:\n        await c\n    async for d in e:\n        pass\n"
    "    return [x async for x in y]",
    "@a.b(1)\n@c\ndef f(x, /, y: int = 1, *a: b, z=2, **k) -> int:\n    return x",
    "def f(*, x): ...",
    "class A(B, metaclass=C):\n    x = 1",
    "class A: ...",
    "lambda x=(1, 2): x",
    "print(x)",
    "yield",
    "x = yield y",
    "await x",
    "match x, y:\n"
    "    case [1, -2.5, 'a' | None, *_] if z:\n        pass\n"
    "    case {'k': [a, b], **rest} | A(1, x=(B() as c)):\n        pass\n"
    "    case a.b as d:\n        pass\n"
    "    case _:\n        pass",
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_spelling_of_statements(text):
    written = unparse(ast.parse(text))
    assert ast.dump(ast.parse(written)) == ast.dump(ast.parse(text))
    if not text.startswith("match"):
        assert written == text + "\n"


@pytest.mark.skipif(not hasattr(ast, "TypeAlias"), reason="Python 3.12 brought type parameters")
def test_type_parameters():
    text = "def f[T: int, *U, **V](x: T) -> T:\n    return x\n\n\ntype A[T] = list[T]\n"
    assert unparse(ast.parse(text)) == text


@pytest.mark.skipif(not hasattr(ast, "TypeAlias"), reason="Python 3.12 brought nested quotes")
def test_strings_that_need_the_newer_f_strings():
    for text in [
        r"""f"{'\n'.join(x)}" """,
        """f"{x["a"]['b' + f"{'c'}"]}" """,
        r'''f"{f"{f"{f"{f"{'a' + "\\"}"}"}"}"}"''',
    ]:
        assert_round_trip(ast.parse(text.strip()))


NESTED_STRINGS = [
    """f"{x['a']}" """,
    """f'{x["a"]}\\'' """,
    '''f"""{x['a']["b"]}"""''',
    """f'''{f"{x!r:{w}.{p}}"}'''""",
    """f"{x!r:^{width}}{y!s}{z!a}" """,
    """f"{'a'}" "b\\n{}" """,
    """f'"{x}"' """,
    """f"{{{x}}}" """,
    """f"{x:%H:%M}" """,
    """f"{x if y else 'z'}" """,
    """f"{(x := 5)}{x != y}" """,
    """f"{ {x for x in y} }" """,
    """f"{yield_}{*a, b}" """,
]


@pytest.mark.parametrize("text", NESTED_STRINGS)
def test_nested_strings(text):
    assert_round_trip(ast.parse(text.strip()))


@pytest.mark.parametrize("value", [-1, -2.5, -1j, 1 - 2j, -float("inf"), (1, (2.0, -3)), (1,)])
def test_constants_that_no_text_gives(value):
    power = ast.BinOp(ast.Constant(value), ast.Mult(), ast.Name("x"))
    assert eval(unparse(power), {"x": 1}) == value
    if not isinstance(value, tuple):
        square = ast.BinOp(ast.Constant(value), ast.Pow(), ast.Constant(2))
        assert eval(unparse(square)) == value**2


def test_not_a_number():
    assert eval(unparse(ast.Constant(float("nan")))) != 0


# Comments, docstrings and blank lines


def test_comments():
    tree = gast.parse("def f(x):\n    y = x\n    return y\n")
    body = tree.body[0].body
    body.insert(0, comment("Forward sweep"))
    body.insert(2, comment("Reverse sweep\nof `f`"))
    assert is_comment(body[0]) and not is_comment(body[1])
    assert unparse(tree) == textwrap.dedent(
        """\
        def f(x):
            # Forward sweep
            y = x
            # Reverse sweep
            # of `f`
            return y
        """
    )
    assert unparse(body[0]) == "# Forward sweep\n"


def test_a_block_of_comments_alone_is_passed():
    tree = gast.parse("if x:\n    pass\n")
    tree.body[0].body = [comment("nothing")]
    assert unparse(tree) == "if x:\n    # nothing\n    pass\n"


def test_a_comment_is_no_docstring():
    tree = gast.parse("def f():\n    pass\n")
    tree.body[0].body.insert(0, comment("c"))
    assert unparse(tree) == "def f():\n    # c\n    pass\n"


def test_a_comment_stays_with_the_definition_below():
    tree = gast.parse("x = 1\ndef f():\n    pass\ny = 2")
    tree.body.insert(1, comment("about f"))
    assert unparse(tree) == ("x = 1\n\n\n# about f\ndef f():\n    pass\n\n\ny = 2\n")


DOCSTRINGS = [
    "one line",
    "two\n\n    lines\n    ",
    'a "quote"',
    'three """ of them',
    "\\ \t \r é",
    "",
]


@pytest.mark.parametrize("content", DOCSTRINGS)
def test_docstrings(content):
    tree = ast.parse("class A:\n    def f(x):\n        'd'\n        return x")
    tree.body[0].body[0].body[0].value.value = content
    text = unparse(tree)
    assert '"""' in text
    assert_round_trip(tree)


PRETTY = '''\
"""Module."""

import a
from b import c

x = 1


@c
def f(x):
    """Doc."""

    def g(y):
        return y

    z = g(x)
    if z:

        def h(y):
            return y

    else:
        import q

        h = g
    return h


class A:
    """Doc."""

    def m(self):
        pass

    y = 2

    def n(self):
        pass


f(1)
'''


def test_blank_lines():
    assert unparse(ast.parse(PRETTY)) == PRETTY


# Wrapping

LONG = [
    """\
a_long_name_of_a_result = some_function_with_a_name(
    argument_number_one, argument_number_two, argument_three
)
""",
    """\
a_long_name_of_a_result = some_function_with_a_name(
    argument_number_one_is_long,
    argument_number_two_is_long,
    keyword_number_three_is_long=argument_three,
)
""",
    """\
def a_function_with_many_parameters(
    parameter_number_one, parameter_number_two, parameter_three=3, *, four
):
    return (
        parameter_number_one * np.sin(parameter_number_two)
        - parameter_three * np.cos(four) ** 2
        + parameter_number_one
    )
""",
    """\
def f():
    return [
        first_element_of_a_list_that_is_long,
        second_element_of_a_list_that_is_long,
        third_element_of_a_list,
    ]
""",
    """\
def f():
    return (
        first_element_of_a_tuple_that_is_long,
        second_element_of_a_tuple_that_is_long,
        third_element,
    )
""",
    """\
x[1:2] = (
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb + ccccccccc
)
""",
    """\
from module_with_a_long_name import (
    first_of_the_imported_names,
    second_of_the_imported_names,
    third_of_the_imported_names,
)
""",
    """\
options = {
    "first key (with brackets": value_of_the_first_key,
    "second key": value_of_the_second_key,
    **remaining_options,
}
""",
    """\
if (
    condition_number_one_of_many
    and condition_number_two_of_many
    or condition_number_three_of_many
    and condition_number_4
):
    pass
""",
    """\
w_bar = np.add.reduce(
    [
        row_bar * some_function_of_a_row(row, seed, axis)
        for row, row_bar in zip(rows, rows_bar)
        if row is not None
    ]
)
""",
    """\
(
    first_of_the_results_with_a_long_name,
    second_of_the_results_with_a_long_name,
    third_of_the_results,
) = some_function(x)
""",
    """\
names = {
    ("first_of_the_results_with_a_long_name", "second_of_the_results_"): (
        "first_of_the_results",
        "nameeeee",
    ),
    "short": 1,
}
""",
    """\
assert isinstance(
    a_value_that_has_a_long_name, (FirstOfTheClassesToTest, SecondOfTheClassesToTest, Third)
)
""",
]


@pytest.mark.parametrize("text", LONG)
def test_wrapping(text):
    assert unparse(ast.parse(text)) == text
    assert all(len(line) <= 100 for line in text.splitlines())


# Both kinds of tree


@pytest.mark.parametrize("text", STATEMENTS)
def test_trees_of_gast_print_alike(text):
    assert unparse(gast.parse(text)) == unparse(ast.parse(text))


def test_parts_of_trees():
    tree = gast.parse("def f(x):\n    return x[1:2] + 1\n").body[0]
    assert unparse(tree) == "def f(x):\n    return x[1:2] + 1\n"
    assert unparse(tree.body[0]) == "return x[1:2] + 1\n"
    assert unparse(tree.body[0].value) == "x[1:2] + 1"
    assert unparse(tree.body[0].value.left.slice) == "1:2"
    assert unparse(tree.args) == "x"
    assert unparse(tree.args.args[0]) == "x"
    assert unparse(gast.parse("")) == ""


def test_gast_trees_are_left_alone():
    tree = gast.parse("y = x + 1")
    before = gast.dump(tree, include_attributes=True)
    unparse(tree)
    assert gast.dump(tree, include_attributes=True) == before


def test_gast_statements_built_by_hand():
    name = lambda n, c: gast.Name(n, c, None, None)  # noqa: E731
    call = gast.Call(name("f", gast.Load()), [gast.Constant(1.0, None)], [])
    assert unparse(gast.Assign([name("y", gast.Store())], call, None)) == "y = f(1.0)\n"


def test_all_pairs_of_operators():
    texts = ["x + y", "x * y", "x**y", "-x", "not x", "x < y", "x or y", "x if y else z"]
    trees = [ast.parse(text, mode="eval").body for text in texts]
    for outer, inner in itertools.product(OPERATORS + [ast.Pow], trees):
        for left, right in [(inner, trees[0]), (trees[1], inner)]:
            tree = ast.Expression(ast.BinOp(left, outer(), right))
            assert ast.dump(ast.parse(unparse(tree), mode="eval")) == ast.dump(tree)
