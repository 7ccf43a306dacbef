"""Frequency 0 in the middle of an axis instead of at its beginning, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import Array

from ..declaring import Call, Draw, LinearMap, Sample, operation


class FFTShift(LinearMap):
    """Move frequency 0 to the middle of the spectrum: ``np.fft.fftshift``.

    x: at least one-dimensional.
    axes (int or sequence of int, optional): along which it is moved; all by default.
    Returns: shape and dtype of `x`.
    Derivative: 1 for every element.
    Raises IndexError: if `x` has no such axis.

    >>> fftshift(Variable(np.array([0.0, 1.0, 2.0, -2.0, -1.0])))
    variable([-2. -1.  0.  1.  2.])
    """

    def __init__(self, axes: Any = None) -> None:
        self.axes = axes

    def forward(self, x: Array) -> Array:
        return np.fft.fftshift(x, self.axes)

    def backward(self, gy: Array) -> Array:
        return IFFTShift(self.axes).of(gy)


class IFFTShift(FFTShift):
    """Move frequency 0 back to the beginning of the spectrum: ``np.fft.ifftshift``.

    x: at least one-dimensional.
    axes (int or sequence of int, optional): along which it is moved; all by default.
    Returns: shape and dtype of `x`.
    Derivative: 1 for every element.
    Raises IndexError: if `x` has no such axis.
    Source: ``numpy.fft.ifftshift``. It undoes `fftshift` of an odd number of elements, too, which
        `fftshift` itself does not.

    >>> ifftshift(Variable(np.array([-2.0, -1.0, 0.0, 1.0, 2.0])))
    variable([ 0.  1.  2. -2. -1.])
    """

    def forward(self, x: Array) -> Array:
        return np.fft.ifftshift(x, self.axes)

    def backward(self, gy: Array) -> Array:
        return FFTShift(self.axes).of(gy)


_A, _B = Draw((2, 3)), Draw((3, 4, 5))
_SAMPLE = Sample(
    *(Call(_A), Call(_A, 0), Call(_A, axes=-1), Call(_B), Call(_B, axes=(0, -1)), Call(_B, [1])),
    *(Call(_A, axes=(1, 1)), Call(_A, axes=()), Call(Draw((1,))), Call(Draw((4,)))),
    Call(Draw((0, 3))),
    complex=True,
)

fftshift = operation(FFTShift, _SAMPLE)
ifftshift = operation(IFFTShift, _SAMPLE)
