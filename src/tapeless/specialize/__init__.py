"""Rewrites by kind: what a statement means once it is known what its operands are.

Normalization knows the syntax alone. What `a + b` or `items.sort()` means depends on what `a` and `items`
are, which the analysis finds; here such statements are written in the core language, and the function
is analysed again as it then stands.
"""
