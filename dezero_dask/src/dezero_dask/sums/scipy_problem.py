"""A sum over partitions in the form that ``scipy.optimize.minimize`` takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from dezero_tools.functional.optimize import ScipyProblem
from dezero_tools.functional.trees import Tree, leaves_of, matched

from .gradients import hessian, hvp, value_and_grad
from .parameters import hessian_form


class PartitionedProblem(ScipyProblem):
    """A sum over partitions as a function of a flat vector. `as_scipy` makes it.

    Attributes
    ----------
    x0 : ndarray
        The starting point, shape ``(n,)``, float64.
    """

    def __init__(
        self, loss: Callable[..., Any], x0: Tree, data: tuple[Any, ...], options: dict[str, Any]
    ) -> None:
        super().__init__(loss, x0, data, value_and_grad(loss, **options), hvp(loss, **options))
        self._hessian = hessian(loss, **options)

    def hess(self, x: Any) -> Any:
        """Return the Hessian at `x`, shape ``(n, n)``, by one pass over the data."""
        params = self.unflatten(x)
        blocks = iter(matched(hessian_form(params), self._hessian(params, *self._args)))
        sizes = [leaf.size for leaf in leaves_of(params)]
        rows = [[np.reshape(next(blocks), (m, n)) for n in sizes] for m in sizes]
        return np.block(rows).astype(float)


def as_scipy(loss: Callable[..., Any], x0: Tree, *data: Any, **options: Any) -> PartitionedProblem:
    """Return a sum over partitions as a function of a flat vector, with derivatives, for SciPy.

    Parameters
    ----------
    loss : callable
        ``loss(params, *data)`` returns one real number: the sum over the rows of `data`.
    x0 : nested tuples, lists, dicts and dataclasses of arrays and numbers
        The starting point.
    *data
        The data, in partitions; see `dezero_dask`.
    **options
        Those of `value_and_grad`.

    Returns
    -------
    PartitionedProblem
        Has ``fun``, ``x0``, ``jac``, ``hess`` and ``hessp`` for ``scipy.optimize.minimize``, and
        ``unflatten(x)``, which returns a vector in the form of `x0`.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x0` has complex numbers, or anything but numbers.

    Examples
    --------
    >>> X = [np.array([1.0]), np.array([3.0])]
    >>> problem = as_scipy(lambda m, x: np.sum((x - m) ** 2), 0.0, X)
    >>> problem.fun(problem.x0), problem.jac(problem.x0)
    (10.0, array([-8.]))

    If SciPy is installed, continue with::

        found = minimize(problem.fun, problem.x0, jac=problem.jac, method="L-BFGS-B")
        problem.unflatten(found.x)
    """
    return PartitionedProblem(loss, x0, data, options)
