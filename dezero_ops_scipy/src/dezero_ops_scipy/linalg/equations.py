"""Linear equations for vectors and for matrices: triangular ones, Sylvester's and Lyapunov's."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from dezero_ops_math.declaring import Call, Draw, applying, operation
from dezero_ops_math.gradients import conjugated
from dezero_ops_math.linalg.spectra import adjoint, swapped

from dezero_core import Function, Variable
from dezero_core.extend import Array

from .systems import LAPACK, STACKS, Outer, System, fitted, in_single
from .systems import documented as documented

_TRANS: dict[Any, str] = {0: "N", 1: "T", 2: "C"}


class SolveTriangular(System):
    """The system of one triangle of a; ``trans`` is "N", "T" or "C"."""

    def __init__(
        self,
        trans: Any = "N",
        lower: Any = False,
        unit_diagonal: Any = False,
        check_finite: Any = False,
    ) -> None:
        self.trans, self.lower = _TRANS.get(trans, trans), lower
        self.unit_diagonal, self.check_finite = unit_diagonal, check_finite

    def forward(self, a: Array, b: Array) -> Array:
        return scipy.linalg.solve_triangular(
            a, b, self.trans, self.lower, self.unit_diagonal, check_finite=self.check_finite
        )

    def adjoint_solution(self, gx: Array) -> Array:
        a = self.inputs[0].data
        trans = "T" if self.trans == "N" else "N"
        solve = SolveTriangular(trans, self.lower, self.unit_diagonal)
        return conjugated(solve.of(a, conjugated(gx))) if self.trans == "C" else solve.of(a, gx)

    def of_matrix(self, b: Array, x: Array, gx: Array, gb: Array) -> Array:
        left, right = (-gb, x) if self.trans == "N" else (-x, gb)
        if self.trans == "C":
            left, right = conjugated(left), conjugated(right)
        return Outer(self.lower, self.unit_diagonal).of(left, right)


_A, _STACK = Draw((3, 3), plus=6.0 * np.eye(3)), Draw((2, 3, 3), plus=6.0 * np.eye(3))
_B, _ROWS, _ONE = Draw((3, 2)), Draw((3,)), Draw((1, 1), (1.0, 3.0))


@applying(
    SolveTriangular,
    *(Call(_A, _ROWS), Call(_A, _B), Call(_A, _B, lower=True), Call(_A, _B, 1)),
    *(Call(_A, _ROWS, trans="T", lower=True), Call(_A, _B, "C"), Call(_A, _B, 2, True)),
    *(Call(_A, _B, unit_diagonal=True), Call(_A, _ROWS, "C", True, True)),
    *(Call(_ONE, Draw((1,))), Call(_A, Draw((3, 0)), overwrite_b=False, check_finite=False)),
    *(Call(_STACK, _B), Call(_STACK, _ROWS, lower=True), Call(_A, Draw((2, 3, 2)))) * STACKS,
    reference=scipy.linalg.solve_triangular,
)
def solve_triangular(
    a: Array,
    b: Array,
    trans: Any = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Variable:
    """Solution x of ``a @ x == b`` for a triangle of `a`: ``scipy.linalg.solve_triangular``.

    a: shape ``(n, n)``; one triangle is read.
    b: shape ``(n,)`` or ``(n, k)``.
    trans ({0, 1, 2, "N", "T", "C"}): solve with `a`, with its transpose, or with its adjoint.
    unit_diagonal (bool): take the diagonal to be 1, and do not read it.
    Returns: shape of `b`.
    Derivative: by `b`, the transposed system's solution for ``gy``; by `a`, minus that times `x`,
        in the triangle that is read.
    Raises LinAlgError (ValueError): if there is a 0 on the diagonal.
    Source: Giles 2008, section 2.3.
    Note: stacks of matrices, ``(..., n, n)``, as far as SciPy takes them.

    >>> a, b = Variable(np.array([[2.0, 1.0], [0.0, 4.0]])), np.array([4.0, 8.0])
    >>> x = solve_triangular(a, b)
    >>> x.backward()
    >>> x, a.grad
    (variable([1. 2.]), array([[-0.5 , -1.  ],
           [ 0.  , -0.25]]))
    """
    return SolveTriangular(trans, lower, unit_diagonal, check_finite)(a, b)


def _of_one_kind(*xs: Array) -> list[Array]:
    """Return arrays complex if one of them is: SciPy takes the Schur forms of real ones for it.

    Of a complex equation these would have to be triangular, and are so in blocks only.
    """
    if any(map(np.iscomplexobj, xs)):
        return [x.astype(np.result_type(x, np.complex64)) for x in xs]
    return list(xs)


class SolveSylvester(Function):
    """Solution x of ``a @ x + x @ b == q``: ``scipy.linalg.solve_sylvester``.

    a: shape ``(m, m)``.
    b: shape ``(n, n)``.
    q: shape ``(m, n)``.
    Returns: shape of `q`. It has a solution if no eigenvalue of `a` is one of ``-b``; SciPy does
        not find out.
    Derivative: by `q`, the solution y of the transposed equation for ``gy``; by `a` and `b`,
        ``-y x^T`` and ``-x^T y``.
    Source: Kao and Hennequin 2020.
    Note: stacks of matrices, ``(..., n, n)``, as far as SciPy takes them.

    >>> a, b = Variable(np.array([[1.0]])), np.array([[3.0]])
    >>> solve_sylvester(a, b, np.array([[8.0]]))
    variable([[2.]])
    """

    saves = ("inputs", "outputs")
    arrays = LAPACK

    def forward(self, a: Array, b: Array, q: Array) -> Array:
        return scipy.linalg.solve_sylvester(*_of_one_kind(a, b, q))

    def backward(self, gx: Array) -> tuple[Array | None, ...]:
        a, b = (x.data for x in self.inputs[:2])
        turned = swapped(self.outputs[0]().data)
        gq = SolveSylvester().of(swapped(a), swapped(b), gx)
        of_a, of_b, _ = self.needs_grad
        found = (-(gq @ turned) if of_a else None, -(turned @ gq) if of_b else None, gq)
        return fitted(found, self.inputs)


class SolveContinuousLyapunov(Function):
    """Solution x of ``a @ x + x @ a.conj().T == q``: ``scipy.linalg.solve_continuous_lyapunov``.

    a, q: shape ``(n, n)``.
    Returns: shape of `q`.
    Derivative: by `q`, the solution y of the transposed equation for ``gy``; by `a`,
        ``-(y x^T + y^T x)`` for real matrices.
    Source: Kao and Hennequin 2020.
    Note: stacks of matrices, ``(..., n, n)``, as far as SciPy takes them.

    >>> a = Variable(np.array([[2.0]]))
    >>> solve_continuous_lyapunov(a, np.array([[8.0]]))
    variable([[2.]])
    """

    saves = ("inputs", "outputs")
    arrays = LAPACK

    def forward(self, a: Array, q: Array) -> Array:
        return scipy.linalg.solve_continuous_lyapunov(*_of_one_kind(a, q))

    def backward(self, gx: Array) -> tuple[Array | None, ...]:
        x = self.outputs[0]().data
        y = SolveContinuousLyapunov().of(adjoint(self.inputs[0].data), conjugated(gx))
        ga = -conjugated(y @ adjoint(x) + adjoint(y) @ x) if self.needs_grad[0] else None
        return fitted((ga, conjugated(y)), self.inputs)


class SolveDiscreteLyapunov(Function):
    """Solution x of ``a @ x @ a.conj().T - x + q == 0``: ``scipy.linalg.solve_discrete_lyapunov``.

    a, q: shape ``(n, n)``.
    method ({"direct", "bilinear"}, optional): how it is solved; by default "direct" for n below 10.
    Returns: shape of `q`; the precision of both, also where SciPy gives float64 for float32.
    Derivative: by `q`, the solution y of the transposed equation for ``gy``; by `a`,
        ``y a x^T + y^T a x`` for real matrices.
    Raises LinAlgError (ValueError): if two eigenvalues of `a` have the product 1.
    Source: Kao and Hennequin 2020.
    Note: stacks of matrices, ``(..., n, n)``, as far as SciPy takes them.

    >>> a = Variable(np.array([[0.5]]))
    >>> solve_discrete_lyapunov(a, np.array([[3.0]]))
    variable([[4.]])
    """

    saves = ("inputs", "outputs")
    arrays = LAPACK

    def __init__(self, method: Any = None) -> None:
        self.method = method

    def forward(self, a: Array, q: Array) -> Array:
        x = scipy.linalg.solve_discrete_lyapunov(*_of_one_kind(a, q), self.method)
        return in_single(x, a, q)

    def backward(self, gx: Array) -> tuple[Array | None, ...]:
        a, x = self.inputs[0].data, self.outputs[0]().data
        y = SolveDiscreteLyapunov(self.method).of(adjoint(a), conjugated(gx))
        ga = conjugated(y @ a @ adjoint(x) + adjoint(y) @ a @ x) if self.needs_grad[0] else None
        return fitted((ga, conjugated(y)), self.inputs)


_SMALL, _SMALL_STACK = Draw((3, 3), (-0.3, 0.3)), Draw((2, 3, 3), (-0.3, 0.3))
_Q = Draw((3, 3))

solve_sylvester = operation(
    SolveSylvester,
    *(Call(_A, Draw((2, 2)), _B), Call(_A, _ONE, Draw((3, 1)))),
    *(Call(_STACK, Draw((2, 2)), _B), Call(_A, Draw((2, 2)), Draw((2, 3, 2)))) * STACKS,
    name="solve_sylvester",
    reference=scipy.linalg.solve_sylvester,
)
solve_continuous_lyapunov = operation(
    SolveContinuousLyapunov,
    *(Call(_A, _Q), Call(_ONE, Draw((1, 1)))),
    *(Call(_STACK, _Q), Call(_A, Draw((2, 3, 3)))) * STACKS,
    name="solve_continuous_lyapunov",
    reference=scipy.linalg.solve_continuous_lyapunov,
)
solve_discrete_lyapunov = operation(
    SolveDiscreteLyapunov,
    *(Call(_SMALL, _Q), Call(_SMALL, _Q, "bilinear"), Call(_SMALL, _Q, method="direct")),
    *(Call(Draw((1, 1), (-0.9, 0.9)), Draw((1, 1))), *(Call(_SMALL_STACK, _Q),) * STACKS),
    name="solve_discrete_lyapunov",
    reference=lambda a, q, *args, **kwargs: in_single(
        scipy.linalg.solve_discrete_lyapunov(a, q, *args, **kwargs), a, q
    ),
)
