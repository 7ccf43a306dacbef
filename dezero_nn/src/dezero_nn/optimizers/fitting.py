"""Checks of parameters and their gradients, before an optimizer changes anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core import Parameter, Variable

from ..layers import State


def prepare(
    params: list[Parameter],
    states_of: Callable[[Parameter], tuple[State, ...]],
    name_of: Callable[[Parameter], str],
) -> None:
    """Raise an error if parameters cannot be updated; fill their States that have no data yet.

    params: they have gradients.
    states_of, name_of: give the States of a parameter, and its name in messages.
    Raises TypeError, ValueError: as of `require_fitting` and `fill`.
    """
    for param in params:
        require_fitting(param, name_of)
        fill(states_of(param), param, name_of)


def require_fitting(param: Parameter, name_of: Callable[[Parameter], str]) -> None:
    """Let the gradient be an ndarray, if it fits the parameter's array, which can be changed.

    param: it has a gradient.
    name_of: gives the name of a parameter in messages.
    Raises TypeError: if the data are no ndarray of floating-point numbers, or the gradient is no
        array, or complex where the data are real.
    Raises ValueError: if the array is read-only, or the gradient has another shape.
    """
    data, grad = param.check_data(), param.grad
    if isinstance(grad, Variable):
        grad = grad.data
    if not isinstance(data, np.ndarray) or data.dtype.kind not in "fc":
        raise TypeError(
            f"{name_of(param)} must hold an ndarray of floating-point numbers, which is changed in "
            f"place, and holds a {type(data).__name__} of {data.dtype}. Write "
            "param.data = param.to_numpy().astype(np.float32)."
        )
    if not data.flags.writeable:
        raise ValueError(
            f"{name_of(param)} holds a read-only array, and an update changes it in place. Write "
            "param.data = param.data.copy()."
        )
    if not isinstance(grad, np.ndarray):
        grad = _as_ndarray(grad, param, name_of)
    if grad.shape != data.shape:
        raise ValueError(
            f"{name_of(param)} has shape {data.shape}, and its gradient {grad.shape}. A gradient "
            "has the shape of its parameter: look at what has set param.grad."
        )
    if grad.dtype.kind not in "fiub" and grad.dtype.kind != data.dtype.kind:
        raise TypeError(
            f"{name_of(param)} is of dtype {data.dtype}, and its gradient of {grad.dtype}. A real "
            "parameter has a real gradient: look at what has set param.grad."
        )
    if grad.dtype.kind in "iub":
        grad = grad.astype(data.dtype)
    if grad is not param.grad:
        param.grad = grad


#: Gradients of so many numbers, as those of biases, are looked at in no time beside an update.
_SMALL = 4096


def require_finite(params: list[Parameter], name_of: Callable[[Parameter], str]) -> None:
    """Look for a nan or inf of the loss in the smallest gradient, and in all that are small.

    The smallest one alone is not enough: that of the last bias is 1 in ``sum(model(x))``, whatever
    the sum is.

    params: they have gradients.
    name_of: gives the name of a parameter in messages.
    Raises FloatingPointError: if one that is looked at has a number that is not finite.
    """
    for number, param in enumerate(sorted(params, key=lambda param: param.grad.size)):
        if number and param.grad.size > _SMALL:
            break
        if not np.isfinite(param.grad).all():
            raise FloatingPointError(
                f"{name_of(param)} has a gradient with nan or inf, as a loss gives that is nan or "
                "inf; no parameter was changed. Compute the loss once more under "
                'dezero_tools.observe("nan"): it stops at the first operation whose result is not '
                "finite, and names it with its line."
            )


def _as_ndarray(grad: Any, param: Parameter, name_of: Callable[[Parameter], str]) -> Any:
    """Return a scalar of NumPy's, or an array of a registered type, as an ndarray."""
    if isinstance(grad, np.generic):
        return grad.reshape(())  # dezero-replay records this, and not np.asarray
    try:
        return Variable(grad).to_numpy()
    except TypeError:
        raise TypeError(
            f"{name_of(param)} has a gradient of {type(grad)}, and a gradient is an ndarray: look "
            "at what has set param.grad."
        ) from None


def fill(states: tuple[State, ...], param: Parameter, name_of: Callable[[Parameter], str]) -> None:
    """Let States that have no data be zeros like the parameter's.

    Raises ValueError: if one has another shape or dtype than the parameter, which got another
        array.
    """
    data = param.data
    for state in states:
        if state.data is None:
            state.data = np.zeros_like(data)
        elif state.data.shape != data.shape or state.data.dtype != data.dtype:
            raise ValueError(
                f"{name_of(param)} is now {data.dtype}{list(data.shape)}, and its {state.name!r} "
                f"{state.data.dtype}{list(state.data.shape)}. Call optimizer.setup(model) again, "
                "which begins anew."
            )
