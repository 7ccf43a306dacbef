"""One program in two worlds, eager and compiled: all that can be seen must be equal to the bit.

Each world has its own function and state, which `make()` gives, its own random generators, context
variables and environment. The same is changed in both between calls. After each call results,
arguments, state, earlier results, warnings, log records, what was printed, and the states of random
generators are compared; also which of all that is one object, and which arrays share memory.
"""

import contextlib
import contextvars
import ctypes
import functools
import io
import linecache
import logging
import os
import random
import warnings
import weakref
from collections import deque
from enum import Enum
from itertools import count
from pathlib import Path
from types import FunctionType, MappingProxyType, MethodType, ModuleType, SimpleNamespace

import numpy as np
from dezero_replay.compilation import Compiled

from dezero_core import Variable
from dezero_replay import ReplayWarning, compiled

_NUMBER = count()
_OPAQUE = (
    *(ModuleType, np.dtype, Compiled, weakref.ref, functools._lru_cache_wrapper),
    *(logging.Logger, io.TextIOWrapper),
)
_PLAIN = {list, dict, set, frozenset, bytearray, slice, np.random.Generator}
_UNTOLD = (ReplayWarning, ResourceWarning)
_LOCKS = ("_thread.lock", "_thread.RLock")


def with_source(text):
    """Return the code of a text, of which recordings find the source as they find a file's."""
    file = f"program_{next(_NUMBER)}.py"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    return compile(text, file, "exec", dont_inherit=True)


def program(text):
    """Return a maker of a module of this source: of its function `step`, and its namespace."""
    code = with_source(text)

    def make():
        module = ModuleType(code.co_filename[:-3])
        exec(code, vars(module))
        return module.step, vars(module)

    return make


class World:
    """A function and its state, made by `make()`; `wrap` is `compiled` in one of two worlds."""

    def __init__(self, make, wrap=lambda function: function):
        self.make, self.wrap = make, wrap
        self.results, self.told, self.kinds = [], [], []

    def transcript(self, calls, arguments, change):
        """Yield what can be seen after each call."""
        self.run = contextvars.copy_context().run
        with _surroundings():
            function, self.state = self.run(self.make)
            self.step = self.wrap(function)
            for number in range(calls):
                before = self.stats
                self.run(change, number, self.state)
                seen = self._after(self.run(arguments, number, self.state))
                self.kinds += [kind for kind, n in self.stats.items() if n > before[kind]][:1]
                yield seen

    @property
    def stats(self):
        """How many calls were made in which way."""
        stats = getattr(self.step, "stats", {})
        return {name: stats.get(name, 0) for name in ("recorded", "audits", "replayed", "eager")}

    def _after(self, args):
        """Call the function; return all that can be seen then."""
        printed, records = io.StringIO(), []
        with contextlib.ExitStack() as stack:
            stack.enter_context(_listening(records))
            stack.enter_context(contextlib.redirect_stdout(printed))
            warned = stack.enter_context(warnings.catch_warnings(record=True))
            warnings.simplefilter("always")
            self.results.append(self.run(_outcome_of, self.step, args))
        self.told += [str(x.message) for x in warned if issubclass(x.category, ReplayWarning)]
        seen = {
            "result": self.results[-1],
            "arguments": args,
            "state": self.state,
            "earlier results": self.results,
        }
        return self.run(Picture().of_parts, seen) | {
            "warnings": [(x.category, str(x.message)) for x in warned if x.category not in _UNTOLD],
            "log": records,
            "printed": printed.getvalue(),
            "random numbers": (random.getstate(), _exact(np.random.get_state())),
            "environment": dict(os.environ._data),
        }


@contextlib.contextmanager
def _surroundings():
    """Let random numbers begin anew; put all back at the end that belongs to the process."""
    states, environment = (random.getstate(), np.random.get_state()), dict(os.environ)
    random.seed(7)
    np.random.seed(7)
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        if dict(os.environ) != environment:
            os.environ.clear()
            os.environ.update(environment)


def _exact(x):
    """Return the state of a generator with all of its words."""
    if isinstance(x, dict):
        return {name: _exact(each) for name, each in x.items()}
    if isinstance(x, tuple):
        return tuple(map(_exact, x))
    return x.tobytes() if isinstance(x, np.ndarray) else x


def _outcome_of(step, args):
    named = args[-1] if args and type(args[-1]).__name__ == "Keywords" else None
    try:
        return step(*args) if named is None else step(*args[:-1], **named)
    except Exception as error:
        return "raised", type(error).__name__, str(error)


@contextlib.contextmanager
def _listening(records):
    handler = logging.Handler()
    handler.emit = lambda each: records.append((each.name, each.levelname, each.getMessage()))
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


class Picture:
    """All that is in objects, as nested tuples; an object that is there twice is told as such."""

    def __init__(self):
        self.seen, self.arrays = {}, []

    def of_parts(self, parts):
        """Return the picture of each part by its name."""
        shown = {name: self.of(x) for name, x in parts.items()}
        shown["shared memory"] = [
            (n, m)
            for n, x in enumerate(self.arrays)
            for m, y in enumerate(self.arrays[:n])
            if np.may_share_memory(x, y)
        ]
        return shown

    def of(self, x):
        """Return the picture of an object; no code of its class runs."""
        kind = type(x)
        if kind in (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range):
            return kind.__name__, repr(x)
        if kind is tuple:
            return "tuple", tuple(map(self.of, x))
        if issubclass(kind, np.generic):
            return kind.__name__, str(x) if x.dtype.char in "gG" else x.tobytes()
        if id(x) in self.seen:
            return "again", self.seen[id(x)][0]
        self.seen[id(x)] = len(self.seen), x
        if issubclass(kind, _OPAQUE) or kind.__module__.startswith("multiprocessing"):
            return kind.__name__, getattr(x, "__name__", "")
        return kind.__name__, self._inside(x, kind), self._attributes(x, kind)

    def _inside(self, x, kind):
        if issubclass(kind, np.ndarray):
            return self._of_array(x)
        if issubclass(kind, Variable):
            return self.of(x.data), self.of(x.grad), x.name
        if issubclass(kind, type):
            return x.__name__
        if issubclass(kind, (dict, MappingProxyType)):
            items = kind.items(x) if kind is MappingProxyType else dict.items(x)
            return tuple(
                (self._of_key(key), self.of(value)) for key, value in items if _is_state(key, value)
            )
        if issubclass(kind, (set, frozenset)):
            return tuple(sorted(map(repr, map(self._of_key, set(x)))))
        if issubclass(kind, (list, tuple, deque)):
            return tuple(map(self.of, list.__iter__(x) if issubclass(kind, list) else x))
        if issubclass(kind, (FunctionType, MethodType)):
            return self._of_function(x)
        return self._of_others(x, kind)

    def _of_array(self, x):
        self.arrays.append(x)
        if x.dtype.hasobject:
            inside = tuple(map(self.of, x.ravel().tolist()))
        else:
            inside = str(x) if x.dtype.char in "gG" else x.tobytes()
        return x.dtype.str, x.shape, x.strides, x.flags.writeable, inside

    def _of_key(self, key):
        if type(key) in (tuple, np.float64) or isinstance(key, Enum):
            return type(key).__name__, repr(key)
        return self.of(key)

    def _of_function(self, x):
        if issubclass(type(x), MethodType):
            return x.__name__, self.of(x.__self__)
        cells, is_ours = [], str(x.__module__).startswith("program_")
        for cell in (x.__closure__ if is_ours else None) or ():
            with contextlib.suppress(ValueError):  # it is empty
                cells.append(self.of(cell.cell_contents))
        return x.__name__, tuple(cells), self.of(x.__defaults__), self.of(x.__kwdefaults__)

    def _of_others(self, x, kind):
        if issubclass(kind, (np.random.Generator, np.random.RandomState, np.random.BitGenerator)):
            bits = x if issubclass(kind, np.random.BitGenerator) else x._bit_generator
            return _exact(bits.state)
        if issubclass(kind, random.Random):
            return x.getstate()
        if issubclass(kind, Path):
            files = sorted(x.iterdir()) if x.is_dir() else ()
            return tuple((each.name, each.read_bytes()) for each in files if each.is_file())
        if issubclass(kind, contextvars.ContextVar):
            return self.of(x.get(None))
        if issubclass(kind, (bytearray, memoryview, ctypes._SimpleCData, ctypes.Array)):
            return bytes(x)
        if f"{kind.__module__}.{kind.__name__}".startswith(_LOCKS) and hasattr(x, "locked"):
            return x.locked()
        shown = repr(x) if type(kind.__repr__) is not FunctionType else ""
        return "" if "0x" in shown else shown

    def _attributes(self, x, kind):
        """Return the attributes of an object, also those in slots."""
        if kind in _PLAIN or issubclass(kind, (np.ndarray, Path, io.IOBase)):
            return ()
        own = {}
        with contextlib.suppress(Exception):
            own = dict(type.__dict__["__dict__"].__get__(x) if issubclass(kind, type) else vars(x))
        for name in _slots_of(kind):
            with contextlib.suppress(Exception):
                own[name] = object.__getattribute__(x, name)
        pairs = ((name, each) for name, each in own.items() if _is_state(name, each))
        return tuple((str(name), self.of(each)) for name, each in pairs)


@functools.lru_cache(1000)
def _slots_of(kind):
    """Return the names of the slots of a class, but for those of Variables."""
    found = []
    for base in () if issubclass(kind, Variable) else kind.__mro__:
        names = vars(base).get("__slots__", ())
        found += [names] if isinstance(names, str) else names
    return [name for name in found if name not in ("__dict__", "__weakref__")]


def _is_state(name, x):
    """Return whether an attribute or global belongs to the state."""
    if isinstance(name, str) and name.startswith("__") and name.endswith("__"):
        return False
    return not (type(name) is str and name == "_compiled_methods") and type(x) is not ModuleType


def side_by_side(make, calls=8, *, arguments=None, change=None, wrap=compiled, **options):
    """Run a program in two worlds; fail at the first difference.

    Parameters
    ----------
    make : callable
        Returns the function and its state, from which everything else can be reached.
    calls : int
    arguments : callable, optional
        ``arguments(number, state)`` returns the arguments of a call, a tuple; the last one may be a
        dict of a class ``Keywords``.
    change : callable, optional
        ``change(number, state)`` changes a world before a call.
    **options
        Those of `compiled`.

    Returns
    -------
    SimpleNamespace
        ``replayed``, ``recorded``, ``eager`` and ``audits``, the numbers of calls of each kind; the
        ``step`` that was compiled; what the warnings of replay have ``told``; how each call was
        made, ``kinds``.
    """
    given = calls, arguments or _usual, change or _nothing
    expected = list(World(make).transcript(*given))
    world = World(make, lambda function: wrap(function, **options))
    with contextlib.closing(world.transcript(*given)) as transcript:
        for number, seen in enumerate(transcript):
            _require_equal(expected[number], seen, f"call {number}, {world.kinds[-1:]}", world)
    return SimpleNamespace(**world.stats, step=world.step, told=world.told, kinds=world.kinds)


def _usual(number, state):
    return (np.arange(1.0, 5.0) + number,)


def _nothing(number, state):
    pass


def _require_equal(eager, other, where, world):
    for name, expected in eager.items():
        if other[name] != expected:
            reasons = list(getattr(world.step, "reasons", {}).values())
            raise AssertionError(
                f"{where}: the {name}: {_difference(other[name], expected)}; {reasons}"
            )


def _difference(got, expected):
    """Return the innermost parts of two pictures that differ."""
    if type(got) is type(expected) and isinstance(got, (tuple, list)) and len(got) == len(expected):
        for a, b in zip(got, expected, strict=True):
            if a != b:
                return _difference(a, b)
    if isinstance(got, bytes) and isinstance(expected, bytes) and len(got) % 8 == 0:
        got, expected = np.frombuffer(got), np.frombuffer(expected)
    return f"{got!r:.400} in place of {expected!r:.400}"
