"""SciPy's functions for DeZero in plugins, each with its derivative.

The modules mirror those of SciPy, with its names and signatures::

    from dezero_ops_scipy import linalg, special, stats

A function gives a Variable for Variables, and for arrays SciPy's own result. Names that are not
here are SciPy's own. The ufuncs of ``scipy.special`` also take Variables under SciPy's own names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import linalg as linalg
    from . import special as special
    from . import stats as stats
    from .arguments import DerivativeOrderError as DerivativeOrderError
else:
    __all__ = ["DerivativeOrderError", "linalg", "special", "stats"]
    _MODULES = dict.fromkeys(__all__[1:], "") | {"arguments": __all__[0]}
    __getattr__, __dir__ = lazily(__name__, _MODULES)
