"""The calls of a Function with one operand and with two, which are nearly all there are.

`Function._apply` is the general form, for any operands, and takes three times as long on small
arrays. These two do the same, and leave everything unusual to it: constants other than arrays and
Python numbers, data that are no ndarray, several results, a result that is not of float32 or
float64, and every call that is observed. They may do nothing that `_apply` does not do.

Each class gets a copy of its own, in which CPython specialises attributes for that class alone. A
call by ``super()`` from a derived class goes to the general form.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from .config import RECORDING, mode
from .graph import Leaf, Saved, Spec, unsaved
from .notes import explain
from .variable import Variable

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
CONSTANTS = (float, int, np.ndarray)

# Attributes that are read in every call, as names of the module.
asarray, float64, ndarray = np.asarray, np.float64, np.ndarray
current_mode = mode.get
new_variable = Variable.__new__
reference = weakref.ref


def call_of(cls: Any) -> Callable[..., Any]:
    """Return the ``__call__`` for a Function class."""
    template = {1: _with_one, 2: _with_two}.get(_operands(cls), _with_any)
    call: Any = functools.update_wrapper(_own(template(cls), cls), cls.__call__)
    call.__qualname__ = f"{cls.__qualname__}.__call__"
    return call


def operator_of(cls: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that applies `cls` as `function` does, with two calls less on the way.

    It looks like `function`, with its name and documentation.
    """

    def of_one(x: Any) -> Any:
        return cls.__call__(cls(), x)

    def of_two(x0: Any, x1: Any) -> Any:
        return cls.__call__(cls(), x0, x1)

    def of_any(*xs: Any) -> Any:
        return cls.__call__(cls(), *xs)

    made = vars(cls).get("_operator")
    if made is None or made.__wrapped__ is not function:  # a plugin may be loaded again
        made = _own({1: of_one, 2: of_two}.get(_operands(cls), of_any), cls)
        cls._operator = functools.update_wrapper(made, function)
    return made


def _own(function: Any, cls: type) -> Any:
    code = function.__code__.replace(co_name=f"{cls.__name__}.{function.__name__}")
    return FunctionType(code, globals(), function.__name__, None, function.__closure__)


def _operands(cls: Any) -> int:
    """Return how many arrays ``forward`` takes, 0 if that is not one number."""
    forward = inspect.getattr_static(cls, "forward")
    code: Any = getattr(forward, "__code__", None)
    if code is None or code.co_kwonlyargcount or forward.__defaults__:
        return 0
    takes_any = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return 0 if takes_any else code.co_argcount - 1


def _with_any(cls: Any) -> Callable[..., Any]:
    def call(self: Any, *inputs: Any) -> Any:
        return self._apply(*inputs)

    return call


def _with_one(cls: Any) -> Callable[..., Any]:
    has_state, saves_inputs, saves_outputs = cls._has_state, cls._saves_inputs, cls._saves_outputs

    def call(self: Any, x: Any) -> Any:
        mode = current_mode()
        if (
            self._applied
            or not isinstance(x, Variable)
            or type(x.data) is not ndarray
            or type(self) is not cls
            or (mode is not RECORDING and mode.observer is not None)
        ):
            return self._apply(x)
        self._applied = True
        if has_state and self._given is None:
            self._given = self._constants_given()
        a = x.data
        try:
            y = self.forward(a)
        except Exception as error:
            explain(error, self, "forward", (a,))
            raise
        if type(y) is not ndarray:
            if type(y) is not float64:
                return self._results((x,), (a,), y)
            y = asarray(y)
        dtype = y.dtype
        if dtype is not FLOAT64 and dtype is not FLOAT32:
            return self._results((x,), (a,), y)
        output: Any = new_variable(Variable)
        output.data = y
        output.name = output.grad = None
        if mode is not RECORDING and not mode.records:
            output.generation = 0
            output._edge = mode
            return output
        generation, edge = x.generation, x._edge
        if generation == 0 and (type(edge) is not Leaf or edge.array() is not a):
            edge = x.edge_of_input()
            if edge is None:
                return self._results((x,), (a,), y)
        output.generation = generation + 1
        output._edge = self
        self.generation = generation
        self._edges = (edge,)
        self.needs_grad = (True,)
        self._edge_shape, self._edge_dtype = y.shape, dtype
        self._output_references = reference(output)
        if saves_inputs:
            self._saved_inputs = (x,)
            self._input_arrays = (a,)
        if saves_outputs:
            self._output_arrays = (y,)
        return output

    return call


def _with_two(cls: Any) -> Callable[..., Any]:
    has_state, saves_inputs, saves_outputs = cls._has_state, cls._saves_inputs, cls._saves_outputs
    saves_others = cls._saves_others

    def call(self: Any, x0: Any, x1: Any) -> Any:
        mode = current_mode()
        is_0, is_1 = isinstance(x0, Variable), isinstance(x1, Variable)
        a0 = x0.data if is_0 else x0
        a1 = x1.data if is_1 else x1
        if (
            self._applied
            or type(self) is not cls
            or (type(a0) is not ndarray if is_0 else type(a0) not in CONSTANTS)
            or (type(a1) is not ndarray if is_1 else type(a1) not in CONSTANTS)
            or (mode is not RECORDING and mode.observer is not None)
        ):
            return self._apply(x0, x1)
        self._applied = True
        if has_state and self._given is None:
            self._given = self._constants_given()
        try:
            y = self.forward(a0, a1)
        except Exception as error:
            explain(error, self, "forward", (a0, a1))
            raise
        if type(y) is not ndarray:
            if type(y) is not float64:
                return self._results((x0, x1), (a0, a1), y)
            y = asarray(y)
        dtype = y.dtype
        if dtype is not FLOAT64 and dtype is not FLOAT32:
            return self._results((x0, x1), (a0, a1), y)
        output: Any = new_variable(Variable)
        output.data = y
        output.name = output.grad = None
        if mode is not RECORDING and not mode.records:
            output.generation = 0
            output._edge = mode
            return output
        if is_0 and is_1:
            generation, edge_0, edge_1 = x0.generation, x0._edge, x1._edge
            if generation == 0 and (type(edge_0) is not Leaf or edge_0.array() is not a0):
                edge_0 = x0.edge_of_input()
            if x1.generation == 0:
                if type(edge_1) is not Leaf or edge_1.array() is not a1:
                    edge_1 = x1.edge_of_input()
            elif x1.generation > generation:
                generation = x1.generation
            if edge_0 is None or edge_1 is None:
                return self._results((x0, x1), (a0, a1), y)
            self._edges = edge_0, edge_1
            self.needs_grad = (True, True)
            if saves_inputs:
                self._saved_inputs = x0, x1
                self._input_arrays = a0, a1
        elif is_0 or is_1:
            x = x0 if is_0 else x1
            generation, edge = x.generation, x._edge
            if generation == 0 and (type(edge) is not Leaf or edge.array() is not x.data):
                edge = x.edge_of_input()
                if edge is None:
                    return self._results((x0, x1), (a0, a1), y)
            self._edges = (edge, None) if is_0 else (None, edge)
            self.needs_grad = is_0, is_1
            if saves_inputs:
                kept = unsaved(edge, cls) if saves_others else x
                self._saved_inputs = (kept, Saved(x1)) if is_0 else (Saved(x0), kept)
                self._input_arrays = None if saves_others else (a0, a1)
            elif not is_0 and type(x0) is ndarray:
                self._constants = {0: Spec(x0.shape, x0.dtype)}
            elif not is_1 and type(x1) is ndarray:
                self._constants = {1: Spec(x1.shape, x1.dtype)}
        else:
            return self._results((x0, x1), (a0, a1), y)
        self.generation = generation
        self._edge_shape, self._edge_dtype = y.shape, dtype
        if saves_outputs:
            self._output_arrays = (y,)
        self._output_references = reference(output)
        output.generation = generation + 1
        output._edge = self
        return output

    return call
