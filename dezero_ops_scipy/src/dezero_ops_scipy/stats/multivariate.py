"""The normal distribution of vectors."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import scipy.stats
from dezero_ops_math.declaring import Call, Draw, Sample
from dezero_ops_math.docstrings import sharing

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand, data_of

from ..families import methods_of
from .declaring import as_scipy, declared
from .mirrored import mirrored_distribution
from .operands import as_floats

_NORMAL = "stats.multivariate_normal"
LOG_TWO_PI = math.log(2.0 * math.pi)


class Multivariate:
    """The methods of a distribution of vectors."""

    name: str

    def mirrored(self, theirs: Any) -> Any:
        """Return SciPy's distribution with methods that take Variables as well."""
        methods = {
            method: getattr(self, method)
            for method in methods_of(type(self).__module__.rpartition(".")[2])
        }
        return mirrored_distribution(theirs, self.name, methods)


class Precision(Function):
    """The inverse P of a covariance C, and the logarithm of its determinant.

    Of a singular matrix they are the pseudoinverse and the product of all eigenvalues but 0, and
    their derivatives are those along its range: ``dP = -P dC P`` and ``dlog = trace(P dC)``. Then
    follow the rank, and the size up to which an eigenvalue is 0, which have none.
    """

    saves = ("outputs",)
    arrays = "numpy: scipy.stats.multivariate_normal decomposes one matrix"

    def __init__(self, allow_singular: bool = True) -> None:
        self.allow_singular = allow_singular

    def forward(self, cov: Array) -> tuple[Array, ...]:
        values, vectors = np.linalg.eigh(cov)
        factor = 1e3 if values.dtype == np.float32 else 1e6  # as SciPy has it
        least = factor * np.finfo(values.dtype).eps * np.max(np.abs(values), initial=0.0)
        kept = values > least
        if np.any(values < -least) or not (self.allow_singular or np.all(kept)):
            zero = np.zeros(len(cov))
            scipy.stats.multivariate_normal.logpdf(zero, zero, cov)  # raises SciPy's error
        scaled = vectors[:, kept] / np.sqrt(values[kept])
        rank = np.sum(kept, dtype=values.dtype)
        return scaled @ scaled.T, np.sum(np.log(values[kept])), rank, least

    def backward(self, gp: Array, glog: Array, *_: Array) -> Array:
        inverse = self.outputs[0]().data
        return glog * inverse - inverse @ gp @ inverse


def _parameters(mean: Any, cov: Any) -> tuple[Any, Any]:
    """Return the mean and the covariance matrix, as SciPy reads them."""
    cov = as_floats(_NORMAL, cov)
    if mean is None:
        mean = np.zeros(cov.shape[0] if cov.ndim == 2 else 1, cov.dtype)
    mean = np.reshape(as_floats(_NORMAL, mean), (-1,))
    if mean.size == 1:
        return mean, np.reshape(cov, (1, 1))
    if cov.ndim == 0:
        return mean, cov * np.eye(mean.size, dtype=cov.dtype)
    return mean, np.diag(cov) if cov.ndim == 1 else cov


_DTYPES = ("float32", "float64")
_VECTORS = Draw((3, 2), (-1.0, 1.0))
_MEAN = Draw((2,), (-1.0, 1.0))
_COV = Draw((2, 2), (-0.3, 0.3), project=lambda a: 0.5 * (a + a.T), plus=np.eye(2))

_of_normal = sharing(
    """
    x (Variable, ndarray or number): the vectors along the last axis.
    mean (Variable, ndarray, number or None): a vector; 0 by default.
    cov: the covariance matrix; a vector is its diagonal, a number a multiple of the unit matrix.
    allow_singular (bool): whether the matrix may be singular: the density is that on its range.
    Raises LinAlgError: if the matrix is singular, unless that is allowed.
    Raises ValueError: if the matrix is not positive semidefinite, or the shapes do not fit.
    Source: Petersen and Pedersen 2012, equations 57, 61 and 86.
    """
)


class MultivariateNormal(Multivariate):
    """A normal distribution of vectors."""

    name = "multivariate_normal"

    @staticmethod
    @declared(
        "multivariate_normal.logpdf",
        Sample(
            Call(_VECTORS, _MEAN, _COV),
            Call(_MEAN, cov=_COV),
            Call(Draw((3,)), cov=Draw((), (0.5, 2.0))),
            Call(_VECTORS, _MEAN, Draw((2,), (0.5, 2.0))),
            reference=partial(as_scipy, "multivariate_normal", "logpdf"),
            dtypes=_DTYPES,
            ulps=32.0,
        ),
        _of_normal,
    )
    def logpdf(
        x: Operand, mean: Operand | None = None, cov: Operand = 1, allow_singular: bool = False
    ) -> Variable:
        """Logarithm of the normal density of vectors: ``scipy.stats.multivariate_normal.logpdf``.

        Returns: an element for each vector; -inf beside the range of a singular matrix.
        Derivative: ``-P @ d`` by `x`, with ``d = x - mean`` and the inverse P of `cov`; ``P @ d``
            by `mean`; ``(P @ d @ d.T @ P - P) / 2`` by `cov`.

        >>> mean = Variable(np.zeros(2))
        >>> y = multivariate_normal.logpdf(np.array([1.0, 2.0]), mean, np.diag([1.0, 4.0]))
        >>> y.backward()
        >>> mean.grad
        array([1. , 0.5])
        """
        mean, cov = _parameters(mean, cov)
        x = as_floats(_NORMAL, x)
        d = (np.expand_dims(x, -1) if mean.size == 1 and x.ndim < 2 else x) - mean
        inverse, log_volume, rank, least = Precision(allow_singular)(cov)
        weighed = d @ inverse
        y: Operand = np.sum(weighed * d, axis=-1) + log_volume
        y = -0.5 * (y + data_of(rank) * LOG_TWO_PI)
        if allow_singular:
            rest = data_of(d) - data_of(weighed) @ data_of(cov)
            beside = np.linalg.norm(rest, axis=-1) >= 1e3 * data_of(least)
            y = np.where(beside, -math.inf, y)
        return np.squeeze(y)  # as SciPy does, also of axes of the points

    @staticmethod
    @declared(
        "multivariate_normal.pdf",
        Sample(
            Call(_VECTORS, _MEAN, _COV),
            reference=partial(as_scipy, "multivariate_normal", "pdf"),
            dtypes=_DTYPES,
            ulps=32.0,
        ),
        _of_normal,
    )
    def pdf(
        x: Operand, mean: Operand | None = None, cov: Operand = 1, allow_singular: bool = False
    ) -> Variable:
        """Normal density of vectors: ``scipy.stats.multivariate_normal.pdf``.

        Returns: an element for each vector; 0 beside the range of a singular matrix.
        Derivative: the density times that of ``logpdf``.

        >>> multivariate_normal.pdf(Variable(np.zeros((3, 2))), cov=np.eye(2))
        variable([0.15915494 0.15915494 0.15915494])
        """
        density: Operand = np.exp(MultivariateNormal.logpdf(x, mean, cov, allow_singular))
        return density

    @staticmethod
    @declared(
        "multivariate_normal.entropy",
        Sample(
            Call(cov=_COV),
            reference=partial(as_scipy, "multivariate_normal", "entropy"),
            dtypes=_DTYPES,
        ),
        _of_normal,
    )
    def entropy(mean: Operand | None = None, cov: Operand = 1) -> Variable:
        """Entropy of a normal distribution of vectors: ``scipy.stats.multivariate_normal.entropy``.

        Returns: a number; of a singular matrix that on its range.
        Derivative: ``P / 2`` by `cov`, with its inverse P, or pseudoinverse.

        >>> cov = Variable(np.diag([1.0, 4.0]))
        >>> multivariate_normal.entropy(cov=cov).backward()
        >>> cov.grad
        array([[0.5  , 0.   ],
               [0.   , 0.125]])
        """
        mean, cov = _parameters(mean, cov)
        _, log_volume, rank, _ = Precision()(cov)
        return 0.5 * (data_of(rank) * (LOG_TWO_PI + 1.0) + log_volume)


multivariate_normal = MultivariateNormal()
