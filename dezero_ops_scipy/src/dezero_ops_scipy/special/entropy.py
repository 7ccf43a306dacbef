"""Products with a logarithm, which are 0 where the factor is 0, and the entropies made of them."""

from __future__ import annotations

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise, analytic, elementwise, operation

from dezero_core.extend import Array, Operand

from .limits import quietly


class Xlogy(Elementwise):
    """``x * log(y)``, and 0 where `x` is 0, elementwise: ``scipy.special.xlogy``.

    x, y: real or complex, of shapes that broadcast.
    Returns: nan where a real `y` is below 0 and `x` is not 0.
    Derivative: by `y` 0 where `x` is 0, also at ``y = 0``.
    Source: NIST DLMF 4.7.1.

    >>> x, y = Variable(np.array([0.0, 2.0])), Variable(np.array([0.0, 4.0]))
    >>> xlogy(x, y).backward()
    >>> x.grad, y.grad
    (array([      -inf, 1.38629436]), array([0. , 0.5]))
    """

    def forward(self, x: Operand, y: Operand) -> Array:
        return scipy.special.xlogy(x, y)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, y = (each.data for each in self.inputs)
        by_x, by_y = self.needs_grad
        return (
            gy * Xlogy().of(1.0, y) if by_x else None,
            gy * QuotientOrZero().of(x, y) if by_y else None,
        )


class QuotientOrZero(Elementwise):
    """``q = x / y``, and 0 where x is, also at y = 0; dq = dx / y - q / y dy.

    It is nan where a real y is below 0, and has no logarithm; but not where x is 0.
    """

    saves = ("inputs", "outputs")

    @quietly
    def forward(self, x: Array, y: Array) -> Array:
        q = x / y
        if not np.iscomplexobj(y):
            q = np.where(y < 0.0, np.nan, q)
        return np.where((x == 0.0) & (y == y), 0.0, q).astype(q.dtype)

    def backward(self, gq: Array) -> tuple[Array | None, Array | None]:
        y, q = self.inputs[1].data, self.outputs[0]().data
        by_x, by_y = self.needs_grad
        with np.errstate(all="ignore"):
            return gq / y if by_x else None, -gq * QuotientOrZero().of(q, y) if by_y else None


class Xlog1py(Elementwise):
    """``x * log(1 + y)``, and 0 where `x` is 0, elementwise: ``scipy.special.xlog1py``.

    x, y: real or complex, of shapes that broadcast.
    Returns: all digits also where `y` is near 0; nan where a real `y` is below -1 and `x` is not 0.
    Derivative: by `y` 0 where `x` is 0, also at ``y = -1``.
    Source: NIST DLMF 4.7.1.

    >>> x, y = Variable(np.array([0.0, 2.0])), Variable(np.array([-1.0, 3.0]))
    >>> xlog1py(x, y).backward()
    >>> x.grad, y.grad
    (array([      -inf, 1.38629436]), array([0. , 0.5]))
    """

    def forward(self, x: Operand, y: Operand) -> Array:
        return scipy.special.xlog1py(x, y)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, y = (each.data for each in self.inputs)
        by_x, by_y = self.needs_grad
        return (
            gy * Xlog1py().of(1.0, y) if by_x else None,
            gy * QuotientOrZero().of(x, 1.0 + y) if by_y else None,
        )


class Entr(Elementwise):
    """``-x * log(x)``, and 0 at 0, elementwise: ``scipy.special.entr``.

    x: any shape, real, from 0 on.
    Returns: shape of `x`; -inf below 0, with nan for the derivative.
    Derivative: inf at 0.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 4.7.1; Shannon 1948.

    >>> x = Variable(np.array([0.0, 1.0]))
    >>> entr(x).backward()
    >>> x.grad
    array([inf, -1.])
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.entr(x)

    def backward(self, gy: Array) -> Array:
        return -gy * (Xlogy().of(1.0, self.inputs[0].data) + 1.0)


class RelEntr(Elementwise):
    """``x * log(x / y)``, and 0 where `x` is 0, elementwise: ``scipy.special.rel_entr``.

    x, y: real, of shapes that broadcast, from 0 on.
    Returns: inf where an operand is below 0, with nan for the derivatives.
    Derivative: ``log(x / y) + 1`` and ``-x / y``; by `x` nan where both are 0.
    Raises TypeError: if an operand is complex.
    Source: NIST DLMF 4.7.1; Kullback and Leibler 1951.

    >>> x, y = Variable(np.array([0.0, 1.0])), Variable(np.array([1.0, 2.0]))
    >>> rel_entr(x, y).backward()
    >>> x.grad, y.grad
    (array([      -inf, 0.30685282]), array([-0. , -0.5]))
    """

    def forward(self, x: Operand, y: Operand) -> Array:
        return scipy.special.rel_entr(x, y)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, y = (each.data for each in self.inputs)
        by_x, by_y = self.needs_grad
        ratio = np.where(np.less(x, 0.0), np.nan, QuotientOrZero().of(x, y)) if by_y else None
        return (
            gy * (LogRatio().of(x, y) + 1.0) if by_x else None,
            -gy * ratio if by_y else None,
        )


class KlDiv(Elementwise):
    """``x * log(x / y) - x + y``, and `y` where `x` is 0: ``scipy.special.kl_div``.

    x, y: real, of shapes that broadcast, from 0 on.
    Returns: inf where an operand is below 0, with nan for the derivatives.
    Derivative: ``log(x / y)`` and ``(y - x) / y``; by `x` nan where both are 0.
    Raises TypeError: if an operand is complex.
    Source: NIST DLMF 4.7.1; Kullback and Leibler 1951.

    >>> x, y = Variable(np.array([0.0, 1.0])), Variable(np.array([1.0, 2.0]))
    >>> kl_div(x, y).backward()
    >>> x.grad, y.grad
    (array([       -inf, -0.69314718]), array([1. , 0.5]))
    """

    def forward(self, x: Operand, y: Operand) -> Array:
        return scipy.special.kl_div(x, y)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, y = (each.data for each in self.inputs)
        by_x, by_y = self.needs_grad
        return (
            gy * LogRatio().of(x, y) if by_x else None,
            gy * OneLessRatio().of(x, y) if by_y else None,
        )


class LogRatio(Elementwise):
    """``log(x / y)``, also of a ratio that is near 1 or overflows; dx / x - dy / y.

    It is nan where x or y is below 0.
    """

    @quietly
    def forward(self, x: Array, y: Array) -> Array:
        ratio = x / y
        is_near = np.abs(x - y) < 0.5 * y
        log = np.where(is_near, np.log1p((x - y) / y), np.log(ratio))
        is_normal = (ratio > np.finfo(ratio.dtype).tiny) & (ratio < np.inf)
        log = np.where(is_normal, log, np.log(1.0 * x) - np.log(1.0 * y))
        return np.where(x < 0.0, np.nan, log)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            return gy / self.inputs[0].data, -gy / self.inputs[1].data


class OneLessRatio(Elementwise):
    """``1 - x / y``, also of a ratio that is near 1; -dx / y + x / y**2 dy.

    It is nan where x or y is below 0, and 1 where x is 0, also at y = 0.
    """

    @quietly
    def forward(self, x: Array, y: Array) -> Array:
        q = np.where((x == 0.0) & (y == 0.0), 1.0, (y - x) / y)
        return np.where((x < 0.0) | (y < 0.0), np.nan, q).astype(q.dtype)

    def backward(self, gq: Array) -> tuple[Array, Array]:
        x, y = (each.data for each in self.inputs)
        with np.errstate(all="ignore"):
            return -gq / y, gq * (QuotientOrZero().of(x, y) / y)


_POSITIVE, _WIDE = (0.3, 3.0), (-3.0, 3.0)

xlogy = operation(Xlogy, analytic(_WIDE, _POSITIVE, truth=("x0*log(x1)", "log(x1)", "x0/x1")))
xlog1py = operation(
    Xlog1py,
    analytic(_WIDE, (-0.6, 3.0), truth=("x0*log(1 + x1)", "log(1 + x1)", "x0/(1 + x1)")),
)
entr = operation(Entr, elementwise(_POSITIVE, truth=("-x*log(x)", "-log(x) - 1")))
rel_entr = operation(RelEntr, elementwise(_POSITIVE, _POSITIVE), name="rel_entr")
kl_div = operation(KlDiv, elementwise(_POSITIVE, _POSITIVE), name="kl_div")
