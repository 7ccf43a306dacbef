"""Functions of nested arrays, in the form that ``scipy.optimize`` takes."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from math import prod
from typing import Any

import numpy as np

from dezero_core import VariableTypeError, no_grad
from dezero_core.extend import call_by_type, data_of, kind_of, shape_of

from . import matrices, products
from .derived import derived
from .flattening import concatenated, flatten, numbers_of
from .gradients import gradient_of
from .tracing import Traced, name_of
from .trees import Tree, branches_of, leaves_of, like, paths_of


class ScipyProblem:
    """A function of a flat vector, with its derivatives. `as_scipy` makes it.

    SciPy takes numbers and arrays, so every method computes under ``no_grad()``. Where `f` returns
    one number, value and gradient are computed together, once for each point.

    Parameters
    ----------
    f, x0, args
        As of `as_scipy`; the attribute ``x0`` is an ndarray, shape ``(n,)``, float64.
    value_and_grad, hvp : callable, optional
        What computes the value of `f` and the gradient, and the product of the Hessian with a
        vector, if it is not `dezero_tools.functional`.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        x0: Tree,
        args: Any = (),
        value_and_grad: Callable[..., Any] | None = None,
        hvp: Callable[..., Any] | None = None,
    ) -> None:
        self._f = f
        self._args = args if isinstance(args, tuple) else (args,)
        self._checked = _checked(f)
        self._is_vector = False  # as far as is known: the first value tells
        self._derivative = value_and_grad
        self._product = hvp or products.hvp(f)
        leaves = [data_of(leaf) for leaf in numbers_of(x0, "x0", "scipy.optimize")]
        for path, leaf in zip(paths_of(x0, "x0"), leaves, strict=True):
            if (kind := kind_of(leaf)).lazy:
                raise VariableTypeError(
                    f"scipy.optimize takes numbers, but {path} is a {kind.name} array, "
                    "which is lazy and has no numbers yet. Compute the array first.",
                    got=type(leaf),
                )
            if leaf.dtype.kind == "c":
                raise VariableTypeError(
                    f"scipy.optimize takes real arguments, but {path} has complex "
                    "numbers. Pass their real and imaginary parts.",
                    got=leaf.dtype,
                )
        self.x0, self._unflatten = flatten(like(x0, [np.asarray(leaf, float) for leaf in leaves]))
        self._last: tuple[Any, Any, Any] = (None, None, None)

    def __repr__(self) -> str:
        numbers = "1 number" if self.x0.size == 1 else f"{self.x0.size} numbers"
        return f"<{type(self).__name__} of {name_of(self._f)}: {numbers}>"

    def unflatten(self, x: Any) -> Tree:
        """Return a vector of shape ``(n,)`` in the form of the starting point."""
        return self._unflatten(np.asarray(x, dtype=float))

    def fun(self, x: Any, *args: Any) -> Any:
        """Return the value at `x`, shape ``(n,)``: a float, or a vector of shape ``(m,)``.

        `args` come after those of the problem, as in the other methods.
        """
        value, _ = self._at(x, args)
        return value.item() if value.size == 1 else value.copy()

    def jac(self, x: Any, *args: Any) -> Any:
        """Return the gradient at `x`, shape ``(n,)``; of a vector, the Jacobian, ``(m, n)``."""
        value, gradient = self._at(x, args)
        if gradient is None:
            gradient = self._matrix(matrices.jacobian, self._checked, x, args)
        return gradient.flatten() if value.size == 1 else gradient

    def hess(self, x: Any, *args: Any) -> Any:
        """Return the Hessian at `x`, shape ``(n, n)``.

        ``hess(x, v)`` is that of ``v @ f``, with a `v` of shape ``(m,)``: this is how
        ``scipy.optimize.NonlinearConstraint`` calls it.
        """
        v = np.asarray(args[0], float) if self._are_weights(args) else None

        def one_number(*given: Any) -> Any:
            y = self._checked(*given)
            if v is not None and v.shape == (y.size,):
                return np.dot(v, y)
            if v is None and y.size == 1:
                return y
            raise ValueError(
                f"{name_of(self._f)} returns {y.size} numbers, so its Hessian is hess(x, v) with a "
                f"v of shape ({y.size},). Got {'no v' if v is None else f'one of {v.shape}'}."
            )

        return self._matrix(matrices.hessian, one_number, x, args if v is None else ())

    @no_grad()
    def hessp(self, x: Any, p: Any, *args: Any) -> Any:
        """Return the product of the Hessian at `x` with `p`, shape ``(n,)``."""
        vector = self.unflatten(p)
        return _flat(leaves_of(self._product(self.unflatten(x), *self._args, *args, vector)))

    @no_grad()
    def _at(self, x: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
        """Return the numbers of the value at `x`; and of the gradient, if the value is one."""
        # SciPy asks for the value and then for the gradient at the same point: compute both once.
        point, value, gradient = self._last
        if args or point is None or not np.array_equal(point, x):
            derivative = self._derivative or self._value_and_grad
            value, tree = derivative(self.unflatten(x), *self._args, *args)
            found = _flat([value, *leaves_of(tree)])
            value, gradient = (found, None) if self._is_vector else np.split(found, [1])
            if not args:
                self._last = np.array(x), value, gradient
        return value, gradient

    def _value_and_grad(self, *args: Any) -> tuple[Any, Tree]:
        """Return the value of `f`, and its gradient; of a vector there is none, but None."""
        if self._is_vector:
            return data_of(self._checked(*args)), None
        traced = Traced(self._checked, args, {}, 0)
        self._is_vector = prod(shape_of(data_of(traced.result))) != 1
        return traced.value(), None if self._is_vector else gradient_of(traced, self._f)

    @no_grad()
    def _matrix(self, make: Any, function: Any, x: Any, args: tuple[Any, ...]) -> Any:
        """Return a Jacobian or a Hessian by all numbers of the vector, in one pass."""

        def of_vector(vector: Any) -> Any:
            return function(self._unflatten(vector), *self._args, *args)

        of_vector.__name__ = name_of(self._f)
        return _numbers(make(of_vector)(np.asarray(x, float)))

    def _are_weights(self, args: tuple[Any, ...]) -> bool:
        """Return whether `args` of `hess` are weights, and not an argument of `f` as well."""
        if len(args) != 1 or not isinstance(args[0], (np.ndarray, list)) or np.ndim(args[0]) != 1:
            return False
        name, count = name_of(self._f), 1 + len(self._args)
        if _takes(self._f, count) and _takes(self._f, count + 1):
            raise TypeError(
                f"an array after x may be the v of hess(x, v), or an argument of {name}. Pass the "
                f"arguments of {name} to as_scipy, as args."
            )
        return _takes(self._f, count)


def _checked(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return `f` with a result that SciPy can use: one number, or a vector of numbers."""

    @derived(_checked, f)
    def checked(*args: Any) -> Any:
        y = f(*args)
        leaves = numbers_of(y, f"the result of {name_of(f)}", "scipy.optimize")
        shapes = [leaf.shape for leaf in leaves]
        if isinstance(y, (tuple, list)) and shapes and shapes == [()] * len(y):
            return call_by_type(concatenated, (leaves,), {})
        got = f"a {type(y).__name__}"
        if branches_of(y) is None:
            (x,), (shape,) = leaves, shapes
            if prod(shape) == 1 or (len(shape) == 1 and shape[0] and x.dtype.kind != "c"):
                return x
            got = f"{x.dtype}{list(shape)}"
        raise VariableTypeError(
            f"{name_of(f)} must return one number, or a vector of real numbers, for "
            f"scipy.optimize, got {got}. np.ravel(y) is a vector of a matrix, and flatten(y)[0] "
            "of nested arrays. Of complex numbers return real and imaginary parts.",
            got=type(y),
        )

    return checked


def _takes(f: Callable[..., Any], count: int) -> bool:
    """Return whether a function can be called with so many arguments by position."""
    try:
        signature(f).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # some functions in C have no signature
        return True
    return True


def _flat(leaves: list[Any]) -> Any:
    """Return the numbers in one line; lazy ones are computed, all together."""
    return _numbers(call_by_type(concatenated, (leaves,), {}))


def _numbers(array: Any) -> Any:
    return kind_of(array).to_numpy(array).astype(float)


def as_scipy(f: Callable[..., Any], x0: Tree, args: Any = ()) -> ScipyProblem:
    """Return `f` as a function of a flat vector, with derivatives, for ``scipy.optimize``.

    Parameters
    ----------
    f : callable
        Takes an argument in the form of `x0`, and then `args`. Returns one real number, in an array
        of any shape, as for ``minimize``; or a vector of real numbers, or a list of them, as for
        ``least_squares``, ``root`` and ``NonlinearConstraint``.
    x0 : nested tuples, lists, dicts and dataclasses of arrays and numbers
        The starting point. Integers become float64.
    args : tuple or any other object
        Further arguments of `f`, which are constants; an object that is no tuple is the only one.

    Returns
    -------
    ScipyProblem
        Has ``fun``, ``x0``, ``jac``, ``hess`` and ``hessp`` for SciPy, and ``unflatten(x)``. Of a
        vector `f`, ``hess(x, v)`` is the Hessian of ``v @ f``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x0` has complex numbers, or anything but numbers, or a lazy array. From the methods, if
        `f` returns anything else than one number or a vector of real numbers.

    Examples
    --------
    >>> problem = as_scipy(lambda p, scale: scale * p["a"], {"a": 3.0}, args=(2.0,))
    >>> problem.x0, problem.jac(problem.x0)
    (array([3.]), array([2.]))

    If SciPy is installed, continue with::

        found = minimize(problem.fun, problem.x0, jac=problem.jac, method="BFGS")
        problem.unflatten(found.x)

    A vector has a Jacobian, as ``least_squares(problem.fun, problem.x0, jac=problem.jac)`` needs:

    >>> problem = as_scipy(lambda p: p["a"] * np.array([1.0, 2.0]) - p["b"], {"a": 3.0, "b": 1.0})
    >>> problem.jac(problem.x0)
    array([[ 1., -1.],
           [ 2., -1.]])
    """
    return ScipyProblem(f, x0, args)
