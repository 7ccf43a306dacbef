"""The logarithm of the distribution function of normal numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand

from .arguments import floating, refuse_complex
from .half_line import nodes_and_weights

ROOT_HALF, ROOT_TWO_BY_PI = math.sqrt(0.5), math.sqrt(2.0 / math.pi)


class LogNdtr(Function):
    """d log(Phi(x)) = phi(x) / Phi(x) dx."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        refuse_complex("log_ndtr", x)
        return scipy.special.log_ndtr(x)

    def backward(self, gy: Array) -> Array:
        return gy * InverseMillsRatio().of(self.inputs[0].data)


class InverseMillsRatio(Function):
    """``m = phi(x) / Phi(x)``, and dm = -m (x + m) dx.

    The code uses neither formula: numerator and denominator underflow, and ``x + m`` has no right
    digit at x = -1e8.
    """

    saves = ("inputs", "outputs")
    elementwise = True

    def forward(self, x: Array) -> Array:
        return _inverse_mills_ratio(x)

    def backward(self, gy: Array) -> Array:
        return gy * (-self.outputs[0]().data * MomentRatio(1).of(self.inputs[0].data))


class MomentRatio(Function):
    """``r[k] = M[k] / M[k-1]``, and dr[k] = r[k] (r[k+1] - r[k]) dx.

    ``M[k]`` is the integral of ``u**k exp(x u - u**2 / 2)`` over all u > 0. By parts,
    ``r[1] = x + m`` and ``r[k+1] = x + k / r[k]``, where x is positive and nothing cancels.
    """

    saves = ("inputs", "outputs")
    elementwise = True

    def __init__(self, k: int) -> None:
        self.k = k

    def forward(self, x: Array) -> Array:
        wide = np.asarray(x, dtype=float)
        above = np.where(wide < 0.0, 0.0, wide)
        ratio = above + _inverse_mills_ratio(above)
        for k in range(1, self.k):
            ratio = above + k / ratio
        below = np.where(wide < 0.0, wide, 0.0)
        scale = 1.0 / (1.0 - below)
        upper = lower = np.zeros_like(below)
        for node, weight in nodes_and_weights():
            u = scale * node
            term = weight * u ** (self.k - 1) * np.exp(u * (below - 0.5 * u))
            lower = lower + term
            upper = upper + u * term
        return np.where(wide < 0.0, upper / lower, ratio).astype(floating(x))

    def backward(self, gy: Array) -> Array:
        ratio = self.outputs[0]().data
        return gy * (ratio * (MomentRatio(self.k + 1).of(self.inputs[0].data) - ratio))


def _inverse_mills_ratio(x: Array) -> Array:
    with np.errstate(divide="ignore"):
        return ROOT_TWO_BY_PI / scipy.special.erfcx(-ROOT_HALF * x)


def log_ndtr(x: Operand) -> Variable:
    """Logarithm of the normal distribution function, elementwise: ``scipy.special.log_ndtr``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, real.

    Returns
    -------
    Variable
        Shape of `x`, dtype as SciPy gives it. Derivative: the inverse Mills ratio
        ``sqrt(2 / pi) / erfcx(-x / sqrt(2))``, about ``-x`` where `x` is far below 0.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is complex.

    Notes
    -----
    Source: NIST DLMF 7.8.1, 7.8.3 and 7.18.

    Examples
    --------
    >>> x = Variable(np.array(-40.0))
    >>> y = log_ndtr(x)
    >>> y.backward()
    >>> y, x.grad
    (variable(-804.6084420137539), array(40.02496885))
    """
    return LogNdtr()(x)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""

    def sample(kit: Any) -> Any:
        return kit.elementwise((-3.0, 3.0))

    register("special.log_ndtr", log_ndtr, LogNdtr, numpy=scipy.special.log_ndtr, sample=sample)
