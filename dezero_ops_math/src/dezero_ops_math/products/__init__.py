"""Products of vectors, matrices and more axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

from ..families import FOLDERS

if TYPE_CHECKING:
    from .affine import *
    from .contractions import *
    from .convolution import *
    from .cross_products import *
    from .einstein_summation import *
    from .inner_products import *
    from .matrix_vector_products import *
    from .outer_products import *
    from .polynomials import *
else:
    __all__ = sorted(" ".join(FOLDERS["products"].values()).split())
    __getattr__, __dir__ = lazily(__name__, FOLDERS["products"])
