"""Jacobians and Hessians of functions, as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dezero_core import VariableTypeError
from dezero_core.extend import NUMPY, any_array, conjugated, kind_of, shape_of

from .derived import derived, takes_function
from .gradients import grad
from .tracing import Traced, chosen, data_of, name_of, unpacked
from .trees import leaves_of, like, paths_of


@takes_function
def jacobian(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, holomorphic: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of `f`.

    Parameters
    ----------
    f : callable
        Returns an array, or nested tuples, lists, dicts and dataclasses of arrays.
    argnums : int or sequence of int
        As of `grad`.
    holomorphic : bool
        Pass True to differentiate an analytic function of complex arguments.

    Returns
    -------
    callable
        Takes the arguments of `f`. For a value of shape ``m`` and an argument of shape ``n``, the
        Jacobian is an array of shape ``m + n``. A nested value gives its form, with the Jacobian of
        each array in place of it; a nested argument, its form for each Jacobian.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if an argument is of integers, or complex and not `holomorphic`.

    Examples
    --------
    >>> jacobian(lambda x: x)(np.array([1.0, 2.0]))
    array([[1., 0.],
           [0., 1.]])
    """

    @derived(jacobian, f, argnums, holomorphic)
    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        traced = Traced(f, args, kwargs, chosen(argnums, args, f))
        if any(x.dtype.kind == "c" for x in traced.inputs):
            real = not all(any_array(data_of(y)).dtype.kind == "c" for y in traced.outputs)
            if real or not holomorphic:
                raise VariableTypeError(
                    f"{name_of(f)} has a complex argument. It has a Jacobian only if it is "
                    "analytic and has complex values. If this is true, pass holomorphic=True.",
                    got="real" if real else "complex",
                )
        rows = (_rows(traced, index) for index in range(len(traced.outputs)))
        by_output = [unpacked(argnums, traced.arguments_like(each)) for each in rows]
        return like(traced.result, by_output)

    return jacobian_of


def _rows(traced: Traced, which: int) -> list[Any]:
    """Return the Jacobians of one output by each input."""
    y = data_of(traced.outputs[which])
    shape, kind = shape_of(y), kind_of(y)
    is_complex = any_array(y).dtype.kind == "c"
    rows: list[list[Any]] = [[] for _ in traced.inputs]
    for index in np.ndindex(shape):
        parts = []
        for unit in (1.0, 1j) if is_complex else (1.0,):
            # None for the other outputs. Zeros would cost a backward pass through them, and zero
            # times an inf or nan there is nan.
            vectors: list[Any] = [None] * len(traced.outputs)
            vector = np.zeros(shape, any_array(y).dtype)
            vector[index] = unit
            vectors[which] = (
                vector if kind is NUMPY else kind.zeros(shape, vector.dtype, y) + vector
            )
            gradients = traced.pulled_back(vectors, traced.nested)
            parts.append(leaves_of(traced.filled(gradients, traced.nested)))
        # pulled_back(gy) returns the gradient of Re(conj(gy) y): for gy = 1 that of the real part
        # of y, for gy = 1j that of the imaginary part. For an analytic function of a complex input
        # the first gradient determines the derivative.
        for row, x, gradients in zip(rows, traced.inputs, zip(*parts, strict=True), strict=True):
            if x.dtype.kind == "c":
                row.append(conjugated(gradients[0]))
            else:
                row.append(gradients[0] if len(parts) == 1 else gradients[0] + 1j * gradients[1])
    return [
        np.reshape(np.stack(row), shape + x.shape)
        if row
        else kind_of(x.data).zeros(shape + x.shape, x.dtype, x.data)
        for row, x in zip(rows, traced.inputs, strict=True)
    ]


@takes_function
def hessian(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return a function that computes the Hessian of `f`.

    Parameters
    ----------
    f : callable
        Returns one real number.
    argnums : int or sequence of int
        As of `grad`.

    Returns
    -------
    callable
        Takes the arguments of `f`. For an argument of shape ``n``, the Hessian is an array of shape
        ``n + n``. A nested argument gives its form, with a tree of that form for each array.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if `f` does not return one real number, or an argument is of integers.

    Examples
    --------
    >>> hessian(lambda x: x)(3.0)
    array(0.)
    """
    gradients = jacobian(grad(f, argnums), argnums)

    @derived(hessian, f, argnums)
    def hessian_of(*args: Any, **kwargs: Any) -> Any:
        for index in chosen(argnums, args, f):
            paths = paths_of(args[index], f"argument {index}")
            for path, leaf in zip(paths, leaves_of(args[index]), strict=True):
                if any_array(data_of(leaf)).dtype.kind == "c":
                    raise VariableTypeError(
                        f"{name_of(f)} has a complex argument, {path}, but a Hessian needs real "
                        f"arguments. Write {name_of(f)} as a function of real and imaginary parts.",
                        got="complex",
                    )
        return gradients(*args, **kwargs)

    return hessian_of
