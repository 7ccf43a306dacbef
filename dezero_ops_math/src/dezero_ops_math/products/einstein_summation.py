"""Einstein's summation convention."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import FEW_ROWS, Array, Operand

from ..arguments import refuse_out
from ..declaring import Call, Draw, applying

_A, _B, _C = Draw((2, 3)), Draw((3, 4)), Draw((4, 2))
_SQUARE, _VECTOR, _NUMBER = Draw((3, 3)), Draw((3,)), Draw()


Labels = tuple[int, ...]
Shape = tuple[int, ...]


def labelled(subscripts: Any, ndims: tuple[int, ...]) -> tuple[tuple[Labels, ...], Labels]:
    """Return a number for each axis of each operand, and of the output.

    Axes with the same number are gone through together. `subscripts` are a string or a tuple of
    lists, and NumPy has accepted them for operands of so many axes. The axes that ``...``
    stands for come first, in the order of the output.
    """
    # A loop calls einsum with the same string again and again; lists have no hash.
    return (
        _remembered(subscripts, ndims) if isinstance(subscripts, str) else _read(subscripts, ndims)
    )


def _read(subscripts: Any, ndims: tuple[int, ...]) -> tuple[tuple[Labels, ...], Labels]:
    if isinstance(subscripts, str):
        inputs, arrow, written = subscripts.replace(" ", "").partition("->")
        terms = [_items(term) for term in inputs.split(",")]
        output = _items(written) if arrow else None
    else:
        terms = [list(term) for term in subscripts[: len(ndims)]]
        output = list(subscripts[-1]) if len(subscripts) > len(ndims) else None
    named = [item for term in terms for item in term if item is not Ellipsis]
    if output is None:
        output = [Ellipsis, *sorted(item for item in set(named) if named.count(item) == 1)]
    covered = [
        ndim - len(term) + 1 for term, ndim in zip(terms, ndims, strict=True) if Ellipsis in term
    ]
    width = max(covered, default=0)
    numbers = {item: width + index for index, item in enumerate(sorted(set(named)))}

    def numbered(items: list[Any], count: int) -> Labels:
        labels: list[int] = []
        for item in items:
            labels += range(width - count, width) if item is Ellipsis else [numbers[item]]
        return tuple(labels)

    pairs = zip(terms, ndims, strict=True)
    labels = tuple([numbered(term, ndim - len(term) + 1) for term, ndim in pairs])
    return labels, numbered(output, width)


_remembered = lru_cache(_read)


def diagonal_of(labels: Labels, shape: Shape) -> Array | None:
    """Return where axes with the same label are at the same index; None if there are none."""
    if len(set(labels)) == len(labels):
        return None
    indices = np.indices(shape, sparse=True)
    same = np.ones(shape, dtype=bool)
    for axis, label in enumerate(labels):
        same &= indices[axis] == indices[labels.index(label)]
    return same


def _items(term: str) -> list[Any]:
    return [Ellipsis if letter == "." else letter for letter in term.replace("...", ".")]


class Einsum(Function):
    """Linear in each operand: gy takes its place, and the two change their subscripts."""

    multilinear = True

    def __init__(self, subscripts: Any, optimize: Any, dtype: Any, order: Any, casting: Any):
        self.subscripts, self.optimize = subscripts, optimize
        self.dtype, self.order, self.casting = dtype, order, casting

    def forward(self, *operands: Array) -> Array:
        if isinstance(self.subscripts, str):
            arguments = [self.subscripts, *operands]
        else:
            pairs = zip(operands, self.subscripts, strict=False)
            arguments = [argument for pair in pairs for argument in pair]
            arguments += self.subscripts[len(operands) :]
        y = np.einsum(
            *arguments,
            optimize=self.optimize,
            dtype=self.dtype,
            order=self.order,
            casting=self.casting,
        )
        ndims = tuple([np.ndim(operand) for operand in operands])
        self.labels, self.output = labelled(self.subscripts, ndims)
        return y

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        return tuple(
            self._gradient(gy, index) if needed else None
            for index, needed in enumerate(self.needs_grad)
        )

    def _gradient(self, gy: Array, index: int) -> Array:
        operands = [x.data for x in self.inputs]
        labels, shape = self.labels[index], np.shape(operands[index])
        terms = list(zip(operands, self.labels, strict=True))
        terms[index] = gy, self.output
        there = {label for _, others in terms for label in others}
        # An axis that nothing else has is one whose elements are all treated alike, and one of
        # length 1 may have been repeated: the gradient is the same along it, or the sum.
        kept = [
            label
            for label, n in dict(zip(labels, shape, strict=True)).items()
            if label in there and n != 1
        ]
        every = {n: k for x, others in terms for n, k in zip(others, np.shape(x), strict=True)}
        many = prod(every.values()) > FEW_ROWS * prod(every[label] for label in kept)
        gx = np.einsum(
            *[argument for term in terms for argument in term],
            kept,
            optimize=self._way_back(),
            # NumPy adds one product after another: a float32 sum of a million has three digits.
            dtype=np.result_type(gy.dtype, np.float64) if many else None,
        )
        lengths = dict(zip(kept, gx.shape, strict=True))
        # A label that is repeated has its first axis there, and length 1 in the others.
        gx = gx.reshape(tuple(lengths.pop(label, 1) for label in labels))
        diagonal = diagonal_of(labels, shape)
        if diagonal is not None:
            return np.where(diagonal, gx, 0.0)
        return gx if gx.shape == shape else np.broadcast_to(gx, shape)

    def _way_back(self) -> Any:
        # A path is one for these operands, whose sizes the gradient changes.
        explicit = np.iterable(self.optimize) and "einsum_path" in self.optimize
        return True if explicit else self.optimize


@applying(
    Einsum,
    *(Call(s, _A) for s in ("ij", "ji", "ij->", "i...", "ij->j", "...j->...", "... j -> j ...")),
    *(Call(s, _SQUARE) for s in ("ii", "ii->i", "ii->", "ij->i", "...i")),
    *(Call("iij->ij", Draw((2, 2, 3))), Call("ijij->j", Draw((2, 3, 2, 3)))),
    *(Call("iii->", Draw((2, 2, 2))), Call("i...i->...", Draw((2, 3, 2))), Call("", _NUMBER)),
    *(Call("i->", Draw((0,))), Call("ii->i", Draw((0, 0)))),
    *(Call(s, _A, _B) for s in ("ij,jk", "ij,jk->ki", "ij,kl->", "ij,jk->j", "...j,jk->...k")),
    *(Call("ij,jk->ik", _A, _B, optimize=True), Call("i,i", _VECTOR, _VECTOR)),
    *(Call("i,j", _VECTOR, Draw((2,))), Call(",ij", _NUMBER, _A), Call("i,->i", _VECTOR, 2.0)),
    *(Call("ij,ij->ij", _A, Draw((1, 3))), Call("ij,j->i", _A, Draw((1,)))),
    Call("ij,jk->ik", Draw((2, 1)), _B),
    Call("...ij,...jk->...ik", Draw((2, 1, 2, 3)), Draw((5, 3, 2))),
    *(Call("i...,...i", _A, Draw((1, 2))), Call("ii,i->i", _SQUARE, _VECTOR)),
    *(Call("ii,jj->ij", _SQUARE, Draw((2, 2))), Call("ij,jk->ik", Draw((2, 0)), Draw((0, 3)))),
    *(Call("ij,jk,kl->il", _A, _B, _C), Call("ij,jk,ki", _A, _B, _C, optimize="greedy")),
    Call("ij,jk,kl->il", _A, _B, _C, optimize=["einsum_path", (0, 1), (0, 1)]),
    Call("i,i,i,j->j", _VECTOR, _VECTOR, _VECTOR, _VECTOR),
    *(Call("ij,kj,kk->i", _A, _SQUARE, _SQUARE), Call(_A, [0, 1]), Call(_A, [1, 0])),
    *(Call(_SQUARE, [0, 0]), Call(_A, [0, 1], _B, [1, 2], [0, 2])),
    *(Call(_A, [Ellipsis, 1], _B, [1, 2]), Call(Draw((2, 2, 3)), [5, 5, ...], [...])),
    *(Call(_A, [0, 1], _B, [1, 2], _C, [2, 0], [], optimize=True), Call("ij->ji", _A, order="C")),
    Call("ij,jk", _A, _B, dtype=np.complex128),
)
def einsum(
    *operands: Operand,
    out: None = None,
    optimize: Any = False,
    dtype: Any = None,
    order: Any = "K",
    casting: Any = "safe",
) -> Variable:
    """Sum products as subscripts say, in Einstein's convention: ``np.einsum``.

    operands: subscripts and what they are for: ``"ij,jk->ik", x, y``; or each operand with a list
        of its own, ``x, [0, 1], y, [1, 2], [0, 2]``. Every form of NumPy's: without the output,
        with ``...``, with a subscript repeated, of any number of operands.
    optimize (bool, str or sequence): how to find the order of the products, or that order. The
        gradient is computed in the same way; where an order is given, in one that is found anew.
    dtype (data-type, optional): in which to compute, as in NumPy.
    order, casting (str): the layout of the result, and which casts are allowed, as in NumPy.
    Returns: with the axes that the output's subscripts name.
    Derivative by an operand: the sum over the others and the gradient, which lies on the diagonal
        where a subscript is repeated.
    Raises ValueError: if the subscripts do not fit the operands.
    Source: ``numpy.einsum``; Laue, Mitterreiter and Giesen 2020.

    >>> x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> y = einsum("ii", x)
    >>> y.backward()
    >>> y, x.grad
    (variable(5.0), array([[1., 0.],
           [0., 1.]]))
    """
    refuse_out("einsum", out)
    subscripts: Any = operands[1::2]
    if operands and isinstance(operands[0], str):
        subscripts, arrays = operands[0], operands[1:]
    else:
        arrays = operands[::2]
        if len(arrays) > max(len(subscripts), 1):
            arrays, subscripts = arrays[:-1], (*subscripts, operands[-1])
    return Einsum(subscripts, optimize, dtype, order, casting)(*arrays)
