"""Derivatives that the user writes: of a function of arrays, or none at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dezero_core import Function, Variable
from dezero_core.extend import data_of

from .derived import derived
from .tracing import name_of
from .trees import Tree, tree_map


def with_gradient(
    f: Callable[..., Any], backward: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Return `f` with a derivative of your own: JAX's ``custom_vjp``, autograd's ``defvjp``.

    ``@with_gradient(backward)`` decorates a function.

    Parameters
    ----------
    f : callable
        Of arrays and numbers by position; it returns an array, or a tuple of arrays.
    backward : callable
        ``backward(gradient, value, *arguments)`` returns the gradient by each argument: an array,
        or a tuple with one for each, or None. It gets the gradient and value of `f`, tuples if `f`
        returns one. It computes by operators and NumPy's functions, as the ``backward`` of a
        `Function` does: then it can be differentiated itself, to any order.

    Returns
    -------
    callable
        Takes Variables, arrays and numbers. Of arrays alone it returns arrays.

    Raises
    ------
    GradientError (ValueError)
        In a backward pass, if `backward` returns something that is no gradient.

    Examples
    --------
    >>> @with_gradient(lambda gy, y, x: gy * np.clip(y, 0.0, 1.0))
    ... def ramp(x):
    ...     return np.clip(x, 0.0, 1.0)
    >>> x = Variable(np.array([-1.0, 0.5]))
    >>> y = ramp(x)
    >>> y.backward()
    >>> y, x.grad
    (variable([0.  0.5]), array([0. , 0.5]))
    """
    if backward is None:
        return lambda function: with_gradient(function, f)

    def pulled(self: Any, *gys: Any) -> Any:
        xs = [x.data for x in self.inputs]
        ys = [y().data for y in self.outputs]
        if len(ys) == 1:
            return backward(gys[0], ys[0], *xs)
        return backward(gys, tuple(ys), *xs)

    parts = {
        "__module__": getattr(f, "__module__", __name__),
        "__doc__": f.__doc__,
        "saves": ("inputs", "outputs"),
        "forward": lambda self, *xs: f(*xs),
        "backward": pulled,
    }
    made: Any = type(name_of(f), (Function,), parts)

    @derived(with_gradient, f, backward)
    def applied(*xs: Any) -> Any:
        if not any(isinstance(x, Variable) for x in xs):
            return f(*xs)
        ys = made()(*xs)
        return tuple(ys) if isinstance(ys, list) else ys

    return applied


def stop_gradient(x: Tree) -> Tree:
    """Return arrays in place of Variables: constants, through which no gradient goes.

    Parameters
    ----------
    x : nested tuples, lists, dicts and dataclasses of Variables, arrays and numbers

    Returns
    -------
    nested tuples, lists, dicts and dataclasses of arrays and numbers
        In the form of `x`. The arrays are those of the Variables, and no copies.

    Examples
    --------
    >>> x = Variable(np.array(3.0))
    >>> stop_gradient({"x": x})
    {'x': array(3.)}
    """
    return tree_map(data_of, x)
