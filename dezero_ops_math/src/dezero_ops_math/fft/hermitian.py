"""The transform of numbers that are conjugate to each other at j and n - j, and its inverse."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..arguments import refuse_out
from .real import IRFFT, RFFT
from .samples import ONE_AXIS, ONE_AXIS_OF_BINS
from .transforms import Norm, documented, resized, weighted


class HFFT(Function):
    """y[j] = Re(z[0] + 2 sum of exp(-2 pi i j k / n) z[k]), the middle one of even n but once.

    What the first and the middle one have as imaginary parts is not read, and gets no gradient.
    """

    saves = ()

    def __init__(self, n: int | None, axis: int, norm: Norm) -> None:
        self.n, self.axis, self.norm = n, axis, norm

    def forward(self, a: Array) -> Array:
        y = np.fft.hfft(a, self.n, self.axis, self.norm)
        self.length = a.shape[self.axis]
        return y

    def backward(self, gy: Array) -> Array:
        bins = RFFT(None, self.axis, self.norm).of(gy)
        gx = weighted(bins, gy.shape[self.axis], self.axis, 2.0)
        return resized(gx, self.length, self.axis)


@documented
def hfft(
    a: Array, n: int | None = None, axis: int = -1, norm: Norm = None, out: None = None
) -> Variable:
    """Transform of a signal that has Hermitian symmetry, given by its first half: ``np.fft.hfft``.

    a: complex or real, at least one-dimensional.
    n: how many elements are returned; say so if it is odd. `a` is cropped to ``n // 2 + 1``
        elements, or zeros are appended. By default ``2 * (length - 1)``.
    norm: divides by 1, ``sqrt(n)`` or ``n``.
    Returns: real, `n` elements along `axis`.
    Derivative: the matrix of the transform; the imaginary parts of element 0 and, if `n` is even,
        element ``n / 2`` have none.
    Raises ValueError: if no elements are to be returned, as of a single one without `n`; or if
        `norm` is none of the three.

    >>> hfft(Variable(np.array([1.0, 2.0, 3.0])))
    variable([ 8. -2.  0. -2.])
    """
    refuse_out("fft.hfft", out)
    return HFFT(n, axis, norm)(a)


class IHFFT(Function):
    """z[k] = sum of exp(2 pi i j k / n) x[j] / n for k up to n / 2, and dL = Re(sum g[k] dz[k])."""

    saves = ()

    def __init__(self, n: int | None, axis: int, norm: Norm) -> None:
        self.n, self.axis, self.norm = n, axis, norm

    def forward(self, a: Array) -> Array:
        z = np.fft.ihfft(a, self.n, self.axis, self.norm)
        self.length = a.shape[self.axis]
        return z

    def backward(self, gy: Array) -> Array:
        n = self.length if self.n is None else self.n
        gx = IRFFT(n, self.axis, self.norm).of(weighted(gy, n, self.axis, 0.5))
        return resized(gx, self.length, self.axis)


@documented
def ihfft(
    a: Array, n: int | None = None, axis: int = -1, norm: Norm = None, out: None = None
) -> Variable:
    """Inverse of `hfft`: ``np.fft.ihfft``.

    a: real, at least one-dimensional.
    norm: divides by ``n``, ``sqrt(n)`` or 1.
    Returns: complex, ``n // 2 + 1`` elements along `axis`.
    Derivative: the matrix of the transform; elements that were cropped get 0.
    Raises TypeError: if `a` is complex.

    >>> ihfft(Variable(np.array([8.0, -2.0, 0.0, -2.0])))
    variable([1.-0.j 2.-0.j 3.-0.j])
    """
    refuse_out("fft.ihfft", out)
    return IHFFT(n, axis, norm)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    of_bins = Sample(ONE_AXIS_OF_BINS, complex=True)
    register("fft.hfft", hfft, HFFT, numpy=np.fft.hfft, sample=of_bins)
    register("fft.ihfft", ihfft, IHFFT, numpy=np.fft.ihfft, sample=Sample(ONE_AXIS))
