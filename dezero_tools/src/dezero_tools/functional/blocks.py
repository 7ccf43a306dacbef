"""The Jacobian of each output by each input: all its rows at once, or all its columns."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from dezero_core import Variable, VariableTypeError
from dezero_core.extend import NUMPY, any_array, conjugated, copied, data_of, kind_of, shape_of

from ..batches.batch import Batch, is_registered, new_batch
from ..batches.batched import Batched
from ..batches.functions import Unbatching
from .closures import nodes_behind
from .tracing import Traced, name_of

Block = Any

MEMORY = 256 * 2**20
"""Bytes that the rows of one pass may take, if the caller does not say how many there are."""


def blocks_of(traced: Traced, chunk: int | None) -> list[list[Block]]:
    """Return, for each output, its Jacobian by each input.

    Those that cannot be computed as a batch are computed row by row.
    """
    count = chunk or max(1, MEMORY // max(1, 2 * _bytes_of(traced)))
    outputs = range(len(traced.outputs))
    if (
        count > 1
        and is_registered()
        and all(_can_be_batched(x) for x in (*traced.inputs, *traced.outputs))
    ):
        rows = sum(prod(shape_of(y)) * len(_units(y)) for y in traced.outputs)
        try:
            if sum(x.size for x in traced.inputs) < rows:
                return _by_columns(traced, count)
            return [_by_rows(traced, which, count, _pulled_together) for which in outputs]
        except VariableTypeError:  # by something that needs one value, and has one for each row
            pass
    return [_by_rows(traced, which, 1, _pulled_alone) for which in outputs]


def _can_be_batched(x: Any) -> bool:
    """Return whether the arrays of this type, such as ndarrays, may be within a batch."""
    kind = kind_of(data_of(x))
    return kind is NUMPY or kind.others is not None or kind.resolve is not None


def _bytes_of(traced: Traced) -> int:
    """Return the memory of all gradients of one row, if none were let go on the way."""
    nodes = nodes_behind([y for y in traced.outputs if isinstance(y, Variable)])
    several = [node for node in nodes if type(node._output_references) is tuple]
    specs = [spec for node in several for spec in node._output_specs]
    single = [node for node in nodes if type(node._output_references) is not tuple]
    specs += [(node._edge_shape, node._edge_dtype) for node in single]
    return sum(prod(shape) * dtype.itemsize for shape, dtype in specs)


def _units(y: Any) -> tuple[complex, ...]:
    """Return the gradients to pull back from an element of an output.

    That of 1 gives the gradient of its real part, that of 1j, of its imaginary part.
    """
    return (1.0, 1j) if any_array(data_of(y)).dtype.kind == "c" else (1.0,)


def _by_rows(
    traced: Traced, which: int, count: int, pulled: Callable[[Traced, int, Any], list[Any]]
) -> list[Block]:
    """Return the Jacobians of one output by each input, so many rows at once."""
    y = traced.outputs[which]
    shape, dtype = shape_of(data_of(y)), any_array(data_of(y)).dtype
    size, parts = prod(shape), []
    for start in range(0, size, count):
        index = np.arange(start, min(start + count, size))
        found = []
        for unit in _units(y):
            vectors = np.zeros((len(index), size), dtype)
            vectors[np.arange(len(index)), index] = unit
            found.append(pulled(traced, which, vectors.reshape(len(index), *shape)))
        # For an analytic function of a complex input the first gradient determines the derivative.
        parts.append(
            [
                conjugated(gxs[0]) if x.dtype.kind == "c" or len(gxs) == 1 else gxs[0] + 1j * gxs[1]
                for x, gxs in zip(traced.inputs, zip(*found, strict=True), strict=True)
            ]
        )
    return [
        _joined([part[i] for part in parts], 0, shape + x.shape, x)
        for i, x in enumerate(traced.inputs)
    ]


def _pulled_alone(traced: Traced, which: int, vectors: Any) -> list[Any]:
    """Return the gradients by each input for one gradient at an output, with an axis of one."""
    # None for the other outputs. Zeros would cost a backward pass through them, and zero times an
    # inf or nan there is nan.
    given: list[Any] = [None] * len(traced.outputs)
    y = data_of(traced.outputs[which])
    kind, vector = kind_of(y), vectors[0]
    given[which] = vector if kind is NUMPY else kind.zeros(y.shape, vector.dtype, y) + vector
    found = traced.with_zeros(traced.pulled_back(given, traced.nested), traced.nested)
    return [np.expand_dims(gx, 0) for gx in found]


def _pulled_together(traced: Traced, which: int, vectors: Any) -> list[Any]:
    """Return the gradients by each input for some gradients at an output, in one pass."""
    given: list[Any] = [None] * len(traced.outputs)
    with new_batch(len(vectors), name_of(traced.function)) as batch:
        given[which] = Batched(vectors, batch)
        found = traced.with_zeros(traced.pulled_back(given, traced.nested), traced.nested)
    return [_shown(gx, batch, 0) for gx in found]


def _by_columns(traced: Traced, count: int) -> list[list[Block]]:
    """Return the Jacobians of each output by each input, so many columns at once."""
    blocks: list[list[Block]] = [[] for _ in traced.outputs]
    for number, x in enumerate(traced.inputs):
        parts: list[list[Any]] = [[] for _ in traced.outputs]
        for start in range(0, x.size, count):
            index = np.arange(start, min(start + count, x.size))
            tangents = np.zeros((len(index), x.size), x.dtype)
            tangents[np.arange(len(index)), index] = 1.0
            along: list[Any] = [None] * len(traced.inputs)
            with new_batch(len(index), name_of(traced.function)) as batch:
                along[number] = Batched(tangents.reshape(len(index), *x.shape), batch)
                found = traced.pushed_forward(along, traced.nested)
            for part, t in zip(parts, found, strict=True):
                part.append(_shown(t, batch, -1))
        for block, part, y in zip(blocks, parts, traced.outputs, strict=True):
            block.append(_joined(part, -1, shape_of(data_of(y)) + x.shape, x))
    return blocks


def _shown(gx: Any, batch: Batch, axis: int) -> Any:
    """Return an array of a batch with the hidden axis."""
    data = data_of(gx)
    if isinstance(data, Batched) and data.batch == batch:
        return Unbatching(batch, axis).of(gx)
    at = gx.ndim if axis else 0
    return np.broadcast_to(np.expand_dims(gx, at), (*gx.shape[:at], batch.length, *gx.shape[at:]))


def _joined(parts: list[Any], axis: int, shape: tuple[int, ...], x: Any) -> Block:
    """Return rows or columns that were computed one after the other as an array of a shape."""
    if not parts:
        return kind_of(x.data).zeros(shape, x.dtype, x.data)
    whole = parts[0] if len(parts) == 1 else np.concatenate(parts, axis)
    if isinstance(whole, np.ndarray):
        whole = copied(whole)  # it may be a view of an array that others see
    return np.reshape(whole, shape)
