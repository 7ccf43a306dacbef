"""The sources of a plugin that announces two modules, and the start of programs that use it."""

#: A module with one operation, which multiplies. What happens to it is noted in builtins.events.
MODULE = """
import builtins
import numpy as np
from dezero_core import Function

builtins.events.append("import {name}")

class {Name}(Function):
    def forward(self, x):
        if x.size > 8:
            raise ValueError("too large")
        return x * {factor}

    def backward(self, gy):
        return gy * {factor}

def {name}(x, *others):
    return {Name}()(x)

METHODS = {{"{name}": {name}, "{name}_of": property({name})}}

def register_ops(register):
    builtins.events.append("register {name}")
    register("{name}", {name}, {Name}, methods=METHODS, {claims})
"""


def module(name, factor=3.0, claims=""):
    return MODULE.format(name=name, Name=name.title(), factor=factor, claims=claims)


TRIPLED = module(
    "tripled",
    3.0,
    'dunders={"__neg__": tripled, "__eq__": tripled, "__array_priority__": 200}, numpy=np.negative',
)

DOUBLED = module("doubled", 2.0, "numpy=(np.fft.fft, np.linalg.inv)")

PLUGIN = """
from dezero_core import hookimpl

@hookimpl
def dezero_register_ops(register):
    register.later("acme.tripled", operations="tripled", methods="tripled tripled_of",
                   dunders="__neg__ __eq__ __array_priority__", numpy=["negative"])
    register.later("acme.doubled", operations=["doubled"], methods=["doubled", "doubled_of"],
                   numpy="fft.fft linalg.inv")
"""

START = """
import builtins, sys
builtins.events = events = []
import dezero_core, numpy as np
from dezero_core import Variable
x = Variable(np.array([1.0, 2.0]))
"""

ONE, OTHER = (["import tripled", "register tripled"], ["import doubled", "register doubled"])
