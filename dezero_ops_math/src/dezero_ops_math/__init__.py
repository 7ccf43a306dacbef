"""NumPy's functions for DeZero in plugins, each with its derivative.

Installing this distribution is enough: ``np.sin(x)`` of a Variable is then differentiable.
The functions are here under NumPy's names, those of ``np.linalg`` and ``np.fft`` in `linalg`
and `fft`.
"""

from __future__ import annotations

from . import elementwise, fft, linalg, products, reductions, shape
from .elementwise import *
from .products import *
from .reductions import *
from .shape import *

__version__ = "0.1.0"

__all__ = ["fft", "linalg"]
__all__ += elementwise.__all__
__all__ += products.__all__
__all__ += reductions.__all__
__all__ += shape.__all__
