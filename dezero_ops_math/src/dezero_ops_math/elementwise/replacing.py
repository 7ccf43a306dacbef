"""Numbers in place of nan and infinities."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable, VariableTypeError
from dezero_core.extend import Array, Operand, certain

from ..docstrings import documented
from ..masking import kept


class NanToNum(Function):
    """The gradient of elements that stay; of complex numbers, of each part by itself."""

    elementwise = True

    def __init__(self, nan: Any, posinf: Any, neginf: Any) -> None:
        self.nan, self.posinf, self.neginf = nan, posinf, neginf

    def forward(self, x: Array) -> Array:
        return np.nan_to_num(x, nan=self.nan, posinf=self.posinf, neginf=self.neginf)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        finite = np.isfinite(x)
        if x.dtype.kind != "c" or certain(np.all(finite)):
            return kept(gy, finite)
        real = kept(np.real(gy), np.isfinite(np.real(x)))
        return real + 1j * kept(np.imag(gy), np.isfinite(np.imag(x)))


class NanToArrays(NanToNum):
    """`NanToNum` with arrays in place of nan or infinities: slices of `x` do not fit to these."""

    elementwise = False


@documented
def nan_to_num(
    x: Operand, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Variable:
    """Put numbers in place of nan and infinities: ``np.nan_to_num``.

    x: any shape; of complex numbers each part is looked at by itself.
    copy: must be true: others see the data of `x`, too.
    nan (number or array_like): in place of nan.
    posinf, neginf (number, array_like or None): in place of inf and -inf; by default the largest
        and the smallest number of the dtype.
    Returns: shape and dtype of `x`.
    Derivative: 1 where `x` is finite, 0 where it was replaced: an inf or nan in the gradient that
        arrives there goes no further.
    Raises VariableTypeError (TypeError): if `copy` is false, or one of the replacements is a
        Variable.

    >>> x = Variable(np.array([1.0, np.nan, np.inf]))
    >>> y = nan_to_num(x, posinf=9.0)
    >>> y.backward()
    >>> y, x.grad
    (variable([1. 0. 9.]), array([1., 0., 0.]))
    """
    if not copy:
        raise VariableTypeError(
            "np.nan_to_num with a Variable takes no copy=False: it would write into data that "
            "other Variables and the graph may hold. Use what it returns.",
            got="copy",
        )
    numbers = all(np.ndim(each) == 0 for each in (nan, posinf, neginf))
    return (NanToNum if numbers else NanToArrays)(nan, posinf, neginf)(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a = Draw((2, 3))
    calls = (
        Call(a),
        Call(a, True, 1.0, 2.0, -2.0),
        Call(a, nan=np.array([1.0, 2.0, 3.0]), posinf=7),
        Call(Draw()),
        Call(Draw((1, 1))),
        Call(Draw((0, 3))),
    )
    register(
        "nan_to_num",
        nan_to_num,
        NanToNum,
        numpy=np.nan_to_num,
        sample=Sample(calls, complex=True),
    )
