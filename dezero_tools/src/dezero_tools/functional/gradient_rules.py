"""Derivatives that the user writes: of a function of arrays, or none at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dezero_core import Function, Variable, VariableTypeError
from dezero_core.extend import data_of

from ..wrapped import CALLERS
from .derived import derived, takes_function
from .tracing import name_of, not_differentiated
from .trees import Tree, has_variable, tree_map

CALLERS[__name__] = set()


@takes_function
def with_gradient(
    f: Callable[..., Any], backward: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Return `f` with a derivative of your own: JAX's ``custom_vjp``, autograd's ``defvjp``.

    It is also a decorator: ``@with_gradient(backward)``.

    Parameters
    ----------
    f : callable
        Of arrays and numbers by position; it returns an array, or a tuple of arrays.
    backward : callable
        ``backward(gradient, value, *arguments)`` gets the gradient and value of `f`, or tuples of
        them if `f` returns a tuple, and the arguments. It returns the gradient by the argument, or
        a tuple with one for each of several; None in it stands for no gradient. It computes by
        operators and NumPy's functions, as the ``backward`` of a `Function` does: then it can be
        differentiated itself, to any order.

    Returns
    -------
    callable
        Takes Variables, arrays and numbers. Of arrays alone it returns arrays.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if Variables are within a list, tuple or dict: pass each as an argument.
    GradientError (ValueError)
        In a backward pass, if `backward` returns something that is no gradient.

    Examples
    --------
    Rounding, with the gradient of the identity:

    >>> @with_gradient(lambda gy, y, x: gy)
    ... def rounded(x):
    ...     return np.round(x)
    >>> x = Variable(np.array([-1.2, 0.7]))
    >>> y = rounded(x)
    >>> y.backward()
    >>> y, x.grad
    (variable([-1.  1.]), array([1., 1.]))
    """
    if backward is None:
        return lambda function: with_gradient(function, f)
    if not callable(backward):
        raise TypeError(f"with_gradient() takes a function as backward, got {type(backward)}.")

    parts = {
        "__module__": getattr(f, "__module__", __name__),
        "__doc__": f.__doc__,
        "function": staticmethod(f),
        "rule": staticmethod(backward),
    }
    made: Any = type(name_of(f), (_WithRule,), parts)

    @derived(with_gradient, f, backward)
    def applied(*xs: Any, **named: Any) -> Any:
        if named:
            raise TypeError(
                f"{name_of(f)} has a gradient for each argument by position: pass "
                f"{', '.join(named)} by position, too."
            )
        if not any(isinstance(x, Variable) for x in xs):
            if has_variable(xs):
                advice = "pass each Variable as an argument, and none within a list, dict or others"
                problem = f"{name_of(f)} has one gradient for each argument: {advice}."
                raise VariableTypeError(problem, got=tuple(map(type, xs)))
            return f(*xs)
        ys = made()(*xs)
        return tuple(ys) if isinstance(ys, list) else ys

    return applied


class _WithRule(Function):
    """A function with a rule for its gradient, of a class of its own that has its name."""

    saves = ("inputs", "outputs")
    function: Callable[..., Any]
    rule: Callable[..., Any]

    def forward(self, *xs: Any) -> Any:
        with not_differentiated():
            return self.function(*xs)

    def backward(self, *gys: Any) -> Any:
        xs, ys = [x.data for x in self.inputs], tuple([y().data for y in self.outputs])
        return self.rule(gys, ys, *xs) if len(ys) > 1 else self.rule(gys[0], ys[0], *xs)


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
