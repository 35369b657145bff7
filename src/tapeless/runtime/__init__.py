"""All that generated code may import: each an ordinary, documented function.

The functions ask for ranks and shapes in plain `if`s. Where the tool knows the answers it folds
the tests and prints the branch that remains; where it does not, the call stays in the text. So the
same text serves generated code of every rank, and can be read and run by itself.

Generated text imports them from here, wherever they are written. What one of the files below defines
under a public name is a helper.
"""

# ruff: noqa: F403
from tapeless.runtime.adjoints import *
from tapeless.runtime.boundary import *
from tapeless.runtime.broadcasting import *
from tapeless.runtime.counters import *
from tapeless.runtime.creation import *
from tapeless.runtime.differences import *
from tapeless.runtime.einsum import *
from tapeless.runtime.elementwise import *
from tapeless.runtime.fourier import *
from tapeless.runtime.functions import *
from tapeless.runtime.groups import *
from tapeless.runtime.heaps import *
from tapeless.runtime.linalg import *
from tapeless.runtime.mappings import *
from tapeless.runtime.memory import *
from tapeless.runtime.overlaps import *
from tapeless.runtime.padding import *
from tapeless.runtime.parts import *
from tapeless.runtime.polynomials import *
from tapeless.runtime.powers import *
from tapeless.runtime.products import *
from tapeless.runtime.pullbacks import *
from tapeless.runtime.quantiles import *
from tapeless.runtime.queues import *
from tapeless.runtime.reductions import *
from tapeless.runtime.selection import *
from tapeless.runtime.sequences import *
from tapeless.runtime.shapes import *
from tapeless.runtime.small_vectors import *
from tapeless.runtime.snapshots import *
from tapeless.runtime.solutions import *
from tapeless.runtime.sparse import *
from tapeless.runtime.sparse_eigenpairs import *
from tapeless.runtime.sparse_joins import *
from tapeless.runtime.sparse_parts import *
from tapeless.runtime.sparse_products import *
from tapeless.runtime.sparse_solves import *
from tapeless.runtime.state import *
from tapeless.runtime.statistics import *
from tapeless.runtime.tangents import *
from tapeless.runtime.vectorized import *
