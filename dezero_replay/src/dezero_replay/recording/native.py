"""Calls of functions in C: what a recording knows of each, and how it makes the call.

A function that is not known here ends the recording. NumPy's functions note themselves when they
meet a recording array.
"""

from __future__ import annotations

import _warnings
import functools
import itertools
import operator
import sys
from collections import deque
from contextvars import Context, ContextVar
from types import FunctionType, GeneratorType, MethodType, MethodWrapperType, ModuleType
from typing import Any

import numpy as np
from dezero_tools.batches.batch import RUNNING

from dezero_core import Variable
from dezero_core.extend import IN_USE, mode

from ..guards.places import Place
from ..guards.reads import CONTAINERS
from ..source.copies import is_copy
from ..tape.classes import MISSING, is_a, is_fixed, is_own, module_of
from ..tape.draws import GENERATORS, is_draw
from ..tape.instructions import Draw
from ..tape.nested import ATOMS, has_any
from ..tape.recorded import Recorded, contents, emit
from ..tape.stop import Stop, is_of_library
from .builtin import BY_KEY, CHANGES, HANDLERS, SLOTS
from .collector import collector_off
from .known import (
    IMMUTABLE,
    NATIVE,
    OF_ITEMS,
    OF_STRUCTURE,
    OF_VALUES,
    OPERATORS,
    READING,
    acts,
    is_of_numpy,
)

#: They look at the type of what a special method returns.
_CONVERSIONS = (int, float, complex, bytes, operator.index)
_FUNCTIONS = frozenset({FunctionType, MethodType, functools.partial})


class Native:
    """Makes the calls of functions in C for a recorder."""

    def __init__(self, recorder: Any) -> None:
        self.recorder, self.around, self.tape = recorder, recorder.around, recorder.tape

    def __call__(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Call a function or type in C."""
        owner = getattr(function, "__self__", None)
        if type(function) in NATIVE[1:2] + NATIVE[3:5]:  # as dict.get: a method without its object
            owner, args = args[0], args[1:]
            if type(owner) is Recorded:
                return getattr(owner, function.__name__)(*args, **kwargs)
            function = function.__get__(owner)
        handler = HANDLERS.get(function)
        if handler is not None:
            try:
                return handler(self, *args, **kwargs)
            except Stop as stop:
                if stop.acts or not self.around.in_body:
                    raise
                return function(*contents(tuple(args)), **contents(kwargs))
        if function in OF_VALUES or (is_a(function, type) and issubclass(function, np.generic)):
            return self.of_values(function, args, kwargs)
        if function in OF_ITEMS:
            return self.of_items(function, args, kwargs)
        if function in OF_STRUCTURE:
            args = [self.recorder.shallow(x) for x in args]
            return self.watched(function, args, kwargs)
        if not (owner is None or is_a(owner, ModuleType)):
            return self._of_object(owner, function, args, kwargs)
        if is_of_numpy(function):
            return self.of_numpy(function, args, kwargs)
        return self.foreign(function, args, kwargs)

    def foreign(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Call a function that nobody knows, if a body that runs as it is calls it."""
        stop = unknown(function)
        if stop.acts or not self.around.in_body:
            raise stop
        given = [self._if_function(x) for x in contents(tuple(args))]
        return function(*given, **contents(kwargs))

    def of_values(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Call a function whose result depends on values alone: an instruction, if one records."""
        if function in OPERATORS and not args[2:]:
            return getattr(self.recorder.scope, OPERATORS[function])(*args)
        method = args and self.recorder.special(args[0], f"__{getattr(function, '__name__', '')}__")
        if method:
            found = self.recorder.call(method, *args[1:])
            if function not in _CONVERSIONS:
                return found
            args = (found,)
        given = tuple([self._value(x) for x in args])
        function = operator.abs if function is abs else function
        if has_any((given, kwargs), Recorded):
            return emit(self.tape, function, given, kwargs, True)
        return self.watched(function, given, kwargs)

    def _value(self, x: Any) -> Any:
        self.recorder.require_seen(x)
        return self.recorder.whole(x)

    def of_items(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Call a function that calls operators of items, or a function that it is given."""
        scope = self.recorder.scope
        if function is filter and args[0] is None:
            args = (scope.truth, *args[1:])
        elif function is itertools.accumulate and len(args) == 1 and not kwargs.get("func"):
            args = (*args, scope.add)
        elif function is itertools.compress:
            args = (args[0], map(scope.truth, scope.iter(args[1])))
        args = [self._callback(self.recorder.shallow(x)) for x in args]
        kwargs = {name: self._callback(x) for name, x in kwargs.items()}
        return self.watched(function, args, kwargs)

    def _if_function(self, x: Any) -> Any:
        return self._callback(x) if type(x) in _FUNCTIONS else x

    def _callback(self, x: Any) -> Any:
        return functools.partial(self.recorder.call, x) if callable(x) else x

    def watched(self, function: Any, args: Any, kwargs: Any, may_call_back: bool = False) -> Any:
        """Call a function in C; end the recording if it calls code that nobody has seen."""
        if not may_call_back and not any(map(self._may_call_back, (*args, *kwargs.values()))):
            return function(*args, **kwargs)
        name, has_seen = getattr(function, "__name__", function), is_copy
        base = [sys._getframe()]

        # Nothing is traced in a function that the profiler calls.
        def watch(frame: Any, event: str, argument: Any) -> None:  # pragma: no cover
            if event != "call" or has_seen(frame.f_code):
                return
            if is_of(frame, "") or is_of(frame, "numpy"):
                return
            caller, is_helper = frame.f_back, False
            while not (caller is base[0] or has_seen(caller.f_code) or is_of(caller, "")):
                is_helper |= is_of(caller, "numpy") and is_of_library(frame.f_code.co_filename)
                caller = caller.f_back
            if not is_helper and (caller is base[0] or has_seen(caller.f_code)):
                raise Stop(
                    f"is called by {name}, which is written in C, and a recording does not see "
                    "such calls: write a loop"
                )

        before = sys.getprofile()
        with collector_off():
            sys.setprofile(watch)
            try:
                return function(*args, **kwargs)
            except Exception:
                if any(not is_fixed(type(x)) for x in args):  # its class may have a method later
                    raise Stop(f"gives an object to {name}, which raises an error") from None
                raise
            finally:
                sys.setprofile(before)
                base.clear()  # a frame that has itself as a variable lives on, and all that it has

    def _may_call_back(self, x: Any) -> bool:
        kind = type(x)
        if kind in ATOMS or kind in (Recorded, np.ndarray) or is_a(x, (Variable, IMMUTABLE)):
            return False
        if kind in CONTAINERS:
            return any(map(self._may_call_back, x.values() if kind is dict else x))
        return not (kind is functools.partial and x.func is self.recorder.call)

    # Methods of objects.

    def _of_object(self, owner: Any, function: Any, args: Any, kwargs: Any) -> Any:
        around, recorder, name = self.around, self.recorder, function.__name__
        if is_a(owner, GENERATORS):
            return self.drawn(owner, name, args, kwargs)
        is_slot = type(function) is MethodWrapperType or name == "__getitem__"  # as of a dict
        if name in SLOTS and is_slot:
            return getattr(recorder.scope, SLOTS[name])(owner, *args)
        if is_a(owner, np.ufunc):
            return self.of_numpy(function, args, kwargs)
        if is_a(owner, FunctionType) and name == "__get__":
            return function(*args)
        if is_a(owner, type):
            if owner in (int, float, bytes, str, dict) or owner.__module__ == "numpy":
                return self.of_values(function, args, kwargs)
            return self.foreign(function, args, kwargs)
        if is_a(owner, IMMUTABLE) or type(owner) in (tuple, frozenset):
            given = self._value
            if name in ("format", "format_map") and is_a(owner, str):
                given = recorder.shown
            args, kwargs = [given(x) for x in args], {key: given(x) for key, x in kwargs.items()}
            if any(type(x) is Recorded for x in args) and type(owner) is not tuple:
                return self.foreign(function, args, kwargs)
            args = [self._if_function(x) for x in args]
            return self.watched(getattr(recorder.whole(owner), name), args, kwargs)
        if owner is mode or owner is IN_USE:  # an entry compares these
            return function(*args)
        if is_a(owner, ContextVar) and name == "get":
            return self._of_context(owner, *args)
        if is_a(owner, ContextVar) and name == "set":
            return around.set_context(owner, *args)
        if is_a(owner, ContextVar) and name == "reset" and id(args[0]) in around._tokens:
            return around.reset_context(owner, *args)
        if is_a(owner, Context) and name == "run" and is_own(module_of(args[0])):
            return owner.run(recorder.call, *args, **kwargs)
        if is_a(owner, (np.ndarray, np.generic)) and id(owner) not in around.known:
            return self.watched(function, args, kwargs)  # of a body that runs as it is
        if id(owner) not in around.known:
            return self._of_made(owner, function, args, kwargs)
        if is_a(owner, dict) and name == "get":
            return self._got(owner, *args)
        if is_a(owner, CONTAINERS) and name in READING:
            found = recorder.whole(owner) if name in ("index", "count") else recorder.shallow(owner)
            return getattr(found, name)(*args, **kwargs)
        for kind, method, change in CHANGES:
            if is_a(owner, kind) and name == method:
                return change(recorder.scope, owner, *args, **kwargs)
        raise Stop(
            f"calls {around.known[id(owner)]}.{name}() of a {type(owner).__name__}, which a replay "
            "would not do: return what is new",
            acts=True,
        )

    def _of_made(self, owner: Any, function: Any, args: Any, kwargs: Any) -> Any:
        """Call a method of an object that the code has made."""
        recorder, name = self.recorder, function.__name__
        made = (*CONTAINERS, bytearray, GeneratorType, BaseException, deque)
        is_of_python = type(owner).__module__ in ("builtins", "collections", "itertools")
        if is_of_python or is_a(owner, made) or hasattr(type(owner), "__next__"):
            args = [self._if_function(recorder.shallow(x)) for x in args]
            kwargs = {key: self._if_function(x) for key, x in kwargs.items()}
            if is_a(owner, (dict, set)) and args:
                args[0] = recorder.hashed(args[0]) if name in BY_KEY else args[0]
            return self.watched(function, args, kwargs)
        if name == "__init__" and function == object.__init__.__get__(owner):
            return function(*args, **kwargs)
        return self.foreign(function, args, kwargs)

    def _got(self, owner: dict[Any, Any], key: Any, default: Any = None) -> Any:
        key = self.recorder.hashed(key)
        if key in owner:
            return self.around.read(owner, "item", key, owner[key])
        self.around.missed(owner, "item", key)
        return default

    def _of_context(self, variable: ContextVar[Any], *default: Any) -> Any:
        self.around.root(variable, variable.name)
        found = variable.get(MISSING)
        if found is MISSING:
            place = Place(found, self.around.root(variable), "context")
            self.around.look(place, "is", found)
            return variable.get(*default)
        return self.around.read(variable, "context", None, found)

    def drawn(self, generator: Any, name: str, args: Any, kwargs: Any) -> Any:
        """Draw from a generator: an instruction, which each replay makes in its turn."""
        if RUNNING.get():
            raise Stop("draws random numbers within vmap: draw them before, and map over them")
        if id(generator) in self.recorder.made_generators:
            return getattr(generator, name)(*args, **kwargs)  # made of a constant seed
        if not is_draw(generator, name, args, kwargs):
            raise Stop(
                f"calls {type(generator).__name__}.{name}(), which reads or sets the state of a "
                "generator, or changes its argument: do this outside of the function"
            )
        self.around.before_draw(generator)
        given = tuple([self.recorder.whole(x) for x in args])
        return emit(self.tape, Draw(generator, name), given, kwargs, True)

    # NumPy.

    def of_numpy(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Call a function of NumPy; an array that it makes of constants is a constant."""
        function = np.zeros if function is np.empty else function  # the same in each recording
        args = tuple([self._value(x) for x in args])
        kwargs = {name: self._value(x) for name, x in kwargs.items()}
        if self.around.in_body:
            args = tuple(map(self._if_function, args))
        elif not _FUNCTIONS.isdisjoint(map(type, (*args, *kwargs.values()))):
            raise Stop(
                f"calls np.{function.__name__} with a function, and a recording does not see "
                "what that computes: write a loop"
            )
        is_dispatched = type(function) in (np.ufunc, type(np.sum)) or isinstance(
            getattr(function, "__self__", None), np.ufunc
        )
        if not is_dispatched and has_any((args, kwargs), Recorded):
            is_given_back = function in (np.asarray, np.asanyarray) and not (args[1:] or kwargs)
            if is_given_back and type(getattr(args[0], "content", None)) is np.ndarray:
                return args[0]
            if has_any((args, kwargs), Variable):
                return function(*args, **kwargs)
            return emit(self.tape, function, args, kwargs)
        return self.recorder.wrapped(self.watched(function, args, kwargs))


def is_of(frame: Any, package: str) -> bool:  # pragma: no cover
    """Return whether a frame runs code of a package; of ours for ``""``."""
    module = str(frame.f_globals.get("__name__"))
    return module.partition(".")[0] == package if package else is_own(module)


def unknown(function: Any) -> Stop:
    """Return the end of a recording that meets a function in C that nobody knows.

    Others of Python's library and of NumPy act on something: files, clocks.
    """
    if function in (_warnings.warn, _warnings.warn_explicit):
        return Stop("gives a warning, and a replay would not: warn outside", once=True, acts=True)
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    owner = getattr(function, "__self__", None)
    if owner is not None and not is_a(owner, (ModuleType, type)):
        of = type(owner)
        name, module = f"{of.__qualname__}.{function.__name__}", of.__module__
        what = "whose state a replay cannot see"
    else:
        module = str(getattr(function, "__module__", None) or type(function).__module__)
        what = "which a replay would not do"
    shown = name if module == "builtins" else f"{module}.{name}"
    reason = f"calls {shown}, {what}: call it before or after the function"
    return Stop(reason, acts=acts(function))
