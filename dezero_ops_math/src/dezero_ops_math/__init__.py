"""NumPy's functions for DeZero in plugins, each with its derivative.

Installing this distribution is enough: ``np.sin(x)`` of a Variable is then differentiable.
The functions are here under NumPy's names, those of ``np.linalg`` and ``np.fft`` in `linalg`
and `fft`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

from .families import FOLDERS

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import elementwise as elementwise
    from . import fft as fft
    from . import linalg as linalg
    from . import products as products
    from . import reductions as reductions
    from . import shape as shape
    from .elementwise import *
    from .products import *
    from .reductions import *
    from .shape import *
else:
    _EXPORTED = {
        folder: "" if folder in ("fft", "linalg") else " ".join(modules.values())
        for folder, modules in FOLDERS.items()
    }
    __all__ = sorted(["fft", "linalg", *" ".join(_EXPORTED.values()).split()])
    __getattr__, __dir__ = lazily(__name__, _EXPORTED)
