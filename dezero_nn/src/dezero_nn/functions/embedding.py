"""Rows of a matrix by their numbers."""

from __future__ import annotations

import numpy as np
from dezero_ops_basic.indexing import GetItem
from dezero_ops_math.declaring import Call, Draw, applying

from dezero_core import Variable
from dezero_core.extend import Array, Operand, require_values


class EmbedId(GetItem):
    """dy = dW[ids], so the gradient of each row is added to its place."""

    saves = ()

    def forward(self, x: Array) -> Array:
        ids = self.index
        if ids.dtype.kind not in "iu":
            raise TypeError(f"x must be of integers, the numbers of rows, and is of {ids.dtype}.")
        if not np.ndim(x):
            raise ValueError("W must have rows, and has no axis.")
        rows = len(x)
        # As unsigned numbers, negative ones are the largest: one look at all of them is enough.
        if ids.size and ids.view(ids.dtype.str.replace("i", "u")).max() >= rows:
            wrong = int(ids[(ids < 0) | (ids >= rows)].flat[0])
            raise IndexError(f"ids must be from 0 to {rows - 1}, and one is {wrong}.")
        return super().forward(x)


_MATRIX = Draw((4, 3))


@applying(
    EmbedId,
    Call(np.array([0, 3, 3]), _MATRIX),
    Call(np.array([[1, 0], [2, 2]], np.uint8), _MATRIX),
    *(Call([3, 1], Draw((4,))), Call(2, Draw((4, 2, 2))), Call(np.zeros((0, 2), int), _MATRIX)),
    reference=lambda x, W: W[x],  # noqa: N803
)
def embed_id(x: Operand, W: Operand) -> Variable:  # noqa: N803
    """Return the rows of `W` whose numbers are in `x`: ``W[x]``, where no number is negative.

    x (Variable or array_like of int): numbers of rows, of any shape; a constant, copied.
    W (Variable or ndarray): of shape ``(rows, ...)``, usually ``(rows, out)``.
    Returns: of shape ``(*x.shape, ...)`` and of the dtype of `W`.
    Derivative: 1 for each element picked; of a row that is picked twice it adds up.
    Raises IndexError: if a number is negative, or too large.
    Raises TypeError: if `x` is not of integers.
    Raises ValueError: if `W` has no axis.
    Source: DeZero's function of that name.

    >>> W = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> y = embed_id([1, 1], W)
    >>> y.backward()
    >>> y, W.grad
    (variable([[3. 4.]
              [3. 4.]]), array([[0., 0.],
           [2., 2.]]))
    """
    require_values(x.data if isinstance(x, Variable) else x, "the number of a row")
    return EmbedId(np.copy(x.to_numpy() if isinstance(x, Variable) else x))(W)
