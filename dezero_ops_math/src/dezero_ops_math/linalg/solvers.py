"""Linear systems with one solution, and those that are solved as well as they can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array, possible

from ..arguments import of_one_type, order_back
from ..declaring import Call, Draw, applying, operation
from ..gradients import conjugated, summed_to
from .singular_values import Svdvals
from .spectra import adjoint, swapped
from .triangles import solved

_PLUS = 6.0 * np.eye(3)
_A, _STACK = Draw((3, 3), plus=_PLUS), Draw((2, 3, 3), plus=_PLUS)
_PLUS2 = 12.0 * np.eye(6)
_SHAPES: Any = (
    *(((4, 2), (4,)), ((4, 2), (4, 3)), ((2, 2), (2,)), ((2, 4), (2,)), ((2, 4), (2, 3))),
    *(((3, 1), (3, 1)), ((1, 1), (1,)), ((3, 2), (3, 0)), ((3, 0), (3,))),
)


def _apart(a: Array, b: Array) -> Array:
    s = np.linalg.svd(a, compute_uv=False)
    return np.append(s, np.abs(np.diff(s))) / 2.0


class Solve(Function):
    """Solution x of ``a @ x == b``: ``np.linalg.solve``.

    a: shape ``(..., n, n)``.
    b: shape ``(n,)``, or ``(..., n, k)``: only one dimension makes it a vector, as of NumPy 2.
    Returns: shape ``(..., n)`` for a vector `b`, ``(..., n, k)`` otherwise.
    Derivative by `b`: the transposed system's solution for ``gy``; by `a`: minus that times `x`.
    Raises LinAlgError (ValueError): if `a` is singular, or not square.
    Raises ValueError: if the shapes do not fit.
    Source: Giles 2008, section 2.3.
    Note: a triangle of 128 rows or more, such as a factor by `cholesky` or its transpose, is known
        by its zeros, and solved by substitution, without a decomposition.

    >>> solve(Variable(np.array([[2.0, 0.0], [0.0, 4.0]])), np.array([2.0, 2.0]))
    variable([1.  0.5])
    """

    saves = ("inputs", "outputs")

    def forward(self, a: Array, b: Array) -> Array:
        return solved(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        # From A x = b: A dx = db - dA x.
        a, x = self.inputs[0].data, self.outputs[0]().data
        of_a, of_b = self.needs_grad
        shape = self.inputs[1].shape
        vector = len(shape) == 1
        if vector:
            gy, x = gy[..., None], x[..., None]
        gb = solved(swapped(a), gy)
        ga = summed_to(-(gb @ swapped(x)), a.shape) if of_a else None
        if not of_b:
            return ga, None
        return ga, summed_to(gb[..., 0] if vector else gb, shape)


class TensorSolve(Function):
    """Solution x of ``tensordot(a, x, x.ndim) == b``: ``np.linalg.tensorsolve``.

    a: shape ``b.shape + x.shape``.
    axes (sequence of int, optional): axes of `a` that are put last at first.
    Derivative: that of `solve`.
    Raises LinAlgError (ValueError): if there are not as many independent equations as unknowns.

    >>> tensorsolve(Variable(2.0 * np.eye(4).reshape(2, 2, 4)), np.ones((2, 2)))
    variable([0.5 0.5 0.5 0.5])
    """

    saves = ("inputs", "outputs")

    def __init__(self, axes: Any = None) -> None:
        self.axes = axes

    def forward(self, a: Array, b: Array) -> Array:
        x = np.linalg.tensorsolve(a, b, self.axes)
        order = list(range(np.ndim(a)))
        for axis in () if self.axes is None else self.axes:
            order.remove(axis)
            order.append(axis)
        self.order = tuple(order)
        return x

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, x = self.inputs[0].data, self.outputs[0]().data
        a = np.transpose(a, self.order)
        matrix = a.reshape((x.size, x.size))
        gb = np.linalg.solve(matrix.T, gy.reshape((x.size,)))
        of_a, of_b = self.needs_grad
        ga = None
        if of_a:
            ga = np.transpose(-np.outer(gb, x).reshape(a.shape), order_back(self.order))
        return ga, gb.reshape(self.inputs[1].shape) if of_b else None


class LstSq(Function):
    """With P the pseudoinverse and r = b - A x, both orthogonal to what A gives and takes:

    dx = P (db - dA x) + P P* dA* r + (I - P A) dA* P* x, and d|r|**2 = 2 Re(r* (db - dA x)).
    """

    saves = ("inputs", "outputs")

    def __init__(self, rcond: Any) -> None:
        self.rcond = rcond

    def forward(self, a: Array, b: Array) -> tuple[Array, ...]:
        return tuple(np.linalg.lstsq(a, b, self.rcond))

    def backward(self, gx: Array, gresiduals: Array, *_: Array) -> tuple[Array, Array]:
        a, b = self.inputs[0].data, self.inputs[1].data
        x, residuals, rank = (output().data for output in self.outputs[:3])
        if b.ndim == 1:
            b, x, gx = b[:, None], x[:, None], gx[:, None]
        p = np.linalg.pinv(a, _cut_off(self.rcond, a.shape, x.dtype))
        gb = of_x = swapped(p) @ gx
        r = b - a @ x
        if len(residuals):
            gb = of_x + conjugated(r) * (2.0 * gresiduals)
        ga = -(gb @ swapped(x))
        # Otherwise the equations are all fulfilled, and r is 0.
        if possible(rank < len(a)):
            ga = ga + conjugated(r) @ adjoint(of_x) @ swapped(p)
        if possible(rank < a.shape[1]):
            beyond = swapped(gx) - (swapped(gx) @ p) @ a
            ga = ga + conjugated(adjoint(p) @ x @ beyond)
        return ga, gb.reshape(self.inputs[1].shape)


class KnownSingularValues(Svdvals):
    """Singular values that have been computed already; U and V for a gradient have not."""

    def __init__(self, s: Array) -> None:
        super().__init__(hermitian=False)
        self.s = s

    def forward(self, a: Array) -> Array:
        return self.s


@applying(
    LstSq,
    *(Call(Draw(a), Draw(b)) for a, b in _SHAPES),
    *(Call(Draw((3, 2)), Draw((3,)), rcond=-1), Call(Draw((3, 2)), Draw((3,)), 1e-9)),
    apart=_apart,
)
def lstsq(a: Array, b: Array, rcond: Any = None) -> tuple[Variable, ...]:
    """Least-squares solution of ``a @ x == b``, the shortest: ``np.linalg.lstsq``.

    a: shape ``(m, n)``.
    b: shape ``(m,)`` or ``(m, k)``.
    rcond (float, optional): singular values count as 0 up to this part of the largest; by default
        ``max(m, n)`` times the precision of float64.
    Returns (tuple of Variable): `x`, of shape ``(n,)`` or ``(n, k)``; `residuals`, the sums of the
        squares that remain, of shape ``(1,)`` or ``(k,)``, or ``(0,)`` if `a` has not more rows
        than columns, or its columns depend on each other; `rank` of `a`, an integer, which is a
        constant; and `s`, the singular values of `a`.
    Derivative of `x` and `residuals`: that of the normal equations where `a` has full rank.
        Otherwise `x` jumps when the rank changes, and has no derivative; what you get is that for
        changes of `a` which leave its rank as it is.
    Raises LinAlgError (ValueError): if the shapes do not fit, or the computation does not converge.
    Source: Golub and Pereyra 1973.
    Note: singular values that count as 0 do so for the derivative, as in `pinv`.

    >>> a = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> x, residuals, rank, s = lstsq(a, Variable(np.array([1.0, 3.0, 5.0])))
    >>> x.data.round(12), rank
    (array([1., 2.]), variable(2))
    """
    x, residuals, rank, s = LstSq(rcond)(a, b)
    known = s.data if isinstance(s, Variable) else s
    return of_one_type((x, residuals, rank, KnownSingularValues(known)(a)))


def _cut_off(rcond: Any, shape: tuple[int, ...], dtype: Any) -> float:
    """Return the `rcond` of ``pinv``, which does not compute all in float64."""
    least = max(shape) * float(np.finfo(dtype).eps)
    return least if rcond is None else max(least, float(rcond))


solve = operation(
    Solve,
    *(Call(_A, Draw((3,))), Call(_A, Draw((3, 2))), Call(_STACK, Draw((3,)))),
    *(Call(_STACK, Draw((3, 2))), Call(_STACK, Draw((2, 3, 1))), Call(_A, Draw((2, 3, 2)))),
    Call(Draw((2, 1, 3, 3), plus=_PLUS), Draw((2, 3, 1))),
    *(Call(Draw((1, 3, 3), plus=_PLUS), Draw((3, 2))), Call(Draw((1, 1), (1.0, 3.0)), Draw((1,)))),
    *(Call(_A, Draw((3, 0))), Call(Draw((0, 0)), Draw((0,))), Call(Draw((0, 3, 3)), Draw((3,)))),
)
tensorsolve = operation(
    TensorSolve,
    Call(Draw((2, 3, 6), plus=_PLUS2.reshape(2, 3, 6)), Draw((2, 3))),
    Call(Draw((6, 3, 2), plus=_PLUS2.reshape(6, 3, 2)), Draw((6,))),
    Call(Draw((2, 6, 3), plus=_PLUS2.reshape(2, 3, 6).swapaxes(1, 2)), Draw((2, 3)), axes=(1,)),
    Call(Draw((3, 6, 2), plus=_PLUS2.reshape(6, 2, 3).transpose(2, 0, 1)), Draw((6,)), (2, 0)),
    Call(Draw((1, 1), (1.0, 3.0)), Draw((1,))),
)
