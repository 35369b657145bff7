"""The core language is checked after every pass, and a wrong tree is reported with the pass's name."""

import gast
import pytest

import tapeless as tl
from tapeless import optimize, pipeline
from tapeless.errors import InternalError
from tapeless.tree.build import name, quote, quote_expression, target
from tapeless.tree.grammar import verify


def function_of(text):
    [function] = quote("def f(x, n):\n" + "\n".join("    " + line for line in text.splitlines()))
    return function


@pytest.mark.parametrize(
    "text",
    [
        "y = x * n\nreturn y",
        "for i in range(n):\n    x[i] = n\n    if n > 2:\n        break\nreturn x",
        "a, b = x\nx.y += a\nassert n > 0\nraise x",
        "def g(z):\n    return z\nv = g(x)\nreturn v",
    ],
)
def test_in_the_core_language(text):
    verify(function_of(text), "core", after="test")


@pytest.mark.parametrize(
    "text, what",
    [
        ("y = z = x\nreturn y", "several targets"),
        ("return x + n", "where a name or a literal"),
        ("y = lambda: x\nreturn y", "`lambda`"),
        ("y = (z := x)\nreturn y", "`:=`"),
        ("del x\nreturn n", "Delete as a statement"),
        ("x[0] = n * n\nreturn x", "where a name or a literal"),
        ("x = x * n\nreturn x", "an operand that its own operation binds"),
        ("with x:\n    global n\nreturn x", "Global as a statement"),
        ("with x as n.y:\n    pass\nreturn n", "no name bound by `with`"),
    ],
)
def test_not_in_the_core_language(text, what):
    verify(function_of(text), "python", after="test")
    with pytest.raises(InternalError, match="the pass 'test' left") as caught:
        verify(function_of(text), "core", after="test")
    assert what in str(caught.value)


def test_malformed_trees():
    def check(spoil, what):
        function = function_of("for i in x:\n    y = x\n    break\nreturn y")
        spoil(function)
        with pytest.raises(InternalError) as caught:
            verify(function, "derivative", after="test")
        assert what in str(caught.value)

    check(lambda f: f.body.append(f.body[1]), "in two places")
    check(lambda f: f.body.append(f.body[0].body[1]), "in two places")
    check(lambda f: f.body.append(gast.Break()), "a jump outside of loops")
    check(lambda f: f.body[0].body.clear(), "an empty block")
    check(lambda f: setattr(f.body[0].body[0], "fact", 1), "a fact, fact,")
    check(lambda f: setattr(f.body[0].body[0], "targets", [name("y")]), "that is read")
    check(lambda f: setattr(f.body[0].body[0], "value", target("y")), "that is bound")
    check(lambda f: setattr(f.body[0].body[0], "targets", [quote_expression("f(x)")]), "as a place")
    check(lambda f: f.body.insert(0, name("x")), "Name as a statement")
    check(lambda f: delattr(f.body[1], "value"), "Return without its value")


def product(x, y):
    return x * y + x


def test_a_pass_that_breaks_the_tree_is_named(monkeypatch):
    def shorten(function, context):
        function.body[-1].body = []
        return function

    monkeypatch.setattr(optimize, "PASSES", (*optimize.PASSES, shorten))
    with pipeline.trace(lambda name, tree: None), pytest.raises(InternalError, match="'shorten'"):
        tl.source(product, like=(1.0, 2.0))


def test_trace_sees_every_pass():
    seen = []
    with pipeline.trace(lambda name, tree: seen.append((name, tree.name))):
        tl.source(product, like=(1.0, 2.0))
    names = [name for name, _ in seen]
    assert [n for n in names if n in ("three_address", "differentiate")] == [
        "three_address",
        "differentiate",
    ]  # fmt: skip
    assert {each.__name__ for each in optimize.PASSES} <= set(names)
    assert names[-1] == "optimize" and seen[-1][1] == "product_grad"
    count = len(seen)
    tl.source(product, like=(1.0, 2.0))
    assert len(seen) == count


def test_print_pass(capsys):
    with pipeline.trace(pipeline.print_pass):
        tl.source(product, like=(1.0, 2.0))
    shown = capsys.readouterr().out
    assert "# product after three_address\ndef product(x, y):\n    v = x * y\n" in shown
