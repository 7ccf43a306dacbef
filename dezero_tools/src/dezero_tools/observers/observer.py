"""The base class of all observers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dezero_core import Function
    from dezero_tools.observers.calls import ObservedCall


class Observer:
    """Base class of observers. Override the methods that you need.

    ``with observe(observer):`` starts the observer. It sees the calls of Functions in this block,
    from the same thread and asyncio task. An exception in one of its methods stops the calculation.

    Examples
    --------
    >>> class Largest(Observer):
    ...     value = 0.0
    ...
    ...     def after(self, call):
    ...         for y in call.outputs:
    ...             if y is not None:  # a gradient that nobody wants
    ...                 self.value = max(self.value, np.max(np.abs(y)))
    >>> class Double(Function):
    ...     def forward(self, x):
    ...         return 2.0 * x
    >>> with observe(Largest()) as largest:
    ...     y = Double()(Double()(Variable(np.array([1.0, -3.0]))))
    >>> float(largest.value)
    12.0
    """

    def start(self) -> None:
        """Prepare, when the block begins."""

    def stop(self) -> None:
        """Clean up, when the block ends."""

    def before(self, call: ObservedCall) -> None:
        """Look at a call before it runs.

        Parameters
        ----------
        call : ObservedCall
        """

    def after(self, call: ObservedCall) -> None:
        """Look at a call after it has run, and at its outputs.

        Parameters
        ----------
        call : ObservedCall
        """

    def recorded(self, function: Function) -> None:
        """Look at a Function that has become a node of the graph, and at the arrays that it saves.

        Parameters
        ----------
        function : Function
        """
