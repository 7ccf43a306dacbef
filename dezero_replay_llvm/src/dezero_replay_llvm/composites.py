"""Functions of NumPy's that are made of others: reductions with masks, moments, norms and products.

Each is written here in terms of ufuncs and reductions, as NumPy documents it. Its loops are fused
with those around. Where NumPy would warn, as of the mean of nothing, the numbers raise a flag of
floating point, and NumPy runs the program again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, wraps
from math import prod
from operator import getitem
from typing import Any

import numpy as np
from dezero_replay.passes.constants import dtype_of
from dezero_replay.tape.instructions import Instruction, Method, Value, replaced
from numpy._core import einsumfunc

from .addresses import Addresses, check_conversion
from .functions import NEUTRAL
from .steps import Array, Map, NotNative, dtype_of_value

_MOST_PRODUCTS = 2**15
"""The most products of elements of a sum of products: for more, BLAS would be faster."""

_IGNORED = {"out", "dtype", "keepdims", "optimize", "order", "casting"}
"""Arguments that the result shows. What has an `out` is recorded as a write."""


class Calculator:
    """Adds steps to a region. Operands are Arrays, or numbers of Python's."""

    def __init__(self, region: Addresses, dtype: Any) -> None:
        self._region = region
        #: Of the result.
        self.dtype = dtype

    def __call__(self, ufunc: Any, *xs: Any) -> Array:
        """Compute a ufunc, elementwise."""
        given = tuple([x.dtype if isinstance(x, Array) else dtype_of(x) for x in xs])
        return self._map(ufunc, xs, *self._region.loop_of(ufunc, given))

    def total(self, ufunc: Any, x: Array, axis: Any, where: Any = True, dtype: Any = None) -> Array:
        """Join elements along axes, which stay with length 1; by default all."""
        axes, dtype = _axes(x, axis), np.dtype(dtype or x.dtype)
        if dtype.kind == "b" and ufunc not in (np.logical_and, np.logical_or):
            raise NotNative("it computes with booleans")
        check_conversion(x, dtype)
        if where is not True:
            x = self._map(np.where, (where, x, NEUTRAL[ufunc]), np.dtype(bool), *[dtype] * 3)
        kept = tuple([1 if axis in axes else n for axis, n in enumerate(x.shape)])
        out = self._region.temporary(kept, dtype)
        self._region.reduce(ufunc, x, axes, 0 if ufunc is np.add else None, out)
        return out

    def count(self, x: Array, axis: Any, where: Any, less: int = 0) -> Any:
        """Return how many elements are joined, less a number."""
        if where is not True:
            where = where._replace(shape=x.shape, strides=where.broadcast(x.shape))
            return self(np.subtract, self.total(np.add, where, axis, dtype=x.dtype), float(less))
        n = prod([x.shape[each] for each in _axes(x, axis)]) - less
        if n <= 0:
            raise NotNative("NumPy warns of it")
        return float(n)

    def part(self, x: Array, index: Any) -> Array:
        """Return a view of an array."""
        return self._region.viewed(x, getitem, (index,), {})

    def padded(self, x: Array, before: int, after: int) -> Array:
        """Return a vector between zeros."""
        out = self._region.temporary((before + x.shape[0] + after,), x.dtype)
        part = out._replace(offset=before * x.dtype.itemsize, shape=x.shape)
        self._region.fill(out, 0.0)
        self._region.steps.append(Map(None, [x], (x.dtype,), part))
        return out

    def _map(self, function: Any, xs: Any, *dtypes: Any) -> Array:
        arrays = [x for x in xs if isinstance(x, Array)]
        for x, dtype in zip(xs, dtypes, strict=False):
            if isinstance(x, Array):
                check_conversion(x, dtype)
        out = self._region.temporary(np.broadcast_shapes(*[x.shape for x in arrays]), dtypes[-1])
        operands = [x if isinstance(x, Array) else np.array(x)[()] for x in xs]
        self._region.steps.append(Map(function, operands, dtypes[:-1], out))
        return out


def _axes(x: Array, axis: Any) -> tuple[int, ...]:
    ndim = len(x.shape)
    axes = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return tuple(sorted(each % ndim for each in axes)) if ndim else ()


Recipe = Callable[..., Array]
"""Writes a function for a Calculator, which is given first. The axes that it joins stay."""


def compose(region: Addresses, each: Instruction) -> None:
    """Add the steps that a function is made of."""
    y, call = each.outputs[0], each.call
    do, recipe = Calculator(region, dtype_of_value(y)), COMPOSITES[call]
    signature = inspect.signature(getattr(np, call.name) if type(call) is Method else call)
    operands, how = _by_name(signature, each.args, each.kwargs)
    operands, where = replaced(
        (operands, how.pop("where", True)), lambda x: region.operand(x, in_memory=True)
    )
    arrays = [x for x in operands if isinstance(x, Array)]
    is_of_arrays = call is np.einsum or len(arrays) == len(operands)
    if not is_of_arrays or type(where) not in (Array, bool):
        raise NotNative("it is not of arrays alone")
    converts = any(x.dtype != do.dtype for x in arrays) or do.dtype.kind != "f"
    if converts and call not in _OF_ALL:
        raise NotNative("it is not of floating-point numbers of one dtype")
    how |= {"where": where} if where is not True else {}
    try:
        inspect.signature(recipe).bind(do, *operands, **how)
    except TypeError as error:
        raise NotNative("there is no machine code for all of its arguments") from error
    found = recipe(do, *operands, **how)
    axes = [(n, by) for n, by in zip(found.shape, found.strides, strict=True) if n != 1]
    shape = y.shape or ()
    if found.dtype != do.dtype or [n for n, _ in axes] != [n for n in shape if n != 1]:
        raise NotNative("it has a result of another form")
    strides = iter([by for _, by in axes])
    found = found._replace(shape=shape, strides=tuple([n != 1 and next(strides) for n in shape]))
    if found.root in [x.root for x in arrays]:
        region.arrays[y.number] = found
    else:
        region.steps.append(Map(None, [found], (found.dtype,), region.new(y)))


def _by_name(signature: Any, args: Any, kwargs: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the operands of a call; and by name, the other arguments that say something."""
    given = signature.bind(*args, **kwargs).arguments
    given |= given.pop("kwargs", {})
    required = [name for name, x in signature.parameters.items() if x.default is x.empty]
    operands = given.pop("operands", None) or [given.pop(name) for name in required]
    how = {name: x for name, x in given.items() if name not in _IGNORED and x is not np._NoValue}
    if any(type(x) is Value for name, x in how.items() if name != "where"):
        raise NotNative("it has an argument that is computed")
    return [*operands], how


# Reductions and moments.


def _join(ufunc: Any, do: Calculator, a: Array, axis: Any = None, where: Any = True) -> Array:
    return do.total(ufunc, a, axis, where, do.dtype)


def _count_nonzero(do: Calculator, a: Array, axis: Any = None) -> Array:
    return do.total(np.add, do(np.not_equal, a, 0), axis, dtype=do.dtype)


def _mean(do: Calculator, a: Array, axis: Any = None, where: Any = True) -> Array:
    return do(np.true_divide, do.total(np.add, a, axis, where), do.count(a, axis, where))


def _var(do: Calculator, a: Array, axis: Any = None, ddof: Any = 0, where: Any = True) -> Array:
    if ddof not in (0, 1):
        raise NotNative("NumPy may warn of it")
    away = do(np.subtract, a, _mean(do, a, axis, where))
    total = do.total(np.add, do(np.multiply, away, away), axis, where)
    return do(np.true_divide, total, do.count(a, axis, where, ddof))


def _std(do: Calculator, a: Array, axis: Any = None, ddof: Any = 0, where: Any = True) -> Array:
    return do(np.sqrt, _var(do, a, axis, ddof, where))


def _without_nan(recipe: Recipe) -> Recipe:
    @wraps(recipe)
    def found(do: Calculator, a: Array, axis: Any = None, **how: Any) -> Array:
        if "where" in how:
            raise NotNative("it has a mask")
        return recipe(do, a, axis, **how, where=do(np.equal, a, a))

    return found


def _of_nan(ufunc: Any, do: Calculator, a: Array, axis: Any = None) -> Array:
    is_number = do(np.equal, a, a)
    found = do.total(ufunc, a, axis, is_number)
    count = do.count(a, axis, is_number)
    return do(np.multiply, found, do(np.true_divide, count, count))  # which warns if all are nan


def _round(do: Calculator, a: Array, decimals: Any = 0) -> Array:
    if decimals:
        raise NotNative("it rounds to decimals")
    return do(np.rint, a)


def _diff(do: Calculator, a: Array, n: Any = 1, axis: Any = -1) -> Array:
    if n != 1:
        raise NotNative("it is of higher order")
    index = [slice(None)] * (axis % len(a.shape))
    after, before = (do.part(a, (*index, part)) for part in (slice(1, None), slice(-1)))
    return do(np.subtract, after, before)


# Norms.


def _vector_norm(do: Calculator, x: Array, axis: Any = None, ord: Any = 2) -> Array:  # noqa: A002
    if ord == 2:
        return do(np.sqrt, do.total(np.add, do(np.multiply, x, x), axis))
    sizes = do(np.absolute, x)
    if abs(ord) == np.inf:
        return do.total(np.maximum if ord > 0 else np.minimum, sizes, axis)
    if ord == 1:
        return do.total(np.add, sizes, axis)
    raise NotNative("it is a norm of powers")


def _norm(do: Calculator, x: Array, ord: Any = None, axis: Any = None) -> Array:  # noqa: A002
    axes = _axes(x, axis)
    if ord in (None, "fro") or len(axes) == 1:
        return _vector_norm(do, x, axes, 2 if ord in (None, "fro") else ord)
    if len(axes) != 2 or ord not in (1, -1, np.inf, -np.inf):
        raise NotNative("it is a norm of singular values")
    rows, columns = (0, 1) if axis is None else axis
    summed, left = (rows, columns) if abs(ord) == 1 else (columns, rows)
    totals = do.total(np.add, do(np.absolute, x), summed)
    return do.total(np.maximum if ord > 0 else np.minimum, totals, left)


# Sums of products.


_parsed: Any = einsumfunc._parse_einsum_input  # type: ignore[attr-defined]


def _einsum(do: Calculator, *operands: Any) -> Array:
    arrays = [x for x in operands if isinstance(x, Array)]
    alike = [np.broadcast_to(0.0, x.shape) if isinstance(x, Array) else x for x in operands]
    inputs, output, given = _parsed(alike)
    if len(given) != len(arrays):
        raise NotNative("it is a product of numbers")
    return _contracted(do, arrays, inputs.split(","), output)


def _tensordot(do: Calculator, a: Array, b: Array, axes: Any = 2) -> Array:
    m, n = len(a.shape), len(b.shape)
    if isinstance(axes, (int, np.integer)):
        axes = range(m - axes, m), range(axes)
    letters, others = [chr(65 + k) for k in range(m)], [chr(97 + k) for k in range(n)]
    for one, other in zip(*([x] if type(x) is int else x for x in axes), strict=True):
        others[other] = letters[one]
    output = [x for x in letters + others if (x in letters) != (x in others)]
    return _contracted(do, [a, b], [letters, others], output)


_FIRST: dict[str, Callable[[int], int]] = {
    "full": lambda m: 0,
    "same": lambda m: (m - 1) // 2,
    "valid": lambda m: m - 1,
}
"""The first number that is wanted of a full convolution with so many numbers."""


def _convolve(do: Calculator, a: Array, v: Array, mode: str = "full") -> Array:
    if (len(a.shape), len(v.shape), mode in _FIRST) != (1, 1, True):
        raise NotNative("it is not of two vectors")
    v, a = sorted((a, v), key=lambda x: x.shape[0])
    m = v.shape[0]
    first = _FIRST[mode](m)
    if mode != "valid":
        a = do.padded(a, m - 1 - first, m - 1 if mode == "full" else first)
    (n,), (step,) = a.shape, a.strides
    windows = a._replace(offset=a.offset + (m - 1) * step, shape=(n - m + 1, m))
    return _contracted(do, [windows._replace(strides=(step, -step)), v], ["nk", "k"], "n")


def _contracted(do: Calculator, arrays: list[Array], inputs: Any, output: Any) -> Array:
    """Multiply arrays, whose axes have letters, and sum along those not in the output."""
    letters = [*output, *sorted({name for names in inputs for name in names} - {*output})]
    factors = []
    for x, names in zip(arrays, inputs, strict=True):
        axes = dict.fromkeys(letters, (1, 0))
        for name, n, stride in zip(names, x.shape, x.strides, strict=True):
            axes[name] = n, axes[name][1] + stride * (n != 1)
        shape, strides = zip(*axes.values(), strict=True) if axes else ((), ())
        factors.append(x._replace(shape=shape, strides=strides))
    if prod(np.broadcast_shapes(*[x.shape for x in factors])) > _MOST_PRODUCTS:
        raise NotNative("it has so many products that BLAS would be faster")
    product, *others = factors
    for x in others:
        product = do(np.multiply, product, x)
    summed = tuple(range(len(output), len(letters)))
    return do.total(np.add, product, summed) if summed else product


_REDUCTIONS: dict[str, Recipe] = {
    "sum": partial(_join, np.add),
    "prod": partial(_join, np.multiply),
    "any": partial(_join, np.logical_or),
    "all": partial(_join, np.logical_and),
    "mean": _mean,
    "var": _var,
    "std": _std,
}
_OF_NAN = {
    getattr(np, f"nan{name}"): _without_nan(_REDUCTIONS[name])
    for name in ("sum", "prod", "mean", "var", "std")
}
COMPOSITES: dict[Any, Recipe] = {
    **{getattr(np, name): recipe for name, recipe in _REDUCTIONS.items()},
    **{Method(name): recipe for name, recipe in _REDUCTIONS.items()},
    **_OF_NAN,
    np.nanmax: partial(_of_nan, np.maximum),
    np.nanmin: partial(_of_nan, np.minimum),
    np.round: _round,
    np.diff: _diff,
    np.count_nonzero: _count_nonzero,
    np.linalg.norm: _norm,
    np.linalg.vector_norm: _vector_norm,
    np.einsum: _einsum,
    **dict.fromkeys((np.tensordot, np.linalg.tensordot), _tensordot),
    np.convolve: _convolve,
}
"""Functions -> how they are made of others."""

_OF_ALL = {np.count_nonzero} | {
    call for name in ("sum", "prod", "any", "all") for call in (getattr(np, name), Method(name))
}
"""Those that convert what they join."""
