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


class DetachedFunction:
    """A Function without its graph, which a task can take along to a chunk.

    Parameters
    ----------
    function : Function

    Attributes
    ----------
    attributes : dict
        Those that its author's code has set.
    """

    def __init__(self, function: Any) -> None:
        self.function_class = type(function)
        self.attributes = function._own_attributes()

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_detached, (dumps((self.function_class, self.attributes)),)

    def function(self) -> Any:
        """Return a new Function with the same attributes."""
        if not self.function_class._prepared:
            self.function_class._prepare()
        made = object.__new__(self.function_class)
        vars(made).update(self.attributes)
        return made


def _read_detached(packed: bytes) -> DetachedFunction:
    detached: DetachedFunction = object.__new__(DetachedFunction)
    detached.function_class, detached.attributes = pickle.loads(packed)
    return detached


class ChunkNode:
    """All that ``backward`` reads of a Function in a graph, with chunks in place of its arrays.

    Parameters
    ----------
    function : Function

    Attributes
    ----------
    name : str
        That of the class of the Function.
    operands : list
        The arrays and numbers that it has saved.
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

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_node, (dumps(vars(self) | {"operands": []}),)

    def _with_chunks(self, inputs: Any, outputs: Any, shape: Any) -> Any:
        return self._node.with_arrays(inputs, outputs, bare=True, shape=shape)

    def function(self, chunks: Iterator[Any], shape: tuple[int, ...], wanted: int) -> Any:
        """Return a Function whose ``backward`` computes one gradient of a chunk.

        Parameters
        ----------
        chunks : iterator
            Those of the `operands`.
        shape : tuple of int
            That of the chunk.
        wanted : int
            The input whose gradient is needed.
        """
        attributes = {name: next(chunks) for name in self._names}
        inputs = [next(chunks) if is_saved else None for is_saved in self._is_saved]
        outputs = [next(chunks) for _ in range(self._outputs)]
        made = self._with_chunks(inputs, outputs, shape)
        vars(made).update(attributes)
        made.needs_grad = tuple(index == wanted for index in range(len(made.needs_grad)))
        return made


def _read_node(packed: bytes) -> ChunkNode:
    node: ChunkNode = object.__new__(ChunkNode)
    vars(node).update(pickle.loads(packed))
    return node
