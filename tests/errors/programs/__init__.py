"""Programs that are refused, each for one reason, one file per topic; `test_errors.py` keeps what is said.

New programs go to the end of their file: the messages tell lines.
"""

import numpy as np

X = np.array([0.6, 1.4, 2.3])
A = np.array([[2.0, 0.3], [0.1, 1.5]])
PROGRAMS = {}
WAYS_OUT = {}
LATER = set()  # the names of programs that later versions of NumPy run


def refused(*args, ask=None, way=None, since="2.0.0"):
    """Take a program with the arguments for which it is refused, and what is asked of it.

    Without `ask` that is its gradient, and its derivative in forward mode. The program `way` goes the way
    out that the message tells: it is differentiated. `since` is the first NumPy by which the program runs.
    """

    def take(function):
        topic = function.__module__.rpartition(".")[2]
        PROGRAMS.setdefault(topic, {})[function.__name__] = function, args, ask
        if np.lib.NumpyVersion(np.__version__) < since:
            LATER.add(function.__name__)
        if way is not None:
            WAYS_OUT[way] = args
        return function

    return take
