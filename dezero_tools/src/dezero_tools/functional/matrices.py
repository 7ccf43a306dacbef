"""Jacobians and Hessians of functions, as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dezero_core import VariableTypeError
from dezero_core.extend import any_array, data_of

from .blocks import blocks_of
from .derived import derived, takes_function
from .gradients import grad
from .tracing import Traced, chosen, is_one, name_of
from .trees import leaves_of, like, paths_of


@takes_function
def jacobian(
    f: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    holomorphic: bool = False,
    chunk: int | None = None,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of `f`.

    All rows are pulled back at once, as a batch, or all columns are pushed forward, whichever are
    fewer.

    Parameters
    ----------
    f : callable
        Returns an array, or nested tuples, lists, dicts and dataclasses of arrays.
    argnums : int or sequence of int
        As of `grad`.
    holomorphic : bool
        Pass True to differentiate an analytic function of complex arguments.
    chunk : int, optional
        How many rows, or columns, to compute at once: the memory grows with it. By default, as
        many as need at most 256 MiB, by an estimate from the sizes of the arrays in between.

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

    if chunk is not None and (not is_one(chunk) or chunk < 1):
        raise ValueError(f"chunk is a number of rows, from 1 on, or None, got {chunk!r}.")

    @derived(jacobian, f, argnums, holomorphic, chunk)
    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        traced = Traced(f, args, kwargs, argnums)
        if any(x.dtype.kind == "c" for x in traced.inputs):
            real = not all(any_array(data_of(y)).dtype.kind == "c" for y in traced.outputs)
            if real or not holomorphic:
                raise VariableTypeError(
                    f"{name_of(f)} has a complex argument. It has a Jacobian only if it is "
                    "analytic and has complex values. If this is true, pass holomorphic=True.",
                    got="real" if real else "complex",
                )
        rows = blocks_of(traced, chunk)
        return like(traced.result, [like(traced.form, each) for each in rows])

    return jacobian_of


@takes_function
def hessian(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, chunk: int | None = None
) -> Callable[..., Any]:
    """Return a function that computes the Hessian of `f`.

    Parameters
    ----------
    f : callable
        Returns one real number.
    argnums, chunk
        As of `jacobian`.

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
    gradients = jacobian(grad(f, argnums), argnums, chunk=chunk)

    @derived(hessian, f, argnums, chunk)
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
