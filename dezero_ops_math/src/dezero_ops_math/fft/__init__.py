"""Discrete Fourier transforms, under the names of ``numpy.fft``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..families import exported

if TYPE_CHECKING:
    from .real import *
    from .shifts import *
    from .standard import *
else:
    __all__, __getattr__, __dir__ = exported(__name__)
