"""The operators of DeZero in plugins, and the broadcasting pair they need.

Installing this distribution is enough: ``import dezero_core`` binds them onto Variable.
"""

from __future__ import annotations

from .arithmetic import add, div, floordiv, mod, mul, sub
from .broadcasting import broadcast_to, sum_to
from .casting import astype
from .comparison import equal, greater, greater_equal, less, less_equal, not_equal
from .indexing import getitem
from .matrix_product import matmul
from .power import pow
from .unary import absolute, neg, pos, sign

__version__ = "0.1.0"

__all__ = [
    "absolute",
    "add",
    "astype",
    "broadcast_to",
    "div",
    "equal",
    "floordiv",
    "getitem",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "matmul",
    "mod",
    "mul",
    "neg",
    "not_equal",
    "pos",
    "pow",
    "sign",
    "sub",
    "sum_to",
]
