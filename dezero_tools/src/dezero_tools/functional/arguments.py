"""The node of the graph that stands for an argument of a differentiated function."""

from __future__ import annotations

from dezero_core import Function
from dezero_core.extend import Array


class Argument(Function):
    """The identity: gives an argument a node of its own, by which the function is differentiated.

    The caller's Variable cannot be that node. In a nested call the function may also reach the
    Variable through its closure, and that use must not count; and a function may return its
    argument unchanged.
    """

    saves = ()
    #: Whether nobody can ask for a gradient by this argument any more: the argument was an array,
    #: and the call of the function has ended.
    ended = False

    def forward(self, x: Array) -> Array:
        return x

    def backward(self, gy: Array) -> Array:
        return gy
