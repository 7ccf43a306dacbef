"""Gradients of functions, as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dezero_core import VariableTypeError
from dezero_core.extend import NUMPY, any_array, data_of, kind_of, shape_of

from .derived import derived, takes_function
from .tracing import Traced, name_of


@takes_function
def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., tuple[Any, Any]]:
    """Return a function that computes the value of `f` and its gradient.

    Parameters
    ----------
    f, argnums, has_aux
        As of `grad`.

    Returns
    -------
    callable
        Takes the arguments of `f`. Returns the value, in the shape that `f` gives it, and the
        gradient, as `grad` does. With `has_aux`, the value is the pair, in which arrays take the
        place of the Variables that `f` has computed. Results are ndarrays, or Variables in the
        cases that `dezero_tools.functional` lists.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, as of `grad`, with its warning.

    Examples
    --------
    >>> value_and_grad(lambda x: x)(3.0)
    (array(3.), array(1.))
    >>> value_and_grad(lambda x: (x, {"name": "x"}), has_aux=True)(3.0)
    ((array(3.), {'name': 'x'}), array(1.))
    """

    @derived(value_and_grad, f, argnums, has_aux)
    def value_and_gradient(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        traced = Traced(f, args, kwargs, argnums, has_aux)
        gradient, value = gradient_of(traced, f), traced.value()
        return (value, traced.auxiliary()) if has_aux else value, gradient

    return value_and_gradient


@takes_function
def grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the gradient of `f`.

    Parameters
    ----------
    f : callable
        Returns one real number: a number, or an array of one element, of any shape. With `has_aux`,
        a pair of such a number and anything else.
    argnums : int or sequence of int
        The arguments to differentiate by: nested tuples, lists, dicts and dataclasses of arrays
        and numbers.
    has_aux : bool
        Whether `f` returns a pair, of which the first is differentiated.

    Returns
    -------
    callable
        Takes the arguments of `f`, and returns the gradient in the form of the argument; for a
        sequence of `argnums`, a tuple of gradients. The gradient by a complex argument is the
        derivative by the real part plus ``1j`` times the derivative by the imaginary part. With
        `has_aux`, it returns a pair of the gradient and the second result of `f`.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if `f` does not return one real number, or no pair with `has_aux`, or an
        argument is of integers.

    Warns
    -----
    UserWarning
        When called, if the value does not depend on an argument, or a part of it, unless
        ``dezero_core.Config.warn_of_independence`` is False. Not if `f` takes derivatives itself,
        nor inside a function that is differentiated.

    Examples
    --------
    >>> grad(lambda x, y: y, argnums=1)(3.0, 2.0)
    array(1.)
    """

    @derived(grad, f, argnums, has_aux)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        traced = Traced(f, args, kwargs, argnums, has_aux)
        found = gradient_of(traced, f)
        return (found, traced.auxiliary()) if has_aux else found

    return gradient


@takes_function
def elementwise_grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return a function that computes the derivative of `f` at each element of an array.

    It is the gradient of the sum: if values depend on several elements, use `jacobian`.

    Parameters
    ----------
    f : callable
        Returns an array of real numbers, of any shape.
    argnums : int or sequence of int
        As of `grad`.

    Returns
    -------
    callable
        Takes the arguments of `f`, and returns the derivatives in the form of the argument; for a
        sequence of `argnums`, a tuple of them. An argument that `f` broadcasts gets the sum of the
        derivatives of all values that it has a part in.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if `f` does not return an array of real numbers, or an argument is of integers.
        It warns as `grad` does.

    Examples
    --------
    >>> elementwise_grad(lambda x: x)(np.array([1.0, 2.0]))
    array([1., 1.])
    """

    @derived(elementwise_grad, f, argnums)
    def derivatives(*args: Any, **kwargs: Any) -> Any:
        return gradient_of(Traced(f, args, kwargs, argnums), f, one=False)

    return derivatives


def _require_reals(f: Any, result: Any, one: bool) -> None:
    """Refuse the result of a function that has no gradient, of `one` number or of an array."""
    data = data_of(result)
    if type(data) is np.ndarray and data.dtype.kind == "f" and (data.size == 1 or not one):
        return
    is_array = isinstance(data, (np.ndarray, np.generic, float, int)) or kind_of(data) is not NUMPY
    if not is_array or (one and any(n != 1 for n in shape_of(data))):
        got = f"an array of shape {data.shape}" if hasattr(data, "shape") else type(data)
        advice = "Sum the result, as np.sum(r**2) of residuals, or use jacobian."
        if one and isinstance(data, (tuple, list)) and len(data) == 2:
            advice = "For a pair of the number and more, grad takes has_aux=True; others, f(x)[0]."
        raise VariableTypeError(
            f"{name_of(f)} must return {'one number' if one else 'one array'} to have a gradient, "
            f"got {got}. {advice}",
            got=type(data),
        )
    if any_array(data).dtype.kind == "c":
        raise VariableTypeError(
            f"{name_of(f)} must return a real number to have a gradient, got a complex "
            "number. Make it real, by np.real or np.abs.",
            got=np.result_type(data),
        )


def gradient_of(traced: Traced, f: Any, one: bool = True) -> Any:
    """Return the gradient of the sum of what a function has returned."""
    _require_reals(f, traced.result, one)
    return traced.gradient()
