"""Transforms of real numbers along one, two or more axes, and their inverses.

The Hermitian ones are those of a signal whose elements j and n - j are conjugate.

Of n real numbers the bins k and n - k are conjugate, so NumPy keeps the first ``n // 2 + 1``; of
several axes, it does so along the last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import Array

from ..declaring import operation
from . import samples
from .standard import FFT, IFFT
from .transforms import (
    SWAPPED,
    AlongOne,
    AlongSeveral,
    AlongTwo,
    Norm,
    resized,
    steps_of,
    transposed,
    undone,
    weighted,
)
from .transforms import documented as documented

#: Until NumPy 2.1 rfftn took the other axes in order, which is seen if one of them is repeated.
_LAST_FIRST = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


def rfft_gradient(gy: Array, n: int, axis: int, norm: Norm) -> Array:
    """Return the gradient of the `n` real numbers with bins ``z[k]``: Re of sum g[k] dz[k].

    It is what irfft computes of conj(g), once that no longer counts bins twice.
    """
    bins = np.conjugate(weighted(gy, n, axis, 0.5))
    return IRFFT(n, axis, SWAPPED[norm]).of(bins)


def irfft_gradient(gy: Array, axis: int, norm: Norm) -> Array:
    """Return the gradient of the bins: bin 0 and that in the middle get real ones."""
    bins = np.conjugate(RFFT(None, axis, SWAPPED[norm]).of(gy))
    return weighted(bins, gy.shape[axis], axis, 2.0)


class RFFT(AlongOne):
    """The first half of the discrete Fourier transform of real numbers: ``np.fft.rfft``.

    a: real, at least one-dimensional.
    norm: divides by 1, ``sqrt(n)`` or ``n``.
    Returns: complex, ``n // 2 + 1`` elements along `axis`.
    Raises TypeError: if `a` is complex.

    >>> rfft(Variable(np.array([1.0, 2.0, 3.0, 4.0])))
    variable([10.+0.j -2.+2.j -2.+0.j])
    """

    transform: Any = staticmethod(np.fft.rfft)

    def backward(self, gy: Array) -> Array:
        # z[k] = sum of exp(-2 pi i j k / n) x[j] for k up to n / 2, and dL = Re(sum g[k] dz[k]).
        n = self.length if self.n is None else self.n
        return resized(rfft_gradient(gy, n, self.axis, self.norm), self.length, self.axis)


class IRFFT(AlongOne):
    """Inverse of `rfft`, real numbers from the first half of their transform: ``np.fft.irfft``.

    n: how many elements are returned; say so if it was odd. `a` is cropped to ``n // 2 + 1`` bins,
        or zeros are appended. By default ``2 * (bins - 1)``.
    norm: divides by ``n``, ``sqrt(n)`` or 1.
    Returns: real, `n` elements along `axis`.
    Derivative: the matrix of the transform; the imaginary parts of bins 0 and ``n / 2`` have none.
    Raises ValueError: if nothing is returned, as of one bin without `n`; or for another `norm`.

    >>> irfft(Variable(np.array([10.0 + 0.0j, -2.0 + 2.0j, -2.0 + 0.0j])))
    variable([1. 2. 3. 4.])
    """

    transform: Any = staticmethod(np.fft.irfft)

    def backward(self, gy: Array) -> Array:
        # x[j] = Re(z[0] + 2 sum of exp(2 pi i j k / n) z[k]) / n, the middle bin of even n but
        # once. The imaginary parts of bin 0 and of the middle one are not read.
        return resized(irfft_gradient(gy, self.axis, self.norm), self.length, self.axis)


class RFFTN(AlongSeveral):
    """Half of the discrete Fourier transform of real numbers along several axes: ``np.fft.rfftn``.

    a: real, at least one-dimensional.
    axes (sequence of int, optional): all by default. Along the last one, half of the bins are kept.
    norm: divides by 1, the square root of the number of elements transformed, or that number.
    Returns: complex, ``s[-1] // 2 + 1`` elements along the last of the axes.
    Raises TypeError: if `a` is complex.
    Raises ValueError: if nothing is transformed, or `s` and `axes` or `norm` do not fit.
    Raises AxisError or IndexError: if `a` has no such axis, or there are none at all.

    >>> rfftn(Variable(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))).shape
    (2, 2)
    """

    def forward(self, a: Array) -> Array:
        z = np.fft.rfftn(a, self.s, self.axes, self.norm)
        lengths = list(np.shape(a))
        *others, (self.axis, n) = steps_of(np.shape(a), self.s, self.axes)
        self.length = lengths[self.axis]
        self.n = self.length if n is None else n
        lengths[self.axis] = self.n // 2 + 1
        self.steps = undone(lengths, reversed(others) if _LAST_FIRST else others)
        return z

    def backward(self, gy: Array) -> Array:
        bins = transposed(FFT, gy, self.steps, self.norm)
        gx = rfft_gradient(bins, self.n, self.axis, self.norm)
        return resized(gx, self.length, self.axis)


class IRFFTN(AlongSeveral):
    """Inverse of `rfftn`, real numbers from half of their transform: ``np.fft.irfftn``.

    s: the lengths of what is returned along the axes; say so if the last was odd. By default those
        of `a`, and ``2 * (bins - 1)`` along the last. It asks for `axes`.
    axes (sequence of int, optional): all by default. Along the last one, `a` has half of the bins.
    norm: divides by the number of elements transformed, its square root, or 1.
    Returns: real.
    Derivative: the matrix of the transform; imaginary parts that NumPy does not read, in the first
        and the middle bin of the last axis, have none.
    Raises ValueError: if nothing is returned, or `s` and `axes` or `norm` do not fit.
    Raises AxisError or IndexError: if `a` has no such axis, or there are none at all.

    >>> irfftn(Variable(np.array([[4.0, 0.0], [0.0, 0.0]])))
    variable([[1. 1.]
              [1. 1.]])
    """

    def forward(self, a: Array) -> Array:
        x = np.fft.irfftn(a, self.s, self.axes, self.norm)
        lengths = list(np.shape(a))
        *others, (self.axis, _) = steps_of(np.shape(a), self.s, self.axes)
        self.steps = undone(lengths, others)
        self.length = lengths[self.axis]
        return x

    def backward(self, gy: Array) -> Array:
        bins = irfft_gradient(gy, self.axis, self.norm)
        return transposed(IFFT, resized(bins, self.length, self.axis), self.steps, self.norm)


class RFFT2(AlongTwo, RFFTN):
    """Half of the transform of real numbers along two axes: ``np.fft.rfft2``; see `rfftn`.

    a: real, at least two-dimensional.
    s, norm: as of `rfftn`.
    axes (sequence of int): as of `rfftn`, but the last two by default.
    Returns: complex, half of the bins along the last of the axes.
    Raises TypeError: if `a` is complex.
    Raises ValueError: as `rfftn` does.

    >>> rfft2(Variable(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))).shape
    (2, 2)
    """


class IRFFT2(AlongTwo, IRFFTN):
    """Inverse of `rfft2`: ``np.fft.irfft2``, `irfftn` with other `axes`.

    a: complex or real, at least two-dimensional.
    s, norm: as of `irfftn`.
    axes (sequence of int): as of `irfftn`, but the last two by default.
    Returns: real.
    Derivative: the matrix of the transform; imaginary parts that NumPy does not read have none.
    Raises ValueError: as `irfftn` does.

    >>> irfft2(Variable(np.array([[4.0, 0.0], [0.0, 0.0]])))
    variable([[1. 1.]
              [1. 1.]])
    """


class HFFT(AlongOne):
    """Transform of a signal that has Hermitian symmetry, given by its first half: ``np.fft.hfft``.

    n: how many elements are returned; say so if it is odd. `a` is cropped to ``n // 2 + 1``
        elements, or zeros are appended. By default ``2 * (length - 1)``.
    norm: divides by 1, ``sqrt(n)`` or ``n``.
    Returns: real, `n` elements along `axis`.
    Derivative: the matrix of the transform; imaginary parts of elements 0 and ``n / 2`` have none.
    Raises ValueError: if nothing is returned, as of one element without `n`; or for another `norm`.

    >>> hfft(Variable(np.array([1.0, 2.0, 3.0])))
    variable([ 8. -2.  0. -2.])
    """

    transform: Any = staticmethod(np.fft.hfft)

    def backward(self, gy: Array) -> Array:
        # y[j] = Re(z[0] + 2 sum of exp(-2 pi i j k / n) z[k]), the middle one of even n but once.
        # The imaginary parts of the first and of the middle one are not read.
        bins = RFFT(None, self.axis, self.norm).of(gy)
        gx = weighted(bins, gy.shape[self.axis], self.axis, 2.0)
        return resized(gx, self.length, self.axis)


class IHFFT(AlongOne):
    """Inverse of `hfft`: ``np.fft.ihfft``.

    a: real, at least one-dimensional.
    norm: divides by ``n``, ``sqrt(n)`` or 1.
    Returns: complex, ``n // 2 + 1`` elements along `axis`.
    Raises TypeError: if `a` is complex.

    >>> ihfft(Variable(np.array([8.0, -2.0, 0.0, -2.0])))
    variable([1.-0.j 2.-0.j 3.-0.j])
    """

    transform: Any = staticmethod(np.fft.ihfft)

    def backward(self, gy: Array) -> Array:
        # z[k] = sum of exp(2 pi i j k / n) x[j] / n for k up to n / 2; dL = Re(sum g[k] dz[k]).
        n = self.length if self.n is None else self.n
        gx = IRFFT(n, self.axis, self.norm).of(weighted(gy, n, self.axis, 0.5))
        return resized(gx, self.length, self.axis)


rfft = operation(RFFT, *samples.ONE_AXIS, complex=False)
irfft = operation(IRFFT, *samples.ONE_AXIS_OF_BINS)
rfftn = operation(RFFTN, *samples.SEVERAL_AXES, complex=False)
irfftn = operation(IRFFTN, *samples.SEVERAL_AXES_OF_BINS)
rfft2 = operation(RFFT2, *samples.TWO_AXES, complex=False)
irfft2 = operation(IRFFT2, *samples.TWO_AXES_OF_BINS)
hfft = operation(HFFT, *samples.ONE_AXIS_OF_BINS)
ihfft = operation(IHFFT, *samples.ONE_AXIS, complex=False)
