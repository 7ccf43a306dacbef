"""Transforms of complex numbers along one, two or more axes, and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import Array, Operand

from ..declaring import operation
from .samples import NO_AXES, ONE_AXIS, SEVERAL_AXES, TWO_AXES
from .transforms import AlongOne, AlongSeveral, AlongTwo, steps_of, transposed, undone
from .transforms import documented as documented


class FFT(AlongOne):
    """Discrete Fourier transform along an axis: ``np.fft.fft``.

    norm: divides by 1, ``sqrt(n)`` or ``n``.
    Returns: complex, `n` elements along `axis`.
    Source: ``numpy.fft.fft``; Cooley and Tukey 1965.

    >>> fft(Variable(np.array([1.0, 2.0, 3.0, 4.0])))
    variable([10.+0.j -2.+2.j -2.+0.j -2.-2.j])
    """

    transform: Any = staticmethod(np.fft.fft)

    def backward(self, gy: Array) -> Array:
        # z = F x with F[j, k] = exp(-2 pi i j k / n), of the inverse exp(2 pi i j k / n) / n:
        # F is symmetric, so the gradient is F g.
        return transposed(type(self), gy, [(self.axis, self.length)], self.norm)


class IFFT(FFT):
    """Inverse of `fft`: ``np.fft.ifft``.

    norm: divides by ``n``, ``sqrt(n)`` or 1.
    Returns: complex, `n` elements along `axis`.

    >>> ifft(Variable(np.array([4.0, 0.0, 0.0, 0.0])))
    variable([1.+0.j 1.+0.j 1.+0.j 1.+0.j])
    """

    transform: Any = staticmethod(np.fft.ifft)


class FFTN(AlongSeveral):
    """Discrete Fourier transform along several axes: ``np.fft.fftn``.

    a: real or complex.
    axes (sequence of int, optional): all by default. One that is given twice is transformed twice.
    norm: divides by 1, the square root of the number of elements transformed, or that number.
    Returns: complex.
    Raises ValueError: if nothing is transformed, or `s` and `axes` or `norm` do not fit.

    >>> fftn(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[10.+0.j -2.+0.j]
              [-4.+0.j  0.+0.j]])
    """

    transform: Any = staticmethod(np.fft.fftn)
    along_one: Any = FFT

    def forward(self, a: Operand) -> Array:
        z = self.transform(a, self.s, self.axes, self.norm)
        shape = np.shape(a)
        self.steps = undone(list(shape), reversed(steps_of(shape, self.s, self.axes)))
        return z

    def backward(self, gy: Array) -> Array:
        return transposed(self.along_one, gy, self.steps, self.norm)


class IFFTN(FFTN):
    """Inverse of `fftn`: ``np.fft.ifftn``.

    a: real or complex.
    axes (sequence of int, optional): all by default. One that is given twice is transformed twice.
    norm: divides by the number of elements transformed, its square root, or 1.
    Returns: complex.
    Raises ValueError: if nothing is transformed, or `s` and `axes` or `norm` do not fit.

    >>> ifftn(Variable(np.array([[4.0, 0.0], [0.0, 0.0]])))
    variable([[1.+0.j 1.+0.j]
              [1.+0.j 1.+0.j]])
    """

    transform: Any = staticmethod(np.fft.ifftn)
    along_one: Any = IFFT


class FFT2(AlongTwo, FFTN):
    """Discrete Fourier transform along two axes: ``np.fft.fft2``, `fftn` with other `axes`.

    a: real or complex, at least two-dimensional.
    s, norm: as of `fftn`.
    axes (sequence of int): as of `fftn`, but the last two by default.
    Returns: complex.
    Raises ValueError: as `fftn` does.

    >>> fft2(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[10.+0.j -2.+0.j]
              [-4.+0.j  0.+0.j]])
    """

    def forward(self, a: Array) -> Array:
        return super().forward(a)


class IFFT2(FFT2):
    """Inverse of `fft2`: ``np.fft.ifft2``, `ifftn` with other `axes`.

    a: real or complex, at least two-dimensional.
    s, norm: as of `ifftn`.
    axes (sequence of int): as of `ifftn`, but the last two by default.
    Returns: complex.
    Raises ValueError: as `ifftn` does.

    >>> ifft2(Variable(np.array([[4.0, 0.0], [0.0, 0.0]])))
    variable([[1.+0.j 1.+0.j]
              [1.+0.j 1.+0.j]])
    """

    transform: Any = staticmethod(np.fft.ifftn)
    along_one: Any = IFFT


fft = operation(FFT, *ONE_AXIS)
ifft = operation(IFFT, *ONE_AXIS)
fftn = operation(FFTN, *SEVERAL_AXES, *NO_AXES)
ifftn = operation(IFFTN, *SEVERAL_AXES, *NO_AXES)
fft2 = operation(FFT2, *TWO_AXES)
ifft2 = operation(IFFT2, *TWO_AXES)
