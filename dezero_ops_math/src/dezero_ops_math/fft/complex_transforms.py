"""The transform of complex numbers along one axis, and its inverse."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..arguments import refuse_out
from ..docstrings import sharing
from .lengths import Norm, Steps, transposed
from .samples import ONE_AXIS

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


class FFT(Function):
    """z = F x with F[j, k] = exp(-2 pi i j k / n): F is symmetric, so the gradient is F g."""

    saves = ()

    def __init__(self, n: int | None, axis: int, norm: Norm) -> None:
        self.n, self.axis, self.norm = n, axis, norm

    def forward(self, a: Array) -> Array:
        z = np.fft.fft(a, self.n, self.axis, self.norm)
        self.steps: Steps = [(self.axis, a.shape[self.axis])]
        return z

    def backward(self, gy: Array) -> Array:
        return transposed(FFT, gy, self.steps, self.norm)


@documented
def fft(
    a: Array, n: int | None = None, axis: int = -1, norm: Norm = None, out: None = None
) -> Variable:
    """Discrete Fourier transform along an axis: ``np.fft.fft``.

    a: real or complex, at least one-dimensional.
    norm: divides by 1, ``sqrt(n)`` or ``n``.
    Returns: complex, `n` elements along `axis`.
    Derivative: the matrix of the transform, which is symmetric; elements that were cropped get 0.
    Source: ``numpy.fft.fft``; Cooley and Tukey 1965.

    >>> fft(Variable(np.array([1.0, 2.0, 3.0, 4.0])))
    variable([10.+0.j -2.+2.j -2.+0.j -2.-2.j])
    """
    refuse_out("fft.fft", out)
    return FFT(n, axis, norm)(a)


class IFFT(Function):
    """z = F x with F[j, k] = exp(2 pi i j k / n) / n: F is symmetric, so the gradient is F g."""

    saves = ()

    def __init__(self, n: int | None, axis: int, norm: Norm) -> None:
        self.n, self.axis, self.norm = n, axis, norm

    def forward(self, a: Array) -> Array:
        z = np.fft.ifft(a, self.n, self.axis, self.norm)
        self.steps: Steps = [(self.axis, a.shape[self.axis])]
        return z

    def backward(self, gy: Array) -> Array:
        return transposed(IFFT, gy, self.steps, self.norm)


@documented
def ifft(
    a: Array, n: int | None = None, axis: int = -1, norm: Norm = None, out: None = None
) -> Variable:
    """Inverse of `fft`: ``np.fft.ifft``.

    a: real or complex, at least one-dimensional.
    norm: divides by ``n``, ``sqrt(n)`` or 1.
    Returns: complex, `n` elements along `axis`.
    Derivative: the matrix of the transform, which is symmetric; elements that were cropped get 0.

    >>> ifft(Variable(np.array([4.0, 0.0, 0.0, 0.0])))
    variable([1.+0.j 1.+0.j 1.+0.j 1.+0.j])
    """
    refuse_out("fft.ifft", out)
    return IFFT(n, axis, norm)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = Sample(ONE_AXIS, complex=True)
    register("fft.fft", fft, FFT, numpy=np.fft.fft, sample=sample)
    register("fft.ifft", ifft, IFFT, numpy=np.fft.ifft, sample=sample)
