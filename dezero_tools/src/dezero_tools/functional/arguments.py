"""The places in a graph that a function is differentiated by."""

from __future__ import annotations

from dezero_core.function import Function
from dezero_core.variable import Array


class Argument(Function):
    """The same value at a place of its own in the graph: what a function is differentiated by.

    The Variable itself would not do: in a nested call the function may reach it by other ways,
    too; and a function may return it as it is.
    """

    saves = ()
    #: Whether nobody can ask for a gradient by it any more: it stood for an array, and the call of
    #: the function has ended.
    ended = False

    def forward(self, x: Array) -> Array:
        return x

    def backward(self, gy: Array) -> Array:
        return gy
