"""The transform of real numbers along several axes, and its inverse: half of the last axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..arguments import refuse_out
from ..docstrings import sharing
from .complex_transforms import FFT, IFFT
from .lengths import Norm, resized, steps_of, transposed, undone
from .real_transforms import irfft_gradient, rfft_gradient
from .samples import SEVERAL_AXES, SEVERAL_AXES_OF_BINS

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

#: Until NumPy 2.1 rfftn took the other axes in order, which is seen if one of them is repeated.
_LAST_FIRST = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


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


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    of_bins = Sample(SEVERAL_AXES_OF_BINS, complex=True)
    register("fft.rfftn", rfftn, RFFTN, numpy=np.fft.rfftn, sample=Sample(SEVERAL_AXES))
    register("fft.irfftn", irfftn, IRFFTN, numpy=np.fft.irfftn, sample=of_bins)
