"""Whether a loss is a sum over rows: its value is compared with those of two halves of the rows.

It is called again for that, unless it changes an object that it refers to: a counter, running
means, a generator. That would change later results.
"""

from __future__ import annotations

import gc
import pickle
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from types import CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from dezero_tools.functional.trees import Tree, leaves_of, tree_map

from dezero_core import Variable, using_config
from dezero_core.extend import PACKAGES, attempt, data_of

#: A difference of more than this part of the value is not rounding, for any number of rows and any
#: dtype. (The mean of all rows is half of the sum of the means of two halves.)
_MOST = 0.25
#: Parameters are moved by so many roundings, to see how much of the value is rounding.
_ROUNDINGS = 16
#: The least rounding for these moves: a loss may compute in float32 inside.
_LEAST = float(np.finfo(np.float32).eps)

_GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)

#: So many objects are looked at, at most.
_MOST_OBJECTS = 10_000
#: Bytes of the largest array whose numbers are looked at: larger ones are data, and no state.
_LARGEST = 2**20
#: So many dots the code may write after a module: ``package.module.generator``.
_DEEPEST = 3
#: Packages whose functions and classes are not looked into; nor are those of DeZero's plugins.
_LIBRARIES = {"numpy", "scipy", "dask", "distributed", *sys.stdlib_module_names}

_compared: WeakKeyDictionary[Any, set[tuple[bool, bool]]] = WeakKeyDictionary()


def comparisons_of(loss: Callable[..., Any]) -> set[tuple[bool, bool]]:
    """Return the set of the comparisons that this process has made with a loss: add new ones to it.

    Each is ``(mean, moved)``: whether the loss was to be a mean, and whether a parameter was not
    zero.
    """
    try:
        # ``obj.loss`` is a new object each time, so its function is the key.
        return _compared.setdefault(getattr(loss, "__func__", loss), set())
    except TypeError:  # it cannot be hashed, or be referred to weakly
        return set()


def differing(
    loss: Callable[..., Any], params: Tree, data: Sequence[Any], mean: bool
) -> tuple[float, float] | None:
    """Return the value of all rows and the sum of the values of two halves, if these differ.

    There are two rows or more. The loss is to be the sum over them, or their mean. None also if it
    cannot be told: the loss raises for fewer rows, writes into its arguments, has an infinite
    value, or is another one at each call.
    """
    rows = data[0].shape[0]
    params = tree_map(_read_only, params)
    dtypes = {leaf.dtype for leaf in leaves_of(params)}
    dtypes |= {x.dtype for x in data if hasattr(x, "dtype")}  # a table has one for each column

    def value(params: Tree, start: int, stop: int) -> float:
        some = [_read_only(x[start:stop]) for x in data]
        y = data_of(loss(tree_map(Variable, params), *some))
        dtypes.add(np.asarray(y).dtype)
        return float(y) * ((stop - start) / rows if mean else 1)

    try:
        with np.errstate(all="ignore"), using_config("enable_backprop", True):
            whole = value(params, 0, rows)
            halves = value(params, 0, rows // 2), value(params, rows // 2, rows)
            together, scale = sum(halves), sum(map(abs, halves))
            rounding = float(max(np.finfo(dtype).eps for dtype in dtypes if dtype.kind in "fc"))
            # A sum of n numbers may be off by n roundings, and terms that cancel by half of the
            # digits.
            expected = min(max(rounding**0.5, rows * rounding), _MOST) * scale
            if not abs(whole - together) > expected:
                return None
            # If residuals are zero but for rounding, no digit of the value is right. Then a tiny
            # move of the parameters changes the value as much. So does any call, if the value
            # depends on the time.
            moved = tree_map(lambda leaf: _perturbed(leaf, max(rounding, _LEAST)), params)
            expected += 10 * abs(value(moved, 0, rows) - whole)
    except Exception:  # of the loss: the step itself has raised none
        return None
    return (whole, together) if abs(whole - together) > expected else None


def _perturbed(leaf: Any, rounding: float) -> Any:
    """Return a parameter whose numbers are larger and smaller, in turn, by some roundings."""
    moves = _ROUNDINGS * rounding * np.resize([1.0, -1.0], leaf.shape)
    return np.asarray(leaf + np.where(leaf == 0, 1.0, leaf) * moves, leaf.dtype)


def _read_only(array: Any) -> Any:
    """Return an array that the loss cannot write into: it would change the data of later steps."""
    if isinstance(array, np.ndarray):
        array = array.view()
        array.flags.writeable = False
    return array


class Snapshot:
    """The state of all that a function refers to, before it is called.

    The function refers to the objects in its closure, its defaults, the globals that its code
    names, and all that these refer to, at any depth. NumPy's global generator is always one.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._objects = list(_objects_behind(function))
        self._before = self._now()

    def is_changed(self) -> bool:
        """Return whether an object has changed since, by the function or by somebody else."""
        return any(
            before is not now and not (isinstance(now, bytes) and before == now)
            for before, now in zip_longest(self._before, self._now())
        )

    def _now(self) -> list[Any]:
        """Return the bytes of numbers, and the objects that others refer to: they stay alive."""
        found: list[Any] = [pickle.dumps(np.random.get_state(legacy=False))]
        for x in self._objects:
            if isinstance(x, _GENERATORS):  # that of the operating system has no state
                found.append(attempt(partial(pickle.dumps, x)))
            elif isinstance(x, np.ndarray) and x.nbytes <= _LARGEST:
                found.append(x.tobytes())
            else:
                found += _children(x)
        return found


def _objects_behind(function: Any) -> Iterator[Any]:
    """Yield the objects that a function refers to, at any depth, with the function itself."""
    seen: dict[int, Any] = {}
    waiting = [function]
    while waiting and len(seen) < _MOST_OBJECTS:
        x = waiting.pop()
        if id(x) not in seen:
            seen[id(x)] = x
            yield x
            waiting += _children(x)


def _children(x: Any) -> Iterable[Any]:
    """Return the objects that an object refers to."""
    if isinstance(x, FunctionType):
        return _of_function(x)
    if isinstance(x, type):
        return () if _is_of_library(x) else (*x.__bases__, *vars(x).values())
    if isinstance(x, ModuleType):
        return ()  # the functions that name it have taken out what they name in it
    attempt(partial(vars, x))  # Python makes the dict of an object when somebody asks for it
    return (*gc.get_referents(x), type(x))


def _of_function(function: FunctionType) -> Iterable[Any]:
    if _is_of_library(function):
        return ()
    names = dict.fromkeys(_names_in(function.__code__))
    found = [function.__globals__.get(name) for name in names]
    named = found
    for _ in range(_DEEPEST):
        modules = [x for x in named if isinstance(x, ModuleType)]
        named = [vars(module).get(name) for module in modules for name in names]
        found += named
    return [*found, function.__closure__, function.__defaults__, function.__kwdefaults__]


def _names_in(code: CodeType) -> Iterator[str]:
    """Yield the names that a function and those within it mention."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _is_of_library(x: Any) -> bool:
    """Return whether a function or class is of a package that is not looked into."""
    package = str(x.__module__).partition(".")[0]
    return package in _LIBRARIES or package in PACKAGES.values()
