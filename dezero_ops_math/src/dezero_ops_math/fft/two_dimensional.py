"""Transforms along two axes, by default the last ones: those of several axes do the work."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, Sample, Variable
from dezero_core.extend import Array

from ..arguments import refuse_out
from ..docstrings import sharing
from .lengths import Norm
from .multidimensional import FFTN, IFFTN
from .real_multidimensional import IRFFTN, RFFTN
from .samples import TWO_AXES, TWO_AXES_OF_BINS

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

_LAST_TWO = (-2, -1)


@documented
def fft2(
    a: Array, s: Any = None, axes: Any = _LAST_TWO, norm: Norm = None, out: None = None
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
    a: Array, s: Any = None, axes: Any = _LAST_TWO, norm: Norm = None, out: None = None
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


@documented
def rfft2(
    a: Array, s: Any = None, axes: Any = _LAST_TWO, norm: Norm = None, out: None = None
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
    a: Array, s: Any = None, axes: Any = _LAST_TWO, norm: Norm = None, out: None = None
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
    sample, of_bins = Sample(TWO_AXES, complex=True), Sample(TWO_AXES_OF_BINS, complex=True)
    register("fft.fft2", fft2, FFTN, numpy=np.fft.fft2, sample=sample)
    register("fft.ifft2", ifft2, IFFTN, numpy=np.fft.ifft2, sample=sample)
    register("fft.rfft2", rfft2, RFFTN, numpy=np.fft.rfft2, sample=Sample(TWO_AXES))
    register("fft.irfft2", irfft2, IRFFTN, numpy=np.fft.irfft2, sample=of_bins)
