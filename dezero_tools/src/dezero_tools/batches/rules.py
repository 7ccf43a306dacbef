"""Which rule computes a function of NumPy over a batch, and the rules of ufuncs."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from dezero_core import VariableTypeError

from .batch import Batch
from .batched import Batched
from .looping import innermost, looped

Rule = Callable[..., Any]

RULES: dict[Any, Rule] = {}
"""Function of NumPy -> its rule, which takes the batch and then what the function takes.

A rule returns NotImplemented for arguments that it is not made for: then the function loops.
"""


def rule(*functions: Any) -> Callable[[Rule], Rule]:
    """Return a decorator that makes a function the rule of some functions of NumPy."""

    def decorated(made: Rule) -> Rule:
        RULES.update(dict.fromkeys(functions, made))
        return made

    return decorated


def of_function(function: Any, args: Any, kwargs: Any) -> Any:
    """Return the results of a function of NumPy for all examples."""
    batch = innermost(args, kwargs)
    made = RULES.get(function)
    kwargs = {name: x for name, x in kwargs.items() if x is not np._NoValue}
    if kwargs.get("out") is not None and "where" in kwargs:
        return looped(function, batch, args, kwargs)
    out = kwargs.pop("out", None)
    if out is not None:
        return _written(out, of_function(function, args, kwargs), batch)
    y = NotImplemented if made is None else made(function, batch, *args, **kwargs)
    return looped(function, batch, args, kwargs) if y is NotImplemented else y


def is_of(x: Any, batch: Batch) -> bool:
    """Return whether `x` is an array of this batch: others are the same for all its examples."""
    return isinstance(x, Batched) and x.batch.mark is batch.mark


def ndim_of(x: Any) -> int:
    """Return the number of dimensions of an array, number or list."""
    return x.ndim if hasattr(x, "ndim") else np.ndim(x)


def from_front(axis: int, ndim: int) -> int:
    """Return an axis from 0 on; raise an AxisError, as NumPy does, for one that is not there."""
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis % ndim


def behind(axis: Any, ndim: int) -> Any:
    """Return an axis, or a tuple of them, of the arrays of all examples: one is before all axes."""
    if isinstance(axis, (tuple, list)):
        return tuple(behind(each, ndim) for each in axis)
    return from_front(axis, ndim) + 1


def whole(x: Any, batch: Batch, ndim: int | None = None) -> Any:
    """Return the arrays of all examples in one, with at least `ndim` axes behind the hidden one.

    An array that is the same for all examples is returned as it is: NumPy broadcasts it.
    """
    if not is_of(x, batch):
        return x
    lacking = 0 if ndim is None else ndim - x.ndim
    return x.values.reshape((batch.length, *(1,) * lacking, *x.shape)) if lacking > 0 else x.values


def repeated(x: Any, batch: Batch) -> Any:
    """Return the arrays of all examples in one, also of what is the same for all."""
    if is_of(x, batch):
        return x.values
    return np.broadcast_to(x, (batch.length, *np.shape(x)))


def aligned(xs: Any, batch: Batch) -> list[Any]:
    """Return arrays that are computed with element by element, those of all examples in one."""
    ndim = max([ndim_of(x) for x in xs])
    return [whole(x, batch, ndim) for x in xs]


def wrapped(y: Any, batch: Batch) -> Any:
    """Return results, also in tuples, as arrays of the batch."""
    if isinstance(y, (tuple, list)):
        parts = [wrapped(each, batch) for each in y]
        return type(y)(*parts) if hasattr(y, "_fields") else type(y)(parts)
    return Batched(y, batch)


def of_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: Any) -> Any:
    """Return the results of a ufunc, or of its ``reduce`` and the like, for all examples."""
    batch = innermost(inputs, kwargs)
    is_elementwise = method == "__call__" and ufunc.signature is None
    out = kwargs.pop("out", None)
    if out is not None and not is_elementwise:
        return _written(out[0], of_ufunc(ufunc, method, inputs, kwargs), batch)
    if is_elementwise:
        if out is not None:
            _require_own(out, batch)
            kwargs["out"] = tuple(None if target is None else target.values for target in out)
            inputs = (*inputs, *(x for x in out if x is not None))  # their axes count as well
        ndim = max([ndim_of(x) for x in inputs])
        if kwargs:
            kwargs = {name: whole(x, batch, ndim) for name, x in kwargs.items()}
        y = ufunc(*[whole(x, batch, ndim) for x in inputs[: ufunc.nin]], **kwargs)
        return wrapped(y, batch) if type(y) is tuple else Batched(y, batch)
    y = NotImplemented
    if method == "__call__":
        y = _of_gufunc(ufunc, batch, inputs, kwargs)
    elif method in ("reduce", "accumulate") and not set(kwargs) - {"axis", "keepdims", "dtype"}:
        y = _along(ufunc, method, batch, *inputs, **kwargs)
    elif method == "outer" and not kwargs:
        a, b = inputs
        a = np.reshape(a, (*np.shape(a), *(1,) * ndim_of(b)))
        return of_ufunc(ufunc, "__call__", (a, b), {})
    elif method == "at":
        raise VariableTypeError(
            f"np.{ufunc.__name__}.at within vmap({batch.name}) is not supported: a[i] = x, or "
            "np.bincount with weights, is.",
            got=method,
        )
    return looped(getattr(ufunc, method), batch, inputs, kwargs) if y is NotImplemented else y


def _require_own(out: tuple[Any, ...], batch: Batch) -> None:
    """Refuse arrays to be written to that are not of each example of a batch."""
    for target in out:
        if target is not None and not is_of(target, batch):
            raise VariableTypeError(
                f"an array of a batch cannot be written into {type(target).__name__}, which is "
                f"the same for all examples of vmap({batch.name}). Write a = a + x for a += x, "
                "or fill np.zeros_like(x).",
                got=type(target),
            )
        if target is not None:
            target.require_writeable()


def _written(out: Any, y: Any, batch: Batch) -> Any:
    """Write a result into an array of the batch that the caller has given."""
    _require_own((out,), batch)
    out[...] = y
    return out


def _of_gufunc(ufunc: np.ufunc, batch: Batch, inputs: tuple[Any, ...], kwargs: Any) -> Any:
    """Apply a ufunc of whole vectors and matrices, such as matmul."""
    if kwargs:
        return NotImplemented
    taken = str(ufunc.signature).partition("->")[0]
    core = [len([n for n in part.split(",") if n]) for part in taken.strip("()").split("),(")]
    row = column = False
    if ufunc is np.matmul and (y := _by_one_matrix(batch, *inputs)) is not None:
        return Batched(y, batch)
    if (
        ufunc is np.matmul
    ):  # "(n?,k),(k,m?)->(n?,m?)": a vector is a row on the left, a column on the right
        a, b = inputs
        row, column = ndim_of(a) == 1, ndim_of(b) == 1
        inputs = (a[None, :] if row else a, b[:, None] if column else b)
    if ufunc is np.matmul and inputs[0].shape[-1] == inputs[1].shape[-2] == 1:
        return _without(row, column, np.multiply(*inputs))  # a column times a row, and faster
    pairs = list(zip(inputs, core, strict=True))
    loops = [ndim_of(x) - n for x, n in pairs]
    if min(loops) < 0:
        return NotImplemented
    y = ufunc(*[whole(x, batch, max(loops) + n) for x, n in pairs])
    if ufunc is np.matmul:
        return _without(row, column, Batched(y, batch))
    return wrapped(y, batch)


def _without(row: bool, column: bool, y: Any) -> Any:
    """Return a product of matrices without the axis of a vector."""
    whole = slice(None)
    return y[..., 0 if row else whole, 0 if column else whole] if row or column else y


def _by_one_matrix(batch: Batch, a: Any, b: Any) -> Any:
    """Return a product with a matrix that is the same for all: one product of all rows; or None."""
    if not is_of(b, batch) and ndim_of(b) == 2 and a.ndim:
        if a.ndim == 1:
            return np.matmul(a.values, b)
        count = batch.length * prod(a.shape[:-1])
        rows = np.matmul(np.reshape(a.values, (count, a.shape[-1])), b)
        return np.reshape(rows, (batch.length, *a.shape[:-1], b.shape[1]))
    if not is_of(a, batch) and ndim_of(a) == 2 and b.ndim == 1:
        return np.matmul(b.values, np.transpose(a))
    return None


def _along(ufunc: Any, method: str, batch: Batch, a: Any, axis: Any = 0, **kwargs: Any) -> Any:
    axes = axis if isinstance(axis, tuple) else tuple(range(a.ndim)) if axis is None else (axis,)
    if not a.ndim or (method == "accumulate" and len(axes) > 1):
        return NotImplemented
    at = behind(axes, a.ndim)
    y = getattr(ufunc, method)(a.values, axis=at if method == "reduce" else at[0], **kwargs)
    return Batched(y, batch)
