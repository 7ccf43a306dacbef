"""Eigenvalues and eigenvectors of Hermitian matrices, also of pairs of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from dezero_ops_math.arguments import data_of
from dezero_ops_math.declaring import Call, Draw, applying
from dezero_ops_math.gradients import conjugated, summed_to
from dezero_ops_math.linalg.spectra import hermitian, over_differences, skew, swapped

from dezero_core import Function, VariableTypeError
from dezero_core.extend import Array

from .systems import LAPACK, STACKS
from .systems import documented as documented


class Eigh(Function):
    """With P = V* dA V and Q = V* dB V: dw = diag(P - Q w), and dV = V X.

    There ``X[i, j]`` is ``(P[i, j] - Q[i, j] w[j]) / (w[j] - w[i])``, and on the diagonal -Q / 2,
    since V* B V = I. Of both gradients the Hermitian part is taken.
    """

    saves = ("outputs",)
    materialize_grads = False
    arrays = LAPACK

    def __init__(self, **options: Any) -> None:
        self.options = options

    def forward(self, a: Array, b: Array | None = None) -> tuple[Array, Array]:
        w, v = scipy.linalg.eigh(a, b, **self.options)
        return w, v

    def backward(self, gw: Array | None, gv: Array | None) -> tuple[Array | None, ...]:
        w, v = (output().data for output in self.outputs)
        by_w = 0.0 if gw is None else gw[..., None, :]
        left, right = conjugated(v), swapped(v)
        changed, of_b = left * by_w, -left * (by_w * w[..., None, :])
        if gv is not None:
            along = right @ gv
            turned = over_differences(skew(along), w, w.shape[-1], data_of(along) != 0)
            means = 0.5 * (w[..., None, :] + w[..., :, None])
            changed = changed + left @ turned
            of_b = of_b - left @ (turned * means + 0.5 * hermitian(along))
        return tuple(
            summed_to((changed, of_b)[i] @ right, self.inputs[i].shape) if wanted else None
            for i, wanted in enumerate(self.needs_grad)
        )


class Eigvalsh(Function):
    """dw = diag(V* (dA - w dB) V). The vectors are computed when a gradient is wanted."""

    saves = ("inputs", "outputs")
    arrays = LAPACK

    def __init__(self, **options: Any) -> None:
        self.options = options

    def forward(self, a: Array, b: Array | None = None) -> Array:
        return scipy.linalg.eigh(a, b, eigvals_only=True, **self.options)

    def backward(self, gw: Array) -> tuple[Array | None, ...]:
        w, v = Eigh(**self.options).of(*(x.data for x in self.inputs))
        changes = gw, -gw * w
        return tuple(
            summed_to((conjugated(v) * g[..., None, :]) @ swapped(v), x.shape) if wanted else None
            for g, x, wanted in zip(changes, self.inputs, self.needs_grad, strict=False)
        )


# Symmetric matrices near which LAPACK does not change its mind about signs. Of three rows, its
# usual driver does so near all.
_TWO, _THREE = [[0.0, 3.0], [3.0, 6.0]], [[4.0, -6.0, -2.0], [-6.0, 6.0, -5.0], [-2.0, -5.0, -5.0]]


def _real_symmetric(a: Array) -> Array:
    # Of complex eigenvectors the phases are not differentiated: LAPACK keeps them at 0 as
    # long as the matrices are real.
    return hermitian(a.real).astype(a.dtype)


def _draw(shape: tuple[int, ...], plus: Any) -> Any:
    return Draw(shape, (-0.2, 0.2), _real_symmetric, plus)


_A, _A3, _A_STACK = _draw((2, 2), _TWO), _draw((3, 3), _THREE), _draw((2, 2, 2), _TWO)
_PLUS = np.diag([2.0, 1.0, 3.0])
_B, _B3 = _draw((2, 2), _PLUS[:2, :2]), _draw((3, 3), _PLUS)
_B_STACK = _draw((2, 2, 2), _PLUS[:2, :2])
_OPTIONS: Any = {
    **dict.fromkeys(("overwrite_a", "overwrite_b", "check_finite"), False),
    **dict.fromkeys(("subset_by_index", "subset_by_value")),
    "type": 1,
}


@applying(
    Eigh,
    *(Call(_A), Call(_A, None), Call(_draw((1, 1), 0.0)), Call(_A3, driver="ev"), Call(_A3, _B3)),
    *(Call(_A3, _B3, lower=False), Call(_A3, eigvals_only=True), Call(_A3, _B3, eigvals_only=True)),
    Call(_A, **_OPTIONS),
    *(Call(_A_STACK), Call(_A_STACK, _B_STACK), Call(_A_STACK, _B, eigvals_only=True)) * STACKS,
    *(Call(_A_STACK, _B), Call(_draw((0, 0), 0.0))) * STACKS,
    reference=scipy.linalg.eigh,
)
def eigh(
    a: Array,
    b: Array | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,  # noqa: A002 (SciPy's name)
    check_finite: bool = True,
    subset_by_index: Any = None,
    subset_by_value: Any = None,
    driver: str | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of Hermitian matrices: ``scipy.linalg.eigh``.

    a: shape ``(n, n)``. It counts as Hermitian.
    b (Variable or ndarray, optional): shape ``(n, n)``. It counts as Hermitian and positive
        definite: then ``a @ v == b @ v * w``.
    lower (bool): read the lower triangles, or the upper ones.
    eigvals_only (bool): return `w` alone.
    type (int): 1; the other problems of a pair are refused.
    subset_by_index, subset_by_value (None): refused otherwise: take some of the results.
    driver (str, optional): LAPACK's.
    Returns (tuple of Variable, or Variable): `w`, ascending, of shape ``(n,)``; and `v`, of shape
        ``(n, n)``, in columns with ``v.conj().T @ b @ v == np.eye(n)``.
    Derivative: that of these equations, Hermitian, as of both triangles.
    Raises LinAlgError (ValueError): if `b` is not positive definite, or the computation does not
        converge.
    Raises VariableTypeError (TypeError): if `type` is 2 or 3 for a pair, or a subset is asked for.
    Source: Giles 2008, section 3.1; Boeddeker et al. 2017; Seeger et al. 2017.
    Note: of complex matrices, the phase of each eigenvector is a choice of LAPACK's; the gradient
        is right for a loss that does not depend on it.

        Vectors of equal eigenvalues are any basis of their space, and have no derivative by a
        change that parts the values. Where two are equal to the last bit, the gradient of a loss
        that uses any of the vectors is nan; where they are equal to rounding only, it is nan if the
        loss uses their vectors. For eigenvalues alone, equal ones alike, it is always right.

        Stacks of matrices, ``(..., n, n)``, as far as SciPy takes them.

    >>> a, b = Variable(np.array([[2.0, 0.0], [0.0, 3.0]])), np.diag([1.0, 3.0])
    >>> w, v = eigh(a, b)
    >>> w
    variable([1. 2.])
    >>> w.backward()
    >>> a.grad.round(3)
    array([[1.   , 0.   ],
           [0.   , 0.333]])
    """
    subsets = {"subset_by_index": subset_by_index, "subset_by_value": subset_by_value}
    for name, subset in subsets.items():
        if subset is not None:
            raise VariableTypeError(
                f"scipy.linalg.eigh of a Variable takes no {name}: the derivative needs all "
                "vectors. Take some of the results.",
                got=name,
            )
    if b is not None and type != 1:
        raise VariableTypeError(
            f"scipy.linalg.eigh of a Variable takes no type={type}: its derivative is there for "
            "a @ v == b @ v * w alone.",
            got=type,
        )
    pair = (a,) if b is None else (a, b)
    cls = Eigvalsh if eigvals_only else Eigh
    found = cls(lower=lower, check_finite=check_finite, driver=driver)(*pair)
    return found if eigvals_only else tuple(found)
