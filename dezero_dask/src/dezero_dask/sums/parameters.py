"""Arguments and results of losses and models: trees, sent as their leaves; numbers, arrays.

Arrays that arrive from another process are often not aligned in memory. NumPy computes with these
by small copies, which takes about three times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from operator import itemgetter, methodcaller
from typing import Any

import numpy as np
from dezero_tools.functional.tracing import name_of
from dezero_tools.functional.trees import Tree, leaves_of, like, matched, paths_of, tree_map

from dezero_core import Variable, VariableTypeError
from dezero_core.extend import INEXACT, NUMPY, any_array, brief, data_of, kind_of, shape_of, shown

_NUMBERS = (np.ndarray, np.generic, int, float, complex)


def aligned(array: Any) -> Any:
    """Return an array in aligned memory, a copy if need be; anything else as it is."""
    if isinstance(array, np.ndarray) and not array.flags.aligned:
        return array.copy(order="K")
    return array


class LocalArray:
    """An array of this process, for tasks: it arrives in others as an array that is aligned.

    Bytes are received into any memory. So the array is copied once where it arrives, and not in
    each step. What arrives needs nothing but NumPy: a worker without this package would die of it.
    """

    __slots__ = ("__weakref__", "array")

    def __init__(self, array: Any) -> None:
        self.array = aligned(array)

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self.array, np.ndarray):
            return methodcaller("copy", order="K"), (self.array,)
        return itemgetter(0), ((self.array,),)

    def __sizeof__(self) -> int:
        return int(getattr(self.array, "nbytes", 0)) + 100


def parameters(params: Tree, function: Any) -> list[Any]:
    """Return the leaves of parameters as arrays; raise if one cannot be differentiated by."""
    found = []
    for path, leaf in zip(paths_of(params, "argument 0"), leaves_of(params), strict=True):
        by = f"{name_of(function)} is differentiated by {path}"
        if isinstance(leaf, Variable):
            raise VariableTypeError(
                f"{by}, a Variable, and no graph reaches into other processes. Pass its array, "
                "x.data.",
                got=Variable,
            )
        array = any_array(leaf)
        if not isinstance(array, (np.ndarray, np.generic)):
            raise VariableTypeError(
                f"{by}, got {type(leaf)}. Parameters are sent to each task: pass an ndarray.",
                got=type(leaf),
            )
        if array.dtype.kind not in INEXACT:
            what = brief(leaf) if array.dtype.kind == "O" else f"of {array.dtype} data"
            raise VariableTypeError(
                f"{by}, which is {what}, a constant. Pass a floating-point number, 3.0 for 3.",
                got=array.dtype,
            )
        found.append(np.asarray(array))
    return found


def form_of(params: Tree) -> Tree:
    """Return the parameters with numbers as leaves."""
    return like(params, range(len(leaves_of(params))))


def hessian_form(params: Tree) -> Tree:
    """Return the form of a Hessian: that of the parameters, with that form again as each leaf."""
    return tree_map(lambda _: params, params)


def vector_of(vector: Tree, params: Tree, leaves: list[Any], function: Any) -> list[Any]:
    """Return the leaves of a vector, which must have the form and shapes of the parameters.

    They get the dtypes of the parameters.
    """
    parts = list(map(np.asarray, map(data_of, matched(params, vector))))
    shapes, expected = [part.shape for part in parts], [leaf.shape for leaf in leaves]
    if shapes != expected:
        raise ValueError(
            f"a vector for {name_of(function)} needs arrays of shapes {expected}, got {shapes}."
        )
    return [part.astype(leaf.dtype) for part, leaf in zip(parts, leaves, strict=True)]


def one_number(function: Callable[..., Any], rule: str) -> Callable[..., Any]:
    """Return a function whose result, of shape ``()``, is the one real number of `function`.

    That may return an array of one element, of any shape. Anything else raises an error, in which
    `rule` says which number is to be returned: ``"the sum over the rows that it is given"``.
    """

    def number(*args: Any) -> Any:
        y = function(*args)
        data = data_of(y)
        if not _is_array(data) or prod(shape_of(data)) != 1 or _kind(data) not in "biuf":
            raise _wrong(function, f"one number, {rule}", data, _advice(data))
        return np.reshape(y, ()) if shape_of(data) else y

    number.__name__ = name_of(function)
    return number


def one_array(model: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that returns the array of a model, and raises if it is none."""

    def array(*args: Any) -> Any:
        y = model(*args)
        data = data_of(y)
        if not _is_array(data) or _kind(data) not in "biufc":
            advice = "Join several results by np.stack(..., axis=-1)."
            raise _wrong(model, "one array, with a row for each row of its data", data, advice)
        return y

    array.__name__ = name_of(model)
    return array


def _wrong(function: Any, rule: str, data: Any, advice: str) -> VariableTypeError:
    got = _summary(data)
    message = f"{name_of(function)} must return {rule}, got {got}. {advice}"
    return VariableTypeError(message, got=got)


def _is_array(data: Any) -> bool:
    """Return whether it is a number or an array that has values."""
    kind = kind_of(data)
    return isinstance(data, _NUMBERS) if kind is NUMPY else not kind.lazy


def _kind(data: Any) -> str:
    return str(any_array(data).dtype.kind)


def _summary(data: Any) -> str:
    """Return how messages name a result."""
    if data is None:
        return "None"
    if isinstance(data, (tuple, list, dict)):
        return f"a {shown(type(data).__name__)} of length {len(data)}"
    if not _is_array(data):
        return shown(str(type(data)))
    return f"an array of shape {shape_of(data)} and dtype {any_array(data).dtype}"


def _advice(data: Any) -> str:
    """Return the advice for a result that is not one real number."""
    if data is None:
        return "Write `return` before the number."
    if isinstance(data, (tuple, list, dict)):
        return "Return the number alone, and compute the rest in a function of its own."
    if _is_array(data) and _kind(data) in "biufc":
        if prod(shape_of(data)) == 1:
            return "Make the number real: np.real(...) or np.abs(...)."
        return "Add up the elements: np.sum(...)."
    return "Return a number that NumPy computes, such as np.sum(...)."
