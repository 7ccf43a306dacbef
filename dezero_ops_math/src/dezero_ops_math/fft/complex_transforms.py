"""The transform of complex numbers along one axis, and its inverse."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from .lengths import Norm, Steps, transposed
from .samples import ONE_AXIS


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


def fft(
    a: Operand, n: int | None = None, axis: int = -1, norm: Norm = None, out: None = None
) -> Variable:
    """Discrete Fourier transform along an axis: ``np.fft.fft``.

    Parameters
    ----------
    a : Variable or ndarray
        Real or complex, at least one-dimensional.
    n : int, optional
        How many elements are transformed: `a` is cropped, or zeros are appended. By default
        as many as there are.
    axis : int
    norm : {"backward", "ortho", "forward"}, optional
        Divides by 1, ``sqrt(n)`` or ``n``.
    out : None
        Refused: an ndarray cannot hold the graph.

    Returns
    -------
    Variable
        Complex, `n` elements along `axis`. Derivative: the matrix of the transform, which is
        symmetric; elements that were cropped get 0.

    Raises
    ------
    ValueError
        If there are no elements to transform, or `norm` is none of the three.
    AxisError or IndexError
        If `a` has no such axis.

    Notes
    -----
    Source: ``numpy.fft.fft``; Cooley and Tukey 1965.

    Examples
    --------
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


def ifft(
    a: Operand, n: int | None = None, axis: int = -1, norm: Norm = None, out: None = None
) -> Variable:
    """Inverse of `fft`: ``np.fft.ifft``.

    Parameters
    ----------
    a : Variable or ndarray
        Real or complex, at least one-dimensional.
    n : int, optional
        How many elements are transformed: `a` is cropped, or zeros are appended. By default
        as many as there are.
    axis : int
    norm : {"backward", "ortho", "forward"}, optional
        Divides by ``n``, ``sqrt(n)`` or 1.
    out : None
        Refused: an ndarray cannot hold the graph.

    Returns
    -------
    Variable
        Complex, `n` elements along `axis`. Derivative: the matrix of the transform, which is
        symmetric; elements that were cropped get 0.

    Raises
    ------
    ValueError
        If there are no elements to transform, or `norm` is none of the three.
    AxisError or IndexError
        If `a` has no such axis.

    Notes
    -----
    Source: ``numpy.fft.ifft``.

    Examples
    --------
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
