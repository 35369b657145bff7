"""Derivatives that another process wrote: their texts are kept in files and loaded from there.

A derivative is written for a function and for kinds of arguments, and depends on much else: on the
functions that it calls, the classes of the objects that it meets, the globals and captured things
that all of these name, the rules that users registered. In one process the guard of a derivative
knows all of it by identity. In another process there are other objects, so what identity says there
must be said by content.

`contents` describes all that a derivative may depend on. It starts from the function and the
arguments and goes through everything that they reach: of a function its code, its lines in the file,
its defaults, what it captures and the globals that its code names; of a class all its members; of a
module the attributes that the functions name; of a plain value its kind, for that is what the guard
asks of it. What is met gets a number, in the order in which it is met, and a line of text in which
others stand by their numbers. The lines together are the *description*, and its hash is the name of
the file. Nothing is transformed for it, and no file but the user's sources is read. Two processes
with one description have met things of the same content in the same order, so number 7 in one of them
is what number 7 is in the other. That binds the names of the kept text again: a global is "the name
`scale` in namespace 3", a captured thing "cell 5", a class "thing 9".

The description holds more than a derivative can depend on, never less, and that is checked: before an
entry is written, every place that the guard watches must be one that the description covers. Where
it is not, or where something has no content that could be compared (a ufunc made at run time, an
object of C code that is called), the derivative is not kept. It is described a second time when it has
been written, so that what changed meanwhile is not taken for what was read.

`entries` writes the text of a derivative, what binds its names, and what the guard watches as one
JSON text, and reads it. `folder` has the files: written whole or not at all, read only where nobody
but their owner could have written them. An entry that cannot be read counts as none.
"""
