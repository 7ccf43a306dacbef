"""Linear algebra, under the names of ``numpy.linalg``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..families import exported

if TYPE_CHECKING:
    from .conditioning import *
    from .decompositions import *
    from .determinants import *
    from .eigenvalues import *
    from .inverses import *
    from .matrix_products import *
    from .norms import *
    from .products import *
    from .singular_values import *
    from .solvers import *
else:
    __all__, __getattr__, __dir__ = exported(__name__)
