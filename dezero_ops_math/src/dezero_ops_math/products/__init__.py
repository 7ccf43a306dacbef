"""Products of vectors, matrices and more axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..families import exported

if TYPE_CHECKING:
    from .affine import *
    from .einstein_summation import *
    from .inner_products import *
    from .polynomials import *
    from .vector_products import *
else:
    __all__, __getattr__, __dir__ = exported(__name__)
