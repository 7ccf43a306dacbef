"""Variables that a compiled function returns: they have no graph, and say so to a gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dezero_tools.functional.trees import branches_of

from dezero_core import Function, Variable
from dezero_core.extend import Leaf

from ..errors import ReplayError


class NoGraph(Function):
    """Stands in the place of the graph that a replayed call has not made."""

    saves = ()

    def backward(self, *gys: Any) -> Any:
        """Refuse the gradient."""
        raise ReplayError(
            "differentiate inside of the compiled function, or compile the function that "
            "differentiates it: compiled(functional.grad(f)). A gradient has arrived at a result "
            "of a compiled function, and that has no graph."
        )


def maker_of(x: Variable) -> Callable[[Any], Variable]:
    """Return a function that makes Variables of arrays, each like a result of eager code."""
    kind, name, edge, generation = type(x), x.name, x._edge, x.generation

    def made(data: Any) -> Variable:
        y: Any = Variable.__new__(kind)
        y.data, y.name, y.grad = data, name, None
        y._edge, y.generation = edge, generation
        return y

    return made


def without_graph(x: Variable) -> None:
    """Let go of the graph of a Variable; a gradient that arrives at it raises."""
    if x.creator is None:
        return
    node = NoGraph()
    constant = Variable(x.data)
    node._edges, node.needs_grad, node.generation = (Leaf(constant),), (True,), 0
    node._output_references = _nothing
    node._edge_shape, node._edge_dtype = x.data.shape, x.data.dtype
    node._prepare()
    x._edge, x.generation = node, 1


def without_graphs(result: Any) -> Any:
    """Let go of the graphs of a result of eager code, which may contain itself; return it."""
    waiting, seen = [result], {}
    while waiting:
        x = waiting.pop()
        if isinstance(x, Variable):
            without_graph(x)
        elif id(x) not in seen:
            seen[id(x)] = x
            waiting += branches_of(x) or ()
    return result


def _nothing() -> None:
    """Stand for a weak reference to an output that is no longer alive."""
