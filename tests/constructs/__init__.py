"""Constructs that programs of strangers use, each in the forms in which they write it.

The modules hold `ROWS`, the programs of each construct, and `WAYS_OUT`: for a program that is refused,
one that does what the refusal says.
"""
