"""The incomplete beta functions, which are distribution functions, and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Call, Draw, Elementwise, Sample, operation

from dezero_core.extend import Array, Operand

from .beta_by_shapes import BetaincByShapes
from .beta_density import BetaDensity, Gradients


class Betainc(Elementwise):
    """Regularised incomplete beta function: ``scipy.special.betainc``.

    a, b, x: real, of shapes that broadcast; `a` and `b` are above 0, and `x` is between 0 and 1.
    Returns: the integral of ``t**(a-1) * (1-t)**(b-1) / beta(a, b)`` for `t` from 0 to `x`, dtype
        as SciPy gives it; nan outside of the domain.
    Derivative: ``x**(a-1) * (1-x)**(b-1) / beta(a, b)`` by `x`. By `a` and `b` it has no closed
        form, and is computed by a quadrature, to 12 digits or more, as are those of higher order.
    Raises TypeError: if one is complex.
    Source: NIST DLMF 8.17.2, and 8.17.1 under the integral sign by `a` and `b`.

    >>> a, b, x = (Variable(np.array(number)) for number in (1.0, 2.0, 0.5))
    >>> betainc(a, b, x).backward()
    >>> x.grad  # of 1 - (1 - x)**2
    array(1.)
    """

    sign = 1.0

    def forward(self, a: Operand, b: Operand, x: Operand) -> Array:
        return scipy.special.betainc(a, b, x)

    def backward(self, gy: Array) -> Gradients:
        data = [each.data for each in self.inputs]
        by_a, by_b, by_x = self.needs_grad
        gy = self.sign * gy
        return (
            gy * BetaincByShapes(1, 0).of(*data) if by_a else None,
            gy * BetaincByShapes(0, 1).of(*data) if by_b else None,
            gy * BetaDensity().of(*data) if by_x else None,
        )


class Betaincc(Betainc):
    """Complement of `betainc`: ``scipy.special.betaincc``.

    a, b, x: real, of shapes that broadcast; `a` and `b` are above 0, and `x` is between 0 and 1.
    Returns: ``1 - betainc(a, b, x)``, with all its digits also where it is small, dtype as SciPy
        gives it; nan outside of the domain.
    Derivative: ``-x**(a-1) * (1-x)**(b-1) / beta(a, b)`` by `x`; by `a` and `b` as of `betainc`.
    Raises TypeError: if one is complex.
    Source: NIST DLMF 8.17.4; 8.17.1 under the integral sign by `a` and `b`.

    >>> a, b, x = (Variable(np.array(number)) for number in (1.0, 2.0, 0.5))
    >>> betaincc(a, b, x).backward()
    >>> x.grad  # of (1 - x)**2
    array(-1.)
    """

    sign = -1.0

    def forward(self, a: Operand, b: Operand, x: Operand) -> Array:
        return scipy.special.betaincc(a, b, x)


class Betaincinv(Elementwise):
    """Inverse of `betainc` by its last argument: ``scipy.special.betaincinv``.

    a, b, y: real, of shapes that broadcast; `a` and `b` are above 0, and `y` is between 0 and 1.
    Returns: the `x` where ``betainc(a, b, x)`` is `y`, dtype as SciPy gives it; nan outside of the
        domain.
    Derivative: ``beta(a, b) * x**(1-a) * (1-x)**(1-b)`` by `y`; by `a` and `b` those of `betainc`,
        times -1 times this. Next to ``x = 1``, digits of ``1 - x`` are not there.
    Raises TypeError: if one is complex.
    Source: NIST DLMF 8.17.1 and 8.17.2, of an inverse function.

    >>> a, b, y = (Variable(np.array(number)) for number in (1.0, 2.0, 0.75))
    >>> betaincinv(a, b, y).backward()
    >>> y.grad  # of 1 - sqrt(1 - y)
    array(1.)
    """

    saves = ("inputs", "outputs")
    sign = 1.0

    def forward(self, a: Operand, b: Operand, y: Operand) -> Array:
        return scipy.special.betaincinv(a, b, y)

    def backward(self, gx: Array) -> Gradients:
        a, b, x = self.inputs[0].data, self.inputs[1].data, self.outputs[0]().data
        by_a, by_b, by_y = self.needs_grad
        with np.errstate(all="ignore"):
            return (
                -gx * BetaincByShapes(1, 0, relative=True).of(a, b, x) if by_a else None,
                -gx * BetaincByShapes(0, 1, relative=True).of(a, b, x) if by_b else None,
                self.sign * gx * BetaDensity(-1).of(a, b, x) if by_y else None,
            )


class Betainccinv(Betaincinv):
    """Inverse of `betaincc` by its last argument: ``scipy.special.betainccinv``.

    a, b, y: real, of shapes that broadcast; `a` and `b` are above 0, and `y` is between 0 and 1.
    Returns: the `x` where ``betaincc(a, b, x)`` is `y`, dtype as SciPy gives it; nan outside of the
        domain.
    Derivative: ``-beta(a, b) * x**(1-a) * (1-x)**(1-b)`` by `y`; by `a` and `b` as of `betaincinv`.
        Next to ``x = 1``, digits of ``1 - x`` are not there.
    Raises TypeError: if one is complex.
    Source: NIST DLMF 8.17.1 and 8.17.4, of an inverse function.

    >>> a, b, y = (Variable(np.array(number)) for number in (1.0, 2.0, 0.25))
    >>> betainccinv(a, b, y).backward()
    >>> y.grad  # of 1 - sqrt(y)
    array(-1.)
    """

    sign = -1.0

    def forward(self, a: Operand, b: Operand, y: Operand) -> Array:
        return scipy.special.betainccinv(a, b, y)


# Fewer shapes than those of `elementwise`: each quadrature takes a hundred evaluations.
_SHAPES = ((2, 3), (2, 3), (2, 3)), ((), (), ()), ((3,), (2, 1), ()), ((0, 3), (3,), (3,))


def _sample(last: tuple[float, float]) -> Any:
    domains = (0.5, 4.0), (0.5, 4.0), last
    return Sample(*(Call(*map(Draw, shapes, domains)) for shapes in _SHAPES))


betainc = operation(Betainc, _sample((0.1, 0.9)))
betaincc = operation(Betaincc, _sample((0.1, 0.9)))
betaincinv = operation(Betaincinv, _sample((0.1, 0.9)))
betainccinv = operation(Betainccinv, _sample((0.1, 0.9)))
