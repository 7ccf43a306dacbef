"""The calls of Functions as observers see them, and the object that shows them to these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from time import perf_counter
from typing import Any

from dezero_core.extend import call_by_type, mode, plugin_of

_running: ContextVar[ObservedCall | None] = ContextVar("dezero_running", default=None)


class ObservedCall:
    """One run of ``forward`` or ``backward`` of a Function, as observers see it.

    Attributes
    ----------
    function : Function
    method, operation : str
        ``"forward"`` or ``"backward"``; name of the Function class.
    inputs, outputs : tuple
        Arrays that it was given, and that it returned: gradients in ``backward``, where None is
        for no gradient, and Variables take the place of arrays under ``create_graph``. There are
        no outputs before it has run.
    where : str or None
        The user's line that applied the Function: ``"main.py:12"``. None if no observer was
        active then.
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


class Observers:
    """The observers of a block, as the core asks for them: one object that runs every call.

    If something else ran the calls outside of the block, as dezero-replay does, that `runner` still
    does.
    """

    def __init__(self, observers: tuple[Any, ...], runner: Any = None) -> None:
        self.observers, self.runner = observers, runner

    def run(self, function: Any, node: Any, method: str, arrays: Sequence[Any]) -> Any:
        """Run a method of a Function on `node`, and show it to the observers."""
        call = ObservedCall(function, method, arrays)
        token = _running.set(call)
        entered = perf_counter()
        try:
            self._show("before", call)
            call._inside = 0.0
            began = perf_counter()
            if self.runner is None:
                result = call_by_type(getattr(node, method), call.inputs, {})
            else:
                result = self.runner.run(function, node, method, call.inputs)
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

    def _show(self, method: str, what: Any) -> None:
        """Call a method of each observer. Their own computations are not shown to observers."""
        observers = self.observers if method != "after" else self.observers[::-1]
        token = mode.set(mode.get().changed(observer=None, in_backward=False))
        try:
            for observer in observers:
                getattr(observer, method)(what)
        finally:
            mode.reset(token)
