"""Products of vectors, matrices and more axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

from ..families import FOLDERS

if TYPE_CHECKING:
    from .affine import *
    from .einstein_summation import *
    from .inner_products import *
    from .polynomials import *
    from .vector_products import *
else:
    __all__ = sorted(" ".join(FOLDERS["products"].values()).split())
    __getattr__, __dir__ = lazily(__name__, FOLDERS["products"])
