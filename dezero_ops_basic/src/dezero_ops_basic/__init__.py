"""The operators of DeZero in plugins, and the broadcasting pair they need.

Installing this distribution is enough: the first Variable binds them onto its class.
"""

from __future__ import annotations

from .adding_at import add_at, subtract_at
from .arithmetic import add, mul, sub
from .broadcasting import broadcast_to, sum_to
from .casting import astype
from .comparison import equal, greater, greater_equal, less, less_equal, not_equal
from .complex_numbers import conjugate, imag, real
from .copying import copyto
from .division import div
from .indexing import getitem
from .magnitude import absolute, sign
from .matrix_product import matmul
from .power import float_power, pow
from .putting import fill_diagonal, place, put, put_along_axis, putmask
from .remainder import divmod, floordiv, mod
from .unary import neg, pos
from .writing import setitem

__version__ = "0.1.0"

__all__ = [
    "absolute", "add", "add_at", "astype", "broadcast_to", "conjugate", "copyto", "div", "divmod",
    "equal", "fill_diagonal", "float_power", "floordiv", "getitem", "greater", "greater_equal",
    "imag", "less", "less_equal", "matmul", "mod", "mul", "neg", "not_equal", "place", "pos", "pow",
    "put", "put_along_axis", "putmask", "real", "setitem", "sign", "sub", "subtract_at", "sum_to",
]  # fmt: skip
