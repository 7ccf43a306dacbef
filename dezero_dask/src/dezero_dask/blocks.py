"""Elementwise Functions, chunk by chunk: in each, the body has arrays of NumPy's.

A chunk has no graph. All that a body reads of its Function is put together there: attributes,
operands, results, and which gradient is wanted. Operands are broadcast before, so that a body never
sums over what was broadcast in one chunk alone; the engine does that afterwards.
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
from dezero_core.config import mode
from dezero_core.edges import Constant, Kept, Missing, missing
from dezero_core.notes import described

from .pickling import dumps
from .refusals import refused
from .trials import first_result, require_known, require_same, same, unshared

Array = Any


def forward_in_blocks(function: Any, xs: tuple[Array, ...]) -> Any:
    """Return the results of ``forward``, as arrays of which no chunk was computed.

    Parameters
    ----------
    function : Function
        Attributes that its ``forward`` sets become attributes of it: those of an element, as arrays
        that are lazy as well.
    xs : tuple
        The operands: Dask's arrays, ndarrays and numbers.
    """
    body = Body(function)
    given, what = body.attributes, described(function, "forward")
    # Arrays that an earlier call has kept; an operand has chunks, and an attribute has none.
    lazy = [name for name, value in given.items() if isinstance(value, da.Array)]
    for name in lazy:
        del given[name]
    require_known(what, given)
    blocks = Blocks(_Forward(body, None), xs)

    def tried(value: Any, length: int = 1) -> tuple[Any, dict[str, Any]]:
        trial = body.function()
        vars(trial).update((name, unshared(x)) for name, x in given.items())
        y = trial.forward(*blocks.trial_operands(value, length))
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
        if each.shape != (1,) * blocks.ndim:
            raise refused(
                what,
                f"one element gives an array of shape {each.shape}, so that it is not elementwise",
                "Give arrays to it as operands, and not as attributes; or do not declare it so.",
            )
    outputs = [Blocks(_Forward(body, at), xs).array(each.dtype) for at, each in enumerate(ys)]
    others: list[dict[str, Any]] = []
    for name, value in kept.items():
        if name in given and same(value, unshared(given[name])):
            continue
        if isinstance(value, (np.ndarray, np.generic)) and value.shape == ys[0].shape:
            value = Blocks(_Forward(body, name), xs).array(value.dtype)
        else:
            others = others or list(_other_attributes(tried))
            require_same(what, name, value, others)
        setattr(function, name, value)
    return tuple(outputs) if isinstance(y, tuple) else outputs[0]


def _other_attributes(tried: Any) -> Iterator[dict[str, Any]]:
    for value in (1, 0, -1, np.nan):
        with np.errstate(all="ignore"), suppress(Exception):  # of values that the body refuses
            yield tried(value, 2)[1]


def backward_in_blocks(function: Any, gys: tuple[Array, ...]) -> tuple[Any, ...]:
    """Return the gradients of ``backward``, as arrays of which no chunk was computed.

    Each is of the shape of the results, and each is one run of the body, which is told by
    ``needs_grad`` that no other one is wanted. So a chunk of one gradient never waits for others.

    Parameters
    ----------
    function : Function
        Part of a graph.
    gys : tuple of dask.array.Array or None
        The gradients of the results.
    """
    node = Node(function)
    operands = (*gys, *node.operands)
    gradients = []
    for index, needed in enumerate(function.needs_grad):
        blocks = Blocks(_Backward(node, index, len(gys)), operands)
        gx = blocks.tried() if needed else None
        gradients.append(None if gx is None else blocks.array(gx.dtype))
    return tuple(gradients)


class Blocks:
    """A task for each chunk of some operands, which are broadcast to each other.

    Parameters
    ----------
    task : callable
        Takes the operands, with chunks in place of arrays.
    operands : sequence
        Dask's arrays, ndarrays, numbers and None.

    Attributes
    ----------
    ndim : int
        Number of dimensions of the results.

    Raises
    ------
    ValueError
        If they cannot be broadcast to each other. Dask lets arrays without elements through.
    """

    def __init__(self, task: Any, operands: Sequence[Any]) -> None:
        self.task = task
        self._operands = [
            x if isinstance(x, da.Array) or not np.ndim(x) else da.asarray(x) for x in operands
        ]
        shapes = [x.shape for x in self._operands if isinstance(x, da.Array)]
        self.ndim = len(np.broadcast_shapes(*shapes))

    def trial_operands(self, value: Any = 1, length: int = 1) -> list[Any]:
        """Return arrays of one value in place of those of the operands, with axes of a length."""
        return [
            np.full((length,) * x.ndim, value).astype(x.dtype)
            if isinstance(x, (da.Array, np.ndarray))
            else x
            for x in self._operands
        ]

    def tried(self) -> Any:
        """Return the result of the task for operands of one element: it has the dtype of all."""
        return first_result(lambda value: self.task(*self.trial_operands(value)))

    def array(self, dtype: Any) -> Array:
        """Return the array of which each chunk is the result of the task."""
        pairs = [
            pair
            for x in self._operands
            for pair in (x, tuple(range(x.ndim))[::-1] if isinstance(x, da.Array) else None)
        ]
        return da.blockwise(
            self.task,
            tuple(range(self.ndim))[::-1],
            *pairs,
            dtype=dtype,
            meta=np.empty((0,) * self.ndim, dtype),
        )


class Body:
    """A Function without its graph: that which a task takes to a chunk.

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
        return _read_body, (dumps((self.function_class, self.attributes)),)

    def function(self) -> Any:
        """Return a new Function with the same attributes."""
        if not self.function_class._prepared:
            self.function_class._prepare()
        made = object.__new__(self.function_class)
        vars(made).update(self.attributes)
        return made


def _read_body(packed: bytes) -> Body:
    body: Body = object.__new__(Body)
    body.function_class, body.attributes = pickle.loads(packed)
    return body


class _Task:
    """A calculation of one chunk, with a token of its own.

    Dask would pickle it for one. Two tasks that are the same are never merged so.

    Parameters
    ----------
    name : str
        How Dask's pages and printed arrays name it.
    """

    def __init__(self, name: str) -> None:
        self.__name__, self._token = name, uuid4().hex

    def __dask_tokenize__(self) -> str:
        return self._token


class _Forward(_Task):
    """Runs ``forward`` on chunks; gives one of the results, or an attribute that it sets.

    Parameters
    ----------
    body : Body
    wanted : int or str
        The number of the result, or the name of the attribute.
    """

    def __init__(self, body: Body, wanted: Any) -> None:
        super().__init__(body.function_class.__name__)
        self._body, self._wanted = body, wanted

    def __call__(self, *xs: Array) -> Array:
        function = self._body.function()
        y = function.forward(*_broadcast(xs))
        if isinstance(self._wanted, str):
            return np.asarray(getattr(function, self._wanted))
        return np.asarray(y[self._wanted] if isinstance(y, tuple) else y)


class Node:
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
        self._body = Body(function)
        attributes = self._body.attributes
        self._names = [name for name, x in attributes.items() if isinstance(x, da.Array)]
        self.operands = [attributes.pop(name) for name in self._names]
        saves = function._saves_inputs
        inputs = function._kept_inputs if saves else function.inputs
        self._inputs = [(x.dtype, not saves or isinstance(x, Missing)) for x in inputs]
        node = function._stand_in()  # its data are those of forward
        if saves:
            self.operands += [x.data for x in node._kept_inputs if not isinstance(x, Missing)]
        self._several = type(function._output_references) is tuple
        specs = function._output_specs if self._several else ((None, function._edge_dtype),)
        self._output_dtypes = [dtype for _, dtype in specs]
        if function._saves_outputs:
            self.operands += function._saved_outputs

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
        made = self._body.function()
        vars(made).update((name, next(chunks)) for name in self._names)
        places = [_place(() if dtype is None else shape, dtype) for dtype, _ in self._inputs]
        made.needs_grad = tuple(index == wanted for index in range(len(places)))
        made._edges, made._constants = (None,) * len(places), dict(enumerate(places))
        if made._saves_inputs:
            made._kept_inputs = tuple(
                missing(place, type(made)) if is_missing else Kept(next(chunks))
                for place, (_, is_missing) in zip(places, self._inputs, strict=True)
            )
        dtypes = self._output_dtypes
        made._output_references = (None,) * len(dtypes) if self._several else None
        made._output_specs = tuple((shape, dtype) for dtype in dtypes)
        made._edge_shape, made._edge_dtype = shape, dtypes[0]
        if made._saves_outputs:
            made._saved_outputs = tuple(next(chunks) for _ in dtypes)
        return made


def _place(shape: tuple[int, ...], dtype: Any) -> Constant:
    place = Constant(0)
    place._edge_shape, place._edge_dtype = shape, dtype
    return place


class _Backward(_Task):
    """Runs ``backward`` on chunks, and gives one of the gradients.

    Parameters
    ----------
    node : Node
    wanted : int
        The number of the gradient.
    count : int
        The number of results of the Function: so many operands are their gradients.
    """

    def __init__(self, node: Node, wanted: int, count: int) -> None:
        super().__init__(f"{node.name}-backward")
        self._node, self._wanted, self._count = node, wanted, count

    def __call__(self, *operands: Array) -> Array:
        chunks = _broadcast(operands)
        gys, saved = chunks[: self._count], iter(chunks[self._count :])
        shape = next(gy.shape for gy in gys if gy is not None)
        function = self._node.function(saved, shape, self._wanted)
        gxs = copy_context().run(_in_pass, function, gys)
        gx = gxs[self._wanted] if isinstance(gxs, tuple) else gxs
        return None if gx is None else np.broadcast_to(gx, shape)


def _in_pass(function: Any, gys: Sequence[Any]) -> Any:
    mode.set(mode.get().in_pass(create_graph=False))
    return function.backward(*gys)


def _broadcast(operands: Sequence[Any]) -> list[Any]:
    """Return the operands of one chunk with arrays of one shape; numbers stay what they are."""
    shape = np.broadcast_shapes(*(x.shape for x in operands if isinstance(x, np.ndarray)))
    return [np.broadcast_to(x, shape) if isinstance(x, np.ndarray) else x for x in operands]
