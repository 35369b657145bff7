"""Sets of classes of nodes that are asked for together.

The classes of the grammar have no subclasses but that of a context, so `type(tree) in LOOPS` asks what
`isinstance` would, in a fraction of the time: every pass asks it of every part of a function.
"""

from __future__ import annotations

import gast


class Plainly(gast.Store):
    """The context of an attribute that is stored past the `__setattr__` of its owner's class.

    It is printed as `object.__setattr__(o, "p", v)`. Where no class has such a method of its own, the
    context is `Store`, as of any other place.
    """


# Expressions
ATOMS = frozenset({gast.Constant, gast.Name})
DOTTED = frozenset({gast.Attribute, gast.Name})
SLOTS = frozenset({gast.Attribute, gast.Subscript})
PLACES = SLOTS | DOTTED
OF_AN_OWNER = SLOTS | {gast.Starred}
DISPLAYS = frozenset({gast.List, gast.Tuple})
ARITHMETIC = frozenset({gast.BinOp, gast.UnaryOp})
COMPUTED = ARITHMETIC | {gast.Compare}
FUNCTIONS = frozenset({gast.FunctionDef, gast.Lambda})
COMPREHENSIONS = frozenset({gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp})
DELAYED = COMPREHENSIONS | {gast.Lambda}
YIELDS = frozenset({gast.Yield, gast.YieldFrom})

# Operators
ADDITIVE = frozenset({gast.Add, gast.Sub})
MULTIPLICATIVE = frozenset({gast.Div, gast.Mult})
POLYNOMIAL = ADDITIVE | {gast.Mult}
EQUALITY = frozenset({gast.Eq, gast.NotEq})
ORDERING = frozenset({gast.Gt, gast.GtE, gast.Lt, gast.LtE})
IDENTITY = frozenset({gast.Is, gast.IsNot})
MEMBERSHIP = frozenset({gast.In, gast.NotIn})
STORED = frozenset({gast.Store, Plainly})
READ_OR_GIVEN = frozenset({gast.Load, gast.Param})

# Statements
ASSIGNMENTS = frozenset({gast.Assign, gast.AugAssign})
DEFINITIONS = frozenset({gast.ClassDef, gast.FunctionDef})
SCOPE_DECLARATIONS = frozenset({gast.Global, gast.Nonlocal})
LOOPS = frozenset({gast.For, gast.While})
TESTED = frozenset({gast.If, gast.While})
BRANCHING = LOOPS | TESTED
ATTEMPTS = frozenset({gast.Try, gast.With})
COMPOUND = BRANCHING | ATTEMPTS
ITERATIONS = frozenset({gast.For, gast.comprehension})
RAISING = frozenset({gast.Assert, gast.Raise})
ENDING = frozenset({gast.Raise, gast.Return})
BREAKING = frozenset({gast.Break, gast.Return})
LOOP_JUMPS = frozenset({gast.Break, gast.Continue})
LEAVING = LOOP_JUMPS | BREAKING
JUMPS = LEAVING | ENDING
SIMPLE = frozenset({*ASSIGNMENTS, gast.Expr, gast.Assert, gast.Pass, *JUMPS})
UNDERSTOOD = SIMPLE | BRANCHING
