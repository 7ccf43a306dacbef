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
    *(np.atleast_1d, np.take, np.diff, np.ediff1d, np.trapezoid, np.gradient, np.interp, np.cross),
    *(np.convolve, np.correlate, np.kron, np.vdot, np.polyval, np.partition, np.argpartition),
    *(np.searchsorted, np.digitize, np.meshgrid, np.broadcast_arrays, np.count_nonzero, np.choose),
    *(np.select, np.append, np.vstack, np.hstack, np.dstack, np.column_stack, np.block, np.rot90),
    *(np.flipud, np.fliplr, np.rollaxis, np.tril, np.triu, np.diag, np.round, np.isclose, np.sinc),
    *(np.nan_to_num, np.angle, np.unwrap, np.i0, np.average, np.median, np.quantile, np.percentile),
    *(np.ptp, np.cov, np.corrcoef, np.nansum, np.nanprod, np.nanmax, np.nanmin, np.nanmean),
    *(np.nanvar, np.nanstd, np.nancumsum, np.nancumprod, np.nanmedian, np.nanquantile),
    *(np.nanpercentile, np.nanargmax, np.nanargmin, np.atleast_2d, np.atleast_3d, np.fix),
    *(np.diagflat, np.iscomplex, np.isreal, np.isneginf, np.isposinf),
    # All of linalg but eig, eigvals and lstsq: of these, the results depend on values.
    *(getattr(np.linalg, name) for name in ("cholesky", "cond", "det", "eigh", "eigvalsh", "inv")),
    *(getattr(np.linalg, name) for name in ("matrix_norm", "matrix_power", "multi_dot", "norm")),
    *(getattr(np.linalg, name) for name in ("pinv", "qr", "slogdet", "solve", "svd", "svdvals")),
    *(getattr(np.linalg, name) for name in ("tensorinv", "tensorsolve", "vecdot", "vector_norm")),
}
#: The same, where other arguments than the first hold no recorded array: these may say how long.
OF_ONE_SHAPE_BY_OTHERS = {
    *(np.pad, np.repeat, np.tile, np.delete, np.insert, np.split, np.array_split, np.hsplit),
    *(np.vsplit, np.dsplit, np.resize),
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
