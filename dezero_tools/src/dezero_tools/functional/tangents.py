"""Forward mode: tangents are pushed through a recorded graph, from its inputs to its outputs.

A tangent is the derivative of an array along a direction. Each Function multiplies the tangents of
its inputs by its Jacobian. Its ``backward`` multiplies by the transposed one, and that is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import copy_context
from itertools import chain
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import (
    INEXACT,
    NUMPY,
    Port,
    as_differentiable,
    conjugated,
    data_of,
    kind_of,
    mode,
    pulled_back,
    run,
    shape_of,
)

from ..batches.batch import RUNNING
from ..batches.functions import batches_around
from .closures import Argument, nodes_behind


def pushed_forward(
    outputs: Sequence[Any], inputs: Sequence[Variable], tangents: Sequence[Any], create_graph: bool
) -> list[Any]:
    """Return the tangents of `outputs`, None for one that depends on no input.

    Under `create_graph` they are Variables, which can be differentiated again. A tangent is let go
    when all Functions that it goes into have been passed.
    """
    return copy_context().run(_pushed_forward, outputs, inputs, tangents, create_graph)


def _pushed_forward(outputs: Any, inputs: Any, tangents: Any, create_graph: bool) -> list[Any]:
    mode.set(mode.get().in_pass(create_graph))
    pairs = zip(inputs, tangents, strict=True)  # an input may be an output, and in no Function
    at = {_place(x.edge_of_input()): t for x, t in pairs if t is not None}
    nodes = nodes_behind([y for y in outputs if isinstance(y, Variable)])
    ends = [_place(y._edge) if isinstance(y, Variable) else None for y in outputs]
    inward = [[_place(edge) for edge in node._edges] for node in nodes]
    uses: dict[Any, int] = {}
    for place in chain(*inward, ends):
        uses[place] = uses.get(place, 0) + 1
    for node, places in zip(nodes, inward, strict=True):
        if not at.keys().isdisjoint(places):
            found = _through(node, list(map(at.get, places)), create_graph)
            for index, t in enumerate(found):
                if t is not None:
                    at[node, index] = t
        for place in places:
            uses[place] -= 1
            if not uses[place]:
                at.pop(place, None)
    return [None if place is None else at.get(place) for place in ends]


def _place(edge: Any) -> Any:
    """Return a key for the array at an edge: a Leaf, or a Function with the index of an output."""
    if edge is None or edge.creator is None:
        return edge if hasattr(edge, "variable") else None
    return edge.creator, edge.index if type(edge) is Port else 0


def _through(node: Any, tangents: list[Any], create_graph: bool) -> Sequence[Any]:
    """Return the tangents of the outputs of a Function, given those of its inputs.

    One of ours may say that its ``forward`` is ``linear`` in all its operands together, or in each
    one by itself, ``multilinear``: then that is used. Nothing is asked of other authors.
    """
    if isinstance(node, Argument):
        return tangents
    if getattr(node, "linear", False):
        like = data_of(next(t for t in tangents if t is not None))
        zero = kind_of(like).zeros((), like.dtype, like)
        pairs = zip(tangents, node.inputs, strict=True)
        operands = [np.broadcast_to(zero, x.shape) if t is None else t for t, x in pairs]
        return _by_forward(node, operands, create_graph)
    if getattr(node, "multilinear", False):
        # Not those of now: a Variable may hold other data since.
        saved = (as_differentiable(node) if create_graph else node._node_for_backward()).inputs
        totals: Sequence[Any] = ()
        for index, t in enumerate(tangents):
            if t is not None:
                operands = [t if i == index else x.data for i, x in enumerate(saved)]
                ys = _by_forward(node, operands, create_graph)
                totals = [a + b for a, b in zip(totals, ys, strict=True)] if totals else ys
        return totals
    if node.elementwise and type(node._output_references) is not tuple:
        return [_by_backward(node, tangents, create_graph)]
    return _by_pulling_twice(node, tangents, create_graph)


def _by_forward(node: Any, operands: list[Any], create_graph: bool) -> Sequence[Any]:
    """Return the results of ``forward`` for other operands."""
    fresh = node._unapplied()
    if hasattr(node, "_where"):  # somebody observes, and asks for the line of a Function
        fresh._where = node._where
    ys = fresh.of(*operands) if create_graph else run(fresh, fresh, "forward", operands)
    return ys if isinstance(ys, (tuple, list)) else [ys]


def _by_backward(node: Any, tangents: list[Any], create_graph: bool) -> Any:
    """Return the tangent of an elementwise Function: ``backward`` multiplies by its derivative.

    A complex derivative need not be a product by one number, as of ``np.conj``. Then ``backward``
    of 1 and of 1j give the two rows of a real matrix.
    """
    shape, dtype = node._edge_shape, node._edge_dtype
    on = as_differentiable(node) if create_graph else node._node_for_backward()
    total: Any = None
    for index, t in enumerate(tangents):
        if t is None:
            continue
        t = _with_batch(node, t if shape_of(t) == shape else np.broadcast_to(t, shape))
        if dtype.kind != "c" and t.dtype.kind != "c":
            t = t if t.dtype == dtype else t.astype(dtype)
            product = _one_of(run(node, on, "backward", [t]), index)
        else:
            units = (1.0, 1j) if dtype.kind == "c" else (1.0,)
            ones: list[Any] = [np.broadcast_to(np.asarray(unit, dtype), shape) for unit in units]
            if create_graph:
                ones = [Variable(np.array(one)) for one in ones]
            slopes = [_one_of(run(node, on, "backward", [one]), index) for one in ones]
            rows: list[Any] = [None if slope is None else np.real(slope * t) for slope in slopes]
            product = rows[0]
            if product is not None and len(rows) == 2:
                product = product - 1j * rows[1]
        if product is not None:
            total = product if total is None else total + product
    return total


def _with_batch(node: Any, t: Any) -> Any:
    """Return a tangent as an array of the batch that a Function has computed with."""
    if kind_of(data_of(t)) is NUMPY:
        for x in chain(*node.saved_arrays()):
            if kind_of(x).others is not None:
                return kind_of(x).zeros(t.shape, t.dtype, x) + t
    return t


def _one_of(gradients: Any, index: int) -> Any:
    return gradients[index] if isinstance(gradients, tuple) else gradients


def _by_pulling_twice(node: Any, tangents: list[Any], create_graph: bool) -> list[Any]:
    """Return the tangents of the outputs of any Function, from two backward passes through it.

    ``backward`` is linear in the gradients that it gets, and its derivative by these is the
    transpose of the transposed Jacobian. Source: Townsend 2017, "A new trick for calculating
    Jacobian vector products".
    """
    like = data_of(next(t for t in tangents if t is not None))
    kind, several = kind_of(like), type(node._output_references) is tuple
    specs = node._output_specs if several else [(node._edge_shape, node._edge_dtype)]
    before = mode.get()
    mode.set(before.in_pass(True))
    gys = [  # with a node of their own, since backward may return one of them
        Argument()(Variable(kind.zeros(shape, dtype, like)))
        if dtype.kind in INEXACT
        else Variable(kind.zeros(shape, np.dtype(float), like))
        for shape, dtype in specs
    ]
    gxs = run(node, as_differentiable(node), "backward", gys)
    mode.set(before)
    roots, given = [], []
    for gx, t in zip(gxs if isinstance(gxs, tuple) else (gxs,), tangents, strict=True):
        if t is not None and isinstance(gx, Variable) and gx.creator is not None:
            t = t if shape_of(t) == gx.shape else np.broadcast_to(t, gx.shape)
            roots.append(gx)
            given.append(conjugated(t if t.dtype == gx.dtype else t.astype(gx.dtype)))
    # The gradient by one of `gys` is that of each example of a batch, as where its function runs.
    token = RUNNING.set((*RUNNING.get(), *batches_around(map(data_of, roots))))
    found = pulled_back(roots, gys, given, create_graph)[0] if roots else {}
    RUNNING.reset(token)  # if there is an error, the context ends with it
    return [conjugated(found[gy]) if gy in found else None for gy in gys]
