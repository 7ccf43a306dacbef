"""Densities that are estimated from a sample, differentiable at the points where they are asked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.stats
from dezero_ops_math.declaring import Call, Draw, Sample
from dezero_ops_math.docstrings import sharing

from dezero_core import Variable
from dezero_core.extend import Operand
from dezero_ops_math import logsumexp

from ..arguments import refuse_derivative
from ..mirror import has_variable
from .declaring import declared
from .operands import as_floats

_documented = sharing(
    """
    kde (gaussian_kde): the estimate, of `d` variables from `n` points; a constant.
    points: of shape (d, m), or (m,) if `d` is 1.
    Returns: an element for each of the m points.
    Raises ValueError: if the points have another number of variables.
    Source: Scott 1992, section 6.3, under the sum.
    """
)
_ESTIMATE = scipy.stats.gaussian_kde(np.array([[0.0, 1.0, 0.5, 2.0], [0.3, -1.0, 1.0, 0.0]]))
_DTYPES = ("float32", "float64")
_POINTS = Draw((2, 3), (-1.0, 1.0))


class gaussian_kde(scipy.stats.gaussian_kde):  # type: ignore[misc]
    """``scipy.stats.gaussian_kde``, whose methods take points that are Variables as well.

    Raises VariableTypeError (TypeError): if the dataset, the weights or the width is a Variable.

    Examples
    --------
    >>> x = Variable(np.array([0.5]))
    >>> density = gaussian_kde(np.array([0.0, 1.0, 3.0]))(x)
    """

    def __init__(self, dataset: Any, bw_method: Any = None, weights: Any = None) -> None:
        name = "stats.gaussian_kde"
        refuse_derivative(name, dataset=dataset, bw_method=bw_method, weights=weights)
        super().__init__(dataset, bw_method, weights)

    @classmethod
    def mirrored(cls, theirs: Any) -> Any:
        """Return the class itself: it is SciPy's for arrays."""
        return cls

    def evaluate(self, points: Operand) -> Operand:
        """Return the density at points."""
        return evaluate(self, points) if has_variable(points) else super().evaluate(points)

    __call__ = evaluate

    def pdf(self, x: Operand) -> Operand:
        """Return the density at points."""
        return self.evaluate(x)

    def logpdf(self, x: Operand) -> Operand:
        """Return the logarithm of the density at points."""
        return logpdf(self, x) if has_variable(x) else super().logpdf(x)


@declared(
    "gaussian_kde.logpdf",
    Sample(Call(_ESTIMATE, _POINTS), reference=scipy.stats.gaussian_kde.logpdf, dtypes=_DTYPES),
    _documented,
)
def logpdf(kde: Any, points: Operand) -> Variable:
    """Logarithm of an estimated density: ``scipy.stats.gaussian_kde.logpdf``.

    Derivative: the mean of ``inv(covariance) @ (dataset - point)``, by the share that each kernel
        has in the density.

    >>> kde = gaussian_kde(np.array([-1.0, 1.0]))
    >>> x = Variable(np.array([0.0]))
    >>> logpdf(kde, x).backward()
    >>> x.grad
    array([0.])
    """
    points = as_floats("stats.gaussian_kde", points)
    if points.ndim < 2:
        points = np.reshape(points, (1, -1) if kde.d == 1 else (-1, 1))
    if len(points) != kde.d:
        raise ValueError(
            f"scipy.stats.gaussian_kde: points have dimension {len(points)}, and the dataset has "
            f"dimension {kde.d}. Give them in columns, in the shape ({kde.d}, n)."
        )
    root = np.linalg.cholesky(kde.covariance)
    whitened = np.linalg.solve(root, kde.dataset), np.linalg.inv(root) @ points
    apart = np.expand_dims(whitened[1], 1) - np.expand_dims(whitened[0], 2)
    size = np.log(np.diag(root)).sum() + 0.5 * kde.d * math.log(2.0 * math.pi)
    energies = 0.5 * np.sum(apart * apart, axis=0)
    return logsumexp(np.expand_dims(np.log(kde.weights), 1) - energies, axis=0) - size


@declared(
    "gaussian_kde.evaluate",
    Sample(Call(_ESTIMATE, _POINTS), reference=scipy.stats.gaussian_kde.evaluate, dtypes=_DTYPES),
    _documented,
)
def evaluate(kde: Any, points: Operand) -> Variable:
    """Density that is estimated from a sample: ``scipy.stats.gaussian_kde.evaluate``.

    Derivative: the density times that of `logpdf`.

    >>> kde = gaussian_kde(np.array([-1.0, 1.0]))
    >>> evaluate(kde, Variable(np.array([0.0])))
    variable([0.23299002])
    """
    density: Operand = np.exp(logpdf(kde, points))
    return density
