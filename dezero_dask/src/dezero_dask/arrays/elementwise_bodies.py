"""Elementwise Functions, chunk by chunk: in each, the body has arrays of NumPy's.

Operands are broadcast before, so that a body never sums over what was broadcast in one chunk alone;
the engine does that afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import Any
from uuid import uuid4

import dask.array as da
import numpy as np

from dezero_core.extend import described, mode

from .chunk_nodes import ChunkNode, DetachedFunction
from .chunkwise import Array, Chunkwise, broadcast_chunks
from .refusals import refused
from .trials import first_result, require_known, require_same, same, unshared


def forward_by_chunks(function: Any, xs: tuple[Array, ...]) -> Any:
    """Return the results of ``forward``, as arrays of which no chunk was computed.

    Attributes that ``forward`` sets on chunks become attributes of `function`. If they have one
    number for each element, they become lazy arrays.
    """
    detached = DetachedFunction(function)
    given, what = detached.attributes, described(function, "forward")
    # Lazy arrays that an earlier call has kept: only operands are given to a body chunk by chunk.
    lazy = [name for name, value in given.items() if isinstance(value, da.Array)]
    for name in lazy:
        del given[name]
    require_known(what, given)
    chunkwise = Chunkwise(_Forward(detached, None), xs)

    def tried(value: Any, length: int = 1) -> tuple[Any, dict[str, Any]]:
        trial = detached.function()
        vars(trial).update((name, unshared(x)) for name, x in given.items())
        y = trial.forward(*chunkwise.trial_operands(value, length))
        return y, trial._own_attributes()

    try:
        y, kept = first_result(tried)
    except AttributeError as error:
        if error.name not in lazy:
            raise
        raise refused(
            what, f"its attribute {error.name!r} is one", "Give it as an operand."
        ) from error
    ys = [np.asarray(each) for each in (y if isinstance(y, tuple) else (y,))]
    for each in ys:
        if each.shape != (1,) * chunkwise.ndim:
            raise refused(
                what,
                f"one element gives an array of shape {each.shape}, so that it is not elementwise",
                "Give arrays to it as operands, and not as attributes; or do not declare it so.",
            )
    outputs = [
        Chunkwise(_Forward(detached, at), xs).array(each.dtype) for at, each in enumerate(ys)
    ]
    others: list[dict[str, Any]] = []
    for name, value in kept.items():
        if name in given and same(value, unshared(given[name])):
            continue
        if isinstance(value, (np.ndarray, np.generic)) and value.shape == ys[0].shape:
            value = Chunkwise(_Forward(detached, name), xs).array(value.dtype)
        else:
            others = others or list(_other_attributes(tried))
            require_same(what, name, value, others)
        setattr(function, name, value)
    return tuple(outputs) if isinstance(y, tuple) else outputs[0]


def _other_attributes(tried: Any) -> Iterator[dict[str, Any]]:
    for value in (1, 0, -1, np.nan):
        with np.errstate(all="ignore"), suppress(Exception):  # the body may refuse some values
            yield tried(value, 2)[1]


def backward_by_chunks(function: Any, gys: tuple[Array, ...]) -> tuple[Any, ...]:
    """Return the gradients of ``backward``, as arrays of which no chunk was computed.

    Each gradient is of the shape of the results. For each, the body runs once, and ``needs_grad``
    tells it that no other one is wanted. So a chunk of one gradient never waits for others.
    """
    node = ChunkNode(function)
    operands = (*gys, *node.operands)
    gradients = []
    for index, needed in enumerate(function.needs_grad):
        chunkwise = Chunkwise(_Backward(node, index, len(gys)), operands)
        gx = chunkwise.tried() if needed else None
        gradients.append(None if gx is None else chunkwise.array(gx.dtype))
    return tuple(gradients)


class _Task:
    """A calculation of one chunk, with a token of its own.

    Dask would pickle the task to make a token. With this one, it never merges equal tasks.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name  # Dask's pages and printed arrays show it
        self._token = uuid4().hex

    def __dask_tokenize__(self) -> str:
        return self._token


class _Forward(_Task):
    """Runs ``forward`` on chunks; gives the result of a number, or the attribute of a name."""

    def __init__(self, detached: DetachedFunction, wanted: Any) -> None:
        super().__init__(detached.function_class.__name__)
        self._detached, self._wanted = detached, wanted

    def __call__(self, *xs: Array) -> Array:
        function = self._detached.function()
        y = function.forward(*broadcast_chunks(xs))
        if isinstance(self._wanted, str):
            return np.asarray(getattr(function, self._wanted))
        return np.asarray(y[self._wanted] if isinstance(y, tuple) else y)


class _Backward(_Task):
    """Runs ``backward`` on chunks, and gives the gradient by the input `wanted`.

    The first operands are the gradients of the results, `count` of them.
    """

    def __init__(self, node: ChunkNode, wanted: int, count: int) -> None:
        super().__init__(f"{node.name}-backward")
        self._node, self._wanted, self._count = node, wanted, count

    def __call__(self, *operands: Array) -> Array:
        chunks = broadcast_chunks(operands)
        gys, saved = chunks[: self._count], iter(chunks[self._count :])
        shape = next(gy.shape for gy in gys if gy is not None)
        function = self._node.function(saved, shape, self._wanted)
        gxs = copy_context().run(_in_pass, function, gys)
        gx = gxs[self._wanted] if isinstance(gxs, tuple) else gxs
        return None if gx is None else np.broadcast_to(gx, shape)


def _in_pass(function: Any, gys: Sequence[Any]) -> Any:
    mode.set(mode.get().in_pass(create_graph=False))
    return function.backward(*gys)
