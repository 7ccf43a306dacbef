"""Who provides an operation, and who uses it: for messages, notes of errors, and observers."""

from __future__ import annotations

import reprlib
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from functools import partial
from time import perf_counter
from types import FunctionType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .array_types import call_by_type
from .arrays import advice_for
from .config import mode, warns
from .contests import PLUGINS, load_awaited
from .errors import (
    PACKAGES,
    ApproximateGradientWarning,
    DezeroError,
    VariableTypeError,
    attempt,
    fold_frames,
    shown,
    user_line,
    user_place,
)
from .slots import advice_on, distribution_of, in_numpy

PROVENANCE: dict[Any, Any] = {}
"""Function class, public function, or module of them -> record of the plugin that provides it."""

DIFFERENTIATED: WeakValueDictionary[int, Any] = WeakValueDictionary()
"""Identity -> Variable by which a recorded gradient was computed, which may not depend on it."""

_warned: dict[Any, Any] = {}


def described(function: Any, method: str) -> str:
    """Return how messages name a method: ``Mul.forward of plugin 'basic' (…-basic 0.1.0)``."""
    cls = type(function)
    return f"{shown(cls.__name__)}.{method} of {provider_of(cls)}"


def provider_of(cls: type) -> Any:
    """Return how messages name the origin of a Function class."""
    return plugin_of(cls) or f"module {shown(cls.__module__)}"


def plugin_of(cls: type) -> Any:
    """Return the record of the plugin that a Function class is from, None if it is from none."""
    load_awaited()
    # Its module, where the plugin has announced it and the class was imported before it was bound.
    return PROVENANCE.get(cls) or PROVENANCE.get(cls.__module__)


def as_list(one_or_more: Any) -> list[Any]:
    """Return a list or tuple as a list, anything else as the list of this one."""
    return list(one_or_more) if isinstance(one_or_more, (list, tuple)) else [one_or_more]


def explain(error: Exception, function: Any, method: str, arrays: Any) -> None:
    """Add a note to an error that left an operation: which, with what, called where."""
    fold_frames(error)
    given = ", ".join(map(written, as_list(arrays)))
    note = f"in {described(function, method)}, given {given}"
    told = getattr(error, "where", None) if isinstance(error, DezeroError) else None
    where, line = getattr(function, "_where", None), user_line()
    if line != told:
        note += f", called at {line}"
    if method == "backward" and not where:
        note += (
            "; to see the line that applied it, run the forward pass inside of "
            "`with dezero_tools.checked():`"
        )
    elif method == "backward" and where != told:
        note += f"; it was applied at {where}"
    add_notes(error, note)


def add_notes(error: Exception, *notes: str) -> None:
    """Add notes to an error, of any class; the last is the advice that NumPy's own error hides.

    Of ``a[i] = x`` NumPy says "setting an array element with a sequence"; our refusal is its cause.
    """
    advice = str(error.__cause__) if isinstance(error.__cause__, VariableTypeError) else ""
    if advice and advice not in getattr(error, "__notes__", ()):
        notes += (advice,)
    for note in notes:
        attempt(partial(BaseException.add_note, error, note))  # its own may raise


def explain_call(error: Exception, name: str, function: Any, arguments: Any) -> None:
    """Add a note to an error that left a function outside of any Function, unless it has one."""
    if any(", given " in note for note in getattr(error, "__notes__", ())):
        return
    fold_frames(error)
    module = getattr(function, "__module__", "")
    own = PROVENANCE.get(function) if isinstance(function, FunctionType) else None
    provider = own or PROVENANCE.get(module) or f"module {module}"
    given = ", ".join(map(written, arguments))
    add_notes(error, f"in {name} of {provider}, given {given}, called at {user_line()}")


ENDS = ("matplotlib.", "mpl_toolkits.", "numpy.testing.")
"""Beginnings of the names of functions that show or compare values: no gradient goes on there."""


def why_no_array(asks: str | None, is_written: bool) -> str:
    """Return the message that a Variable does not turn into an ndarray: first what to write.

    `asks` is the `library_function` that wants one; None if it is the user's program, which may
    be about to write the Variable into an array.
    """
    package = (asks or "").partition(".")[0]
    if asks is None and is_written:
        advice = "use np.stack([...]) or np.concatenate in place of filling an array, or np.where."
    elif asks is None or asks == "numpy.full":
        advice = (
            "use np.stack([x, y]) in place of np.array([x, y]), x in place of np.asarray(x), and "
            "np.broadcast_to(x, shape) in place of np.full(shape, x), or dezero_tools.numpy as np, "
            "with its array and full; for values alone, as in np.int64(x), x.data."
        )
    elif package == "numpy":
        advice = (
            f"{asks} takes arrays: for values alone, give it x.data; in place of a list of "
            "Variables, np.stack([x, y]), or import dezero_tools.numpy as np, which takes lists."
        )
    elif package == "scipy":
        advice = _for_scipy(asks)
    else:
        advice = advice_for(asks)
    return (
        f"{advice} A Variable does not turn into an ndarray by itself: its gradient would be lost "
        "without a word."
    )


def _for_scipy(function: str) -> str:
    """Return the advice for a function of SciPy's, such as ``"scipy.linalg.inv"``."""
    module, (what_to_do, distribution) = function.split(".")[1], advice_on(function)
    if module == "sparse":
        return "a sparse matrix takes arrays: write S.toarray() @ x, or a Function for a large S."
    how = "write f(x) that calls it, and dezero_tools.numeric_op(f)(x). For a constant, x.data."
    if operation := "np.fft" if module == "fft" else _namesake(function, module):
        how = f"{operation} has a gradient; its defaults may differ. For a constant, x.data."
    elif distribution is not None:
        how = f"for a constant, give it x.data. {what_to_do}."
    return f"{function} takes arrays: {how}"


def _namesake(function: str, module: str) -> str | None:
    """Return the operation of that name of a loaded plugin, as users write it, or None.

    The distribution that has this function of SciPy's comes before the other plugins.
    """
    name, first = function.rpartition(".")[2], distribution_of(function)
    # In other modules, such as ndimage, functions of one name do something else.
    plugins = PLUGINS.values() if module in ("integrate", "linalg", "special") else ()
    for plugin in sorted(plugins, key=lambda each: each.record.distribution != first):
        package = PACKAGES.get(plugin.key, "")
        for operation in plugin.record.operations:
            if operation.rpartition(".")[2] == name:
                if callable(in_numpy(operation)):
                    return f"np.{operation}"
                if operation in dir(sys.modules.get(package)):
                    return f"{package}.{operation}"
    return None


def written(x: Any) -> str:
    """Return how messages write an operand: ``float64[2, 3]``, or a number."""
    # Classes and np.finfo have a dtype, too.
    array = hasattr(x, "dtype") and isinstance(getattr(x, "shape", None), tuple)
    return f"{x.dtype}{list(x.shape)}" if array else reprlib.repr(x)


def warn_of_approximation(cls: type, how: str) -> None:
    """Warn that a gradient goes through an operation that is not exact."""
    message = f"a gradient goes through {cls.__name__} of {provider_of(cls)}: {shown(str(how))}."
    _warn(message, ApproximateGradientWarning)


def warn_of_independence(result: str, of: str) -> None:
    """Warn of a gradient that is zeros; not where derivatives of linear functions are usual."""
    if warns.get() and not mode.get().differentiated:
        advice = "Where that is right: with using_config('warn_of_independence', False)."
        _warn(f"{result} does not depend on {of}: the gradient is zeros. {advice}", UserWarning)


def warn_of_input(x: Any, of: str) -> None:
    """Warn that outputs of `grad` do not depend on a Variable, unless they may be gradients."""
    if id(x) not in DIFFERENTIATED and not hasattr(x.grad, "creator"):
        warn_of_independence("the result", of)


def _warn(message: str, category: type[Warning]) -> None:
    """Warn once for each line of the user."""
    file, line = user_place()
    registry = _warned.setdefault(file, {})
    warnings.warn_explicit(message, category, file, line, registry=registry)


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
    node : Function
        On which it runs: `function`, or a stand-in for it.
    seconds : float
        How long it took, without the observers and without calls inside of it.
    parent : ObservedCall or None
        The call inside of which this one is: a ``backward`` under ``create_graph``.
    """

    def __init__(self, function: Any, method: str, inputs: Sequence[Any]) -> None:
        self.function, self.method, self.operation = function, method, type(function).__name__
        self.inputs = tuple(inputs)
        self.outputs: tuple[Any, ...] = ()
        self.where: str | None = getattr(function, "_where", None)
        self.seconds = self._inside = 0.0
        self.parent: ObservedCall | None = None

    @property
    def plugin(self) -> str:
        """Name of the plugin that the Function is from, or of its module."""
        return str(getattr(plugin_of(type(self.function)), "name", type(self.function).__module__))

    def parents(self) -> Iterator[ObservedCall]:
        """Yield the calls inside of which this one is, the innermost first."""
        outer = self.parent
        while outer is not None:
            yield outer
            outer = outer.parent

    def run(self, node: Any, observers: tuple[Any, ...]) -> Any:
        """Run it on `node`, the Function or a stand-in for it, and show it to the observers.

        An observer that has a method `run_body` gets the call to run it.
        """
        self.parent, self.node = _running.get(), node
        runs = next((x.run_body for x in observers if hasattr(x, "run_body")), None)
        if runs is not None and len(observers) == 1:
            return runs(self)
        token = _running.set(self)
        entered = perf_counter()
        try:
            show(observers, "before", self)
            body = getattr(node, self.method)
            self._inside = 0.0
            began = perf_counter()
            result = call_by_type(body, self.inputs, {}) if runs is None else runs(self)
            self.seconds = perf_counter() - began - self._inside
            self.outputs = result if isinstance(result, tuple) else (result,)
            show(observers[::-1], "after", self)
        finally:
            _running.reset(token)
            if self.parent is not None:
                self.parent._inside += perf_counter() - entered
        return result


def show(observers: tuple[Any, ...], method: str, what: Any) -> None:
    """Call a method of those observers that have it; their computations are not shown to them."""
    observers = tuple([x for x in observers if hasattr(x, method)])
    if not observers:
        return
    token = mode.set(mode.get().changed(observers=(), in_backward=False))
    try:
        for observer in observers:
            getattr(observer, method)(what)
    finally:
        mode.reset(token)


class Shown:
    """A Function whose ``forward`` and ``backward`` are shown to observers.

    Parameters
    ----------
    function : Function
    node : Function
        The same, or a stand-in for it, on which the method runs.
    observers : tuple
    """

    def __init__(self, function: Any, node: Any, observers: tuple[Any, ...]) -> None:
        self._function, self._node, self._observers = function, node, observers

    def forward(self, *xs: Any) -> Any:
        """Run ``forward``, and keep for later which line of the user applies the Function."""
        self._function._where = user_line()
        return ObservedCall(self._function, "forward", xs).run(self._node, self._observers)

    def backward(self, *gys: Any) -> Any:
        """Run ``backward``."""
        return ObservedCall(self._function, "backward", gys).run(self._node, self._observers)


def backward_of(node: Any, gys: Sequence[Any]) -> Any:
    """Run ``backward`` as the type of the gradients does; `Shown` does so by itself."""
    as_it_is = type(gys[0]) is np.ndarray or type(node) is Shown
    return node.backward(*gys) if as_it_is else call_by_type(node.backward, gys, {})
