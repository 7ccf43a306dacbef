"""A library that takes arrays, as tests install it, and what it says of a Variable."""

LIBRARY = """
import contextlib, copy, functools
import numpy as np

__all__ = ["Table", "logsumexp", "mean", "norm", "outer", "shown", "total"]

def total(x):
    return _sum_of(x)

def _sum_of(x):
    with contextlib.ExitStack() as stack:
        return stack.enter_context(contextlib.nullcontext(np.asarray(x))).sum()

class Table:
    def __init__(self, columns):
        self.columns = [np.asarray(column) for column in columns]

    def added(self, x):
        return copy.copy(x)

    def viewed(self, x):
        return x.view()

def of_arrays(function):
    @functools.wraps(function)
    def wrapper(x):
        return function(np.asarray(x))
    return wrapper

@of_arrays
def mean(x):
    return x.mean()

shown = lambda x: np.asarray(x)

def logsumexp(x):
    return np.asarray(x)

def norm(x):
    return np.asarray(x)

def counted(x, weights):
    return np.histogram(x, bins=2, weights=weights)[0].sum()

def outer(x):
    def inner():
        return np.asarray(x)
    return inner()
"""

PLUGIN = """
import numpy as np
from dezero_core import hookimpl

def logsumexp(x):
    return x

def hidden(x):
    return x

@hookimpl
def dezero_register_ops(register):
    register("logsumexp", logsumexp)
    register("linalg.norm", lambda x: x, numpy=np.linalg.norm)
    register("total", hidden)
    register("relu", logsumexp)

relu = logsumexp
"""

START = """
import copy
import numpy as np, library
from dezero_core import Function, Variable

class Double(Function):
    def forward(self, x):
        return 2.0 * x

x = Double()(Variable(np.ones(2)))
"""

ASKS = (
    START
    + """
uses = {
    "a function": lambda: library.total(x),
    "a class": lambda: library.Table([x]),
    "a decorated function": lambda: library.mean(x),
    "a function without a name": lambda: library.shown(x),
    "a function in a function": lambda: library.outer(x),
    "an operation's namesake": lambda: library.logsumexp(x),
    "a function of NumPy's name": lambda: library.norm(x),
    "np.full": lambda: np.full(2, x),
    "np.array": lambda: np.array([x, x]),
}
out.update({use: failure(action)["message"] for use, action in uses.items()})
out["copied"] = failure(lambda: library.Table([]).added(x))["message"]
out["a method"] = failure(lambda: library.Table([]).viewed(x))["message"]
out["copied by hand"] = failure(lambda: copy.copy(x))["message"]
"""
)

IN_PLACE_OF_ARRAYS = (
    "use np.stack([x, y]) in place of np.array([x, y]), out = Variable(np.zeros(n)) for an array "
    "that is filled, x in place of np.asarray(x), and np.broadcast_to(x, shape) in place of "
    "np.full(shape, x), or dezero_tools.numpy as np, with its array, zeros and full; for values "
    "alone, as in np.int64(x), x.data."
)
NOT_BY_ITSELF = (
    "A Variable does not turn into an ndarray by itself: its gradient would be lost without a word."
)
