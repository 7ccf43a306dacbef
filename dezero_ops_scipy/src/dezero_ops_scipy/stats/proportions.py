"""The Dirichlet distribution of proportions, which add up to 1."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.stats
from dezero_ops_math.declaring import Call, Draw, Sample
from dezero_ops_math.docstrings import sharing

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand

from ..special.gamma_functions import gammaln
from ..special.polygamma_functions import psi
from .declaring import as_scipy, declared
from .multivariate import Multivariate
from .operands import as_floats

_DTYPES = ("float32", "float64")
_of_dirichlet = sharing(
    """
    x (Variable, ndarray or number): the parts along the first axis: they add up to 1, and the last
        may be missing.
    alpha (Variable, ndarray or number): the concentrations, a vector of numbers above 0.
    Raises ValueError: as SciPy does, for parts or concentrations out of their domain.
    Source: Johnson, Kotz and Balakrishnan 2000, chapter 49.
    """
)
_ALPHA = Draw((3,), (0.8, 3.0))


class LogDirichlet(Function):
    """The logarithm of the density: ``sum((alpha - 1) log(x))`` and a constant of `alpha`."""

    arrays = "numpy: scipy.stats.dirichlet checks the values of its arguments"

    def forward(self, x: Array, alpha: Array) -> Array:
        return np.asarray(scipy.stats.dirichlet.logpdf(x, alpha), np.result_type(x, alpha))

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, alpha = (each.data for each in self.inputs)
        by_x, by_alpha = self.needs_grad
        rest = alpha.size - len(x)  # 1, if the last part is missing
        parts = np.concatenate([x, 1.0 - np.sum(x, axis=0, keepdims=True)]) if rest else x
        column = (-1, *[1] * (x.ndim - 1))
        gx = galpha = None
        if by_x:
            slopes = gy * (np.reshape(alpha - 1.0, column) / parts)
            gx = slopes[:-1] - slopes[-1:] if rest else slopes
        if by_alpha:
            constants = psi(np.sum(alpha)) - psi(alpha)
            each = gy * (np.log(parts) + np.reshape(constants, column))
            galpha = np.sum(each, axis=tuple(range(1, x.ndim)))
        return gx, galpha


class Dirichlet(Multivariate):
    """A Dirichlet distribution."""

    name = "dirichlet"

    @staticmethod
    @declared(
        "dirichlet.logpdf",
        Sample(
            Call(Draw((2, 3), (0.2, 0.4)), _ALPHA),
            reference=partial(as_scipy, "dirichlet", "logpdf"),
            dtypes=_DTYPES,
        ),
        _of_dirichlet,
    )
    def logpdf(x: Operand, alpha: Operand) -> Variable:
        """Logarithm of the Dirichlet density: ``scipy.stats.dirichlet.logpdf``.

        Derivative: ``(alpha - 1) / x`` by `x`, ``log(x) - psi(alpha) + psi(sum(alpha))`` by
            `alpha`.

        >>> alpha = Variable(np.array([1.0, 1.0]))
        >>> dirichlet.logpdf(np.array([0.5, 0.5]), alpha).backward()
        >>> alpha.grad
        array([0.30685282, 0.30685282])
        """
        x, alpha = (as_floats("stats.dirichlet", each) for each in (x, alpha))
        return LogDirichlet()(x, alpha)

    @staticmethod
    @declared(
        "dirichlet.pdf",
        Sample(
            Call(Draw((2,), (0.2, 0.4)), _ALPHA),
            reference=partial(as_scipy, "dirichlet", "pdf"),
            dtypes=_DTYPES,
        ),
        _of_dirichlet,
    )
    def pdf(x: Operand, alpha: Operand) -> Variable:
        """Dirichlet density: ``scipy.stats.dirichlet.pdf``.

        Derivative: the density times that of ``logpdf``.

        >>> dirichlet.pdf(Variable(np.array([0.5, 0.5])), np.array([1.0, 1.0]))
        variable(1.0)
        """
        density: Operand = np.exp(Dirichlet.logpdf(x, alpha))
        return density

    @staticmethod
    @declared(
        "dirichlet.entropy",
        Sample(Call(_ALPHA), reference=partial(as_scipy, "dirichlet", "entropy"), dtypes=_DTYPES),
        _of_dirichlet,
    )
    def entropy(alpha: Operand) -> Variable:
        """Entropy of a Dirichlet distribution: ``scipy.stats.dirichlet.entropy``.

        Derivative: ``(sum(alpha) - n) * psi'(sum(alpha)) - (alpha - 1) * psi'(alpha)``.

        >>> dirichlet.entropy(Variable(np.array([1.0, 1.0])))
        variable(0.0)
        """
        alpha = as_floats("stats.dirichlet", alpha)
        total = np.sum(alpha)
        constant = np.sum(gammaln(alpha)) - gammaln(total)
        parts = np.sum((alpha - 1.0) * psi(alpha))
        return constant + (total - alpha.size) * psi(total) - parts


dirichlet = Dirichlet()
