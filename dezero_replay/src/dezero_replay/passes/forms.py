"""The pass that writes calls in one form: ufuncs, and reductions by ``ufunc.reduce``.

Each form comes to the same bits as the call that it stands for. If that is not certain, the call
stays as it is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache, partial
from math import prod
from typing import Any

import numpy as np
from numpy._core import umath

from dezero_core.extend import FEW_ROWS, sum_to

from ..tape.instructions import (
    Instruction,
    Into,
    Method,
    Of,
    Through,
    Updated,
    Value,
    Written,
    as_array,
    written,
)
from ..tape.nested import has_any
from .aliasing import is_basic, is_packed
from .constants import dtype_of, resolved
from .graph import Rewriting

#: A private name; where NumPy has none, calls of clip stay as they are.
_clip = getattr(umath, "clip", None)

OPERATORS: dict[Any, np.ufunc] = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.truediv: np.true_divide,
    operator.floordiv: np.floor_divide,
    operator.mod: np.remainder,
    operator.matmul: np.matmul,
    operator.neg: np.negative,
    operator.pos: np.positive,
    operator.abs: np.absolute,
    operator.lt: np.less,
    operator.le: np.less_equal,
    operator.eq: np.equal,
    operator.ne: np.not_equal,
    operator.gt: np.greater,
    operator.ge: np.greater_equal,
}
_REDUCTIONS = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "any": np.logical_or,
    "all": np.logical_and,
}
#: Arguments of some of them, beside the axis and `keepdims`; of the others it is `initial`.
_NAMES = {"sum": ("initial", "dtype"), "prod": ("initial", "dtype"), "any": (), "all": ()}
#: Arguments of reductions that are as if they were not given.
_USUAL = {"dtype": None, "out": None, "where": True}
_NUMERIC = frozenset("biufc")
_IN_PLACE = {name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv")}

#: Exponents for which ndarray's `**` may call another ufunc than `np.power`.
_OF_OWN = (-1, 0, 0.5, 1, 2)

#: How ndarray's `**` takes exponents that are Python numbers of these types, in every NumPy 2.
_POWERS = {(int, 2): np.square, (int, -1): np.reciprocal, (float, 0.5): np.sqrt}


def canonical(rewriting: Rewriting, each: Instruction) -> Any:
    """Write a call as a ufunc, or as reductions by one."""
    if type(each.call) in (Written, Into):
        return _written_form(rewriting, each)
    if type(each.call) is Through:
        return _of_through(each)
    form = _FORMS.get(each.call)
    return each if form is None else form(rewriting, each)


def reduction(
    each: Instruction, ufunc: np.ufunc, x: Value, outputs: Any = None, **how: Any
) -> Instruction:
    """Return ``ufunc.reduce(x)`` with axis, dtype and keepdims, and the arguments in `how`."""
    dtype = np.dtype(bool) if ufunc in (np.logical_or, np.logical_and) else None
    how = {"axis": None, "dtype": dtype, "keepdims": False, **how}
    return each.changed(Of(ufunc, "reduce"), (x,), how, outputs)


def _is_array(x: Any) -> bool:
    return type(x) is Value and x.kind is np.ndarray and x.dtype.kind in _NUMERIC


def _is_scalar(x: Any) -> bool:
    """Return whether a Value is a scalar of NumPy's: its methods are those of an array."""
    return type(x) is Value and x.dtype is not None and issubclass(x.kind, (np.number, np.bool_))


def _is_operand(x: Any) -> bool:
    dtype = dtype_of(x)
    return dtype.kind in _NUMERIC if isinstance(dtype, np.dtype) else dtype in (int, float, complex)


def _of_operator(rewriting: Rewriting, each: Instruction) -> Instruction:
    if any(map(_is_array, each.args)) and all(map(_is_operand, each.args)) and not each.kwargs:
        return each.changed(OPERATORS[each.call], each.args, {})
    return each


def _of_power(rewriting: Rewriting, each: Instruction) -> Any:
    x, exponent = each.args
    if type(exponent) in (int, float) and exponent in (0, 1) and not each.kwargs:
        return _of_trivial_power(rewriting, each)
    if not _is_array(x):
        return each
    if _is_array(exponent) and exponent.shape:
        return each.changed(np.power, each.args, {})
    if type(exponent) is Value or x.dtype.kind not in "fc":
        return each
    if type(exponent) in (int, float) and exponent not in _OF_OWN:
        return each.changed(np.power, each.args, {})
    ufunc = _POWERS.get((type(exponent), exponent))
    return each.changed(ufunc, (x,), {}) if ufunc else each


def _of_trivial_power(rewriting: Rewriting, each: Instruction) -> Any:
    """Write a power 0 as ones, and a power 1 as the number itself."""
    (x, exponent), y = each.args, each.outputs[0]
    is_number = _is_array(x) or _is_scalar(x)
    if not is_number or x.dtype.char not in "fd" or y.dtype != x.dtype:
        return each
    if not _is_exact(x.dtype, exponent):
        return each
    if exponent == 1:
        return _itself(rewriting, each, x)
    one = x.dtype.type(1)
    if y.kind is np.ndarray:
        return each.changed(np.positive, (rewriting.constant(np.broadcast_to(one, y.shape)),), {})
    if y.number in rewriting.escaping:
        return each
    rewriting.constants[y.number] = one
    rewriting.known[y.number] = y
    return None


@cache
def _is_exact(dtype: Any, exponent: float) -> bool:
    """Return whether NumPy's powers 0 and 1 have no error on this machine."""
    numbers = np.random.default_rng(0).normal(size=1000) * 10.0 ** np.arange(-30, 30, 0.06)
    x = np.append(numbers, [0.0, -0.0, np.inf, -np.inf, np.nan]).astype(dtype)
    expected = x if exponent else np.ones_like(x)
    return bool((x**exponent).tobytes() == expected.tobytes())


def _itself(rewriting: Rewriting, each: Instruction, x: Value) -> Any:
    """Let an operand stand for the result; where that escapes, it is a copy."""
    y = each.outputs[0]
    if y.kind is not x.kind:
        return each.changed(operator.getitem, (x, ()), {})
    if x.strides != y.strides or y.number in rewriting.escaping:
        return each.changed(np.positive, (x,), {}) if y.kind is np.ndarray else each
    rewriting.known[y.number] = x
    return None


def _of_product(rewriting: Rewriting, each: Instruction) -> Any:
    """Leave out a factor of 1."""
    if each.call is not np.multiply:
        each = _of_operator(rewriting, each)
    y = each.outputs[0]
    if each.kwargs or y.dtype is None or y.dtype.kind != "f":
        return each
    for x, other in (each.args, each.args[::-1]):
        is_alike = type(x) is Value and (x.shape, x.dtype) == (y.shape, y.dtype)
        if is_alike and x.strides == y.strides and _is_one(rewriting, other):
            return _itself(rewriting, each, x)
    return each


def _is_one(rewriting: Rewriting, x: Any) -> bool:
    if type(x) is Value:
        x = rewriting.constants.get(x.number)
        return x is not None and x.dtype.kind in "iuf" and bool((x == 1).all())
    return type(x) in (int, float) and x == 1


def _of_reduction(name: str, rewriting: Rewriting, each: Instruction) -> Instruction:
    how = _axis_and(each, {"keepdims", *_NAMES.get(name, ("initial",))})
    return each if how is None else reduction(each, _REDUCTIONS[name], each.args[0], **how)


def _of_count(rewriting: Rewriting, each: Instruction) -> Instruction:
    """Write the number of booleans that are true as their sum."""
    x, y = each.args[0], each.outputs[0]
    if each.kwargs or len(each.args) > 1 or not _is_array(x) or x.dtype.kind != "b":
        return each
    is_scalar = y.kind is np.intp  # old versions of NumPy give a number of Python's
    return reduction(each, np.add, x, dtype=y.dtype) if is_scalar else each


def _axis_and(each: Instruction, names: set[str]) -> dict[str, Any] | None:
    """Return the arguments of a reduction by name; None if there are more than axis and `names`."""
    args = each.args
    given = {name: x for name, x in each.kwargs.items() if x is not np._NoValue}
    how = {name: x for name, x in given.items() if name not in _USUAL or x is not _USUAL[name]}
    if not args or args[2:] not in ((), (None,)) or not (_is_array(args[0]) or _is_scalar(args[0])):
        return None
    if len(args) >= 2:
        how["axis"] = args[1]
    if not how.keys() <= {"axis", *names} or any(type(x) is Value for x in how.values()):
        return None
    axis = how.get("axis")
    is_plain = axis is None or type(axis) is int or type(axis) is tuple
    return how if is_plain and type(how.get("keepdims", False)) is bool else None


def _of_reduce(rewriting: Rewriting, each: Instruction) -> Instruction:
    """Name the arguments of a ``ufunc.reduce``, whose axis is 0 if none is given."""
    how = _axis_and(each, {"keepdims", "dtype", "initial"})
    if how is None or how.get("dtype") is not None:
        return each
    return reduction(each, each.call.ufunc, each.args[0], **{"axis": 0, **how})


def _of_mean(rewriting: Rewriting, each: Instruction) -> Any:
    how = _axis_and(each, {"keepdims"})
    if how is None:
        return each
    x, y = each.args[0], each.outputs[0]
    if x.dtype != np.float64 or not prod(x.shape):
        return each
    count = float(prod(x.shape) // max(1, prod(y.shape)))
    total = rewriting.value(np.float64(0.0))
    total.kind, total.shape, total.strides = y.kind, y.shape, y.strides
    divide = operator.truediv if y.kind is not np.ndarray else np.true_divide
    return [
        reduction(each, np.add, x, (total,), **how),
        each.changed(divide, (total, count), {}),
    ]


def _of_sum_to(rewriting: Rewriting, each: Instruction) -> Any:
    """Write a call of `dezero_core.sums.sum_to` as one sum, if it makes one sum and no blocks."""
    x, shape = each.args
    if not _is_array(x) or each.kwargs or x.dtype.char == "e":
        return each
    size = prod(shape)
    in_pairs = size == 1 and (is_packed(x) or is_packed(x, iter))
    if prod(x.shape) > FEW_ROWS * size and not in_pairs and x.dtype.kind in "fc":
        return each
    whole = (*[None] * (len(x.shape) - len(shape)), *shape)
    repeated = tuple([axis for axis, n in enumerate(x.shape) if n != whole[axis]])
    kept = tuple([1 if axis in repeated else n for axis, n in enumerate(x.shape)])
    if kept == shape:
        return reduction(each, np.add, x, axis=repeated, keepdims=True)
    left = tuple([n for axis, n in enumerate(x.shape) if axis not in repeated])
    if left == shape and shape and is_packed(x):
        return reduction(each, np.add, x, axis=repeated)
    if not is_packed(x) and sum(n > 1 for n in kept) > 1:
        return each  # the sum may be laid out in another order
    total = rewriting.value(np.broadcast_to(x.dtype.type(0), kept).copy())
    return [
        reduction(each, np.add, x, (total,), axis=repeated, keepdims=True),
        each.changed(Method("reshape"), (total, shape), {}),
    ]


def _of_clip(rewriting: Rewriting, each: Instruction) -> Instruction:
    if _clip is None or each.kwargs or len(each.args) != 3 or not all(map(_is_operand, each.args)):
        return each
    if not _is_array(each.args[0]) or each.args[0].dtype.kind != "f":
        return each
    return each.changed(_clip, each.args, {})


def _written_form(rewriting: Rewriting, each: Instruction) -> Any:
    """Write ``x -= y``, or a ufunc with ``out=x``, as one that gives a new array, if it is one."""
    call, x, y = each.call, each.args[0], each.outputs[0]
    if type(call) is Written and type(call.call) is Updated and call.call.name in _IN_PLACE:
        ufunc, args = OPERATORS[_IN_PLACE[call.call.name]], each.args
    elif type(call) is Into and type(call.call) is np.ufunc and call.call.signature is None:
        ufunc, args = call.call, each.args[1:]
    else:
        return each
    if each.kwargs or not all(map(_is_operand, args)) or not _is_array(x):
        return each
    values = [value for value in args if type(value) is Value and value.dtype is not None]
    strides = {value.strides for value in values if value.shape == x.shape}
    loop = resolved(ufunc, tuple(map(dtype_of, args)))
    is_alike = (
        loop is not None
        and loop[-1] == x.dtype
        and np.broadcast_shapes(*(value.shape for value in values)) == x.shape
        and strides == {x.strides} == {y.strides}  # then the result is laid out as x is
    )
    if not is_alike:
        return each
    if x.shape and y.number not in rewriting.escaping and not is_packed(y, sorted):
        # What is written into a view is computed as an array without gaps.
        view: Any = np.lib.stride_tricks.as_strided(np.empty(1, y.dtype), y.shape, y.strides)
        rewriting.known[y.number] = made = rewriting.value(np.empty_like(view))
        return each.changed(ufunc, args, {}, (made,))
    if x.shape:
        return each.changed(ufunc, args, {})
    number = rewriting.value(x.dtype.type(0))
    return [
        each.changed(ufunc, args, {}, (number,)),
        each.changed(as_array, (number,), {}),
    ]


def _of_through(each: Instruction) -> Instruction:
    """Write ``view = x[index]; view[...] = value`` as ``x[index] = value``."""
    x, value = each.args
    (call, args, kwargs), *others = each.call.views
    if others or call is not operator.getitem or kwargs or not is_basic(args[0]):
        return each
    return each.changed(written, (x, args[0], value), {})


def _of_pad(rewriting: Rewriting, each: Instruction) -> Instruction:
    """Write padding by zeros as zeros into which the array is written."""
    x, y = each.args[0], each.outputs[0]
    names = dict(zip(("pad_width", "mode"), each.args[1:], strict=False)) | each.kwargs
    width, mode = names.pop("pad_width", None), names.pop("mode", "constant")
    fill = names.pop("constant_values", 0)
    is_plain = _is_array(x) and not names and mode == "constant" and type(fill) in (int, float)
    if not (is_plain and fill == 0 and not np.signbit(fill)) or has_any(width, Value):
        return each
    if not prod(y.shape) or not is_packed(y):
        return each
    pairs = np.broadcast_to(np.asarray(width), (len(x.shape), 2)).tolist()
    place = tuple([slice(a, a + n) for (a, _), n in zip(pairs, x.shape, strict=True)])
    zeros = rewriting.constant(np.zeros(y.shape, y.dtype))
    return each.changed(written, (zeros, place, x), {})


def _of_positions(rewriting: Rewriting, each: Instruction) -> Instruction:
    """Write positions that are listed as an array."""

    def of(x: Any) -> Any:
        is_list = type(x) is list and x and all(type(n) is int for n in x)
        return rewriting.constant(np.array(x)) if is_list else x

    if len(each.args) < 2 or not has_any(each.args[1], list):
        return each
    x, index, *rest = each.args
    index = tuple(map(of, index)) if type(index) is tuple else of(index)
    return each.changed(each.call, (x, index, *rest), each.kwargs)


_FORMS: dict[Any, Callable[[Rewriting, Instruction], Any]] = {
    **dict.fromkeys(OPERATORS, _of_operator),
    operator.pow: _of_power,
    **dict.fromkeys((operator.mul, np.multiply), _of_product),
    **{getattr(np, name): partial(_of_reduction, name) for name in _REDUCTIONS},
    **{Method(name): partial(_of_reduction, name) for name in _REDUCTIONS},
    **{Of(ufunc, "reduce"): _of_reduce for ufunc in _REDUCTIONS.values()},
    **dict.fromkeys((np.mean, Method("mean")), _of_mean),
    **dict.fromkeys((np.clip, Method("clip")), _of_clip),
    np.count_nonzero: _of_count,
    sum_to: _of_sum_to,
    np.pad: _of_pad,
    **dict.fromkeys((operator.getitem, np.take), _of_positions),
}
