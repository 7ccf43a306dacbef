"""Facts on functions of NumPy: some write, and some give results of a known shape."""

from __future__ import annotations

import cmath
import math
import operator
from typing import Any

import numpy as np

from .instructions import Method, as_array

#: Functions of arrays that give facts which are the same for every content.
FACTS = {
    *(np.shape, np.ndim, np.size, np.result_type, np.iscomplexobj, np.isrealobj, np.can_cast),
    *(np.common_type, np.min_scalar_type),
}

#: Functions that make an array of the shape and dtype of another one, whatever is in it.
LIKE = {np.zeros_like, np.ones_like, np.empty_like}

#: Functions that write into their first argument.
WRITERS = {np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis}
WRITING_METHODS = {"fill", "itemset", "partition", "put", "resize", "sort"}

#: Functions whose results have a shape and a dtype that depend on those of the arguments alone.
OF_ONE_SHAPE = {
    *(np.sum, np.prod, np.max, np.min, np.mean, np.var, np.std, np.any, np.all, np.cumsum),
    *(np.cumprod, np.where, np.clip, np.copy, np.broadcast_to, np.reshape, np.transpose, np.stack),
    *(np.concatenate, np.swapaxes, np.moveaxis, np.expand_dims, np.squeeze, np.dot, np.tensordot),
    *(np.einsum, np.outer, np.inner, np.take_along_axis, np.argmax, np.argmin, np.argsort),
    *(np.sort, np.diagonal, np.trace, np.roll, np.flip, np.ravel, np.real, np.imag, np.full_like),
    np.atleast_1d,
}
METHODS_OF_ONE_SHAPE = {
    *("sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "cumsum", "cumprod"),
    *("clip", "copy", "reshape", "transpose", "swapaxes", "squeeze", "ravel", "flatten", "dot"),
    *("astype", "conj", "conjugate", "argmax", "argmin", "argsort", "diagonal", "trace", "round"),
}

#: Calls in which numbers are operands, which decide on no shape.
OF_NUMBERS: set[Any] = {
    *(np.where, np.clip, np.full_like, float, int, complex, abs, round, divmod, pow, operator.pow),
    *(getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "floordiv", "mod")),
    *(getattr(operator, name) for name in ("lt", "le", "eq", "ne", "gt", "ge", "neg", "pos")),
    *(getattr(operator, name) for name in ("abs", "and_", "or_", "xor", "lshift", "rshift")),
    *(operator.invert, operator.getitem, as_array, Method("item"), Method("clip"), np.asarray),
    *(np.array, np.full, np.arange, np.linspace, np.asanyarray),
    *map(Method, ("is_integer", "bit_length", "bit_count", "conjugate", "as_integer_ratio")),
    *(kind for kind in np.sctypeDict.values() if issubclass(kind, (np.number, np.bool_))),
    *(f for module in (math, cmath) for f in vars(module).values() if callable(f)),
}
