"""The derivatives of SciPy's functions, one file per subpackage, loaded when one is met.

tapeless does not depend on SciPy and never imports it. A function of SciPy's that stands in a
program has been imported by the user: the rules of its subpackage are registered when the rule of
one of its functions is first asked for. `declare.find_rule` does that, and nothing else does.
"""

from tapeless.rules.on_demand import rules_on_demand

rules_on_demand(
    {
        "scipy.special": "tapeless.rules.scipy.special",
        "scipy.fft": "tapeless.rules.scipy.fft",
        "scipy.fftpack": "tapeless.rules.scipy.fftpack",
        "scipy.integrate": "tapeless.solvers.integrate",
        "scipy.interpolate": "tapeless.rules.scipy.interpolate",
        "scipy.ndimage": "tapeless.rules.scipy.ndimage",
        "scipy.spatial": "tapeless.rules.scipy.spatial",
        "scipy.optimize": "tapeless.solvers.optimize",
        "scipy.linalg": "tapeless.rules.scipy.linalg",
        "scipy.signal": "tapeless.rules.scipy.signal",
        "scipy.sparse": "tapeless.rules.scipy.sparse",
        "scipy.stats": "tapeless.rules.scipy.stats",
        "statistics": "tapeless.rules.python_statistics",
    }
)
