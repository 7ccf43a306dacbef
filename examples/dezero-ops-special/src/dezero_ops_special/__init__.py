"""Functions of ``scipy.special`` for DeZero in plugins, each with its derivative.

Install this distribution, and ``scipy.special.erf(x)`` of a Variable is differentiable. The same
holds for every other function here that is a ufunc. `polygamma`, `softmax`, `log_softmax` and
`logsumexp` are plain Python functions in SciPy: call them from this package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dezero_core import Registrar, hookimpl

if TYPE_CHECKING:
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

DEZERO_PLUGIN_API = (2, 0)

#: Module -> its functions. The module is imported, and SciPy with it, when one is first needed.
_MODULES = {
    "bessel": ("i0", "i1", "j0", "j1"),
    "beta_functions": ("beta", "betaln"),
    "entropy": ("entr", "xlogy"),
    "error_functions": ("erf", "erfc", "erfinv"),
    "gamma_functions": ("PolygammaOrderError", "digamma", "gammaln", "polygamma"),
    "incomplete_gamma": ("gammainc",),
    "logistic": ("expit", "logit"),
    "normal_distribution": ("log_ndtr",),
    "softmax_functions": ("log_softmax", "logsumexp", "softmax"),
}
#: The functions that are no ufuncs in SciPy: a call of theirs with Variables does not reach us.
_PLAIN_FUNCTIONS = ("polygamma", "log_softmax", "logsumexp", "softmax")


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Announce every function, under SciPy's name with ``special.`` before it."""
    for module, names in _MODULES.items():
        functions = [name for name in names if not name.endswith("Error")]
        # A ufunc is announced by its own name, and that of digamma is psi.
        ufuncs = [name.replace("digamma", "psi") for name in functions]
        register.later(
            f"{__name__}.{module}",
            operations=[f"special.{name}" for name in functions],
            numpy=[name for name in ufuncs if name not in _PLAIN_FUNCTIONS],
        )
