"""What an observer is: the base class of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dezero_core.function import Function
    from dezero_core.observing import ObservedCall


class Observer:
    """Base class of observers; override what is of interest.

    An observer is started by the block that it is given to, and sees the calls of Functions that
    are made in that block, by the same thread and asyncio task. What one of its methods raises
    stops the calculation.

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
        """Prepare; the block begins."""

    def stop(self) -> None:
        """Clean up; the block ends."""

    def before(self, call: ObservedCall) -> None:
        """Look at a call that is about to run.

        Parameters
        ----------
        call : ObservedCall
        """

    def after(self, call: ObservedCall) -> None:
        """Look at a call that has run, and at what it returned.

        Parameters
        ----------
        call : ObservedCall
        """

    def recorded(self, function: Function) -> None:
        """Look at a Function that has become a node of the graph, with all that it saves.

        Parameters
        ----------
        function : Function
        """
