"""The kind of what a function returns, given the kinds of its arguments, family by family."""
