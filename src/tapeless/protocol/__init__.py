"""What a custom gradient and its caller owe each other, at run time.

`f(*x)` returns its value `y` and a function `grad`; `grad` takes upstream gradients and returns
gradients. The two sides are matched by structure: how many upstreams `grad` receives follows from what
it can take, and what it returns is read as one structure per parameter of `f` or as the flat list of all
leaves, whichever fits.

Where a derivative is written and all this can be seen in the text, it is settled then and none of
these functions appears. Generated code imports them from here for the rest.
"""

from tapeless.protocol.gradients import check_gradient_count as check_gradient_count
from tapeless.protocol.gradients import fit_gradient as fit_gradient
from tapeless.protocol.gradients import fit_structure as fit_structure
from tapeless.protocol.gradients import unfitted as unfitted
from tapeless.protocol.pullbacks import open_custom as open_custom
from tapeless.protocol.pullbacks import variables_read_by as variables_read_by
from tapeless.protocol.upstreams import upstream_like as upstream_like
