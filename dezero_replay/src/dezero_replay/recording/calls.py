"""Calls, as a recorder judges and makes them: each by what is called, and with what.

A function of Python's runs as a rewritten copy, whoever wrote it. One in C is known, or it ends the
recording. The core and the operations note by themselves what they compute.
"""

from __future__ import annotations

import functools
import operator
import weakref
from abc import get_cache_token
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import fields, is_dataclass
from operator import attrgetter
from types import CellType, FunctionType, MethodType
from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Block
from dezero_tools import observe

from ..guards.surroundings import Surroundings
from ..source.copies import copy_of, is_copy
from ..source.nodes import RECORDER
from ..tape.classes import is_a, is_core, is_own, method_of, module_of
from ..tape.draws import GENERATORS, Snapshot
from ..tape.stop import Stop
from ..tape.tape import Tape
from .blocks import WATCHES
from .builtin import HANDLERS
from .known import NATIVE, is_impure, is_of_numpy
from .native import Native, unknown
from .reading import Reading
from .scope import Scope

_NEW = (object.__new__, list.__new__, dict.__new__, tuple.__new__)

#: Modules whose classes are made in C; and classes of theirs that are not.
_NATIVE = {
    *("builtins", "itertools", "functools", "operator", "types", "numpy", "random", "collections"),
    "numpy.random.mtrand",
}
_NOT = (np.vectorize, np.poly1d)
_DISPATCH = functools.singledispatch(operator.index).dispatch.__code__


class Recorder(Reading):
    """Makes the calls of a function that is recorded; all its scopes share it."""

    def __init__(self, tape: Tape, around: Surroundings) -> None:
        super().__init__()
        self.tape, self.around = tape, around
        self.native = Native(self)
        self._functions: dict[int, tuple[Any, Any]] = {}
        self._cached: dict[Any, Any] = {}
        #: id of a generator that the call has made of a constant seed -> it.
        self.made_generators: dict[int, Any] = {}
        self.scope = Scope(self, {}, {}, own=False)

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Judge a call, and make it."""
        kind = type(function)
        if kind is FunctionType:
            return self._of_python(function, args, kwargs)
        if kind is MethodType:
            return self._of_method(function, args, kwargs)
        if is_a(function, type):
            return self._instance(function, args, kwargs)
        if kind is functools._lru_cache_wrapper:
            return self._of_cache(function, args, kwargs)
        if kind is np.ufunc or kind is type(np.sum):
            make = self.native.of_numpy if is_of_numpy(function) else self.native.foreign
            return make(function, args, kwargs)
        if kind in NATIVE:
            return self.native(function, args, kwargs)
        if kind is functools.partial:
            return self._of_partial(function, args, kwargs)
        if is_a(function, weakref.ref):
            self.around.root(function)
            return self.around.read(function, "call", None, function())
        if is_a(function, Function):
            return self._of_operation(function, args, kwargs)
        if kind.__module__.startswith("dezero_replay.") and hasattr(function, "eager"):
            return self.call(function.eager, *args, **kwargs)
        method = self.special(function, "__call__")
        if method is not None:
            return self.call(method, *args, **kwargs)
        if kind in (operator.itemgetter, operator.attrgetter, operator.methodcaller):
            return self._of_getter(function, *args)
        if is_core(kind.__module__):  # as an output of a node, which gives its Variable
            return function(*args, **kwargs)
        raise unknown(function)

    def call_of_ours(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Make a call of our own code, which asks for ids and contexts within a call alone."""
        is_asked = function is id or function is copy_context
        return function(*args) if is_asked else self.call(function, *args, **kwargs)

    # Functions of Python's.

    def _of_python(self, function: FunctionType, args: Any, kwargs: Any) -> Any:
        code = function.__code__
        if is_copy(code):
            return function(*args, **kwargs)
        if function in HANDLERS:
            return HANDLERS[function](self.native, *args, **kwargs)
        if code is _DISPATCH:
            return self._of_dispatch(function, *args)
        known = self._functions.get(id(function))
        made = self._copy(function) if known is None else known[1]
        if made is not None:
            self._functions[id(function)] = function, made
            return made(*args, **kwargs)
        given = [self.whole(x) for x in args]
        named = {name: self.whole(x) for name, x in kwargs.items()}
        return self.wrapped(function(*given, **named))

    def _copy(self, function: FunctionType) -> Callable[..., Any] | None:
        """Return the rewritten copy of a function; None if the function itself is called."""
        module, code = module_of(function), function.__code__
        decorates = module == Block.__module__ and hasattr(function, "__wrapped__")
        if is_core(module) and not decorates:
            return None
        if is_impure(function):
            stop = unknown(function)
            if stop.acts or not self.around.in_body:
                raise stop
        if is_impure(function) or is_of_numpy(function):
            return lambda *args, **kwargs: self.native.of_numpy(function, args, kwargs)
        copy, own, around = copy_of(function), is_own(module), self.around
        if isinstance(copy, Stop):
            if own:  # made by us, of a Function, whose bodies are seen
                return None
            raise Stop(copy.reason, where=copy.where)
        if not own:
            around.root(function)
            around.read(function, "attribute", "__code__", code)
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        scope = Scope(self, function.__globals__, cells, own)
        cells |= {RECORDER: CellType(scope)}
        made = FunctionType(
            copy,
            function.__globals__,
            function.__name__,
            self._defaults(function, "__defaults__", own),
            tuple([cells[name] for name in copy.co_freevars]),
        )
        made.__kwdefaults__ = self._defaults(function, "__kwdefaults__", own)
        made.__qualname__, made.__module__ = function.__qualname__, function.__module__
        return made

    def _defaults(self, function: FunctionType, name: str, own: bool) -> Any:
        found = getattr(function, name)
        if own or not found:
            return found
        self.around.read(function, "attribute", name, found)
        return self.shallow(found) if is_a(found, dict) else tuple(self.items(found))

    def _of_method(self, method: MethodType, args: Any, kwargs: Any) -> Any:
        owner = method.__self__
        if is_a(owner, GENERATORS):
            return self.native.drawn(owner, method.__func__.__name__, args, kwargs)
        if id(method) in self.around.known:
            owner = self.around.read(method, "attribute", "__self__", owner)
        return self.call(method.__func__, owner, *args, **kwargs)

    def _of_partial(self, function: Any, args: Any, kwargs: Any) -> Any:
        if id(function) not in self.around.known:
            named = {**function.keywords, **kwargs}
            return self.call(function.func, *function.args, *args, **named)
        of, given, named = (self.scope.attr(function, x) for x in ("func", "args", "keywords"))
        return self.call(of, *self.items(given), *args, **{**self.shallow(named), **kwargs})

    def _of_cache(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Call a function that keeps its results; what it keeps is there before the next call."""
        around = self.around
        around.root(function)
        given = tuple([self.hashed(x) for x in args])
        named = {name: self.hashed(x) for name, x in kwargs.items()}
        key = id(function), given, tuple(sorted(named.items()))
        if key not in self._cached:
            try:
                found = self.native.watched(function, given, named, may_call_back=True)
            except Stop:  # nothing is kept yet: it is computed here, without acting on anything
                in_body, around.in_body = around.in_body, True
                before, drawn = Snapshot(), around.draws
                try:
                    with self.tape.paused():
                        self.call(function.__wrapped__, *given, **named)
                finally:
                    around.in_body = in_body
                if around.draws > drawn or before.differs():
                    reason = "fills a cache with random numbers: draw outside"
                    raise Stop(reason, acts=True) from None
                found = function(*given, **named)
            self._cached[key] = around.read(function, "call", (given, _Named(named)), found)
        return self._cached[key]

    def _of_dispatch(self, dispatch: FunctionType, kind: type) -> Any:
        """Return the function of `functools.singledispatch` for a type."""
        cells = dict(zip(dispatch.__code__.co_freevars, dispatch.__closure__ or (), strict=True))
        registry = cells["registry"].cell_contents
        self.around.root(registry, "registry")
        self.items(list(self.shallow(registry).values()))
        self.around.look(self.around.root(get_cache_token), "returns", get_cache_token())
        return dispatch(kind)

    def _of_getter(self, function: Any, x: Any, *others: Any) -> Any:
        self.around.root(function)
        of, given = function.__reduce__()[:2]
        if of is operator.methodcaller:
            return self.call(self.scope.attr(x, given[0]), *given[1:])
        if of is operator.itemgetter:
            found = [self.scope.item(x, key) for key in given]
        else:
            found = [functools.reduce(self.scope.attr, key.split("."), x) for key in given]
        return found[0] if len(found) == 1 else tuple(found)

    def _of_operation(self, function: Function, args: Any, kwargs: Any) -> Any:
        """Apply an instance of a Function; one of before the call on a copy, which it makes."""
        if id(function) in self.around.known:
            fresh = function._unapplied()
            for name, x in function._own_attributes().items():
                vars(fresh)[name] = self.around.read(function, "attribute", name, x)
            function = fresh
        return function(*[self.whole(x) for x in args], **kwargs)

    # Classes.

    def _instance(self, cls: Any, args: Any, kwargs: Any) -> Any:
        """Make an object, as calling its class does."""
        meta, _ = self.in_class(type(cls), "__call__")
        if type(meta) is FunctionType and not is_own(type(cls).__module__):
            return self.call(meta, cls, *args, **kwargs)
        is_error, begin = issubclass(cls, BaseException), cls.__init__
        if cls is np.errstate or (is_error and type(begin) is not FunctionType):
            return cls(*args, **kwargs)
        if cls.__module__ in _NATIVE and not (is_error or hasattr(cls, "_fields") or cls in _NOT):
            return self.native(cls, args, kwargs)
        make = method_of(cls, "__new__")
        is_named = hasattr(cls, "_fields") and module_of(make).startswith("namedtuple_")
        if is_core(cls.__module__) or is_named:
            return cls(*[self.whole(x) for x in args], **kwargs)
        if issubclass(cls, observe):
            raise Stop(WATCHES)
        make = cls.__new__
        for name in ("__new__", "__init__"):
            self.in_class(cls, name)
        if type(self.in_class(cls, "__del__")[0]) is FunctionType:
            raise Stop(f"makes a {cls.__name__}, whose __del__ a replay would not call", acts=True)
        if type(make) is FunctionType:
            made = self.call(make, cls, *args, **kwargs)
        elif is_error or make in _NEW:
            made = make(cls, *(args if is_error or make is tuple.__new__ else ()))
        else:
            raise unknown(cls)
        if not is_a(made, cls):
            return made
        if type(begin) is not FunctionType:
            if begin is object.__init__ and (args or kwargs) and make is object.__new__:
                cls(*args, **kwargs)  # raises the error
            if begin is not object.__init__:
                begin(made, *map(self.shallow, args), **kwargs)
        elif is_dataclass(cls) and begin.__code__.co_filename == "<string>":
            self._begin_dataclass(made, args, kwargs)
        else:
            self.call(begin, made, *args, **kwargs)
        return made

    def _begin_dataclass(self, made: Any, args: Any, kwargs: Any) -> None:
        """Set the fields of a dataclass, whose ``__init__`` has no source."""
        taken = sorted((each for each in fields(made) if each.init), key=attrgetter("kw_only"))
        given = {each.name: x for each, x in zip(taken, args, strict=False)} | kwargs
        known = {each.name for each in taken}
        needed = {x.name for x in taken if x.default is x.default_factory is NO_DEFAULT}
        most = sum(not each.kw_only for each in taken)
        if len(args) > most or not needed <= given.keys() <= known:
            type(made)(*args, **kwargs)  # raises the error
        is_frozen = type(made).__dataclass_params__.frozen
        put = object.__setattr__ if is_frozen else self.scope.setattr
        for each in fields(made):
            if each.name not in given and each.default_factory is not NO_DEFAULT:
                given[each.name] = self.call(each.default_factory)
            value = given.get(each.name, each.default)
            if value is not NO_DEFAULT:
                put(made, each.name, value)
        after = self.special(made, "__post_init__")
        if after is not None:
            self.call(after)

    def close(self) -> None:
        """Let go of what the call has made."""
        self._functions.clear()
        self._cached.clear()
        self._made_arrays.clear()


class _Named(dict[str, Any]):
    """Keyword arguments, as a part of a key."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))
