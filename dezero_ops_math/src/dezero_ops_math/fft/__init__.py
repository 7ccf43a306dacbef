"""Discrete Fourier transforms, under the names of ``numpy.fft``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

from ..families import FOLDERS

if TYPE_CHECKING:
    from .real import *
    from .shifts import *
    from .standard import *
else:
    __all__ = sorted(" ".join(FOLDERS["fft"].values()).split())
    __getattr__, __dir__ = lazily(__name__, FOLDERS["fft"])
