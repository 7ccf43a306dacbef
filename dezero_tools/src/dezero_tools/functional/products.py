"""Products of Jacobians and Hessians with vectors, without the matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dezero_core import Variable
from dezero_core.extend import any_array, data_of, shape_of

from .derived import derived, takes_function
from .gradients import grad
from .tracing import Traced, is_one, name_of
from .trees import Tree, leaves_of, like, matched


def vjp(f: Callable[..., Any], *xs: Tree) -> tuple[Tree, Callable[..., tuple[Tree, ...]]]:
    """Return ``f(*xs)``, and a function that multiplies a vector by its Jacobian from the left.

    Parameters
    ----------
    f : callable
        Returns an array, or nested tuples, lists, dicts and dataclasses of arrays.
    *xs : nested tuples, lists, dicts and dataclasses of arrays and numbers

    Returns
    -------
    value
    pull_back : callable
        Takes a vector in the form of the value, and returns a tuple of gradients in those of `xs`.
        It may be called many times.

    Raises
    ------
    VariableTypeError (TypeError)
        If an argument is of integers.

    Examples
    --------
    >>> y, pull_back = vjp(lambda x: x, np.array([1.0, 2.0]))
    >>> pull_back(np.array([3.0, 4.0]))
    (array([3., 4.]),)
    """
    traced = Traced(f, xs, {}, range(len(xs)), for_products=True)
    return traced.value(), lambda vector: _pulled_back(traced, vector, f)


def _pulled_back(traced: Traced, vector: Tree, function: Any) -> Tree:
    """Return the product of a vector with the Jacobian of a function that was called."""
    nested = traced.is_nested(vector)
    gradients = traced.pulled_back(_vector(vector, traced.result, function), nested)
    return like(traced.form, traced.with_zeros(gradients, nested))


def jvp(f: Callable[..., Any], *xs: Tree) -> tuple[Tree, Callable[..., Tree]]:
    """Return ``f(*xs)``, and a function that multiplies its Jacobian by a vector.

    Tangents are pushed through the graph that `f` has recorded: a call costs about as much as a
    gradient.

    Parameters
    ----------
    f, *xs
        As of `vjp`, with its errors.

    Returns
    -------
    value
    push_forward : callable
        Takes a vector for each of `xs`, in the same form. Returns the derivative of the value
        along these vectors. It may be called many times.

    Examples
    --------
    >>> y, push_forward = jvp(lambda x: x, np.array([1.0, 2.0]))
    >>> push_forward(np.array([3.0, 4.0]))
    array([3., 4.])
    """
    traced = Traced(f, xs, {}, range(len(xs)), for_products=True)

    def push_forward(*along: Tree) -> Tree:
        nested = traced.is_nested(along)
        return like(traced.result, traced.pushed_forward(_vector(along, xs, f), nested))

    return traced.value(), push_forward


def _vector(vector: Tree, form: Tree, function: Any) -> list[Any]:
    """Return the leaves of a vector that must fit `form`, in its order and with its dtypes."""
    parts, leaves = matched(form, vector), leaves_of(form)
    pairs = [(_is_complex(a), _is_complex(b)) for a, b in zip(parts, leaves, strict=True)]
    if (True, False) in pairs:
        raise ValueError(
            f"a vector for {name_of(function)} has a complex array where a real one is needed."
        )
    shapes, expected = [shape_of(part) for part in parts], [shape_of(leaf) for leaf in leaves]
    if shapes != expected:
        raise ValueError(
            f"a vector for {name_of(function)} needs arrays of shapes {expected}, got {shapes}."
        )
    return [
        part if isinstance(part, Variable) else any_array(part, any_array(data_of(leaf)).dtype)
        for part, leaf in zip(parts, leaves, strict=True)
    ]


def _is_complex(x: Any) -> bool:
    return bool(any_array(data_of(x)).dtype.kind == "c")


@takes_function
def hvp(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return a function that multiplies the Hessian of `f` by a vector (Pearlmutter 1994).

    Parameters
    ----------
    f : callable
        Returns one real number.
    argnums : int or sequence of int
        As of `grad`.

    Returns
    -------
    callable
        Takes the arguments of `f` and then the vector, in the form of the argument. Returns the
        product in the same form. A call costs about as much as two gradients.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if `f` does not return one real number, or an argument is of integers.
    ValueError
        If the vector does not have the shapes of the argument.

    Examples
    --------
    >>> hvp(lambda x: x)(3.0, 1.0)
    array(0.)
    """

    @derived(hvp, f, argnums)
    def product(*args: Any, **kwargs: Any) -> Any:
        if not args:
            raise TypeError(
                f"the product with the Hessian of {name_of(f)} needs a vector as its last argument."
            )
        *xs, vector = args
        traced = Traced(grad(f, argnums), tuple(xs), kwargs, argnums)
        return _pulled_back(traced, vector if is_one(argnums) else tuple(vector), f)

    return product
