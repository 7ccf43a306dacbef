"""The backward pass: highest generation first, all or nothing.

Gradients in flight live here, never on the Variables. In a plain pass they are arrays
and everything runs at NumPy's speed; under ``create_graph`` they are Variables, and the
same loop records the graph of the gradient.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Container, Iterable, Sequence
from heapq import heappop, heappush
from itertools import count, repeat
from typing import Any

import numpy as np

from . import observing
from .calls import FLOAT64
from .config import mode
from .edges import FREED, Edge, Port, index_of
from .errors import GradientError, GraphError, VariableTypeError
from .function import Function
from .gradients import (
    Sum,
    added_to,
    as_gradients,
    conjugated,
    constant_gradient,
    first_gradient,
    fitted,
    gather,
    private,
    value_of,
)
from .provenance import explain
from .variable import INEXACT, Array, Leaf, Variable, label

asarray, float64, ndarray = np.asarray, np.float64, np.ndarray

_FREED = (
    "let go by an earlier backward(free_graph=True). Compute it again; or leave that option to the "
    "last backward() through it"
)

# Reentrant: under create_graph, operations run while it is held.
_commit = threading.RLock()


def _forget_other_threads() -> None:
    """Let go of a lock that a thread held which a forked child does not have."""
    global _commit
    _commit = threading.RLock()


if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(after_in_child=_forget_other_threads)


class _Everything:
    """Contains whatever is asked for."""

    def __contains__(self, item: object) -> bool:
        return True


def backward(
    self: Variable,
    retain_grad: bool = False,
    create_graph: bool = False,
    free_graph: bool = False,
) -> None:
    """Compute the gradient of this Variable and add it to ``.grad`` of every input.

    Parameters
    ----------
    retain_grad : bool
        Also keep ``.grad`` of the Variables in between.
    create_graph : bool
        Record the backward pass as well, so that gradients are Variables which can
        be differentiated again, to any order. Inside a function that is being
        differentiated as a whole, it is always recorded.
    free_graph : bool
        Let each part of the graph go as soon as it has been used, and with it the arrays
        that it saves: for the peak memory of training loops. The graph is then gone, also
        where something raises. Inside a function that is being differentiated as a whole, it
        stays: it is needed again.

    Raises
    ------
    GraphError (RuntimeError)
        If there is no graph: an input, integer data, made under ``no_grad()``, or freed.
    GradientError (ValueError)
        If a Function's ``backward`` returns something that is no gradient.
    ValueError
        If `create_graph` and `free_graph` are both set: a second derivative needs the graph.

    Notes
    -----
    It starts from its ``.grad`` where that is set, otherwise from ones. All or
    nothing: if anything raises, every ``.grad`` is as it was before.
    """
    if create_graph and free_graph:
        raise ValueError(
            "backward() cannot free the graph that create_graph=True differentiates again: leave "
            "out free_graph=True here, and give it to the last backward()."
        )
    require_graph(self)
    before = mode.get()
    if not (create_graph or (before.differentiated and before.records)):
        _add_gradients(self, retain_grad, False, free_graph)
        return
    try:  # not by a block: an interrupt may come at the first instruction of its exit
        mode.set(before.recording())  # also where the caller records nothing
        _add_gradients(self, retain_grad, True, False)
    finally:
        mode.set(before)


def _add_gradients(root: Variable, retain_grad: bool, create_graph: bool, free_graph: bool) -> None:
    first = first_gradient(root, root.grad, create_graph)
    keep = _Everything() if retain_grad else ()
    reached, passed = _propagate([(root._edge, first)], create_graph, keep, free_graph)
    _move_to_outputs(passed, reached)
    reached.pop(root, None)
    _conjugate(reached)
    with _commit:
        # Every sum first: one that fails must leave every .grad as it was.
        own = private(reached, [root.grad])
        variables, gradients = [root], [conjugated(first) if retain_grad else None]
        for x, gradient in own:
            variables.append(x)
            gradients.append(added_to(x, gradient, create_graph))
        # In one call of C: an interrupt comes before the first one is written, or after the last.
        list(map(setattr, variables, repeat("grad"), gradients))


def grad(
    outputs: Variable | list[Variable] | tuple[Variable, ...],
    inputs: Variable | list[Variable] | tuple[Variable, ...],
    create_graph: bool = False,
    grad_outputs: Any = None,
) -> Any:
    """Return the gradients of the sum of `outputs`, and touch no ``.grad``.

    Parameters
    ----------
    outputs : Variable, or list or tuple of Variable
        Each of any shape; the gradient of each starts from ones.
    inputs : Variable, or list or tuple of Variable
        Inputs of the graph or Variables in the middle of it.
    create_graph : bool
        Return Variables that can be differentiated again. Inside a function that is being
        differentiated as a whole, they always are.
    grad_outputs : ndarray, Variable or None, or list or tuple of them
        The gradient to start from at each output, in place of ones.

    Returns
    -------
    ndarray or Variable, or a list of them if `inputs` is one or a tuple
        In the shape and dtype of each input; zeros for one that `outputs` do not depend on.

    Raises
    ------
    GraphError (RuntimeError)
        If an output has no graph, or is complex and no gradient is given for it.
    GradientError (ValueError)
        If `grad_outputs` are not one for each output, in its shape.
    VariableTypeError (TypeError)
        If an input is a constant: no Variable, or of integer or boolean data.

    Examples
    --------
    >>> class Double(Function):
    ...     def forward(self, x):
    ...         return x + x
    ...
    ...     def backward(self, gy):
    ...         return gy + gy
    >>> x = Variable(np.array([1.0, 2.0]))
    >>> grad(Double()(x), x)
    array([2., 2.])
    """
    roots = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    wanted = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    for index, root in enumerate(roots):
        if not isinstance(root, Variable):
            raise VariableTypeError(
                f"output {index} of grad() must be a Variable, got {type(root)}. If it is itself a "
                "gradient, compute that one with create_graph=True.",
                got=type(root),
            )
        require_graph(root)
    for index, x in enumerate(wanted):
        if not isinstance(x, Variable) or x.data is None:
            got = repr(x) if isinstance(x, Variable) else type(x)
            raise VariableTypeError(
                f"input {index} of grad() must be a Variable that holds data, got {got}.", got=got
            )
        if x.data.dtype.kind not in INEXACT:
            raise VariableTypeError(
                f"input {index} of grad() is a constant, of {x.dtype} data: it has no gradient. "
                "Convert the data, Variable(x.data.astype(float)), and compute again.",
                got=x.dtype,
            )
    before = mode.get()
    create_graph = create_graph or (before.differentiated and before.records)
    given = list(grad_outputs) if isinstance(grad_outputs, (list, tuple)) else [grad_outputs]
    if grad_outputs is None:
        given *= len(roots)
    if len(given) != len(roots):
        raise GradientError(
            f"grad() was given {len(given)} grad_outputs for {len(roots)} outputs.",
            function=None,
            index=0,
        )
    start = []
    found = {}
    try:
        if create_graph:
            mode.set(before.recording())
        for root, gradient in zip(roots, given, strict=True):
            start.append((root._edge, first_gradient(root, gradient, create_graph)))
        keep = {x.creator for x in wanted if x.creator is not None}
        reached, passed = _propagate(start, create_graph, keep)
        for x in wanted:
            if x in reached:
                found[x] = reached.pop(x)
            elif x.creator in passed:
                found[x] = passed[x.creator][index_of(x._edge)]
            elif x not in found:
                found[x] = constant_gradient(np.zeros_like(x.data), create_graph)
        _conjugate(found)
    finally:
        mode.set(before)
    start.clear()  # or its arrays, and those below, would not look private
    passed.clear()
    own = dict(private(found, given))
    gradients: list[Any] = []
    for x in wanted:  # one that is wanted twice gets another array the second time
        again = any(own[x] is gradient for gradient in gradients)
        gradients.append(dict(private({x: own[x]}))[x] if again else own[x])
    return gradients if isinstance(inputs, (list, tuple)) else gradients[0]


def _conjugate(gradients: dict[Variable, Array]) -> None:
    """Turn the gradients of the pass into those that the user gets."""
    for x, gradient in gradients.items():
        if gradient.dtype.kind == "c":
            gradients[x] = conjugated(gradient)


def require_graph(root: Variable) -> None:
    """Raise a GraphError that says why, if there is nothing to go back through."""
    edge = root._edge
    creator = root.creator
    edges = getattr(creator, "_edges", None)
    if type(edges) is tuple:
        return
    where = getattr(edge, "where", None)
    if edges is FREED:
        reason = f"its graph was {_FREED}"
    elif creator is not None:
        reason = f"its creator, a {type(creator).__name__}, was never applied"
    elif root.data is None:
        reason = "it holds no data"
    elif where:
        reason = f"it was computed under no_grad(), switched on at {where}"
    elif root.data.dtype.kind not in INEXACT:
        reason = (
            f"it is of {root.dtype} data, which is constant. Convert the inputs, "
            "Variable(x.data.astype(float)), and compute it again"
        )
    else:
        reason = (
            "it has no creator: it is an input, or was computed from constants only (integers "
            "and booleans are constants; Variable(x.data.astype(float)) is not)"
        )
    raise GraphError(
        f"cannot backpropagate from {label(root)}: {reason}.", variable=root, reason=reason
    )


def _propagate(
    start: Iterable[tuple[Edge, Array]],
    create_graph: bool,
    keep: Container[Function],
    free_graph: bool = False,
) -> tuple[dict[Variable, Array], dict[Function, Sequence[Array]]]:
    """Send gradients back along the edges.

    Returns
    -------
    The gradient of each input that was reached, and of the outputs of each Function
    in `keep`. Some of these arrays may be one and the same.
    """
    reached: dict[Leaf, Any] = {}
    passed: dict[Function, Sequence[Array]] = {}
    # What has arrived at Functions that wait for their turn: a gradient, the Sum of several, or
    # a list with one of these, or None, for each of several outputs.
    flowing: dict[Function, Any] = {}
    waiting: list[tuple[int, int, Function]] = []
    order = count(0, -1)  # of one generation, the last added comes first, as in the book

    def wait(function: Function, gradient: Any) -> None:
        flowing[function] = gradient
        heappush(waiting, (-function.generation, next(order), function))

    def send(edge: Edge, gradient: Array) -> None:
        function = edge.creator
        if type(edge) is Port:
            if function not in flowing:
                wait(function, [None] * len(function.outputs))
            gather(flowing[function], edge.index, gradient)
        elif function in flowing:
            gather(flowing, function, gradient)
        else:
            wait(function, gradient)

    for edge, gradient in start:
        send(edge, gradient)
    observers = mode.get().observers
    function: Any
    following: Any = None  # Function that is next if none that waits is of a higher generation,
    passed_on: Any = None  # and what arrives there: so a chain needs neither heap nor table
    while True:
        if following is None or (waiting and -waiting[0][0] > following.generation):
            if following is not None:
                wait(following, passed_on)
            if not waiting:
                break
            function = heappop(waiting)[2]
            gy = flowing.pop(function)
        else:
            function, gy = following, passed_on
        following = passed_on = None
        if type(gy) is Sum:
            gy = value_of(gy)
        gys = None
        if type(gy) is list:
            gys = _arrived(function, gy, reached, create_graph)
            if gys is None:
                continue
        edges = function._edges
        if type(edges) is not tuple:
            _arrive_at_end(function, gy, reached)
            continue
        if keep and function in keep:
            passed[function] = _with_zeros(function, gys or [gy], create_graph)
        try:
            node = function._as_differentiable() if create_graph else function._as_recorded()
            if observers:
                gxs = observing.backward(function, node, gys or [gy], observers)
            else:
                gxs = node.backward(gy) if gys is None else node.backward(*gys)
            if type(gxs) is ndarray and len(edges) == 1:
                gxs = (gxs,)
            elif type(gxs) is not tuple or len(gxs) != len(edges):
                gxs = as_gradients(function, gxs)
            for edge, gx in zip(edges, gxs):  # noqa: B905 (time)
                if edge is None or gx is None:
                    continue
                shape, dtype = edge._edge_shape, edge._edge_dtype
                if type(gx) is not ndarray:
                    if type(gx) is not float64 or dtype is not FLOAT64 or shape or create_graph:
                        gx = fitted(function, edge, gx, gxs, gys or [gy], create_graph)
                    elif type(edge) is not Leaf:
                        gx = asarray(gx)
                elif create_graph or gx.shape != shape or gx.dtype is not dtype:
                    gx = fitted(function, edge, gx, gxs, gys or [gy], create_graph)
                if type(edge) is Leaf:
                    total = reached.get(edge)
                    if total is None:
                        reached[edge] = gx
                    elif type(total) is Sum:
                        total.add(gx)
                    else:
                        total = None  # or it would not look alone
                        reached[edge] = Sum(reached, edge, gx)
                elif type(edge) is Port or edge in flowing:
                    send(edge, gx)
                elif edge is following:
                    wait(following, passed_on)
                    following = passed_on = None
                    send(edge, gx)
                elif following is None:
                    following, passed_on = edge, gx
                elif edge.generation < following.generation:
                    wait(edge, gx)
                else:
                    wait(following, passed_on)
                    following, passed_on = edge, gx
        except Exception as error:
            explain(error, function, "backward", gys or [gy])
            raise
        gxs = gx = None  # of these, only what is on its way is needed
        if free_graph:
            function._end(FREED)
    return _by_variable(reached), passed


def _by_variable(reached: dict[Leaf, Any]) -> dict[Variable, Array]:
    """Return the gradients of the Variables that are alive."""
    gradients: dict[Variable, Array] = {}
    while reached:
        leaf, total = reached.popitem()
        x = leaf.variable()
        if x is None:
            continue
        gradient = value_of(total)
        if x not in gradients:
            gradients[x] = gradient
        elif gradients[x].shape == gradient.shape:
            gradients[x] = gradients[x] + gradient
        else:
            raise GradientError(
                f"{label(x)} was used with data of the shapes {gradients[x].shape} and "
                f"{gradient.shape}: these gradients cannot be added.",
                function=None,
                index=0,
            )
    return gradients


def _arrive_at_end(function: Function, gy: Array, reached: dict[Leaf, Any]) -> None:
    """Take the gradient of an output that was unchained: it is an input by now.

    Raises
    ------
    GraphError (RuntimeError)
        If what is behind was freed instead.
    """
    output = function.outputs[0]()
    if function._edges is FREED:
        reason = f"what computed it, a {type(function).__name__}, was {_FREED}"
        what = "a Variable" if output is None else label(output)
        raise GraphError(
            f"cannot backpropagate through {what}: {reason}.", variable=output, reason=reason
        )
    _reach(output, gy, reached)


def _reach(output: Variable | None, gradient: Array, reached: dict[Leaf, Any]) -> None:
    """Note the gradient of an unchained Variable; whatever has become of that meanwhile."""
    if output is not None:
        leaf = object.__new__(Leaf)
        leaf.variable = weakref.ref(output)
        reached[leaf] = gradient


def _arrived(
    function: Function, totals: list[Any], reached: dict[Leaf, Any], create_graph: bool
) -> list[Array] | None:
    """Return the gradients of all outputs, None if all of them ended at unchained ones.

    Outputs that nobody used count as zeros, unless the Function wants to know; an unchained one
    is an input by now.
    """
    gys = [value_of(total) for total in totals]
    for index in function._cuts:
        output, gy = function.outputs[index](), gys[index]
        gys[index] = None
        if gy is not None:
            _reach(output, gy, reached)
    if all(gy is None for gy in gys):
        return None
    return _with_zeros(function, gys, create_graph) if function.materialize_grads else gys


def _with_zeros(function: Function, gys: Sequence[Any], create_graph: bool) -> list[Array]:
    """Return the gradients of the outputs, with zeros for those that no gradient arrived at."""
    filled = list(gys)
    for index, gy in enumerate(gys):
        if gy is None:
            shape, dtype = function._output_specs[index]
            zeros = np.zeros(shape, dtype if dtype.kind in INEXACT else None)
            filled[index] = constant_gradient(zeros, create_graph)
    return filled


def _move_to_outputs(passed: dict[Function, Sequence[Any]], reached: dict[Variable, Array]) -> None:
    """Turn gradients kept by Function into gradients of its outputs that are alive."""
    while passed:
        function, gys = passed.popitem()
        for reference, gy in zip(function.outputs, gys, strict=True):
            output = reference()
            if output is not None and output.creator is function:  # not an unchained one
                reached[output] = gy


# A method: its module, `variable`, is below this one and cannot import it.
Variable.backward = backward  # type: ignore[method-assign]
