"""NumPy's functions for DeZero in plugins, each with its derivative.

Installing this distribution is enough: ``np.sin(x)`` of a Variable is then differentiable.
"""

from __future__ import annotations

from .exponential import exp, log
from .extrema import max, maximum, min, minimum
from .hyperbolic import tanh
from .powers import sqrt, square
from .reductions import mean, sum
from .selection import where
from .shaping import reshape, transpose
from .softmax import log_softmax, logsumexp
from .trigonometric import cos, sin, tan

__version__ = "0.1.0"

__all__ = [
    "cos",
    "exp",
    "log",
    "log_softmax",
    "logsumexp",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "reshape",
    "sin",
    "sqrt",
    "square",
    "sum",
    "tan",
    "tanh",
    "transpose",
    "where",
]
