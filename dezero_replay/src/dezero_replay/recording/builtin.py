"""Functions that Python has built in, and that read what a recorder has to see."""

from __future__ import annotations

import copy
import operator
import random
import sys
from abc import get_cache_token
from collections.abc import Callable
from importlib import import_module
from importlib.util import resolve_name
from typing import Any

import numpy as np
from dezero_tools.batches.batch import COUNTDOWN

from dezero_core import Variable

from ..guards.reads import CONTAINERS
from ..tape.classes import MISSING, is_a, method_of
from ..tape.nested import ATOMS, has_any
from ..tape.recorded import Recorded
from ..tape.stop import Stop
from .known import IMMUTABLE

Native = Any
"""A `dezero_replay.native.Native`, which each function gets first."""


def _getattr(native: Native, x: Any, name: str, *default: Any) -> Any:
    try:
        return native.recorder.scope.attr(x, name)
    except AttributeError:
        if default:
            return default[0]
        raise


def _hasattr(native: Native, x: Any, name: str) -> bool:
    return _getattr(native, x, name, MISSING) is not MISSING


def _isinstance(native: Native, x: Any, kinds: Any) -> bool:
    around = native.around
    check = native.recorder.special(kinds, "__instancecheck__")
    if check is not None:
        if type(kinds).__instancecheck__.__module__ != "abc":
            return native.recorder.scope.truth(native.recorder.call(check, x))
        token = get_cache_token()  # of abstract classes, which others may register with
        around.look(around.root(get_cache_token), "returns", token)
    around.look_at(x, "type", type(x))
    kinds = native.recorder.whole(kinds)
    if type(x) is Recorded or is_a(x, kinds):
        return isinstance(x, kinds)
    return issubclass(native.recorder.scope.attr(x, "__class__"), kinds)


def _issubclass(native: Native, kind: Any, kinds: Any) -> bool:
    around = native.around
    around.look(around.root(get_cache_token), "returns", get_cache_token())
    return issubclass(kind, native.recorder.whole(kinds))


def _type(native: Native, x: Any, *rest: Any) -> Any:
    if rest:
        raise Stop("makes a class, and a replay would not: define the class outside")
    if type(x) is Recorded:
        return type(x.content)
    native.around.look_at(x, "type", type(x))
    return type(x)


def _len(native: Native, x: Any) -> int:
    method = native.recorder.special(x, "__len__")
    if method is not None:
        return operator.index(native.recorder.call(method))
    return int(native.recorder.scope.plain_len(x))


def _iter(native: Native, x: Any, *end: Any) -> Any:
    return iter(native._callback(x), *end) if end else iter(native.recorder.scope.iter(x))


def _next(native: Native, x: Any, *default: Any) -> Any:
    if x is COUNTDOWN:  # of batches, which a replay does not have
        return next(x)
    if id(x) in native.around.known:
        raise Stop(
            f"advances {native.around.known[id(x)]}, and a replay would not: take the items "
            "outside of the function",
            acts=True,
        )
    method = native.recorder.special(x, "__next__")
    if method is None:
        return next(x, *default)
    try:
        return native.recorder.call(method)
    except StopIteration:
        if default:
            return default[0]
        raise


def _of_object(name: str, function: Callable[[Native, Any], Any]) -> Any:
    def handler(native: Native, *of: Any) -> Any:
        if not of:
            raise Stop(f"calls {name}(), and a recording has other local variables: name them")
        return function(native, *of)

    return handler


def _vars(native: Native, x: Any) -> Any:
    return native.recorder.scope.attr(x, "__dict__")


def _dir(native: Native, x: Any) -> list[str]:
    method = native.recorder.special(x, "__dir__")
    if method is not None:
        return sorted(native.recorder.call(method))
    native.around.look_at(x, "names", dir(x))
    return dir(x)


#: Methods that `copy` calls, if a class has them, or has others than object.
_IN_STEPS = ("__setstate__", "__getnewargs__", "__getnewargs_ex__", "__slots__")
_REDUCING = ("__reduce__", "__reduce_ex__", "__getstate__")


def _copy(native: Native, x: Any, memo: Any, deeply: bool = False) -> Any:
    """Copy what there is at the places: arrays by an instruction, objects with their attributes."""
    recorder = native.recorder

    def part(each: Any) -> Any:
        return _deepcopy(native, each, memo) if deeply else each

    if type(x) in ATOMS or is_a(x, IMMUTABLE):
        return x
    if type(x) is Recorded or is_a(x, Variable):
        return copy.copy(x) if type(x) is Recorded or not deeply else copy.deepcopy(x)
    method = recorder.special(x, "__deepcopy__" if deeply else "__copy__")
    if method is not None:
        return recorder.call(method, *([memo] * deeply))
    if type(x) in (list, tuple, set, dict):
        found = recorder.shallow(x)
        if is_a(found, dict):
            return {key: part(each) for key, each in found.items()}
        return type(x)(map(part, found))
    if (
        getattr(x, "__dict__", None) is None
        or any(hasattr(type(x), name) for name in _IN_STEPS)
        or any(method_of(type(x), name) is not method_of(object, name) for name in _REDUCING)
        or is_a(x, CONTAINERS)
    ):
        raise Stop(f"copies a {type(x).__name__}, in a way that a recording does not see")
    made = object.__new__(type(x))
    memo[id(x)] = made
    for name, each in recorder.shallow(recorder.scope.attr(x, "__dict__")).items():
        object.__setattr__(made, name, part(each))
    return made


def _deepcopy(native: Native, x: Any, memo: Any = None, _nil: Any = None) -> Any:
    memo = {} if memo is None else memo
    if id(x) not in memo:
        memo[id(x)] = _copy(native, x, memo, deeply=True)
    return memo[id(x)]


def _text(function: Any) -> Any:
    def handler(native: Native, *args: Any) -> str:
        return str(native.recorder.text(function, *args)) if args else ""

    return handler


def _hash(native: Native, x: Any) -> int:
    if type(x) in (*ATOMS, tuple):
        return hash(native.recorder.hashed(x))
    raise Stop("asks for the hash of an object, which another run has not")


def _id(native: Native, x: Any) -> int:
    place = native.around.known.get(id(x))
    if type(x) is Recorded or (place is not None and place.is_of_arguments):
        raise Stop("asks for the id of an argument, and another call has another: compare with is")
    return id(x)


def _seeded(function: Any) -> Any:
    def handler(native: Native, *args: Any, **kwargs: Any) -> Any:
        given = tuple([native.recorder.whole(x) for x in args])
        is_seeded = (given or kwargs) and given[:1] != (None,)
        if not is_seeded or has_any((given, kwargs), Recorded):
            raise Stop(f"calls {function.__name__} without a constant seed: make it outside")
        made = function(*given, **kwargs)
        native.recorder.made_generators[id(made)] = made
        return made

    return handler


def _import_module(native: Native, name: str, package: str | None = None) -> Any:
    name = resolve_name(name, package)
    if name not in sys.modules:
        raise Stop(f"imports {name}, which is done once alone: import it before the function")
    native.around.root(sys.modules, "sys.modules")
    return native.around.read(sys.modules, "item", name, sys.modules[name])


_MAKE_GENERATORS = (np.random.default_rng, np.random.RandomState, random.Random)

#: Functions that are made in another way than by the code that they have.
HANDLERS: dict[Any, Callable[..., Any]] = {
    import_module: _import_module,
    getattr: _getattr,
    hasattr: _hasattr,
    isinstance: _isinstance,
    issubclass: _issubclass,
    type: _type,
    len: _len,
    iter: _iter,
    next: _next,
    vars: _of_object("vars", _vars),
    callable: lambda native, x: callable(x),
    dir: _of_object("dir", _dir),
    copy.copy: lambda native, x: _copy(native, x, {}),
    copy.deepcopy: _deepcopy,
    setattr: lambda native, *args: native.recorder.scope.setattr(*args),
    delattr: lambda native, *args: native.recorder.scope.delattr(*args),
    **{function: _text(function) for function in (str, repr, ascii, format)},
    hash: _hash,
    id: _id,
    super: lambda native, *args: super(*args),
    **{make: _seeded(make) for make in _MAKE_GENERATORS},
}

BY_KEY = ("get", "setdefault", "pop", "add", "discard", "remove", "__contains__", "__getitem__")


# Changes of containers of the user's that a replay makes.


def append(scope: Any, owner: list[Any], value: Any) -> None:
    """Append to a list."""
    scope._around.append(owner, value)


def extend(scope: Any, owner: list[Any], values: Any) -> None:
    """Append several to a list."""
    for each in list(scope.iter(values)):
        scope._around.append(owner, each)


def update(scope: Any, owner: dict[Any, Any], *others: Any, **named: Any) -> None:
    """Set several items of a dict."""
    for other in others:
        items = scope.mapping(other) if isinstance(other, dict) else dict(scope.iter(other))
        named = {**items, **named}
    for key, value in named.items():
        scope.setitem(owner, key, value)


def setdefault(scope: Any, owner: dict[Any, Any], key: Any, value: Any = None) -> Any:
    """Set an item of a dict, if it is missing."""
    if not scope.contained(key, owner):
        scope.setitem(owner, key, value)
    return scope.item(owner, key)


CHANGES: tuple[tuple[type, str, Callable[..., Any]], ...] = (
    (list, "append", append),
    (list, "extend", extend),
    (dict, "update", update),
    (dict, "setdefault", setdefault),
)

#: Slots of Python's own types -> the method of a scope that does the same, as super() calls them.
SLOTS = {
    "__getitem__": "plain_item",
    "__setitem__": "plain_setitem",
    "__getattribute__": "plain_attr",
    "__setattr__": "plain_setattr",
    "__len__": "plain_len",
    "__iter__": "plain_iter",
    "__contains__": "plain_contained",
}
