"""Functions of nested arrays, in the form that ``scipy.optimize.minimize`` takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core import VariableTypeError, no_grad
from dezero_core.extend import call_by_type, data_of, kind_of

from . import gradients, products
from .flattening import concatenated, flatten, numbers_of
from .tracing import name_of
from .trees import Tree, leaves_of, like, paths_of


class ScipyProblem:
    """A function of a flat vector, with its derivatives. `as_scipy` makes it.

    SciPy takes numbers and arrays, so every method computes under ``no_grad()``. Where `f` returns
    a lazy array, value and gradient are computed together, once for each point.

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
        self._derivative = value_and_grad or gradients.value_and_grad(f)
        self._product = hvp or products.hvp(f)
        leaves = [data_of(leaf) for leaf in numbers_of(x0, "x0", "scipy.optimize.minimize")]
        for path, leaf in zip(paths_of(x0, "x0"), leaves, strict=True):
            if (kind := kind_of(leaf)).lazy:
                raise VariableTypeError(
                    f"scipy.optimize.minimize takes numbers, but {path} is a {kind.name} array, "
                    "which is lazy and has no numbers yet. Compute the array first.",
                    got=type(leaf),
                )
            if leaf.dtype.kind == "c":
                raise VariableTypeError(
                    f"scipy.optimize.minimize takes real arguments, but {path} has complex "
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

    def fun(self, x: Any, *args: Any) -> float:
        """Return the value at `x`, shape ``(n,)``; `args` come after those of the problem."""
        return self._value_and_gradient(x, args)[0].item()

    def jac(self, x: Any, *args: Any) -> Any:
        """Return the gradient at `x`, shape ``(n,)``."""
        return self._value_and_gradient(x, args)[1]

    @no_grad()
    def hess(self, x: Any, *args: Any) -> Any:
        """Return the Hessian at `x`, shape ``(n, n)``."""
        gradient, args = gradients.grad(self._f), (*self._args, *args)
        _, pull_back = products.vjp(lambda tree: gradient(tree, *args), self.unflatten(x))
        rows = [pull_back(self.unflatten(unit)) for unit in np.eye(len(self.x0))]
        return _flat([leaf for row in rows for leaf in leaves_of(row)]).reshape(2 * self.x0.shape)

    @no_grad()
    def hessp(self, x: Any, p: Any, *args: Any) -> Any:
        """Return the product of the Hessian at `x` with `p`, shape ``(n,)``."""
        vector = self.unflatten(p)
        return _flat(leaves_of(self._product(self.unflatten(x), *self._args, *args, vector)))

    @no_grad()
    def _value_and_gradient(self, x: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
        # SciPy asks for the value and then for the gradient at the same point: compute both once.
        point, value, gradient = self._last
        if args or point is None or not np.array_equal(point, x):
            value, tree = self._derivative(self.unflatten(x), *self._args, *args)
            value, gradient = np.split(_flat([value, *leaves_of(tree)]), [1])
            if not args:
                self._last = np.array(x), value, gradient
        return value, gradient.copy()


def _flat(leaves: list[Any]) -> Any:
    """Return the numbers in one line; lazy ones are computed, all together."""
    line = call_by_type(concatenated, (leaves,), {})
    return kind_of(line).to_numpy(line).astype(float)


def as_scipy(f: Callable[..., Any], x0: Tree, args: Any = ()) -> ScipyProblem:
    """Return `f` as a function of a flat vector, with derivatives, for ``scipy.optimize.minimize``.

    Parameters
    ----------
    f : callable
        Takes an argument in the form of `x0`, and then `args`. Returns one real number: a number,
        or an array of one element.
    x0 : nested tuples, lists, dicts and dataclasses of arrays and numbers
        The starting point.
    args : tuple or any other object
        Further arguments of `f`, which are constants; an object that is no tuple is the only one.

    Returns
    -------
    ScipyProblem
        Has ``fun``, ``x0``, ``jac``, ``hess`` and ``hessp`` for SciPy, and ``unflatten(x)``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x0` has complex numbers, or anything but numbers, or a lazy array.

    Examples
    --------
    >>> problem = as_scipy(lambda p, scale: scale * p["a"], {"a": 3.0}, args=(2.0,))
    >>> problem.x0, problem.jac(problem.x0)
    (array([3.]), array([2.]))

    If SciPy is installed, continue with::

        found = minimize(problem.fun, problem.x0, jac=problem.jac, method="BFGS")
        problem.unflatten(found.x)
    """
    return ScipyProblem(f, x0, args)
