"""The results of losses and models: one number, or one array with rows."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from dezero_tools.functional.tracing import data_of, name_of

from dezero_core import VariableTypeError
from dezero_core.extend import NUMPY, any_array, kind_of, shape_of, shown

_NUMBERS = (np.ndarray, np.generic, int, float, complex)


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
        return (
            "Make the number real: np.real(...) or np.abs(...)."
            if prod(shape_of(data)) == 1
            else "Add up the elements: np.sum(...)."
        )
    return "Return a number that NumPy computes, such as np.sum(...)."
