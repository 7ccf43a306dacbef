"""Transforms of complex numbers along one, two or more axes, and their inverses."""

from __future__ import annotations

import numpy as np

from dezero_core.extend import Array, Operand

from ..declaring import operation
from .samples import NO_AXES, ONE_AXIS, SEVERAL_AXES, TWO_AXES
from .transforms import AlongOne, AlongSeveral, AlongTwo, Steps, steps_of, transposed, undone
from .transforms import documented as documented


class FFT(AlongOne):
    """Discrete Fourier transform along an axis: ``np.fft.fft``.

    a: real or complex, at least one-dimensional.
    norm: divides by 1, ``sqrt(n)`` or ``n``.
    Returns: complex, `n` elements along `axis`.
    Derivative: the matrix of the transform, which is symmetric; elements that were cropped get 0.
    Source: ``numpy.fft.fft``; Cooley and Tukey 1965.

    >>> fft(Variable(np.array([1.0, 2.0, 3.0, 4.0])))
    variable([10.+0.j -2.+2.j -2.+0.j -2.-2.j])
    """

    def forward(self, a: Array) -> Array:
        z = np.fft.fft(a, self.n, self.axis, self.norm)
        self.steps: Steps = [(self.axis, a.shape[self.axis])]
        return z

    def backward(self, gy: Array) -> Array:
        # z = F x with F[j, k] = exp(-2 pi i j k / n): F is symmetric, so the gradient is F g.
        return transposed(FFT, gy, self.steps, self.norm)


class IFFT(AlongOne):
    """Inverse of `fft`: ``np.fft.ifft``.

    a: real or complex, at least one-dimensional.
    norm: divides by ``n``, ``sqrt(n)`` or 1.
    Returns: complex, `n` elements along `axis`.
    Derivative: the matrix of the transform, which is symmetric; elements that were cropped get 0.

    >>> ifft(Variable(np.array([4.0, 0.0, 0.0, 0.0])))
    variable([1.+0.j 1.+0.j 1.+0.j 1.+0.j])
    """

    def forward(self, a: Array) -> Array:
        z = np.fft.ifft(a, self.n, self.axis, self.norm)
        self.steps: Steps = [(self.axis, a.shape[self.axis])]
        return z

    def backward(self, gy: Array) -> Array:
        # z = F x with F[j, k] = exp(2 pi i j k / n) / n: F is symmetric, so the gradient is F g.
        return transposed(IFFT, gy, self.steps, self.norm)


class FFTN(AlongSeveral):
    """Discrete Fourier transform along several axes: ``np.fft.fftn``.

    a: real or complex.
    axes (sequence of int, optional): all by default. One that is given twice is transformed twice.
    norm: divides by 1, the square root of the number of elements transformed, or that number.
    Returns: complex.
    Derivative: the matrix of the transform, which is symmetric; elements that were cropped get 0.
    Raises ValueError: if there are no elements to transform, `s` and `axes` have different lengths,
        or `norm` is none of the three.

    >>> fftn(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[10.+0.j -2.+0.j]
              [-4.+0.j  0.+0.j]])
    """

    def forward(self, a: Operand) -> Array:
        z = np.fft.fftn(a, self.s, self.axes, self.norm)
        shape = np.shape(a)
        self.steps = undone(list(shape), reversed(steps_of(shape, self.s, self.axes)))
        return z

    def backward(self, gy: Array) -> Array:
        return transposed(FFT, gy, self.steps, self.norm)


class IFFTN(AlongSeveral):
    """Inverse of `fftn`: ``np.fft.ifftn``.

    a: real or complex.
    axes (sequence of int, optional): all by default. One that is given twice is transformed twice.
    norm: divides by the number of elements transformed, its square root, or 1.
    Returns: complex.
    Derivative: the matrix of the transform, which is symmetric; elements that were cropped get 0.
    Raises ValueError: if there are no elements to transform, `s` and `axes` have different lengths,
        or `norm` is none of the three.

    >>> ifftn(Variable(np.array([[4.0, 0.0], [0.0, 0.0]])))
    variable([[1.+0.j 1.+0.j]
              [1.+0.j 1.+0.j]])
    """

    def forward(self, a: Operand) -> Array:
        z = np.fft.ifftn(a, self.s, self.axes, self.norm)
        shape = np.shape(a)
        self.steps = undone(list(shape), reversed(steps_of(shape, self.s, self.axes)))
        return z

    def backward(self, gy: Array) -> Array:
        return transposed(IFFT, gy, self.steps, self.norm)


class FFT2(AlongTwo, FFTN):
    """Discrete Fourier transform along two axes: ``np.fft.fft2``, `fftn` with other `axes`.

    a: real or complex, at least two-dimensional.
    s, norm: as of `fftn`.
    axes (sequence of int): as of `fftn`, but the last two by default.
    Returns: complex.
    Derivative: the matrix of the transform, which is symmetric.
    Raises ValueError: as `fftn` does.

    >>> fft2(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[10.+0.j -2.+0.j]
              [-4.+0.j  0.+0.j]])
    """

    def forward(self, a: Array) -> Array:
        return super().forward(a)


class IFFT2(AlongTwo, IFFTN):
    """Inverse of `fft2`: ``np.fft.ifft2``, `ifftn` with other `axes`.

    a: real or complex, at least two-dimensional.
    s, norm: as of `ifftn`.
    axes (sequence of int): as of `ifftn`, but the last two by default.
    Returns: complex.
    Derivative: the matrix of the transform, which is symmetric.
    Raises ValueError: as `ifftn` does.

    >>> ifft2(Variable(np.array([[4.0, 0.0], [0.0, 0.0]])))
    variable([[1.+0.j 1.+0.j]
              [1.+0.j 1.+0.j]])
    """

    def forward(self, a: Array) -> Array:
        return super().forward(a)


fft = operation(FFT, *ONE_AXIS)
ifft = operation(IFFT, *ONE_AXIS)
fftn = operation(FFTN, *SEVERAL_AXES, *NO_AXES)
ifftn = operation(IFFTN, *SEVERAL_AXES, *NO_AXES)
fft2 = operation(FFT2, *TWO_AXES)
ifft2 = operation(IFFT2, *TWO_AXES)
