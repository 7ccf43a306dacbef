"""Functions and types in C that a recording knows, by what they do with their arguments.

Everything else in C ends a recording: nobody knows what it reads or writes.
"""

from __future__ import annotations

import abc
import cmath
import collections
import datetime
import functools
import itertools
import math
import operator
import re
import sys
import types
import uuid
from pathlib import PurePath
from typing import Any

import numpy as np

from ..source.nodes import BINARY, COMPARISON, UNARY

NATIVE = (
    *(types.BuiltinFunctionType, types.MethodDescriptorType, types.MethodWrapperType),
    *(types.WrapperDescriptorType, types.ClassMethodDescriptorType, functools._lru_cache_wrapper),
    *(np.ufunc, type(np.sum), type(np.random.default_rng), type(re.compile("").search)),
)

#: Functions that are operators -> the method of a scope that does the same.
OPERATORS: dict[Any, str] = {
    **{getattr(operator, name): name for name in (*BINARY.values(), *UNARY.values())},
    **{getattr(operator, x): x for x in COMPARISON.values() if hasattr(operator, x)},
    operator.truth: "truth",
    operator.getitem: "item",
    divmod: "divmod",
    pow: "pow",
    bool: "truth",
}

#: The result depends on the values of the arguments alone. An array among them is read.
OF_VALUES: set[Any] = {
    *(f for module in (math, cmath) for f in vars(module).values() if callable(f)),
    *(int, float, complex, bool, round, divmod, pow, abs, chr, ord, bin, hex, oct, bytes),
    *(bytearray, np.dtype, re.compile),
    operator.index,
} | OPERATORS.keys()

#: They go through containers, and call the operators of the items.
OF_ITEMS: set[Any] = {
    *(max, min, sum, sorted, any, all, functools.reduce, map, filter),
    *(itertools.accumulate, itertools.starmap, itertools.takewhile, itertools.dropwhile),
    *(itertools.filterfalse, itertools.groupby, itertools.compress, abc.get_cache_token),
}

#: They put items together, or take them apart, without looking at them.
OF_STRUCTURE: set[Any] = {
    *(list, tuple, dict, set, frozenset, zip, enumerate, reversed, range, slice),
    *(itertools.chain, itertools.repeat, itertools.count, itertools.product, itertools.islice),
    *(itertools.combinations, itertools.permutations, itertools.zip_longest, itertools.tee),
    *(itertools.pairwise, itertools.combinations_with_replacement, itertools.cycle),
    *(itertools.chain.from_iterable, collections.deque, collections.OrderedDict),
    *(collections.defaultdict, object, property, staticmethod, classmethod, super, dict.fromkeys),
    *(functools.partial, operator.itemgetter, operator.attrgetter, operator.methodcaller),
    *(types.SimpleNamespace, types.MethodType, object.__new__, tuple.__new__),
}

#: Types whose objects never change.
IMMUTABLE = (
    *(str, bytes, int, float, complex, range, slice, np.dtype, np.ufunc, re.Pattern, re.Match),
    *(datetime.date, datetime.time, datetime.timedelta, uuid.UUID, PurePath, np.generic),
    *(type(None), type(Ellipsis), type, types.FunctionType, types.MethodType, types.ModuleType),
    *(types.GenericAlias, np.finfo, np.iinfo, type(np._NoValue), np._CopyMode, *NATIVE),
)


#: Methods of containers that only read.
READING = {
    *("items", "keys", "values", "copy", "index", "count", "union", "intersection"),
    *("difference", "symmetric_difference", "isdisjoint", "issubset", "issuperset"),
    *("most_common", "elements", "__reversed__"),
}

#: Functions of NumPy that read or write files, settings and states.
_ACTING = {
    *("load", "loadtxt", "genfromtxt", "fromfile", "fromregex", "memmap", "save", "savez"),
    *("savez_compressed", "savetxt", "seterr", "seterrcall", "setbufsize", "set_printoptions"),
    *("get_printoptions", "show_config", "show_runtime", "info", "getbufsize", "geterrcall"),
    *("test", "geterr", "open_memmap", "printoptions"),
}

#: Functions of NumPy that a recording cannot follow: they call functions, or look at memory.
_UNFOLLOWED = {
    *("frombuffer", "from_dlpack", "shares_memory", "may_share_memory", "nested_iters"),
    *("array2string", "array_repr", "array_str", "fromiter", "frompyfunc", "fromfunction"),
    *("apply_along_axis", "piecewise"),
}


def is_impure(function: Any) -> bool:
    """Return whether a function of NumPy reads or writes more than its arguments."""
    of_numpy = str(getattr(function, "__module__", "")).startswith("numpy")
    return of_numpy and getattr(function, "__name__", "") in _ACTING | _UNFOLLOWED


def acts(function: Any) -> bool:
    """Return whether a function that is not known may act on more than its arguments."""
    owner = getattr(function, "__self__", None)
    is_method = owner is not None and not isinstance(owner, (types.ModuleType, type))
    of = type(owner) if is_method else function
    module = str(getattr(of, "__module__", None) or type(function).__module__).partition(".")[0]
    if module == "numpy":
        return getattr(function, "__name__", "") in _ACTING
    return module in sys.stdlib_module_names and function not in (memoryview, bytearray)


def is_of_numpy(function: Any) -> bool:
    """Return whether a function is one of NumPy's that depends on its arguments alone."""
    if type(function) is np.ufunc:
        return True
    module, name = str(getattr(function, "__module__", "")), getattr(function, "__name__", "")
    if not module.startswith("numpy") or module.startswith(("numpy.random", "numpy.testing")):
        return False
    if is_impure(function):
        return False
    return type(function) is not types.FunctionType or getattr(np, name, None) is function
