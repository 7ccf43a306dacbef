"""Elementwise Functions, chunk by chunk: in each, the body has arrays of NumPy's.

Operands are broadcast before, so that a body never sums over what was broadcast in one chunk alone;
the engine does that afterwards.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import Any
from uuid import uuid4

import dask.array as da
import numpy as np

from dezero_core.extend import described, mode

from ..errors import refused
from ..pickling import dumps
from .numpy_functions.table import Array, Chunkwise, broadcast_chunks, first_result


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
    _require_known(what, given)
    chunkwise = Chunkwise(xs)

    def tried(value: Any, length: int = 1) -> tuple[Any, dict[str, Any]]:
        trial = detached.function()
        vars(trial).update((name, _unshared(x)) for name, x in given.items())
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
    outputs = [chunkwise.array(_Forward(detached, at), y.dtype) for at, y in enumerate(ys)]
    others: list[dict[str, Any]] = []
    for name, value in kept.items():
        if name in given and _same(value, _unshared(given[name])):
            continue
        if isinstance(value, (np.ndarray, np.generic)) and value.shape == ys[0].shape:
            value = chunkwise.array(_Forward(detached, name), value.dtype)
        else:
            others = others or list(_other_attributes(tried))
            _require_same(what, name, value, others)
        setattr(function, name, value)
    return tuple(outputs) if isinstance(y, tuple) else outputs[0]


def _other_attributes(tried: Any) -> Iterator[dict[str, Any]]:
    for value in (1, 0, -1, np.nan):
        with np.errstate(all="ignore"), suppress(Exception):  # the body may refuse some values
            yield tried(value, 2)[1]


def _unshared(x: Any) -> Any:
    """Return a copy of an attribute, or a read-only view: a trial must not change the user's."""
    if type(x) is list:
        return list(map(_unshared, x))
    if type(x) is dict:
        return {key: _unshared(value) for key, value in x.items()}
    if type(x) is set:
        return set(x)
    if isinstance(x, np.ndarray):
        x = x.view()
        x.flags.writeable = False
    return x


def _same(x: Any, y: Any) -> bool:
    """Return whether two attributes are certain to be the same."""
    if x is y:
        return True
    if type(x) is not type(y):
        return False
    if isinstance(x, (list, tuple)):
        return len(x) == len(y) and all(map(_same, x, y))
    if isinstance(x, dict):
        return x.keys() == y.keys() and all(_same(x[key], y[key]) for key in x)
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype == y.dtype and np.array_equal(x, y, equal_nan=x.dtype.kind in "fc")
    return bool(x == y or (isinstance(x, float) and x != x and y != y))


def _require_known(what: str, attributes: dict[str, Any]) -> None:
    """Raise if an attribute draws random numbers: each task would draw others."""
    for name, value in attributes.items():
        if isinstance(value, (np.random.Generator, np.random.RandomState)):
            raise refused(
                what,
                f"its attribute {name!r} draws random numbers, and each task would draw others",
                "Draw them outside, as with dask.array.random, and give them to it as an operand.",
            )


def _require_same(what: str, name: str, value: Any, others: list[dict[str, Any]]) -> None:
    """Raise if ``forward`` keeps an attribute that other operands would change.

    It would have the value of a trial for all chunks, and the gradient would be wrong. `others` are
    the attributes after trials on other operands.
    """
    if not all(name in other and _same(value, other[name]) for other in others):
        raise refused(
            what,
            f"it keeps {name!r}, which depends on its operands and is no array of the shape of its "
            "results",
            "Keep arrays of that shape in attributes of their own; or compute it in backward.",
        )


def backward_by_chunks(function: Any, gys: tuple[Array, ...]) -> tuple[Any, ...]:
    """Return the gradients of ``backward``, as arrays of which no chunk was computed.

    Each gradient is of the shape of the results. For each, the body runs once, and ``needs_grad``
    tells it that no other one is wanted. So a chunk of one gradient never waits for others.
    """
    operands = list(gys)
    node = ChunkNode(function, operands)
    chunkwise = Chunkwise(operands)
    gradients = []
    for index, needed in enumerate(function.needs_grad):
        task = _Backward(node, index, len(gys))
        gx = chunkwise.tried(task) if needed else None
        gradients.append(None if gx is None else chunkwise.array(task, gx.dtype))
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


class _Packed:
    """An object that a task takes along: cloudpickle packs it, since pickle alone cannot."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (type(self), dumps(vars(self)))


def _unpacked(kind: type[_Packed], packed: bytes) -> _Packed:
    made = object.__new__(kind)
    vars(made).update(pickle.loads(packed))
    return made


class DetachedFunction(_Packed):
    """A Function without its graph, which a task can take along to a chunk.

    It has the class, and the attributes that its author's code has set.
    """

    def __init__(self, function: Any) -> None:
        self.function_class = type(function)
        self.attributes = function._own_attributes()

    def function(self) -> Any:
        """Return a new Function with the same attributes."""
        if not self.function_class._prepared:
            self.function_class._prepare()
        made = object.__new__(self.function_class)
        vars(made).update(self.attributes)
        return made


class ChunkNode(_Packed):
    """All that ``backward`` reads of a Function in a graph, with chunks in place of its arrays.

    The arrays and numbers that it has saved are added to `operands`.
    """

    def __init__(self, function: Any, operands: list[Any]) -> None:
        self.name = type(function).__name__
        inputs, outputs = function.saved_arrays()
        self._node = function.with_arrays([None] * len(inputs), [None] * len(outputs), bare=True)
        attributes = vars(self._node)
        self._names = [name for name, x in attributes.items() if isinstance(x, da.Array)]
        self._is_saved = [x is not None for x in inputs]
        self._outputs = len(outputs)
        operands += [attributes.pop(name) for name in self._names]
        operands += [*(x for x in inputs if x is not None), *outputs]

    def function(self, chunks: Iterator[Any], shape: tuple[int, ...], wanted: int) -> Any:
        """Return a Function whose ``backward`` computes one gradient, by the input `wanted`.

        `chunks` are those of what was saved, and `shape` is that of the results in this chunk.
        """
        attributes = {name: next(chunks) for name in self._names}
        inputs = [next(chunks) if is_saved else None for is_saved in self._is_saved]
        outputs = [next(chunks) for _ in range(self._outputs)]
        made = self._node.with_arrays(inputs, outputs, bare=True, shape=shape)
        vars(made).update(attributes)
        made.needs_grad = tuple(index == wanted for index in range(len(made.needs_grad)))
        return made
