"""The transform of real numbers along one axis, and its inverse.

Of n real numbers the bins k and n - k are conjugate, so NumPy keeps the first ``n // 2 + 1``.
"""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..arguments import refuse_out
from ..docstrings import sharing
from .lengths import SWAPPED, Norm, resized, weighted
from .samples import ONE_AXIS, ONE_AXIS_OF_BINS

documented = sharing(
    """
    Norm ({"backward", "ortho", "forward"}, optional):
    n: how many elements are transformed: `a` is cropped, or zeros are appended. By default as many
        as there are.
    s (sequence of int, optional): to which lengths the axes are cropped, or padded with zeros; -1
        for that of `a`. By default all are. It asks for `axes`.
    Raises AxisError or IndexError: if `a` has no such axis.
    Raises ValueError: if there are no elements to transform, or `norm` is none of the three.
    """
)


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

    What bin 0 and the middle one have as imaginary parts is not read, and gets no gradient.
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


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    of_bins = Sample(ONE_AXIS_OF_BINS, complex=True)
    register("fft.rfft", rfft, RFFT, numpy=np.fft.rfft, sample=Sample(ONE_AXIS))
    register("fft.irfft", irfft, IRFFT, numpy=np.fft.irfft, sample=of_bins)
