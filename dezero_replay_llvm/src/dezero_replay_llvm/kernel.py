"""A region as a function that Python calls: its code, its memory, and how it is entered.

It is a C function as CPython calls built-in ones, made of machine code: it takes arrays as objects,
and finds their memory in them. So a call costs no more than that of a function of NumPy's.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Callable, Collection
from functools import cache, cached_property
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from dezero_replay.tape.instructions import Value

from .ir import BYTE, DOUBLE, I32, I64, Function, Module, V, i64, literal
from .loop_plans import CHUNKS, LoopPlan
from .loops import Loops
from .memory import Bases, Memory
from .nests import Nest, Schedule
from .products import ProductWriter
from .region import Region
from .steps import Array, Product, Reduction

WARNS = 1
"""Status of a run in which NumPy would have warned: an overflow, a division by zero, a nan."""

_OBJECT_HEAD = 16
"""Bytes of an object of CPython before its content: a pointer to the memory of an array, or a
number."""

_LONG = 20_000
"""Elements of loops for which the interpreter's lock is given back."""

#: Bits of the state of floating point: an invalid operation, a division by zero, an overflow.
_BITS = 1 | 4 | 8 if platform.machine() in ("x86_64", "AMD64", "i686") else 1 | 2 | 4
_RAISED = literal(_BITS, I32)

Call = Callable[..., None]
"""Writes a call into the function that is given first, with the other arguments."""


class Code:
    """A region as a function: how it is called, and its text."""

    name = "kernel"

    def __init__(
        self,
        region: Region,
        wanted: list[Value],
        threads: int = 1,
        floats: bool = False,
        loose: Collection[int] = (),
    ) -> None:
        #: Numbers of the inputs that come from calls of NumPy's: these are given as arrays.
        self.loose = loose
        self.region, self.wanted, self.machine = region, wanted, region.machine
        self.threads = min(threads, CHUNKS)
        self.schedule = Schedule(region, wanted)
        roots = list(dict.fromkeys(region.arrays[value.number].root for value in wanted))
        #: Results that it returns as Python's floats, with the status behind them, in a tuple. If
        #: there are none, it returns the status.
        self.numbers = [value for value in roots if floats and _is_number(value)]
        #: The arrays that it writes. The caller makes them, and gives them as arguments.
        self.results = [value for value in roots if value not in self.numbers]
        self.arguments = [*region.inputs, *self.results]
        #: Bytes of the memory that it takes as the last argument; known once `text` was read.
        self.scratch_bytes = 0

    @cached_property
    def text(self) -> str:
        """The function in LLVM's language."""
        self._module = Module(self.machine)
        self._memory = Memory(self.arguments, self.numbers, self.schedule)
        nests = enumerate(self.schedule.nests)
        self._entry([call for n, nest in nests for call in self._nest(f"{self.name}_{n}", nest)])
        self.scratch_bytes = self._memory.scratch_bytes
        return str(self._module)

    @cached_property
    def key(self) -> str:
        """The facts that `text` depends on, in short: of one key, regions have one code."""
        results = region_key(self.region, [*self.results, *self.numbers])
        loose = [n for n, x in enumerate(self.region.inputs) if x.number in self.loose]
        return f"{self.threads} threads, {len(self.numbers)} numbers, loose {loose}\n{results}"

    def _nest(self, name: str, nest: Nest) -> list[Call]:
        """Write a nest as functions; return what writes calls of them."""
        step = nest.steps[0]
        if isinstance(step, Product):
            return [self._function(name, lambda *to: ProductWriter(step, *to).write())]
        plan = LoopPlan(nest, self.machine, self.schedule.stored, self._memory)
        if not plan.chunk:
            return [self._function(name, lambda *to: Loops(plan, *to).write())]
        return [
            self._function(f"{name}_first", lambda *to: Loops(plan, *to).write_first()),
            self._shared(f"{name}_chunks", lambda *to: Loops(plan, *to).write_chunks()),
            self._function(f"{name}_last", lambda *to: Loops(plan, *to).write_last()),
        ]

    def _function(
        self, name: str, write: Callable[[Function, Bases], None], parameters: int = 1
    ) -> Call:
        """Write a function of the table, and of other whole numbers; return what writes a call."""
        f = Function(self._module, name, [I64] * parameters)
        write(f, Bases(self._memory, f, f.parameters[0]))
        f.back()
        self._module.add(f)
        return lambda caller, *arguments: caller.call_void(name, *arguments, declare=False)

    def _shared(self, name: str, write: Callable[[Function, Bases], None]) -> Call:
        """Let threads share the chunks: each runs some of them, the one that calls the first."""
        run = self._function(name, write, parameters=3)
        if self.threads > 1:
            self._thread(name, run)
        cuts = [CHUNKS * part // self.threads for part in range(self.threads + 1)]
        (_, own), *others = [(i64(a), i64(b)) for a, b in pairwise(cuts) if a != b]

        def call(f: Function, table: V) -> None:
            threads = []
            for first, last in others:
                thread, given = f.space(1), f.space(4)
                for place, value in enumerate((table, first, last)):
                    f.store(value, f.add(given, 8 * place))
                begin = f.address_of(f"{name}_thread", [I64], I64)
                status = f.call("pthread_create", I32, thread, i64(0), begin, given)
                runs = f.compare("icmp eq", status, literal(0, I32))
                threads.append((thread, given, runs))
            run(f, table, i64(0), own)
            for (first, last), (thread, given, runs) in zip(others, threads, strict=True):
                with f.when(runs):
                    f.call("pthread_join", I32, f.load(thread, I64), i64(0))
                    f.call("feraiseexcept", I32, f.load(f.add(given, 24), I32))
                with f.when(f.negation(runs)):  # there is no thread to be had
                    run(f, table, first, last)

        return call

    def _thread(self, name: str, run: Call) -> None:
        """Write the function that a thread begins with; its state of errors is its own."""
        f = Function(self._module, f"{name}_thread", [I64], I64)
        (given,) = f.parameters
        f.call("feclearexcept", I32, _RAISED)
        table, first, last = (f.load(f.add(given, 8 * place), I64) for place in range(3))
        run(f, table, first, last)
        f.store(f.call("fetestexcept", I32, _RAISED), f.add(given, 24))
        f.back(i64(0))
        self._module.add(f)

    def _entry(self, calls: list[Call]) -> None:
        """Write the function that Python calls: ``kernel(self, args, n)`` returns the status."""
        f = Function(self._module, self.name, [I64, I64, I64], I64, internal=False)
        slots = self._memory.slots
        table = f.space(len(slots) + 1)
        arrays = {value.number for value in self.region.inputs if value.kind is np.ndarray}
        arrays.update(self.region.constants, self.loose, (value.number for value in self.results))
        for n in range(len(self.arguments) + 1):  # the last one is the scratch memory
            there = f.add(f.load(f.add(f.parameters[1], 8 * n), I64), _OBJECT_HEAD)
            is_array = n == self._memory.scratch or self.arguments[n].number in arrays
            f.store(f.load(there, I64) if is_array else there, f.add(table, 8 * n))
        numbers = [f.space(1) for _ in self.numbers]
        for place, value in zip(numbers, self.numbers, strict=True):
            f.store(place, f.add(table, 8 * slots[value.number]))
        work = sum(prod(nest.shape) for nest in self.schedule.nests)
        state = f.call("PyEval_SaveThread", I64) if work > _LONG else None
        f.call("feclearexcept", I32, _RAISED)
        for call in calls:
            call(f, table)
        raised = f.call("fetestexcept", I32, _RAISED)
        if state is not None:
            f.call_void("PyEval_RestoreThread", state)
        warns = f.compare("icmp ne", raised, literal(0, I32))
        status = f.select(warns, i64(WARNS), i64(0))
        bases = Bases(self._memory, f, table)
        for number, (guard, array) in reversed(list(enumerate(self.region.guards))):
            found = f.load(bases.of(array), BYTE)
            fails = f.compare("icmp eq" if guard.expected else "icmp ne", found, literal(0, BYTE))
            status = f.select(fails, i64(WARNS + 1 + number), status)
        found = f.call("PyLong_FromSsize_t", I64, status)
        f.back(self._with_numbers(f, numbers, found) if numbers else found)
        self._module.add(f)

    def _with_numbers(self, f: Function, places: list[V], status: V) -> V:
        """Return a tuple of numbers, and the status."""
        made = f.call("PyTuple_New", I64, i64(len(places) + 1))
        for n, place in enumerate(places):
            number = f.call("PyFloat_FromDouble", I64, f.load(place, DOUBLE))
            f.call("PyTuple_SetItem", I32, made, i64(n), number)
        f.call("PyTuple_SetItem", I32, made, i64(len(places)), status)
        return made


def region_key(region: Region, results: list[Value]) -> str:
    """Return all that the code of a region depends on, but for the machine."""
    numbers: dict[int, int] = {}

    def root(value: Value) -> str:
        if value.number in numbers:
            return str(numbers[value.number])
        number = numbers[value.number] = len(numbers)
        made = "constant " if value.number in region.constants else ""
        # str(dtype) takes ten times as long
        dtype = "" if value.dtype is None else value.dtype.str
        return f"{number}={made}{value.kind.__name__}{dtype}{value.shape}{value.strides}"

    def operand(x: Any) -> str:
        if isinstance(x, Array):
            return f"[{root(x.root)}+{x.offset} {x.shape}{x.strides}{x.dtype.str}]"
        return _digits(x)

    lines = [f"in {' '.join(map(root, region.inputs))}"]
    for step in region.steps:
        what = [type(step).__name__, getattr(step.function, "__name__", "")]
        what += [*map(operand, (step.out, *step.operands)), *(x.str for x in step.dtypes)]
        if isinstance(step, Reduction):
            initial = "" if step.initial is None else _digits(np.asarray(step.initial)[()])
            what += [str(step.axes), initial]
        lines.append(" ".join(what))
    lines += [f"guard {operand(array)} {guard.expected}" for guard, array in region.guards]
    lines.append(f"out {' '.join(map(root, results))}")
    return "\n".join(lines)


def _digits(x: Any) -> str:
    return f"{x.dtype.str}{x.tobytes().hex()}"


def _is_number(value: Value) -> bool:
    """Return whether a result is one float64: without axes, so that it has no layout."""
    return not value.shape and (value.kind is float or value.dtype == np.float64)


class _Method(ctypes.Structure):
    """``PyMethodDef`` of CPython."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_FAST_CALL = 0x80


def builtin(address: int, owner: Any) -> Any:
    """Return a built-in function of Python for machine code at an address.

    The `owner` is kept as long as the function.
    """
    method = _Method(b"kernel", address, _FAST_CALL, None)
    pointer, reference = ctypes.c_void_p, ctypes.py_object
    form = ctypes.PYFUNCTYPE(reference, pointer, reference, pointer)
    make = form(("PyCFunction_NewEx", ctypes.pythonapi))
    return make(ctypes.addressof(method), (method, owner), None)


@cache
def can_be_entered() -> str:
    """Return why arrays cannot be entered as objects in this interpreter; "" if they can."""
    if sys.implementation.name != "cpython":
        return f"only CPython can call machine code, and this is {sys.implementation.name}"
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    if has_lock and sys.maxsize > 2**32:
        array, number, scalar = np.arange(3.0), 2.5, np.float64(3.5)
        pointer = ctypes.c_int64.from_address(id(array) + _OBJECT_HEAD).value
        double = ctypes.c_double.from_address
        numbers = [double(id(x) + _OBJECT_HEAD).value for x in (number, scalar)]
        if pointer == array.ctypes.data and numbers == [2.5, 3.5]:
            return ""
    return "this interpreter has objects of another form than machine code can read"
