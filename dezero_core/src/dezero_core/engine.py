"""The loop of the backward pass: highest generation first.

`propagate` is the loop of the book. The heap and the sums of gradients are in `Arrivals`.
Gradients on their way live there, never on the Variables. In a plain pass they are arrays, and
everything runs at NumPy's speed; under ``create_graph`` they are Variables, and the same loop
records the graph of the gradient.
"""

from __future__ import annotations

import weakref
from collections.abc import Container, Iterable, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any, Literal

import numpy as np

from .arrays import Array
from .config import mode, run
from .errors import GradientError
from .gradients import Sum, as_differentiable, as_gradients, fitted, gather, value_of, with_zeros
from .graph import FREED, Edge, Leaf, Node, Port
from .notes import as_list, explain, freed, no_graph
from .variable import Variable, label

asarray, float64, ndarray = np.asarray, np.float64, np.ndarray
PLAIN = ndarray, Variable, float64


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
    """

    __slots__ = ("_create_graph", "_order", "checks_all", "totals", "waiting")

    def __init__(self, create_graph: bool) -> None:
        #: Whether `fitted` checks each gradient. If all are ndarrays, it need not check one of the
        #: right shape and dtype.
        self.checks_all = self._create_graph = create_graph
        self._order = count(0, -1)
        #: The heap.
        self.waiting: list[tuple[int, int, Node]] = []
        #: The gradients that have arrived at each Leaf and at each Function in the heap: a single
        #: one, the Sum of several, or a list with one of these, or None, for each of several
        #: outputs.
        self.totals: dict[Any, Any] = {}

    def begin(self, start: Iterable[tuple[Edge, Array]]) -> tuple[Any, Any]:
        """Let the gradients that the pass starts from arrive; return the same pair as `send`."""
        following = first = None
        for edge, gradient in start:
            self.checks_all = self.checks_all or type(gradient) is not ndarray
            following, first = self.send(edge, gradient, following, first)
        return following, first

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

    def _wait(self, function: Node, total: Any) -> None:
        self.totals[function] = total
        heappush(self.waiting, (-function.generation, next(self._order), function))

    def next(self, following: Any, gradient: Any) -> tuple[Any, Any]:
        """Return the first Function of the heap, and the gradient that has arrived there."""
        if following is not None:
            self._wait(following, gradient)
        function = heappop(self.waiting)[2]
        total = self.totals.pop(function)
        return function, value_of(total) if type(total) is Sum else total

    def gradients_of_outputs(self, function: Node, total: Any) -> list[Any]:
        """Return the gradients of the outputs of a Function; none, if none goes through it.

        An output that was unchained is an input by now: its gradient goes to a Leaf in `totals`.
        One that nobody used counts as zeros, unless the Function wants to know. A Function that an
        earlier pass has freed is a GraphError.
        """
        gys = [value_of(each) for each in (total if type(total) is list else [total])]
        cut: Iterable[int] = function._cuts if type(total) is list else ()
        if type(function._edges) is not tuple:
            if function._edges is FREED:
                output = function._output_at(0)
                name = "a Variable" if output is None else label(output)
                raise no_graph(f"through {name}", output, freed(function))
            cut = range(len(gys))
        for index in cut:
            output, gy, gys[index] = function._output_at(index), gys[index], None
            if output is not None and not output.generation and gy is not None:
                leaf: Leaf = object.__new__(Leaf)  # its data may be others by now
                leaf.variable = weakref.ref(output)
                self.totals[leaf] = gy
        if all(gy is None for gy in gys):
            return []
        return with_zeros(function, gys, self._create_graph) if function.materialize_grads else gys

    def at_variables(self) -> dict[Variable, Array]:
        """Return the gradients that have arrived at Variables which are alive."""
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
                    f"{gradient.shape}: these gradients cannot be added."
                )
        return gradients


def propagate(
    start: Iterable[tuple[Edge, Array]],
    create_graph: bool,
    keep: Literal[True] | Container[Node],
    free_graph: bool = False,
) -> tuple[dict[Variable, Array], dict[Node, Sequence[Array]]]:
    """Return the gradients of inputs, and those of Functions in `keep`; of all, if it is True."""
    arrivals = Arrivals(create_graph)
    following, gradient = arrivals.begin(start)
    waiting, totals, checks_all = arrivals.waiting, arrivals.totals, arrivals.checks_all
    passed: dict[Node, Sequence[Array]] = {}
    observed = mode.get().observer is not None
    while following is not None or waiting:
        if waiting and (following is None or -waiting[0][0] > following.generation):
            following, gradient = arrivals.next(following, gradient)
        function, gy, edges = following, gradient, following._edges
        following = gradient = None
        if type(gy) is float64:  # on its way, a scalar is added faster than an array of shape ()
            gy = asarray(gy)
        if type(gy) is list or type(edges) is not tuple:
            gy = arrivals.gradients_of_outputs(function, gy)
            if not gy:
                continue
        if keep and (keep is True or function in keep):
            passed[function] = with_zeros(function, as_list(gy), create_graph)
        try:
            node = as_differentiable(function) if create_graph else function._node_for_backward()
            if type(gy) in PLAIN and not observed:
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
                    checks_all or gx.shape != edge._edge_shape or gx.dtype is not edge._edge_dtype
                ):
                    gx = fitted(function, edge, gx, gxs, gy, create_graph)
                # Arrivals.send for the most frequent cases, without the time of a call.
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
