"""Transforms along two axes, by default the last ones: those of several axes do the work."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, Sample, Variable
from dezero_core.extend import Operand

from ..arguments import refuse_out
from .lengths import Norm
from .multidimensional import FFTN, IFFTN
from .real_multidimensional import IRFFTN, RFFTN
from .samples import TWO_AXES, TWO_AXES_OF_BINS

_LAST_TWO = (-2, -1)


def fft2(
    a: Operand, s: Any = None, axes: Any = _LAST_TWO, norm: Norm = None, out: None = None
) -> Variable:
    """Discrete Fourier transform along two axes: ``np.fft.fft2``, `fftn` with other `axes`.

    Parameters
    ----------
    a : Variable or ndarray
        Real or complex, at least two-dimensional.
    s, axes, norm, out
        As of `fftn`, but the last two axes by default.

    Returns
    -------
    Variable
        Complex. Derivative: the matrix of the transform, which is symmetric.

    Raises
    ------
    ValueError, AxisError or IndexError
        As `fftn` does.

    Notes
    -----
    Source: ``numpy.fft.fft2``.

    Examples
    --------
    >>> fft2(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[10.+0.j -2.+0.j]
              [-4.+0.j  0.+0.j]])
    """
    refuse_out("fft.fft2", out)
    return FFTN(s, axes, norm)(a)


def ifft2(
    a: Operand, s: Any = None, axes: Any = _LAST_TWO, norm: Norm = None, out: None = None
) -> Variable:
    """Inverse of `fft2`: ``np.fft.ifft2``, `ifftn` with other `axes`.

    Parameters
    ----------
    a : Variable or ndarray
        Real or complex, at least two-dimensional.
    s, axes, norm, out
        As of `ifftn`, but the last two axes by default.

    Returns
    -------
    Variable
        Complex. Derivative: the matrix of the transform, which is symmetric.

    Raises
    ------
    ValueError, AxisError or IndexError
        As `ifftn` does.

    Notes
    -----
    Source: ``numpy.fft.ifft2``.

    Examples
    --------
    >>> ifft2(Variable(np.array([[4.0, 0.0], [0.0, 0.0]])))
    variable([[1.+0.j 1.+0.j]
              [1.+0.j 1.+0.j]])
    """
    refuse_out("fft.ifft2", out)
    return IFFTN(s, axes, norm)(a)


def rfft2(
    a: Operand, s: Any = None, axes: Any = _LAST_TWO, norm: Norm = None, out: None = None
) -> Variable:
    """Half of the transform of real numbers along two axes: ``np.fft.rfft2``; see `rfftn`.

    Parameters
    ----------
    a : Variable or ndarray
        Real, at least two-dimensional.
    s, axes, norm, out
        As of `rfftn`, but the last two axes by default.

    Returns
    -------
    Variable
        Complex, half of the bins along the last of the axes. Derivative: the matrix of the
        transform.

    Raises
    ------
    TypeError, ValueError, AxisError or IndexError
        As `rfftn` does.

    Notes
    -----
    Source: ``numpy.fft.rfft2``.

    Examples
    --------
    >>> rfft2(Variable(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))).shape
    (2, 2)
    """
    refuse_out("fft.rfft2", out)
    return RFFTN(s, axes, norm)(a)


def irfft2(
    a: Operand, s: Any = None, axes: Any = _LAST_TWO, norm: Norm = None, out: None = None
) -> Variable:
    """Inverse of `rfft2`: ``np.fft.irfft2``, `irfftn` with other `axes`.

    Parameters
    ----------
    a : Variable or ndarray
        Complex or real, at least two-dimensional.
    s, axes, norm, out
        As of `irfftn`, but the last two axes by default.

    Returns
    -------
    Variable
        Real. Derivative: the matrix of the transform; imaginary parts that NumPy does not
        read have none.

    Raises
    ------
    ValueError, AxisError or IndexError
        As `irfftn` does.

    Notes
    -----
    Source: ``numpy.fft.irfft2``.

    Examples
    --------
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
