"""Random programs, and programs rewritten so that their meaning stays: what nobody thought of.

The other tests ask what their authors had in mind. Here programs are drawn over the whole language,
or taken from the zoo, or rewritten in ways that cannot change their derivatives (a statement moved
into a helper, a local kept in an attribute, a body under `if True`). Of each, only three outcomes
are right: the derivative is right, it is refused with a reason, or the program itself does not run.

=================  ==========================================================================
`language`         the kinds of values, and the writer of well-typed text
`expressions`      what may stand to the right of `=`
`statements_*`     what may stand on a line, by topic
`generator`        puts a module together: arguments, helpers, classes, state outside, a function
`rewrites`         changes of the text that keep the meaning
`sources`          a seed makes a program: drawn, of the zoo, rewritten
`program`          a text and what it is called with, loaded as a module of its own
`checks`           the outcome of a program in every mode
`minimize`         drops statements as long as the outcome stays
`tasks`            some seeds, checked in one process
`__main__`         `python -m tests.random_programs --seed 1 --count 300 [--deep] [--report DIR]`
=================  ==========================================================================

Every program is a function of its seed alone.
"""
