"""A region as a function that Python calls: its code, its memory, and how it is entered.

It is a C function as CPython calls built-in ones, made of machine code: it takes arrays as objects,
and finds their memory in them. So a call costs no more than that of a function of NumPy's.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Collection
from functools import cache, cached_property
from typing import Any

import numpy as np
from dezero_replay.tape.instructions import Value

from .ir import BYTE, DOUBLE, I32, I64, Function, Module, V, i64, literal
from .keys import region_key
from .loop_plans import CHUNKS
from .machine import RAISED
from .memory import Bases, Memory
from .nest_functions import Call, NestFunctions
from .nests import Schedule
from .region import Region
from .round_writer import LONG_LOOP
from .steps import Rounds

WARNS = 1
"""Status of a run in which NumPy would have warned: an overflow, a division by zero, a nan."""

_OBJECT_HEAD = 16
"""Bytes of an object of CPython before its content: a pointer to the memory of an array, or a
number."""

_MANY = 100
"""So many arguments are read in a loop, and the guards are looked at by functions of so many."""

_LONG = 20_000
"""Elements of loops for which the interpreter's lock is given back."""

_RAISED = literal(RAISED, I32)


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
        self._arrays = {value.number for value in region.inputs if value.kind is np.ndarray}
        self._arrays.update(region.constants, loose, (value.number for value in self.results))
        #: Numbers that are given as objects come first.
        self.arguments = sorted([*region.inputs, *self.results], key=self._is_array)
        #: Bytes of the memory that it takes as the last argument; known once `text` was read.
        self.scratch_bytes = 0

    @cached_property
    def text(self) -> str:
        """The function in LLVM's language."""
        self._module = Module(self.machine)
        self._memory = Memory(self.arguments, self.numbers, self.schedule)
        stored = self.schedule.stored
        if any(isinstance(x, Rounds) and x.work >= LONG_LOOP for x in self.region.steps):
            self._memory.signals = self._memory.room(16)
        functions = NestFunctions(self._module, self.name, self._memory, stored, self.threads)
        self._entry(functions.call_of_all(self.schedule.nests))
        self.scratch_bytes = self._memory.scratch_bytes
        return str(self._module)

    @cached_property
    def key(self) -> str:
        """The facts that `text` depends on, in short: of one key, regions have one code."""
        results = region_key(self.region, [*self.results, *self.numbers])
        loose = [n for n, x in enumerate(self.region.inputs) if x.number in self.loose]
        return f"{self.threads} threads, {len(self.numbers)} numbers, loose {loose}\n{results}"

    def _entry(self, call: Call) -> None:
        """Write the function that Python calls: ``kernel(self, args, n)`` returns the status."""
        f = Function(self._module, self.name, [I64, I64, I64], I64, internal=False)
        slots = self._memory.slots
        table = f.space(len(slots) + 1)
        count = sum(not self._is_array(value) for value in self.arguments)
        self._addresses(f, table, 0, count, lambda there: there)
        # The last one is the scratch memory.
        self._addresses(f, table, count, self._memory.scratch + 1, lambda at: f.load(at, I64))
        numbers = [f.space(1) for _ in self.numbers]
        for place, value in zip(numbers, self.numbers, strict=True):
            f.store(place, f.add(table, 8 * slots[value.number]))
        work = sum(nest.work for nest in self.schedule.nests)
        state = f.call("PyEval_SaveThread", I64) if work > _LONG else None
        if (signals := self._memory.signals) is not None:
            at = Bases(self._memory, f, table).signals()
            f.store(state or i64(0), at)
            f.store(i64(0), f.add(at, 8))
        f.call("feclearexcept", I32, _RAISED)
        call(f, table)
        raised = f.call("fetestexcept", I32, _RAISED)
        if signals is not None:
            state = f.load(at, I64)  # Python may have run since
        if state is not None:
            f.call_void("PyEval_RestoreThread", state)
        warns = f.compare("icmp ne", raised, literal(0, I32))
        status = f.select(warns, i64(WARNS), i64(0))
        status = self._with_guards(f, table, status)
        if signals is None:
            f.back(self._result(f, numbers, status))
        else:
            result = f.space(1)
            f.store(i64(0), result)  # what a function returns that raises
            with f.when(f.compare("icmp eq", f.load(f.add(at, 8), I64), i64(0))):
                f.store(self._result(f, numbers, status), result)
            f.back(f.load(result, I64))
        self._module.add(f)

    def _result(self, f: Function, numbers: list[V], status: V) -> V:
        """Return the object that Python gets."""
        found = f.call("PyLong_FromSsize_t", I64, status)
        return self._with_numbers(f, numbers, found) if numbers else found

    def _addresses(self, f: Function, table: V, first: int, last: int, of: Any) -> None:
        """Write the addresses of some arguments into the table: those `of` what objects have."""

        def write(n: V) -> None:
            there = f.add(f.load(f.add(f.parameters[1], f.times(n, 8)), I64), _OBJECT_HEAD)
            f.store(of(there), f.add(table, f.times(n, 8)))

        if last - first > _MANY:
            with f.loop(last, start=first) as loop:
                write(loop.index)
        else:
            for n in range(first, last):
                write(i64(n))

    def _with_guards(self, f: Function, table: V, status: V) -> V:
        """Return the status of the first guard that fails; if none does, `status`."""
        guards = list(enumerate(self.region.guards))
        for first in reversed(range(0, len(guards), _MANY)):
            name = f"{self.name}_guards_{first}"
            g = Function(self._module, name, [I64, I64], I64)
            bases, found = Bases(self._memory, g, g.parameters[0]), g.parameters[1]
            for number, (guard, array) in reversed(guards[first : first + _MANY]):
                x, zero = g.load(bases.of(array), BYTE), literal(0, BYTE)
                fails = g.compare("icmp eq" if guard.expected else "icmp ne", x, zero)
                found = g.select(fails, i64(WARNS + 1 + number), found)
            g.back(found)
            self._module.add(g)
            status = f.call(name, I64, table, status, declare=False)
        return status

    def _is_array(self, value: Value) -> bool:
        return value.number in self._arrays

    def _with_numbers(self, f: Function, places: list[V], status: V) -> V:
        """Return a tuple of numbers, and the status."""
        made = f.call("PyTuple_New", I64, i64(len(places) + 1))
        for n, place in enumerate(places):
            number = f.call("PyFloat_FromDouble", I64, f.load(place, DOUBLE))
            f.call("PyTuple_SetItem", I32, made, i64(n), number)
        f.call("PyTuple_SetItem", I32, made, i64(len(places)), status)
        return made


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
