"""Products of vectors, matrices and stacks of these, as products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .steps import Array, NotNative

PRODUCTS: set[Any] = {np.matmul, np.dot, np.inner, np.vdot}
"""Functions of two arrays."""


def as_matrices(call: Any, a: Array, b: Array, out: Array) -> tuple[Array, Array, Array]:
    """Return the operands and the result of a product as stacks of matrices of like stacks."""
    if not (len(a.shape) and len(b.shape)):
        raise NotNative("it is a product of a number")
    if call is not np.matmul and len(b.shape) > 2:
        raise NotNative("its second operand has more than two axes")
    if call is np.inner and len(b.shape) == 2:
        b = turned(b)
    if call is np.vdot and (len(a.shape), len(b.shape)) != (1, 1):
        raise NotNative("it is a product of flattened arrays")
    if not a.dtype == b.dtype == out.dtype or out.dtype.kind != "f":
        raise NotNative("it is no product of floating-point numbers of one dtype")
    if len(b.shape) == 1:
        b, out = _with_axis(b, 1), _with_axis(out, len(out.shape))
    if len(a.shape) == 1:
        a, out = _with_axis(a, 0), _with_axis(out, len(out.shape) - 1)
    stack = out.shape[:-2]
    a, b = (
        x._replace(shape=(*stack, *x.shape[-2:]), strides=x.broadcast((*stack, *x.shape[-2:])))
        for x in (a, b)
    )
    return _joined(a, b, out)


def turned(x: Array) -> Array:
    """Return the transposed matrices."""
    *stack, m, n = x.shape
    *strides, down, right = x.strides
    return x._replace(shape=(*stack, n, m), strides=(*strides, right, down))


def _with_axis(x: Array, place: int) -> Array:
    """Return an array with an axis of length 1."""
    shape = (*x.shape[:place], 1, *x.shape[place:])
    strides = (*x.strides[:place], x.dtype.itemsize, *x.strides[place:])
    return x._replace(shape=shape, strides=strides)


def _joined(a: Array, b: Array, out: Array) -> tuple[Array, Array, Array]:
    """Return a stack that is multiplied by one matrix as the rows of one matrix, if it can be."""
    while len(out.shape) > 2 and not b.strides[-3]:
        pairs = [(x.strides[-3], x.shape[-2] * x.strides[-2]) for x in (a, out)]
        if any(outer != inner for outer, inner in pairs):
            break
        a, out = (
            x._replace(
                shape=(*x.shape[:-3], x.shape[-3] * x.shape[-2], x.shape[-1]),
                strides=(*x.strides[:-3], *x.strides[-2:]),
            )
            for x in (a, out)
        )
        b = b._replace(
            shape=(*b.shape[:-3], *b.shape[-2:]), strides=(*b.strides[:-3], *b.strides[-2:])
        )
    return a, b, out
