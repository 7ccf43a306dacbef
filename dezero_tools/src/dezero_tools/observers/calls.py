"""Observers, the calls of Functions as they see them, and the object that shows them to these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from time import perf_counter
from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import NUMPY, call_by_type, kind_of, mode, plugin_of

_running: ContextVar[ObservedCall | None] = ContextVar("dezero_running", default=None)


class ObservedCall:
    """One run of ``forward`` or ``backward`` of a Function, as observers see it.

    Attributes
    ----------
    function : Function
    method, operation : str
        ``"forward"`` or ``"backward"``; name of the Function class.
    inputs, outputs : tuple
        Arrays that it was given, and that it returned, none before it has run: in ``backward``
        gradients, None for no gradient, and Variables under ``create_graph``.
    where : str or None
        The user's line that applied the Function: ``"main.py:12"``, if an observer was active.
    seconds : float
        How long it took, without the observers and without calls inside of it.
    parent : ObservedCall or None
        The call that contains this one: a ``backward`` under ``create_graph``.
    """

    def __init__(self, function: Any, method: str, inputs: Sequence[Any]) -> None:
        self.function, self.method, self.operation = function, method, type(function).__name__
        self.inputs = tuple(inputs)
        self.outputs: tuple[Any, ...] = ()
        self.where: str | None = getattr(function, "_where", None)
        self.seconds = self._inside = 0.0
        self.parent: ObservedCall | None = _running.get()

    @property
    def plugin(self) -> str:
        """Name of the plugin that the Function is from, or of its module."""
        return str(getattr(plugin_of(type(self.function)), "name", type(self.function).__module__))

    def parents(self) -> Iterator[ObservedCall]:
        """Yield the calls that contain this one, the innermost first."""
        outer = self.parent
        while outer is not None:
            yield outer
            outer = outer.parent


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
    >>> square = numeric_op(np.square)
    >>> with observe(Largest()) as largest:
    ...     y = square(Variable(np.array([1.0, -3.0])))
    >>> float(largest.value)
    9.0
    """

    def start(self) -> None:
        """Prepare, when the block begins."""

    def stop(self) -> None:
        """Clean up, when the block ends."""

    def before(self, call: ObservedCall) -> None:
        """Look at a call before it runs."""

    def after(self, call: ObservedCall) -> None:
        """Look at a call after it has run, and at its outputs."""

    def recorded(self, function: Function) -> None:
        """Look at a Function that has become a node of the graph, and at what it saves."""

    def written(self, variable: Variable) -> None:
        """Look at a Variable before something is written into it, as by ``x[i] = v``."""


class Observers:
    """The observers of a block, as the core asks for them: one object that runs every call."""

    def __init__(self, observers: tuple[Any, ...]) -> None:
        self.observers = observers

    def run(self, function: Any, node: Any, method: str, arrays: Sequence[Any]) -> Any:
        """Run a method of a Function on `node`, and show it to the observers."""
        call = ObservedCall(function, method, arrays)
        token = _running.set(call)
        entered = perf_counter()
        try:
            self._show("before", call)
            call._inside = 0.0
            began = perf_counter()
            result = call_by_type(getattr(node, method), call.inputs, {})
            call.seconds = perf_counter() - began - call._inside
            call.outputs = result if isinstance(result, tuple) else (result,)
            self._show("after", call)
        finally:
            _running.reset(token)
            if call.parent is not None:
                call.parent._inside += perf_counter() - entered
        return result

    def recorded(self, function: Any) -> None:
        """Show a Function that has become a node of the graph."""
        self._show("recorded", function)

    def written(self, variable: Any) -> None:
        """Show a Variable that is about to be written into."""
        self._show("written", variable)

    def _show(self, method: str, what: Any) -> None:
        """Call a method of each observer. Their own computations are not shown to observers."""
        observers = self.observers if method != "after" else self.observers[::-1]
        token = mode.set(mode.get().changed(observer=None, in_backward=False))
        try:
            for observer in observers:
                getattr(observer, method)(what)
        finally:
            mode.reset(token)


def array_of(x: Any) -> Any:
    """Return the values of `x` as an array; an empty one if `x` has none: a list, a lazy array."""
    if isinstance(x, Variable):
        x = x.data
    kind = kind_of(x)
    if kind is not NUMPY and not kind.lazy:
        return kind.to_numpy(x)
    return np.asarray(x if isinstance(x, (np.ndarray, np.generic, float, complex)) else ())


def place(position: Sequence[int]) -> str:
    """Return the place of an element as messages write it: ``[1, 0]``."""
    return f"[{', '.join(map(str, position))}]" if len(position) else "its one element"
