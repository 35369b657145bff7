"""Modules and edits of them, each of which changes what the derivative of `f` depends on."""

# name: (module, what is edited, what it becomes)
EDITS = {
    "the function": (
        """
def f(x): return x * x
""",
        "def f(x): return x * x",
        "def f(x): return x * x * x",
    ),
    "a callee": (
        """
def g(x): return x * x
def f(x): return g(x)
""",
        "def g(x): return x * x",
        "def g(x): return x * 3.0",
    ),
    "a callee of a callee": (
        """
def h(x): return x * x
def g(x): return h(x)
def f(x): return g(x)
""",
        "def h(x): return x * x",
        "def h(x): return x + x",
    ),
    "a number": (
        """
k = 2.0
def f(x): return x * k
""",
        "k = 2.0",
        "k = 3.0",
    ),
    "a number that became an array": (
        """
k = 2.0
def f(x): return np.sum(x * k)
""",
        "k = 2.0",
        "k = np.ones(3)",
    ),
    "an array that became one of length one": (
        """
k = np.ones(3)
def f(x): return np.sum(x * k)
""",
        "k = np.ones(3)",
        "k = np.ones(1)",
    ),
    "a text that decides": (
        """
k = 'a'
def f(x): return x * x if k == 'a' else x
""",
        "k = 'a'",
        "k = 'b'",
    ),
    "None that became a number": (
        """
k = None
def f(x): return x * x if k is None else x * k
""",
        "k = None",
        "k = 2.0",
    ),
    "a method": (
        """
class A:
    def m(self, x): return x * x
a = A()
def f(x): return a.m(x)
""",
        "    def m(self, x): return x * x",
        "    def m(self, x): return x * 5.0",
    ),
    "a method of a base": (
        """
class B:
    def m(self, x): return x * x
class A(B): pass
def f(x): return A().m(x)
""",
        "    def m(self, x): return x * x",
        "    def m(self, x): return x * 5.0",
    ),
    "a method put into a subclass": (
        """
class B:
    def m(self, x): return x * x
class A(B): pass
a = A()
def f(x): return a.m(x)
""",
        "class A(B): pass",
        "class A(B):\n    def m(self, x): return x",
    ),
    "a base": (
        """
class B:
    k = 2.0
class C:
    k = np.ones(2)
class A(B): pass
def f(x): return np.sum(x * A.k)
""",
        "class A(B): pass",
        "class A(C): pass",
    ),
    "a class attribute": (
        """
class A:
    k = 2.0
def f(x): return x * A.k
""",
        "    k = 2.0",
        "    k = 3.0",
    ),
    "a property": (
        """
class A:
    @property
    def k(self): return 2.0
a = A()
def f(x): return x * a.k
""",
        "    def k(self): return 2.0",
        "    def k(self): return 4.0",
    ),
    "an attribute set by __init__": (
        """
class A:
    def __init__(self, x): self.v = x * x
def f(x): return A(x).v
""",
        "    def __init__(self, x): self.v = x * x",
        "    def __init__(self, x): self.v = x * 3.0",
    ),
    "the default of a dataclass": (
        """
from dataclasses import dataclass
@dataclass
class A:
    x: float
    k: float = 2.0
def f(x):
    a = A(x)
    return a.x * a.k
""",
        "    k: float = 2.0",
        "    k: float = 3.0",
    ),
    "the factory of a dataclass": (
        """
from dataclasses import dataclass, field
def two(): return 2.0
@dataclass
class A:
    x: float
    k: float = field(default_factory=two)
def f(x):
    a = A(x)
    return a.x * a.k
""",
        "def two(): return 2.0",
        "def two(): return 3.0",
    ),
    "the fields of a named tuple": (
        """
from collections import namedtuple
P = namedtuple('P', 'a b')
def f(x):
    p = P(x, 2.0)
    return p.a * p.a * p.b
""",
        "P = namedtuple('P', 'a b')",
        "P = namedtuple('P', 'b a')",
    ),
    "a default": (
        """
def g(x, k=2.0): return x * k
def f(x): return g(x)
""",
        "def g(x, k=2.0): return x * k",
        "def g(x, k=3.0): return x * k",
    ),
    "a default for a keyword": (
        """
def g(x, *, k=2): return x ** k
def f(x): return g(x)
""",
        "def g(x, *, k=2): return x ** k",
        "def g(x, *, k=3): return x ** k",
    ),
    "a default that is a named number": (
        """
two = 2.0
def g(x, k=two): return x * k
two = None
def f(x): return g(x)
""",
        "two = 2.0",
        "two = 4.0",
    ),
    "a captured number": (
        """
def make(k):
    return lambda x: x * k
f = make(2.0)
""",
        "f = make(2.0)",
        "f = make(3.0)",
    ),
    "a captured function": (
        """
def make(k):
    return lambda x: k(x)
f = make(np.sin)
""",
        "f = make(np.sin)",
        "f = make(np.cos)",
    ),
    "a function in a dict": (
        """
t = {'a': lambda x: x * x}
def f(x): return t['a'](x)
""",
        "t = {'a': lambda x: x * x}",
        "t = {'a': lambda x: x + x}",
    ),
    "the order of functions in a list": (
        """
t = [np.sin, np.exp]
def f(x): return t[0](t[1](x))
""",
        "t = [np.sin, np.exp]",
        "t = [np.exp, np.sin]",
    ),
    "a function held by an object": (
        """
class A:
    def __init__(self, k): self.k = k
a = A(np.sin)
def f(x): return a.k(x)
""",
        "a = A(np.sin)",
        "a = A(np.cos)",
    ),
    "the class of an object": (
        """
class A:
    def m(self, x): return x
class B:
    def m(self, x): return x * x
a = A()
def f(x): return a.m(x)
""",
        "a = A()",
        "a = B()",
    ),
    "a registered rule": (
        """
def g(x): return x * x
@tl.register_gradient(g)
def r(x): return g(x), lambda b: 5.0 * b
def f(x): return g(x)
""",
        "def r(x): return g(x), lambda b: 5.0 * b",
        "def r(x): return g(x), lambda b: 7.0 * b",
    ),
    "a rule that is no longer registered": (
        """
def g(x): return x * x
@tl.register_gradient(g)
def r(x): return g(x), lambda b: 5.0 * b
def f(x): return g(x)
""",
        "@tl.register_gradient(g)",
        "",
    ),
    "a callee of a rule": (
        """
def g(x): return x * x
def h(b): return 5.0 * b
@tl.register_gradient(g)
def r(x): return g(x), lambda b: h(b)
def f(x): return g(x)
""",
        "def h(b): return 5.0 * b",
        "def h(b): return 6.0 * b",
    ),
    "a rule for a function of NumPy": (
        """
g = np.sinc
@tl.register_gradient(g, override=True)
def r(x): return g(x), lambda b: 5.0 * b
def f(x): return np.sinc(x)
""",
        "5.0 * b",
        "6.0 * b",
    ),
    "a rule for an operator": (
        """
g = np.negative
@tl.register_gradient(g, override=True)
def r(x): return g(x), lambda b: -5.0 * b
def f(x): return -x
""",
        "-5.0 * b",
        "-6.0 * b",
    ),
    "a function imported where it runs": (
        """
def g(x): return x * x
def f(x):
    from model import g as h
    return h(x)
""",
        "x * x",
        "x + x",
    ),
    "what a loop calls": (
        """
def g(x): return x * x
def f(x):
    for h in [g, np.sin]:
        x = h(x)
    return x
""",
        "x * x",
        "x + x",
    ),
    "a custom gradient": (
        """
@tl.custom_gradient
def g(x): return x * x, lambda b: 5.0 * b
def f(x): return g(x)
""",
        "def g(x): return x * x, lambda b: 5.0 * b",
        "def g(x): return x * x, lambda b: 6.0 * b",
    ),
    "a custom gradient that became none": (
        """
@tl.custom_gradient
def g(x): return x * x, lambda b: 5.0 * b
def f(x): return g(x)
""",
        "@tl.custom_gradient\ndef g(x): return x * x, lambda b: 5.0 * b",
        "def g(x): return x * x",
    ),
    "a name that hides a built-in": (
        """
def f(x): return abs(x) * x
""",
        "def f(x): return abs(x) * x",
        "def f(x): return abs(x) * x\ndef abs(x): return x * x",
    ),
    "a function put in the place of the one of NumPy": (
        """
import types
def f(x): return np.sin(x)
""",
        "def f(x): return np.sin(x)",
        "def f(x): return np.sin(x)\nnp = types.SimpleNamespace(sin=lambda x: x * x)",
    ),
    "a partial": (
        """
import functools
def g(x, k): return x ** k
h = functools.partial(g, k=2)
def f(x): return h(x)
""",
        "h = functools.partial(g, k=2)",
        "h = functools.partial(g, k=3)",
    ),
    "a decorator": (
        """
import functools
def d(g):
    @functools.wraps(g)
    def h(x): return g(x) * 2.0
    return h
@d
def f(x): return x * x
""",
        "    def h(x): return g(x) * 2.0",
        "    def h(x): return g(x) * 3.0",
    ),
    "what a decorator wraps": (
        """
import functools
@functools.lru_cache
def g(n): return n + 1
def f(x): return x ** g(2)
""",
        "def g(n): return n + 1",
        "def g(n): return n + 2",
    ),
    "the inner function of a gradient": (
        """
def g(x): return x ** 3
def f(x): return tl.grad(g)(x)
""",
        "def g(x): return x ** 3",
        "def g(x): return x ** 4",
    ),
    "the function of a gradient in the module": (
        """
def h(x): return x ** 3
g = tl.grad(h)
def f(x): return g(x)
""",
        "def h(x): return x ** 3",
        "def h(x): return x ** 4",
    ),
    "what a gradient is with respect to": (
        """
def h(x, y): return x ** 3 * y
g = tl.grad(h, wrt=0)
def f(x): return g(x, 2.0)
""",
        "g = tl.grad(h, wrt=0)",
        "g = tl.grad(h, wrt=1)",
    ),
    "a member of an enumeration": (
        """
import enum
class E(enum.Enum):
    A = 1
    B = 2
e = E.A
def f(x): return x * x if e is E.A else x
""",
        "e = E.A",
        "e = E.B",
    ),
    "a metaclass": (
        """
class M(type):
    k = 2.0
class A(metaclass=M): pass
def f(x): return x * A.k
""",
        "    k = 2.0",
        "    k = 3.0",
    ),
    "an array that two names share": (
        """
a = np.ones(1)
b = np.ones(1)
def f(x):
    a[0] = x
    return b[0] * x
""",
        "b = np.ones(1)",
        "b = a",
    ),
    "the constants of the code": (
        """
def f(x): return x * 1 if x > 0 else x
""",
        "def f(x): return x * 1 if x > 0 else x",
        "def f(x): return x * True * 2 if x > 0 else x",
    ),
    "the sign of a zero": (
        """
def f(x): return x * np.copysign(1.0, 0.0)
""",
        "def f(x): return x * np.copysign(1.0, 0.0)",
        "def f(x): return x * np.copysign(1.0, -0.0)",
    ),
    "a static method": (
        """
class A:
    @staticmethod
    def m(x): return x * x
def f(x): return A.m(x)
""",
        "    def m(x): return x * x",
        "    def m(x): return x * 9.0",
    ),
    "an operator of a class": (
        """
class A:
    def __init__(self, v): self.v = v
    def __mul__(self, o): return A(self.v * o.v)
def f(x): return (A(x) * A(x)).v
""",
        "    def __mul__(self, o): return A(self.v * o.v)",
        "    def __mul__(self, o): return A(self.v + o.v)",
    ),
    "a vectorized function": (
        """
def g(x): return x * x
h = np.vectorize(g)
@tl.custom_gradient
def k(x): return h(x), lambda b: 2.0 * b
def f(x): return np.sum(k(np.ones(2) * x))
""",
        "def k(x): return h(x), lambda b: 2.0 * b",
        "def k(x): return h(x), lambda b: 3.0 * b",
    ),
}
