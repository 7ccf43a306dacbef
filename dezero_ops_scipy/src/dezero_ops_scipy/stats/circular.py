"""The von Mises distribution of angles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
import scipy.stats
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array, Operand

from ..arguments import floating, refuse_second_derivative, wide
from ..special.scaled_bessel import i0e, i1e
from .declaring import distribution
from .mirrored import mirrored_distribution
from .univariate import Continuous

LOG_TWO_PI = math.log(2.0 * math.pi)


class VonMises(Continuous):
    """a von Mises distribution of angles

    kappa: the concentration, from 0 on.
    Source: NIST DLMF 10.32.3 and 10.29.3; of `cdf` by `kappa` under the integral sign, by a
        quadrature.

    >>> kappa = Variable(np.array(2.0))
    >>> vonmises.logpdf(np.pi, kappa).backward()
    >>> kappa.grad
    array(-1.69777466)
    """

    def mirrored(self, theirs: Any) -> Any:
        """Return the mirror, whose ``rvs`` is SciPy's: it turns numbers back into one circle."""
        return mirrored_distribution(theirs, self.name, self.methods)

    def is_valid(self, kappa: Array) -> Any:
        return kappa >= 0.0

    def log_density(self, y: Operand, kappa: Operand) -> Operand:
        return log_density(y, kappa)

    def below(self, y: Operand, kappa: Operand) -> Operand:
        return Below()(y, kappa)

    def quantile(self, q: Operand, kappa: Operand) -> Operand:
        return Quantile()(q, kappa)

    def information(self, kappa: Operand) -> Operand:
        scaled = i0e(kappa)
        return kappa * ((scaled - i1e(kappa)) / scaled) + np.log(scaled) + LOG_TWO_PI


def log_density(y: Operand, kappa: Operand) -> Operand:
    """Return the logarithm of the density at angles."""
    half = np.sin(0.5 * y)
    return -2.0 * kappa * (half * half) - np.log(i0e(kappa)) - LOG_TWO_PI


class Below(Elementwise):
    """The distribution function of an angle and `kappa`; it goes on beyond one circle.

    SciPy's has few right digits where it is small, and its logarithm none.
    """

    def forward(self, y: Array, kappa: Array) -> Array:
        dtype, (y, kappa) = floating(y, kappa), wide(y, kappa)
        turns = np.round(y / (2.0 * math.pi))
        y = y - 2.0 * math.pi * turns
        size = np.abs(y)
        near = size * size * kappa < 1.0
        total = _integral(near, size, kappa, lambda excess: 1.0)
        tail = np.where(near, 0.5 - total, total)
        return (turns + np.where(y < 0.0, tail, 1.0 - tail)).astype(dtype)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        y, kappa = (each.data for each in self.inputs)
        by_y, by_kappa = self.needs_grad
        return (
            gy * np.exp(log_density(y, kappa)) if by_y else None,
            gy * BelowByKappa().of(y, kappa) if by_kappa else None,
        )


class Quantile(Elementwise):
    """``y`` with the probability `q` below it."""

    saves = ("inputs", "outputs")

    def forward(self, q: Array, kappa: Array) -> Array:
        return scipy.stats.vonmises.ppf(q, kappa).astype(floating(q, kappa))

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        y, kappa = self.outputs[0]().data, self.inputs[1].data
        by_q, by_kappa = self.needs_grad
        gq = gy * np.exp(-log_density(y, kappa))
        return gq if by_q else None, -gq * BelowByKappa().of(y, kappa) if by_kappa else None


class BelowByKappa(Elementwise):
    """The derivative of the distribution function by `kappa`.

    It is the integral of the density times ``cos(u) - A``, with ``A = I1(kappa) / I0(kappa)``:
    where that is positive from 0 to the angle, elsewhere from the angle to where nothing is left.

    Source: NIST DLMF 3.5(v).
    """

    def forward(self, y: Array, kappa: Array) -> Array:
        dtype, (y, kappa) = floating(y, kappa), wide(y, kappa)
        y = y - 2.0 * math.pi * np.round(y / (2.0 * math.pi))
        size, scaled = np.abs(y), scipy.special.i0e(kappa)
        rest = (scaled - scipy.special.i1e(kappa)) / scaled  # 1 - A
        near = 2.0 * np.sin(0.5 * size) ** 2 < rest
        total = _integral(near, size, kappa, lambda excess: rest - excess)
        return (np.sign(y) * np.where(near, total, -total)).astype(dtype)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        refuse_second_derivative("stats.vonmises", "kappa")


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(60)


def _integral(
    near: Array, size: Array, kappa: Array, factor: Callable[[Array], Array | float]
) -> Array:
    """Integrate the density times a factor: up to an angle that is near, or from it on.

    The factor takes ``1 - cos(u)``. The rule is that of Gauss and Legendre.
    """
    with np.errstate(divide="ignore"):  # the density falls by exp(-40), or to the end of the circle
        half = np.sin(0.5 * size) ** 2 + 20.0 / kappa
    start = np.where(near, 0.0, size)
    end = np.where(near, size, 2.0 * np.arcsin(np.sqrt(np.minimum(half, 1.0))))
    total: Array = 0.0 * size
    for node, weight in zip(_NODES.tolist(), _WEIGHTS.tolist(), strict=True):
        u = start + (end - start) * (0.5 + 0.5 * node)
        excess = 2.0 * np.sin(0.5 * u) ** 2
        total = total + weight * np.exp(-kappa * excess) * factor(excess)
    return total * (end - start) / (4.0 * math.pi * scipy.special.i0e(kappa))


vonmises = distribution(VonMises, order=1, x=(-3.0, 3.0), kappa=(0.5, 3.0))
