"""The pullback of a custom gradient as a function of its own.

    def f(x):                                   def f_pull(upstream, x):
        e = np.exp(x)                               e = np.exp(x)
        def grad(dy):                  ->           def grad(dy):
            return dy * (1 - 1 / (1 + e))               return dy * (1 - 1 / (1 + e))
        return np.log(1 + e), grad                  return grad(upstream)

It is the body of `f`, with every `return y, grad` turned into a return of what `grad` gives. Such a
function is ordinary code. So it says what the derivatives of the rule are where the rule cannot be
spliced: its derivative in the other arguments is the next order, through what `grad` captures; and
since it is linear in its upstream, its derivative in the upstream is the tangent of `f`.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from tapeless.analysis.repeatable import text_draws
from tapeless.differentiate.custom.callees import Written
from tapeless.differentiate.custom.customs import Custom, NotSplicedError
from tapeless.differentiate.custom.open_text import bind_entries, bindings_of
from tapeless.differentiate.custom.pullback_text import PullbackText
from tapeless.differentiate.custom.run_once import Once, needs_again, runs_once
from tapeless.differentiate.writer import Writer
from tapeless.kinds import Dict, Kind, Tuple
from tapeless.protocol.authors import Key
from tapeless.tree.build import name
from tapeless.tree.names import free_names, parameters
from tapeless.tree.trees import Expr, Stmt


def pullback_function(sweep: Writer, s: Stmt, custom: Custom, wanted: tuple[Key, ...]) -> Written:
    """Write the pullback of a custom gradient for the operands at `wanted`.

    It returns their gradients, fitted: a bare one if there is one.

    Raises
    ------
    NotSplicedError
        If the text of `f` does not show what `grad` takes and returns.
    """
    if custom.text is None:
        raise NotSplicedError("its source cannot be read")
    bound = bind_entries(sweep, custom)
    bindings = bindings_of(custom.text.tree, bound)
    captured = captured_names(sweep, custom)
    kind = sweep.result(s).kind
    writer = PullbackText(sweep, s, custom, bound, kind, wanted)
    tree = writer.write(captured)
    arguments = [bindings[p] for p in parameters(custom.text.tree)]
    arguments += [name(c) for c in captured]
    written = Written(tree, writer.externals, arguments)
    once = runs_once(sweep, s, custom)
    if once is None and text_draws(written.tree, written.externals):
        once = Once(True)
    if once is not None and needs_again(sweep, s, written, once):
        raise NotSplicedError(f"its gradient depends on {once.why}", once.fix)
    return written


def called_pullback(
    sweep: Writer, s: Stmt, custom: Custom, wanted: tuple[Key, ...], upstream: Expr
) -> Any:
    """Write a call of the pullback, and the pullback into the module on first demand."""
    written = pullback_function(sweep, s, custom, wanted)
    counts = bindings_key(written.arguments)
    captured = tuple(captured_names(sweep, custom))  # in the order of their names here
    where = (custom.function, captured, wanted, _shape(sweep.result(s).kind), counts)
    module = sweep.module
    if where not in module.pullbacks:
        module.add_text(written.tree, written.externals, custom.filename)
        module.pullbacks[where] = written.tree.name
    passed = [upstream, *copy.deepcopy(written.arguments)]
    return gast.Call(name(module.pullbacks[where]), passed, [])


def bindings_key(arguments: list[Expr]) -> tuple[Any, ...]:
    """Tell apart calls with different numbers of items for `*args` and `**kwargs`."""
    return tuple(
        len(v.elts) if type(v) is gast.Tuple else len(v.keys) if type(v) is gast.Dict else 0
        for v in arguments
    )


def _shape(kind: Kind) -> Any:
    return kind if isinstance(kind, Dict) else len(kind.items) if isinstance(kind, Tuple) else 0


def captured_names(sweep: Writer, custom: Custom) -> list[str]:
    """List the names of the function around it that a local custom gradient reads."""
    if custom.text is None or type(custom.function) is not gast.FunctionDef:
        return []
    return sorted(free_names(custom.text.tree) & sweep.function.local)
