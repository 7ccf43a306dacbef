"""Frequency 0 in the middle of an axis instead of at its beginning, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import documented


class FFTShift(Function):
    """The gradient is shifted back."""

    saves = ()

    def __init__(self, axes: Any) -> None:
        self.axes = axes

    def forward(self, x: Array) -> Array:
        return np.fft.fftshift(x, self.axes)

    def backward(self, gy: Array) -> Array:
        return IFFTShift(self.axes).of(gy)


@documented
def fftshift(x: Array, axes: Any = None) -> Variable:
    """Move frequency 0 to the middle of the spectrum: ``np.fft.fftshift``.

    x: at least one-dimensional.
    axes (int or sequence of int, optional): along which it is moved; all by default.
    Returns: shape and dtype of `x`.
    Derivative: 1 for every element.
    Raises IndexError: if `x` has no such axis.

    >>> fftshift(Variable(np.array([0.0, 1.0, 2.0, -2.0, -1.0])))
    variable([-2. -1.  0.  1.  2.])
    """
    return FFTShift(axes)(x)


class IFFTShift(Function):
    """The gradient is shifted back."""

    saves = ()

    def __init__(self, axes: Any) -> None:
        self.axes = axes

    def forward(self, x: Array) -> Array:
        return np.fft.ifftshift(x, self.axes)

    def backward(self, gy: Array) -> Array:
        return FFTShift(self.axes).of(gy)


@documented
def ifftshift(x: Array, axes: Any = None) -> Variable:
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
    return IFFTShift(axes)(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a, b = Draw((2, 3)), Draw((3, 4, 5))
    calls = (
        Call(a),
        Call(a, 0),
        Call(a, axes=-1),
        Call(b),
        Call(b, axes=(0, -1)),
        Call(b, [1]),
        Call(a, axes=(1, 1)),
        Call(a, axes=()),
        Call(Draw((1,))),
        Call(Draw((4,))),
        Call(Draw((0, 3))),
    )
    sample = Sample(calls, complex=True)
    register("fft.fftshift", fftshift, FFTShift, numpy=np.fft.fftshift, sample=sample)
    register("fft.ifftshift", ifftshift, IFFTShift, numpy=np.fft.ifftshift, sample=sample)
