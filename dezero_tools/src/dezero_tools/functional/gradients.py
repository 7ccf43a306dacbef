"""Gradients of functions, as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from dezero_core.array_types import any_array, array_type_of, call_by_type, shape_of
from dezero_core.errors import VariableTypeError

from .derived import derived, takes_function
from .tracing import (
    Traced,
    chosen,
    for_caller,
    name_of,
    plain,
    unpacked,
)
from .trees import like


@takes_function
def value_and_grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return a function that computes the value of `f` and its gradient.

    Parameters
    ----------
    f : callable
        Returns one real number.
    argnums : int or sequence of int
        The arguments to differentiate by: nested tuples, lists, dicts and dataclasses of arrays
        and numbers.

    Returns
    -------
    callable
        Takes the arguments of `f`. Returns the value and the gradient. The gradient has the form
        of the argument; for a sequence of `argnums` it is a tuple of gradients. Results are
        ndarrays, or Variables in the cases that `dezero_tools.functional` lists.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if `f` does not return one real number, or an argument is of integers.

    Warns
    -----
    UserWarning
        When called, as `grad` does.

    Examples
    --------
    >>> value_and_grad(lambda x: x)(3.0)
    (array(3.), array(1.))
    """

    @derived(value_and_grad, f, argnums)
    def value_and_gradient(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        traced = Traced(f, args, kwargs, chosen(argnums, args, f))
        y = traced.result
        data = plain(y)
        is_number = isinstance(data, (np.ndarray, np.generic, float, int))
        if not (is_number or array_type_of(data)) or shape_of(data) != ():
            got = f"an array of shape {data.shape}" if hasattr(data, "shape") else type(data)
            raise VariableTypeError(
                f"{name_of(f)} must return one number to have a gradient, got {got}. Sum the "
                "result, or use jacobian.",
                got=type(data),
            )
        if any_array(data).dtype.kind == "c":
            raise VariableTypeError(
                f"{name_of(f)} must return a real number to have a gradient, got a complex "
                "number. Make it real, by np.real or np.abs.",
                got=np.result_type(data),
            )
        gradients = traced.pulled_back([call_by_type(np.ones_like, (data,), {})], traced.nested)
        traced.warn_of_independence(gradients)
        trees = like(traced.form, gradients)
        return traced.value(), unpacked(argnums, for_caller(trees, traced.nested))

    return value_and_gradient


@takes_function
def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return a function that computes the gradient of `f`.

    Parameters
    ----------
    f : callable
        Returns one real number.
    argnums : int or sequence of int
        The arguments to differentiate by: nested tuples, lists, dicts and dataclasses of arrays
        and numbers.

    Returns
    -------
    callable
        Takes the arguments of `f`, and returns the gradient in the form of the argument; for a
        sequence of `argnums`, a tuple of gradients. The gradient by a complex argument is the
        derivative by the real part plus ``1j`` times the derivative by the imaginary part.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if `f` does not return one real number, or an argument is of integers.

    Warns
    -----
    UserWarning
        When called, if the value does not depend on an argument, or a part of it, unless
        ``dezero_core.Config.warn_of_independence`` is False. Not if `f` takes derivatives itself,
        nor inside a function that is differentiated.

    Notes
    -----
    autograd's ``elementwise_grad(f)`` is ``grad(lambda x: np.sum(f(x)))``.

    Examples
    --------
    >>> grad(lambda x, y: y, argnums=1)(3.0, 2.0)
    array(1.)
    """

    @derived(grad, f, argnums)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        return value_and_grad(f, argnums)(*args, **kwargs)[1]

    return gradient
