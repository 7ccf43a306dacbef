"""Functions for a chunk: without their graph, or with chunks in place of the arrays of the graph.

All that a body reads of its Function is put together here: attributes, operands, results, and which
gradient is wanted.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import dask.array as da

from ..pickling import dumps


class _Packed:
    """An object that a task takes along: cloudpickle packs it, since pickle alone cannot."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (type(self), dumps(self._kept()))

    def _kept(self) -> dict[str, Any]:
        return vars(self)


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

    The `operands` are the arrays and numbers that it has saved.
    """

    def __init__(self, function: Any) -> None:
        self.name = type(function).__name__
        inputs, outputs = function.saved_arrays()
        self._node = function.with_arrays(inputs, outputs, bare=True)
        attributes = vars(self._node)
        self._names = [name for name, x in attributes.items() if isinstance(x, da.Array)]
        self.operands = [attributes.pop(name) for name in self._names]
        self.operands += [x for x in inputs if x is not None]
        self.operands += outputs
        self._is_saved = [x is not None for x in inputs]
        self._outputs = len(outputs)
        self._node = self._with_chunks([None] * len(inputs), [None] * len(outputs), None)

    def _kept(self) -> dict[str, Any]:
        return vars(self) | {"operands": []}

    def _with_chunks(self, inputs: Any, outputs: Any, shape: Any) -> Any:
        return self._node.with_arrays(inputs, outputs, bare=True, shape=shape)

    def function(self, chunks: Iterator[Any], shape: tuple[int, ...], wanted: int) -> Any:
        """Return a Function whose ``backward`` computes one gradient, by the input `wanted`.

        `chunks` are those of the `operands`, and `shape` is that of the results in this chunk.
        """
        attributes = {name: next(chunks) for name in self._names}
        inputs = [next(chunks) if is_saved else None for is_saved in self._is_saved]
        outputs = [next(chunks) for _ in range(self._outputs)]
        made = self._with_chunks(inputs, outputs, shape)
        vars(made).update(attributes)
        made.needs_grad = tuple(index == wanted for index in range(len(made.needs_grad)))
        return made
