"""Transforms of complex numbers along one, two or more axes, and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from .samples import NO_AXES, ONE_AXIS, SEVERAL_AXES, TWO_AXES
from .transforms import Norm, Steps, documented, steps_of, transposed, undone


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


class FFTN(Function):
    """`FFT` along one axis after the other, the last one first."""

    saves = ()

    def __init__(self, s: Any, axes: Any, norm: Norm) -> None:
        self.s, self.axes, self.norm = s, axes, norm

    def forward(self, a: Array) -> Array:
        z = np.fft.fftn(a, self.s, self.axes, self.norm)
        shape = np.shape(a)
        self.steps = undone(list(shape), reversed(steps_of(shape, self.s, self.axes)))
        return z

    def backward(self, gy: Array) -> Array:
        return transposed(FFT, gy, self.steps, self.norm)


@documented
def fftn(
    a: Operand, s: Any = None, axes: Any = None, norm: Norm = None, out: None = None
) -> Variable:
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
    refuse_out("fft.fftn", out)
    return FFTN(s, axes, norm)(a)


class IFFTN(Function):
    """`IFFT` along one axis after the other, the last one first."""

    saves = ()

    def __init__(self, s: Any, axes: Any, norm: Norm) -> None:
        self.s, self.axes, self.norm = s, axes, norm

    def forward(self, a: Array) -> Array:
        z = np.fft.ifftn(a, self.s, self.axes, self.norm)
        shape = np.shape(a)
        self.steps = undone(list(shape), reversed(steps_of(shape, self.s, self.axes)))
        return z

    def backward(self, gy: Array) -> Array:
        return transposed(IFFT, gy, self.steps, self.norm)


@documented
def ifftn(
    a: Operand, s: Any = None, axes: Any = None, norm: Norm = None, out: None = None
) -> Variable:
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
    refuse_out("fft.ifftn", out)
    return IFFTN(s, axes, norm)(a)


@documented
def fft2(
    a: Array, s: Any = None, axes: Any = (-2, -1), norm: Norm = None, out: None = None
) -> Variable:
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
    refuse_out("fft.fft2", out)
    return FFTN(s, axes, norm)(a)


@documented
def ifft2(
    a: Array, s: Any = None, axes: Any = (-2, -1), norm: Norm = None, out: None = None
) -> Variable:
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
    refuse_out("fft.ifft2", out)
    return IFFTN(s, axes, norm)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = Sample(ONE_AXIS, complex=True)
    register("fft.fft", fft, FFT, numpy=np.fft.fft, sample=sample)
    register("fft.ifft", ifft, IFFT, numpy=np.fft.ifft, sample=sample)

    sample = Sample(SEVERAL_AXES + NO_AXES, complex=True)
    register("fft.fftn", fftn, FFTN, numpy=np.fft.fftn, sample=sample)
    register("fft.ifftn", ifftn, IFFTN, numpy=np.fft.ifftn, sample=sample)

    sample = Sample(TWO_AXES, complex=True)
    register("fft.fft2", fft2, FFTN, numpy=np.fft.fft2, sample=sample)
    register("fft.ifft2", ifft2, IFFTN, numpy=np.fft.ifft2, sample=sample)
