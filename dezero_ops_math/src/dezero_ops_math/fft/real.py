"""Transforms of real numbers along one, two or more axes, and their inverses.

Of n real numbers the bins k and n - k are conjugate, so NumPy keeps the first ``n // 2 + 1``; of
several axes, it does so along the last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..arguments import refuse_out
from .samples import (
    ONE_AXIS,
    ONE_AXIS_OF_BINS,
    SEVERAL_AXES,
    SEVERAL_AXES_OF_BINS,
    TWO_AXES,
    TWO_AXES_OF_BINS,
)
from .standard import FFT, IFFT
from .transforms import SWAPPED, Norm, documented, resized, steps_of, transposed, undone, weighted

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


class RFFT(Function):
    """z[k] = sum of exp(-2 pi i j k / n) x[j] for k up to n / 2, and dL = Re(sum g[k] dz[k])."""

    saves = ()

    def __init__(self, n: int | None, axis: int, norm: Norm) -> None:
        self.n, self.axis, self.norm = n, axis, norm

    def forward(self, a: Array) -> Array:
        z = np.fft.rfft(a, self.n, self.axis, self.norm)
        self.length = a.shape[self.axis]
        return z

    def backward(self, gy: Array) -> Array:
        n = self.length if self.n is None else self.n
        return resized(rfft_gradient(gy, n, self.axis, self.norm), self.length, self.axis)


@documented
def rfft(
    a: Array, n: int | None = None, axis: int = -1, norm: Norm = None, out: None = None
) -> Variable:
    """The first half of the discrete Fourier transform of real numbers: ``np.fft.rfft``.

    a: real, at least one-dimensional.
    norm: divides by 1, ``sqrt(n)`` or ``n``.
    Returns: complex, ``n // 2 + 1`` elements along `axis`.
    Derivative: the matrix of the transform; elements that were cropped get 0.
    Raises TypeError: if `a` is complex.

    >>> rfft(Variable(np.array([1.0, 2.0, 3.0, 4.0])))
    variable([10.+0.j -2.+2.j -2.+0.j])
    """
    refuse_out("fft.rfft", out)
    return RFFT(n, axis, norm)(a)


class IRFFT(Function):
    """x[j] = Re(z[0] + 2 sum of exp(2 pi i j k / n) z[k]) / n, the middle bin of even n but once.

    The imaginary parts of bin 0 and of the middle one are not read, and get no gradient.
    """

    saves = ()

    def __init__(self, n: int | None, axis: int, norm: Norm) -> None:
        self.n, self.axis, self.norm = n, axis, norm

    def forward(self, a: Array) -> Array:
        x = np.fft.irfft(a, self.n, self.axis, self.norm)
        self.length = a.shape[self.axis]
        return x

    def backward(self, gy: Array) -> Array:
        return resized(irfft_gradient(gy, self.axis, self.norm), self.length, self.axis)


@documented
def irfft(
    a: Array, n: int | None = None, axis: int = -1, norm: Norm = None, out: None = None
) -> Variable:
    """Inverse of `rfft`, real numbers from the first half of their transform: ``np.fft.irfft``.

    a: complex or real, at least one-dimensional.
    n: how many elements are returned; say so if it was odd. `a` is cropped to ``n // 2 + 1`` bins,
        or zeros are appended. By default ``2 * (bins - 1)``.
    norm: divides by ``n``, ``sqrt(n)`` or 1.
    Returns: real, `n` elements along `axis`.
    Derivative: the matrix of the transform; the imaginary parts of bin 0 and, if `n` is even, bin
        ``n / 2`` have none.
    Raises ValueError: if no elements are to be returned, as of a single bin without `n`; or if
        `norm` is none of the three.

    >>> irfft(Variable(np.array([10.0 + 0.0j, -2.0 + 2.0j, -2.0 + 0.0j])))
    variable([1. 2. 3. 4.])
    """
    refuse_out("fft.irfft", out)
    return IRFFT(n, axis, norm)(a)


class RFFTN(Function):
    """`RFFT` along the last of the axes, then `FFT` along the others."""

    saves = ()

    def __init__(self, s: Any, axes: Any, norm: Norm) -> None:
        self.s, self.axes, self.norm = s, axes, norm

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


@documented
def rfftn(
    a: Array, s: Any = None, axes: Any = None, norm: Norm = None, out: None = None
) -> Variable:
    """Half of the discrete Fourier transform of real numbers along several axes: ``np.fft.rfftn``.

    a: real, at least one-dimensional.
    axes (sequence of int, optional): all by default. Along the last one, half of the bins are kept.
    norm: divides by 1, the square root of the number of elements transformed, or that number.
    Returns: complex, ``s[-1] // 2 + 1`` elements along the last of the axes.
    Derivative: the matrix of the transform; elements that were cropped get 0.
    Raises TypeError: if `a` is complex.
    Raises ValueError: if there are no elements to transform, `s` and `axes` have different lengths,
        or `norm` is none of the three.
    Raises AxisError or IndexError: if `a` has no such axis, or there are none at all.

    >>> rfftn(Variable(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))).shape
    (2, 2)
    """
    refuse_out("fft.rfftn", out)
    return RFFTN(s, axes, norm)(a)


class IRFFTN(Function):
    """`IFFT` along all axes but the last, then `IRFFT` along that."""

    saves = ()

    def __init__(self, s: Any, axes: Any, norm: Norm) -> None:
        self.s, self.axes, self.norm = s, axes, norm

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


@documented
def irfftn(
    a: Array, s: Any = None, axes: Any = None, norm: Norm = None, out: None = None
) -> Variable:
    """Inverse of `rfftn`, real numbers from half of their transform: ``np.fft.irfftn``.

    a: complex or real, at least one-dimensional.
    s: the lengths of what is returned along the axes; say so if the last was odd. By default those
        of `a`, and ``2 * (bins - 1)`` along the last. It asks for `axes`.
    axes (sequence of int, optional): all by default. Along the last one, `a` has half of the bins.
    norm: divides by the number of elements transformed, its square root, or 1.
    Returns: real.
    Derivative: the matrix of the transform; imaginary parts that NumPy does not read, in the first
        and the middle bin of the last axis, have none.
    Raises ValueError: if no elements are to be returned, `s` and `axes` have different lengths, or
        `norm` is none of the three.
    Raises AxisError or IndexError: if `a` has no such axis, or there are none at all.

    >>> irfftn(Variable(np.array([[4.0, 0.0], [0.0, 0.0]])))
    variable([[1. 1.]
              [1. 1.]])
    """
    refuse_out("fft.irfftn", out)
    return IRFFTN(s, axes, norm)(a)


@documented
def rfft2(
    a: Array, s: Any = None, axes: Any = (-2, -1), norm: Norm = None, out: None = None
) -> Variable:
    """Half of the transform of real numbers along two axes: ``np.fft.rfft2``; see `rfftn`.

    a: real, at least two-dimensional.
    s, norm: as of `rfftn`.
    axes (sequence of int): as of `rfftn`, but the last two by default.
    Returns: complex, half of the bins along the last of the axes.
    Derivative: the matrix of the transform.
    Raises TypeError: if `a` is complex.
    Raises ValueError: as `rfftn` does.

    >>> rfft2(Variable(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))).shape
    (2, 2)
    """
    refuse_out("fft.rfft2", out)
    return RFFTN(s, axes, norm)(a)


@documented
def irfft2(
    a: Array, s: Any = None, axes: Any = (-2, -1), norm: Norm = None, out: None = None
) -> Variable:
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
    refuse_out("fft.irfft2", out)
    return IRFFTN(s, axes, norm)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    of_bins = Sample(ONE_AXIS_OF_BINS, complex=True)
    register("fft.rfft", rfft, RFFT, numpy=np.fft.rfft, sample=Sample(ONE_AXIS))
    register("fft.irfft", irfft, IRFFT, numpy=np.fft.irfft, sample=of_bins)

    of_bins = Sample(SEVERAL_AXES_OF_BINS, complex=True)
    register("fft.rfftn", rfftn, RFFTN, numpy=np.fft.rfftn, sample=Sample(SEVERAL_AXES))
    register("fft.irfftn", irfftn, IRFFTN, numpy=np.fft.irfftn, sample=of_bins)

    of_bins = Sample(TWO_AXES_OF_BINS, complex=True)
    register("fft.rfft2", rfft2, RFFTN, numpy=np.fft.rfft2, sample=Sample(TWO_AXES))
    register("fft.irfft2", irfft2, IRFFTN, numpy=np.fft.irfft2, sample=of_bins)
