"""Discrete Fourier transforms, under the names of ``numpy.fft``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

from ..families import FOLDERS

if TYPE_CHECKING:
    from .complex_transforms import *
    from .hermitian_transforms import *
    from .multidimensional import *
    from .real_multidimensional import *
    from .real_transforms import *
    from .shifts import *
    from .two_dimensional import *
else:
    __all__ = sorted(" ".join(FOLDERS["fft"].values()).split())
    __getattr__, __dir__ = lazily(__name__, FOLDERS["fft"])
