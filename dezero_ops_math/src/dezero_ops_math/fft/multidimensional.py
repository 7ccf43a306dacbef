"""The transform of complex numbers along several axes, and its inverse."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from ..docstrings import sharing
from .complex_transforms import FFT, IFFT
from .lengths import Norm, steps_of, transposed, undone
from .samples import NO_AXES, SEVERAL_AXES

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


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = Sample(SEVERAL_AXES + NO_AXES, complex=True)
    register("fft.fftn", fftn, FFTN, numpy=np.fft.fftn, sample=sample)
    register("fft.ifftn", ifftn, IFFTN, numpy=np.fft.ifftn, sample=sample)
