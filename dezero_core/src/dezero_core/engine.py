"""The backward pass: highest generation first, all or nothing.

`_propagate` is the loop of the book. The heap and the sums of gradients are in `Arrivals`.
Gradients on their way live there, never on the Variables. In a plain pass they are arrays, and
everything runs at NumPy's speed; under ``create_graph`` they are Variables, and the same loop
records the graph of the gradient.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Container, Iterable, Sequence
from contextvars import copy_context
from heapq import heappop, heappush
from itertools import count, repeat
from typing import Any, Literal, overload

import numpy as np

from .arrays import Array, kind_of
from .config import mode
from .errors import GradientError
from .function import Function, run
from .gradients import (
    Sum,
    added_to,
    as_differentiable,
    as_gradients,
    conjugated,
    constant_gradient,
    fitted,
    gather,
    private,
    value_of,
    warn_of_independence,
    with_zeros,
)
from .graph import FREED, Edge, Leaf, Port, index_of
from .notes import DIFFERENTIATED, as_list, explain
from .starts import FREED_BEFORE, first_gradient, refuse, require_arguments, require_graph
from .variable import Variable, label

NDArray = np.ndarray[Any, Any]
Several = Sequence[Variable]
Roots = Variable | Several

asarray, float64, ndarray = np.asarray, np.float64, np.ndarray

# Reentrant: under create_graph, operations run while it is held.
_commit = threading.RLock()


def _forget_other_threads() -> None:
    """Make a new lock in a forked child: a thread that the child lacks may hold the old one."""
    global _commit
    _commit = threading.RLock()


if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(after_in_child=_forget_other_threads)


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
        be differentiated again, to any order. Inside a function that ``functional.grad`` and
        the like differentiate, it is always recorded.
    free_graph : bool
        Let each part of the graph go as soon as it has been used, and with it the arrays
        that it saves: for the peak memory of training loops. That part of the graph is gone even
        if something raises later. Inside a function that ``functional.grad`` and the like
        differentiate, the graph stays: it is needed again.

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
    It starts from its ``.grad`` where that is set, otherwise from ones. After the pass that is
    None, unless `retain_grad` is set. If anything raises, every ``.grad`` is as it was before.
    """
    if create_graph and free_graph:
        raise ValueError(
            "backward() cannot free the graph that create_graph=True differentiates again: leave "
            "out free_graph=True here, and give it to the last backward()."
        )
    require_graph(self)
    copy_context().run(_add_gradients, self, retain_grad, create_graph, free_graph)


class _Everything:
    """Contains whatever is asked for."""

    def __contains__(self, item: object) -> bool:
        return True


def _begin(create_graph: bool) -> bool:
    """Set the Mode of a backward pass, and return whether its gradients are recorded.

    A pass runs in a context of its own, which is dropped with its Mode at the end, even if an
    interrupt comes at its last instruction.
    """
    now = mode.get()
    create_graph = create_graph or (now.differentiated and now.records)
    mode.set(now.in_pass(create_graph))
    return create_graph


def _add_gradients(root: Variable, retain_grad: bool, create_graph: bool, free_graph: bool) -> None:
    create_graph = _begin(create_graph)
    free_graph = free_graph and not create_graph
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


def _move_to_outputs(passed: dict[Function, Sequence[Any]], reached: dict[Variable, Array]) -> None:
    """Turn gradients kept by Function into gradients of its outputs that are alive."""
    while passed:
        function, gys = passed.popitem()
        for index, gy in enumerate(gys):
            output = function._output_at(index)
            if output is not None and output.creator is function:  # not an unchained one
                reached[output] = gy


# Where the call does not say True or False for `create_graph`, the result may be of both kinds.
@overload
def grad(
    outputs: Roots, inputs: Variable, create_graph: Literal[False] = ..., grad_outputs: Any = ...
) -> NDArray: ...
@overload
def grad(
    outputs: Roots, inputs: Variable, create_graph: Literal[True], grad_outputs: Any = ...
) -> Variable: ...
@overload
def grad(
    outputs: Roots, inputs: Variable, create_graph: bool, grad_outputs: Any = ...
) -> NDArray | Variable: ...
@overload
def grad(
    outputs: Roots, inputs: Several, create_graph: Literal[False] = ..., grad_outputs: Any = ...
) -> list[NDArray]: ...
@overload
def grad(
    outputs: Roots, inputs: Several, create_graph: Literal[True], grad_outputs: Any = ...
) -> list[Variable]: ...
@overload
def grad(
    outputs: Roots, inputs: Several, create_graph: bool, grad_outputs: Any = ...
) -> list[NDArray] | list[Variable]: ...
def grad(
    outputs: Roots, inputs: Variable | Several, create_graph: bool = False, grad_outputs: Any = None
) -> Any:
    """Return the gradients of the sum of `outputs`, and touch no ``.grad``.

    Parameters
    ----------
    outputs : Variable, or list or tuple of Variable
        Each of any shape; the gradient of each starts from ones.
    inputs : Variable, or list or tuple of Variable
        Inputs of the graph or Variables in the middle of it.
    create_graph : bool
        Return Variables that can be differentiated again. Inside a function that
        ``functional.grad`` and the like differentiate, they always are.
    grad_outputs : ndarray, Variable or None, or list or tuple of them
        The gradient to start from at each output, in place of ones.

    Returns
    -------
    ndarray or Variable, or a list of them if `inputs` is one or a tuple
        In the shape and dtype of each input; zeros for one that `outputs` do not depend on, with
        a warning, unless a gradient by it was computed with `create_graph` before.

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
    roots, wanted, given = (as_list(each) for each in (outputs, inputs, grad_outputs))
    if grad_outputs is None:
        given *= len(roots)
    require_arguments(roots, wanted, given)
    found = copy_context().run(_gradients_by, wanted, roots, given, create_graph)
    own = dict(private(found, given))
    gradients: list[Any] = []
    for x in wanted:  # one that is wanted twice gets another array the second time
        again = any(own[x] is gradient for gradient in gradients)
        gradients.append(dict(private({x: own[x]}))[x] if again else own[x])
    return gradients if isinstance(inputs, (list, tuple)) else gradients[0]


def _gradients_by(
    wanted: list[Variable], roots: list[Variable], given: list[Any], create_graph: bool
) -> dict[Variable, Array]:
    create_graph = _begin(create_graph)
    start = [
        (root._edge, first_gradient(root, gradient, create_graph))
        for root, gradient in zip(roots, given, strict=True)
    ]
    keep = {x.creator for x in wanted if x.creator is not None}
    reached, passed = _propagate(start, create_graph, keep)
    found: dict[Variable, Array] = {}
    for index, x in enumerate(wanted):
        if x in reached:
            found[x] = reached[x]
        elif x.creator in passed:
            found[x] = passed[x.creator][index_of(x._edge)]
        else:
            zeros = kind_of(x.data).zeros(x.shape, x.dtype, x.data)
            found[x] = constant_gradient(zeros, create_graph)
            if id(x) not in DIFFERENTIATED and not hasattr(x.grad, "creator"):  # none was recorded
                warn_of_independence("the result", f"input {index} of grad(), {label(x)}")
    if create_graph and mode.get().setting("warn_of_independence"):
        DIFFERENTIATED.update((id(x), x) for x in (*wanted, *reached))
    _conjugate(found)
    return found


def _conjugate(gradients: dict[Variable, Array]) -> None:
    """Turn the gradients of the pass into those that the user gets."""
    for x, gradient in gradients.items():
        if gradient.dtype.kind == "c":
            gradients[x] = conjugated(gradient)


class Arrivals:
    """Gradients on their way: where they have arrived, and which Function is next.

    The next Function is one of the highest generation, and of these the last that was reached, as
    in the book. All Functions of a higher generation are through by then, so no other gradient will
    arrive at it. For ``y = x * w; z = y + w; u = z * z``, from the end:

    ========  ======================================  =========================================
    next      sends gradients to                      so that there are
    ========  ======================================  =========================================
    (start)   Mul of u                                Mul of u: one gradient
    Mul of u  Add twice, once for each z              Add: the `Sum` of two
    Add       Mul of y, Leaf of w                     Mul of y: one, Leaf of w: one
    Mul of y  Leaf of x, Leaf of w                    Leaf of x: one, Leaf of w: the `Sum` of two
    ========  ======================================  =========================================

    Functions that were reached wait in a heap. Only the one that is next is kept out of it, in the
    variable `following` of the loop. So a chain needs neither the heap nor `totals`.
    Gradients that meet are added up as they arrive, from the second on in place (`Sum`).

    Attributes
    ----------
    waiting : list
        The heap.
    totals : dict
        The gradients that have arrived at each Leaf and at each Function in the heap: a single one,
        the Sum of several, or a list with one of these, or None, for each of several outputs.
    looks : bool
        Whether every gradient is checked. If all are ndarrays, only those of another shape or
        dtype than their edge are.
    """

    __slots__ = ("_create_graph", "_order", "looks", "totals", "waiting")

    def __init__(self, create_graph: bool) -> None:
        self._create_graph = self.looks = create_graph
        self._order = count(0, -1)
        self.waiting: list[tuple[int, int, Function]] = []
        self.totals: dict[Any, Any] = {}

    def begin(self, start: Iterable[tuple[Edge, Array]]) -> tuple[Any, Any]:
        """Let the gradients that the pass starts from arrive; return the same pair as `send`."""
        following: tuple[Any, Any] = (None, None)
        for edge, gradient in start:
            self.looks = self.looks or type(gradient) is not ndarray
            following = self.send(edge, gradient, *following)
        return following

    def send(self, edge: Edge, gx: Array, following: Any, gradient: Any) -> tuple[Any, Any]:
        """Let a gradient arrive at the Function to which `edge` leads.

        Return the Function that is next by now, and the gradient that has arrived there.
        """
        totals = self.totals
        if edge in totals:
            gather(totals, edge, gx)
        elif type(edge) is Port:
            function = edge.creator
            if function not in totals:
                self._wait(function, [None] * len(function._output_references))
            gather(totals[function], edge.index, gx)
        elif following is None:
            return edge, gx
        elif edge is following:
            self._wait(following, gradient)
            gather(totals, edge, gx)
            return None, None
        elif edge.generation < following.generation:  # as _wait, which takes the time of a call
            totals[edge] = gx
            heappush(self.waiting, (-edge.generation, next(self._order), edge))
        else:
            self._wait(following, gradient)
            return edge, gx
        return following, gradient

    def _wait(self, function: Function, total: Any) -> None:
        self.totals[function] = total
        heappush(self.waiting, (-function.generation, next(self._order), function))

    def next(self, following: Any, gradient: Any) -> tuple[Any, Any]:
        """Return the first Function of the heap, and the gradient that has arrived there."""
        if following is not None:
            self._wait(following, gradient)
        function = heappop(self.waiting)[2]
        total = self.totals.pop(function)
        return function, value_of(total) if type(total) is Sum else total

    def gradients_of_outputs(self, function: Function, total: Any) -> list[Any]:
        """Return the gradients of the outputs of a Function; none, if none goes through it.

        An output that was unchained is an input by now, and its gradient ends there. One that
        nobody used counts as zeros, unless the Function wants to know.
        """
        gys = [value_of(each) for each in (total if type(total) is list else [total])]
        cut: Iterable[int] = function._cuts if type(total) is list else ()
        if type(function._edges) is not tuple:
            if function._edges is FREED:
                output = function._output_at(0)
                name = "a Variable" if output is None else label(output)
                refuse(f"through {name}", output, FREED_BEFORE.format(type(function).__name__))
            cut = range(len(gys))
        for index in cut:
            output, gy, gys[index] = function._output_at(index), gys[index], None
            if output is not None and gy is not None:
                leaf: Leaf = object.__new__(Leaf)  # its data may be others by now
                leaf.variable = weakref.ref(output)
                self.totals[leaf] = gy
        if all(gy is None for gy in gys):
            return []
        return with_zeros(function, gys, self._create_graph) if function.materialize_grads else gys

    def at_variables(self) -> dict[Variable, Array]:
        """Return the gradients that have arrived at Variables which are alive.

        Raises
        ------
        GradientError (ValueError)
            If a Variable was used with data of several shapes.
        """
        gradients: dict[Variable, Array] = {}
        while self.totals:
            leaf, total = self.totals.popitem()
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


def _propagate(
    start: Iterable[tuple[Edge, Array]],
    create_graph: bool,
    keep: Container[Function],
    free_graph: bool = False,
) -> tuple[dict[Variable, Array], dict[Function, Sequence[Array]]]:
    """Send gradients back along the edges; return those of inputs, and of Functions in `keep`.

    Some of these arrays may be one and the same.
    """
    arrivals = Arrivals(create_graph)
    following, gradient = arrivals.begin(start)
    waiting, totals, looks = arrivals.waiting, arrivals.totals, arrivals.looks
    passed: dict[Function, Sequence[Array]] = {}
    observed = mode.get().observer is not None
    while following is not None or waiting:
        if waiting and (following is None or -waiting[0][0] > following.generation):
            following, gradient = arrivals.next(following, gradient)
        function, gy, edges = following, gradient, following._edges
        following = gradient = None
        if type(gy) is float64:  # on its way, a scalar is added faster than an array of shape ()
            gy = asarray(gy)
        if type(gy) is not ndarray or type(edges) is not tuple:
            gy = arrivals.gradients_of_outputs(function, gy)
            if not gy:
                continue
        if keep and function in keep:
            passed[function] = with_zeros(function, as_list(gy), create_graph)
        try:
            node = as_differentiable(function) if create_graph else function._as_recorded()
            if type(gy) is ndarray and not observed:
                gxs = node.backward(gy)
            else:
                gxs = run(function, node, "backward", as_list(gy))
            if type(gxs) is not tuple or len(gxs) != len(edges):
                gxs = as_gradients(function, gxs)
            for edge, gx in zip(edges, gxs):  # noqa: B905 (time)
                if edge is None or gx is None:
                    continue
                kind, to = type(gx), type(edge)
                if (kind is not ndarray and kind is not float64) or (
                    looks or gx.shape != edge._edge_shape or gx.dtype is not edge._edge_dtype
                ):
                    gx = fitted(function, edge, gx, gxs, gy, create_graph)
                # Arrivals.send, for the most frequent cases: called for each gradient, it would
                # take 4 % of a chain, and 8 % where paths meet.
                if edge in totals:
                    gather(totals, edge, gx)
                elif to is Leaf:
                    totals[edge] = gx
                elif following is None and to is not Port:
                    following, gradient = edge, gx
                else:
                    following, gradient = arrivals.send(edge, gx, following, gradient)
        except Exception as error:
            explain(error, function, "backward", gy)
            raise
        gxs = None  # frees these arrays now: the next step does not need them
        if free_graph:
            function._end(FREED)
    return arrivals.at_variables(), passed


# A method of Variable. This module imports `variable`, which therefore cannot import it.
Variable.backward = backward  # type: ignore[method-assign]
