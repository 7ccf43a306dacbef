"""Functions of ``scipy.special`` for DeZero in plugins, each with its derivative.

Installing this distribution is enough: ``scipy.special.erf(x)`` of a Variable is then
differentiable, as is every other one here that is a ufunc. What SciPy wrote as a plain Python
function, `polygamma`, `softmax`, `log_softmax` and `logsumexp`, is called from here.
"""

from __future__ import annotations

from dezero_core import Registrar, hookimpl

from . import (
    bessel,
    beta_functions,
    entropy,
    error_functions,
    gamma_functions,
    incomplete_gamma,
    logistic,
    normal_distribution,
    softmax_functions,
)
from .bessel import i0, i1, j0, j1
from .beta_functions import beta, betaln
from .entropy import entr, xlogy
from .error_functions import erf, erfc, erfinv
from .gamma_functions import PolygammaOrderError, digamma, gammaln, polygamma
from .incomplete_gamma import gammainc
from .logistic import expit, logit
from .normal_distribution import log_ndtr
from .softmax_functions import log_softmax, logsumexp, softmax

__version__ = "0.1.0"

__all__ = [
    "PolygammaOrderError",
    "beta",
    "betaln",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfinv",
    "expit",
    "gammainc",
    "gammaln",
    "i0",
    "i1",
    "j0",
    "j1",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "polygamma",
    "softmax",
    "xlogy",
]

DEZERO_PLUGIN_API = (1, 0)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Register every function, under SciPy's name with ``special.`` before it."""
    for family in (
        bessel,
        beta_functions,
        entropy,
        error_functions,
        gamma_functions,
        incomplete_gamma,
        logistic,
        normal_distribution,
        softmax_functions,
    ):
        family.register_ops(register)
