"""The distribution function of normal numbers, its inverse and its logarithm."""

from __future__ import annotations

import math

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise, analytic, elementwise, operation

from dezero_core.extend import Array, Operand

from ..arguments import require_real
from .limits import finite
from .scaled_error_function import ROOT_HALF, exp_of_inverse, moment_ratio
from .squares import Gaussian, exp_of_square

ROOT_TWO_PI, ROOT_TWO_BY_PI = math.sqrt(2.0 * math.pi), math.sqrt(2.0 / math.pi)


class Ndtr(Elementwise):
    """Normal distribution function, elementwise: ``scipy.special.ndtr``.

    x: any shape, real or complex.
    Derivative: ``exp(-x**2 / 2) / sqrt(2 * pi)``, the density.
    Source: NIST DLMF 7.2.2; it is half of ``erfc(-x / sqrt(2))``.

    >>> x = Variable(np.array(0.0))
    >>> ndtr(x).backward()
    >>> x.grad
    array(0.39894228)
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.ndtr(x)

    def backward(self, gy: Array) -> Array:
        return gy * (Gaussian(0.5).of(self.inputs[0].data) / ROOT_TWO_PI)


class Ndtri(Elementwise):
    """Inverse of the normal distribution function, elementwise: ``scipy.special.ndtri``.

    y: any shape, real, from 0 to 1.
    Returns: shape of `y`; infinite at 0 and 1, and nan beyond.
    Derivative: ``sqrt(2 * pi) * exp(ndtri(y)**2 / 2)``, inf at 0 and 1.
    Raises TypeError: if `y` is complex.
    Source: the inverse of `ndtr`; NIST DLMF 7.17.

    >>> y = Variable(np.array([0.0, 0.5]))
    >>> ndtri(y).backward()
    >>> y.grad
    array([       inf, 2.50662827])
    """

    def forward(self, y: Operand) -> Array:
        return scipy.special.ndtri(y)

    def backward(self, gx: Array) -> Array:
        return gx * InverseDensity().of(self.inputs[0].data)


class InverseDensity(Elementwise):
    """``d = sqrt(2 pi) exp(x**2 / 2)`` with x = ndtri(y), and dd = x d**2 dy."""

    saves = ("inputs", "outputs")

    def forward(self, y: Array) -> Array:
        x = np.abs(scipy.special.ndtri(y))
        return ROOT_TWO_PI * exp_of_inverse(2.0 * np.minimum(y, 1.0 - y), ROOT_HALF * x)

    def backward(self, gd: Array) -> Array:
        d = self.outputs[0]().data
        with np.errstate(all="ignore"):
            return gd * (Ndtri().of(self.inputs[0].data) * d * d)


class LogNdtr(Elementwise):
    """Logarithm of the normal distribution function, elementwise: ``scipy.special.log_ndtr``.

    x: any shape, real.
    Derivative: ``exp(-x**2 / 2) / (sqrt(2 * pi) * ndtr(x))``, the inverse Mills ratio, which is
        about ``-x`` where `x` is far below 0.
    Raises VariableTypeError (TypeError): if `x` is complex.
    Source: NIST DLMF 7.8.1, 7.8.3 and 7.18.

    >>> x = Variable(np.array(-40.0))
    >>> y = log_ndtr(x)
    >>> y.backward()
    >>> y, x.grad
    (variable(-804.6084420137539), array(40.02496885))
    """

    def forward(self, x: Operand) -> Array:
        require_real("special.log_ndtr", x)
        return scipy.special.log_ndtr(x)

    def backward(self, gy: Array) -> Array:
        return gy * InverseMillsRatio().of(self.inputs[0].data)


class InverseMillsRatio(Elementwise):
    """``m = phi(x) / Phi(x)``, and dm = -m (x + m) dx.

    The code uses neither formula far below 0: there numerator and denominator underflow, and
    ``x + m`` has no right digit at x = -1e8.
    """

    saves = ("inputs", "outputs")

    def forward(self, x: Array) -> Array:
        above, below = np.maximum(x, 0.0), np.minimum(x, 0.0)
        with np.errstate(divide="ignore"):
            left = ROOT_TWO_BY_PI / scipy.special.erfcx(-ROOT_HALF * below)
        # From 0 on by the definition, since there erfcx loses digits.
        right = exp_of_square(-0.5, above) / (ROOT_TWO_PI * scipy.special.ndtr(above))
        return np.where(x > 0.0, right, left)

    def backward(self, gm: Array) -> Array:
        with np.errstate(all="ignore"):
            return gm * (-finite(self.outputs[0]().data) * MomentRatio(1).of(self.inputs[0].data))


class MomentRatio(Elementwise):
    """``r[k] = M[k] / M[k-1]``, and dr[k] = r[k] (r[k+1] - r[k]) dx.

    ``M[k]`` is the integral of ``u**k exp(x u - u**2 / 2)`` over all u > 0. By parts,
    ``r[1] = x + m`` and ``r[k+1] = x + k / r[k]``, where x is positive and nothing cancels.
    """

    saves = ("inputs", "outputs")

    def __init__(self, k: int) -> None:
        self.k = k

    def forward(self, x: Array) -> Array:
        x = finite(x)
        above, below = np.maximum(x, 0.0), np.minimum(x, 0.0)
        ratio = above + InverseMillsRatio().forward(above)
        for k in range(1, self.k):
            ratio = above + k / ratio
        return np.where(x < 0.0, moment_ratio(self.k, below), ratio)

    def backward(self, gr: Array) -> Array:
        ratio = self.outputs[0]().data
        with np.errstate(all="ignore"):
            return gr * (ratio * (MomentRatio(self.k + 1).of(self.inputs[0].data) - ratio))


ndtr = operation(Ndtr, analytic((-3.0, 3.0)))
ndtri = operation(Ndtri, elementwise((0.05, 0.95)))
log_ndtr = operation(LogNdtr, elementwise((-3.0, 3.0)), name="log_ndtr")
