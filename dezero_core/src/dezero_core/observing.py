"""What observers see: each run of ``forward`` and ``backward``, while one is active."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from time import perf_counter
from typing import TYPE_CHECKING, Any

from .config import mode
from .errors import user_line
from .provenance import plugin_of

if TYPE_CHECKING:
    from .function import Function


_running: ContextVar[ObservedCall | None] = ContextVar("dezero_running", default=None)


class ObservedCall:
    """One run of ``forward`` or ``backward`` of a Function.

    Attributes
    ----------
    function : Function
    method : str
        ``"forward"`` or ``"backward"``.
    operation : str
        Name of the Function class.
    plugin : str
        Name of the plugin that it is from; of its module, if that is no plugin's.
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
        The call inside of which this one is: a ``backward`` under ``create_graph``.
    """

    def __init__(self, function: Function, method: str, inputs: Sequence[Any]) -> None:
        cls = type(function)
        self.function, self.method, self.operation = function, method, cls.__name__
        plugin = plugin_of(cls)
        self.plugin: str = cls.__module__ if plugin is None else plugin.name
        self.inputs = tuple(inputs)
        self.outputs: tuple[Any, ...] = ()
        self.where: str | None = getattr(function, "_where", None)
        self.seconds = 0.0
        self.parent: ObservedCall | None = None
        self._inside = 0.0

    def parents(self) -> Iterator[ObservedCall]:
        """Yield the calls inside of which this one is, the innermost first."""
        outer = self.parent
        while outer is not None:
            yield outer
            outer = outer.parent

    def run(self, node: Function, observers: tuple[Any, ...]) -> Any:
        """Run it on `node`, the Function or what stands for it, and show it to the observers."""
        self.parent = _running.get()
        token = _running.set(self)
        entered = perf_counter()
        try:
            show(observers, "before", self)
            body = getattr(node, self.method)
            self._inside = 0.0
            began = perf_counter()
            result = body(*self.inputs)
            self.seconds = perf_counter() - began - self._inside
            self.outputs = result if isinstance(result, tuple) else (result,)
            show(observers[::-1], "after", self)
        finally:
            _running.reset(token)
            if self.parent is not None:
                self.parent._inside += perf_counter() - entered
        return result


def show(observers: tuple[Any, ...], method: str, what: Any) -> None:
    """Call a method of the observers; what they compute themselves is not shown to them."""
    token = mode.set(mode.get().changed(observers=()))
    try:
        for observer in observers:
            getattr(observer, method)(what)
    finally:
        mode.reset(token)


def forward(function: Function, xs: Sequence[Any], observers: tuple[Any, ...]) -> Any:
    """Run ``forward``, and note for later which line of the user applies the Function."""
    function._where = user_line()
    return ObservedCall(function, "forward", xs).run(function, observers)


def backward(
    function: Function, node: Function, gys: Sequence[Any], observers: tuple[Any, ...]
) -> Any:
    """Run ``backward`` of a Function, on what the pass calls it on."""
    return ObservedCall(function, "backward", gys).run(node, observers)
