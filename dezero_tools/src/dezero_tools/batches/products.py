"""Rules of products that sum over axes: one product of stacks of matrices each."""

from __future__ import annotations

from math import prod
from string import ascii_letters
from typing import Any

import numpy as np

from .batch import Batch
from .batched import Batched
from .rules import is_of, ndim_of, rule


@rule(np.tensordot)
def _tensordot(function: Any, batch: Batch, a: Any, b: Any, axes: Any = 2) -> Any:
    if isinstance(axes, (int, np.integer)):
        summed_a, summed_b = list(range(-axes, 0)), list(range(axes))
    else:
        summed_a, summed_b = ([x] if isinstance(x, (int, np.integer)) else list(x) for x in axes)
    summed_a = [axis % ndim_of(a) for axis in summed_a]
    summed_b = [axis % ndim_of(b) for axis in summed_b]
    free_a = [axis for axis in range(ndim_of(a)) if axis not in summed_a]
    free_b = [axis for axis in range(ndim_of(b)) if axis not in summed_b]
    shape = [a.shape[axis] for axis in free_a] + [b.shape[axis] for axis in free_b]
    length = prod(a.shape[axis] for axis in summed_a)
    if [a.shape[axis] for axis in summed_a] != [b.shape[axis] for axis in summed_b]:
        raise ValueError("shape-mismatch for sum")
    rows = prod(a.shape[axis] for axis in free_a)
    columns = prod(b.shape[axis] for axis in free_b)
    left = np.reshape(np.transpose(a, free_a + summed_a), (rows, length))
    right = np.reshape(np.transpose(b, summed_b + free_b), (length, columns))
    return np.reshape(np.matmul(left, right), shape)


@rule(np.dot)
def _dot(function: Any, batch: Batch, a: Any, b: Any, out: Any = None) -> Any:
    if not ndim_of(a) or not ndim_of(b):
        return np.multiply(a, b)
    if ndim_of(a) <= 2 and ndim_of(b) <= 2:
        return np.matmul(a, b)
    return np.tensordot(a, b, ((-1,), (-1 if ndim_of(b) == 1 else -2,)))


@rule(np.inner)
def _inner(function: Any, batch: Batch, a: Any, b: Any) -> Any:
    if not ndim_of(a) or not ndim_of(b):
        return np.multiply(a, b)
    return np.tensordot(a, b, ((-1,), (-1,)))


@rule(np.outer)
def _outer(function: Any, batch: Batch, a: Any, b: Any, out: Any = None) -> Any:
    return np.multiply(np.reshape(a, (-1, 1)), np.reshape(b, (1, -1)))


@rule(np.vdot)
def _vdot(function: Any, batch: Batch, a: Any, b: Any) -> Any:
    return np.matmul(np.conj(np.ravel(a)), np.ravel(b))


@rule(np.einsum)
def _einsum(function: Any, batch: Batch, subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
    if not isinstance(subscripts, str) or kwargs.get("out") is not None:
        return NotImplemented
    written, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = written.split(",")
    letters = [letter for term in terms for letter in term.replace("...", "")]
    if not arrow:
        once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
        result = ("..." if "..." in written else "") + "".join(once)
    free = [letter for letter in ascii_letters if letter not in letters]
    if not free or len(terms) != len(operands):
        return NotImplemented
    terms = [free[0] * is_of(x, batch) + t for x, t in zip(operands, terms, strict=True)]
    values = [x.values if is_of(x, batch) else x for x in operands]
    y = function(f"{','.join(terms)}->{free[0]}{result}", *values, **kwargs)
    return Batched(y, batch)
