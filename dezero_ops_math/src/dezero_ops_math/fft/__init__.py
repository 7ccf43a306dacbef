"""Discrete Fourier transforms, under the names of ``numpy.fft``."""

from __future__ import annotations

from . import (
    complex_transforms,
    hermitian_transforms,
    multidimensional,
    real_multidimensional,
    real_transforms,
    shifts,
    two_dimensional,
)
from .complex_transforms import fft, ifft
from .hermitian_transforms import hfft, ihfft
from .multidimensional import fftn, ifftn
from .real_multidimensional import irfftn, rfftn
from .real_transforms import irfft, rfft
from .shifts import fftshift, ifftshift
from .two_dimensional import fft2, ifft2, irfft2, rfft2

FAMILIES = (
    complex_transforms,
    real_transforms,
    hermitian_transforms,
    multidimensional,
    real_multidimensional,
    two_dimensional,
    shifts,
)

__all__ = [
    "fft",
    "fft2",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftn",
]
