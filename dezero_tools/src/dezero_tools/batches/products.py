"""Rules of products that sum over axes: one product of stacks of matrices each."""

from __future__ import annotations

from math import prod
from string import ascii_letters
from typing import Any

import numpy as np

from .batch import Batch
from .batched import Batched
from .rules import aligned, from_front, is_of, ndim_of, rule


@rule(np.tensordot)
def _tensordot(function: Any, batch: Batch, a: Any, b: Any, axes: Any = 2) -> Any:
    summed_a: Any
    summed_b: Any
    if isinstance(axes, (int, np.integer)):
        summed_a, summed_b = list(range(-axes, 0)), list(range(axes))
    else:
        summed_a, summed_b = ([x] if isinstance(x, (int, np.integer)) else list(x) for x in axes)
    summed_a = [from_front(axis, ndim_of(a)) for axis in summed_a]
    summed_b = [from_front(axis, ndim_of(b)) for axis in summed_b]
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
    if out is not None:
        return NotImplemented
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
    if out is not None:
        return NotImplemented
    return np.multiply(np.reshape(a, (-1, 1)), np.reshape(b, (1, -1)))


@rule(np.vdot)
def _vdot(function: Any, batch: Batch, a: Any, b: Any) -> Any:
    return np.matmul(np.conj(np.ravel(a)), np.ravel(b))


@rule(np.einsum)
def _einsum(function: Any, batch: Batch, subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
    if not isinstance(subscripts, str):
        return _einsum_of_lists(batch, (subscripts, *operands), kwargs)
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


def _einsum_of_lists(batch: Batch, given: tuple[Any, ...], kwargs: Any) -> Any:
    """Return ``np.einsum(a, [0, 1], b, [1, 2], [0, 2])``, which numbers the axes."""
    count = len(given) // 2
    operands, lists = given[: 2 * count : 2], [list(each) for each in given[1 : 2 * count : 2]]
    named = [n for each in lists for n in each if n is not Ellipsis]
    if len(given) % 2:
        result = list(given[-1])
    else:
        result = [Ellipsis] if any(Ellipsis in each for each in lists) else []
        result += sorted(n for n in set(named) if named.count(n) == 1)
    free = next(n for n in range(52) if n not in named)
    pairs = zip(operands, lists, strict=True)
    flat = [y for x, each in pairs for y in _with_examples(x, each, free, batch)]
    return Batched(np.einsum(*flat, [free, *result], **kwargs), batch)


def _with_examples(x: Any, axes: list[Any], free: int, batch: Batch) -> tuple[Any, list[Any]]:
    return (x.values, [free, *axes]) if is_of(x, batch) else (x, axes)


@rule(np.cross)
def _cross(
    function: Any,
    batch: Batch,
    a: Any,
    b: Any,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    vectors = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    y: Any = Batched(function(*aligned(vectors, batch)), batch)
    in_plane = vectors[0].shape[-1] == vectors[1].shape[-1] == 2
    return y if in_plane else np.moveaxis(y, -1, axisc)


@rule(np.kron)
def _kron(function: Any, batch: Batch, a: Any, b: Any) -> Any:
    ndim = max(ndim_of(a), ndim_of(b))
    shapes = [(1,) * (ndim - ndim_of(x)) + np.shape(x) for x in (a, b)]
    left = np.reshape(a, [n for m in shapes[0] for n in (m, 1)])
    right = np.reshape(b, [n for m in shapes[1] for n in (1, m)])
    return np.reshape(left * right, [m * n for m, n in zip(*shapes, strict=True)])


@rule(np.linalg.matmul, np.linalg.tensordot, np.linalg.outer)
def _of_linalg(function: Any, batch: Batch, *args: Any, **kwargs: Any) -> Any:
    return vars(np)[function.__name__](*args, **kwargs)


@rule(np.linalg.multi_dot)
def _multi_dot(function: Any, batch: Batch, arrays: Any) -> Any:
    y, *others = arrays
    for x in others:
        y = np.dot(y, x)
    return y


@rule(np.polyval)
def _polyval(function: Any, batch: Batch, p: Any, x: Any) -> Any:
    y = np.zeros_like(x)
    for coefficient in p:
        y = y * x + coefficient
    return y
