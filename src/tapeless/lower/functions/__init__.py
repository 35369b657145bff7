"""What known functions mean entry by entry, by the function itself: a file per family.

A function that stands in no file is not lowered.
"""

from tapeless.lower.functions import (
    contractions as contractions,
)  # fmt: skip
from tapeless.lower.functions import (
    creation as creation,
)  # fmt: skip
from tapeless.lower.functions import (
    elementwise as elementwise,
)
from tapeless.lower.functions import (
    linalg as linalg,
)
from tapeless.lower.functions import (
    pieces as pieces,
)
from tapeless.lower.functions import (
    places as places,
)
from tapeless.lower.functions import (
    precisions as precisions,
)
from tapeless.lower.functions import (
    products as products,
)
from tapeless.lower.functions import (
    reductions as reductions,
)
from tapeless.lower.functions import (
    running as running,
)
from tapeless.lower.functions import (
    shaping as shaping,
)
from tapeless.lower.functions import (
    spread as spread,
)
