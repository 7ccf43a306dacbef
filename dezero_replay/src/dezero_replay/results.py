"""Variables that a replayed call returns."""

from __future__ import annotations

from typing import Any

from dezero_core import Function, Variable
from dezero_core.edges import Leaf

from .errors import ReplayError


class Replayed(Function):
    """Stands in the place of the graph that a replayed call has not made."""

    def backward(self, *gys: Any) -> Any:
        raise ReplayError(
            "a gradient arrives at a result of a compiled function, which has no graph. "
            "Differentiate inside of the function, or compile the function of which it is a part."
        )

    @staticmethod
    def variable(data: Any, result: Any) -> Variable:
        """Return a Variable for a result."""
        y = Variable(data, result.name)
        if result.edge is True:
            node = Replayed()
            node._edges = (Leaf(y),)
            node.needs_grad, node.generation = (True,), 0
            node._output_references = lambda: None
            node._edge_shape, node._edge_dtype = data.shape, data.dtype
            node._kept_inputs = (y,)
            node._saved_inputs = None
            y._edge, y.generation = node, 1
        else:
            y._edge = result.edge
        return y
