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
from dezero_replay.tape import Value

from .ir import BYTE, I32, I64, Function, Module, Type, V, i64, literal
from .keys import region_key
from .loops import CHUNKS, Bases, Loops
from .nests import Nest, Schedule
from .products import write_product
from .region import Product, Region

WARNS = 1
"""Status of a run in which NumPy would have warned: an overflow, a division by zero, a nan."""

_OBJECT_HEAD = 16
"""Bytes of an object of CPython before its content: a pointer to the memory of an array, or a
number."""

_ANOTHER_FORM = "this interpreter has objects of another form than machine code can read"

_ALIGNED = 64
_LONG = 20_000
"""Elements of loops for which the interpreter's lock is given back."""

#: Bits of the state of floating point: an invalid operation, a division by zero, an overflow.
_RAISED = 1 | 4 | 8 if platform.machine() in ("x86_64", "AMD64", "i686") else 1 | 2 | 4


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
        roots = _roots(region, wanted)
        #: Results that it returns as Python's floats, with the status behind them, in a tuple. If
        #: there are none, it returns the status.
        self.numbers = [value for value in roots if floats and _is_number(value)]
        #: The arrays that it writes. The caller makes them, and gives them as arguments.
        self.results = [value for value in roots if value not in self.numbers]
        self.arguments = [*region.inputs, *self.results]
        self._scratch = len(self.arguments)
        self._slots = {value.number: n for n, value in enumerate(self.arguments)}
        for n, value in enumerate(self.numbers):
            self._slots[value.number] = self._scratch + 1 + n
        self._offsets: dict[int, int] = {}
        #: Bytes of the memory that it takes as the last argument; known once `text` was read.
        self.scratch_bytes = 0

    @cached_property
    def text(self) -> str:
        """The function in LLVM's language."""
        self._place()
        self._module = Module(self.machine.opaque)
        self._entry([self._nest(n, nest) for n, nest in enumerate(self.schedule.nests)])
        return str(self._module)

    @cached_property
    def key(self) -> str:
        """The facts that `text` depends on, in short: of one key, regions have one code."""
        results = region_key(self.region, [*self.results, *self.numbers])
        loose = [n for n, x in enumerate(self.region.inputs) if x.number in self.loose]
        return f"{self.threads} threads, {len(self.numbers)} numbers, loose {loose}\n{results}"

    def _place(self) -> None:
        """Find a place in the scratch memory for each array that only the region sees."""
        free: list[tuple[int, int]] = []
        ends: dict[int, list[tuple[int, int]]] = {}
        schedule = self.schedule
        order = sorted(schedule.first.items(), key=lambda item: item[1])
        position = 0
        for number, first in order:
            while position < first:
                free += ends.pop(position, [])
                position += 1
            if number in self._slots or number not in schedule.stored:
                continue
            value = schedule.roots[number]
            size = _rounded(prod(value.shape or ()) * _itemsize(value))
            found = next((x for x in free if x[1] == size), None)
            if found is None:
                found = self.scratch_bytes, size
                self.scratch_bytes += size
            else:
                free.remove(found)
            self._offsets[number] = found[0]
            if (last := schedule.last[number]) < len(schedule.nests):
                ends.setdefault(last, []).append(found)

    def _nest(self, number: int, nest: Nest) -> Callable[[Function, V], None]:
        """Write a nest as functions; return what writes a call of them."""
        name = f"{self.name}_{number}"
        if isinstance(step := nest.steps[0], Product):
            f = Function(self._module, name, [I64])
            write_product(f, self.machine, step, _Bases(self, f), self._room)
            return self._finished(f)
        loops = Loops(nest, self.machine, self.schedule.stored, self._room)
        if not loops.is_cut:
            f = Function(self._module, name, [I64])
            loops.write(f, _Bases(self, f))
            return self._finished(f)
        first = Function(self._module, f"{name}_first", [I64])
        loops.write_first(first, _Bases(self, first))
        chunks = Function(self._module, f"{name}_chunks", [I64, I64, I64])
        loops.write_chunks(chunks, _Bases(self, chunks), *chunks.parameters[1:])
        last = Function(self._module, f"{name}_last", [I64])
        loops.write_last(last, _Bases(self, last))
        steps = self._finished(first), self._shared(chunks), self._finished(last)

        def call(f: Function, table: V) -> None:
            for step in steps:
                step(f, table)

        return call

    def _room(self, size: int) -> int:
        place = self.scratch_bytes
        self.scratch_bytes += _rounded(size)
        return place

    def _finished(self, f: Function) -> Callable[[Function, V], None]:
        f.back()
        self._module.add(f)
        return lambda caller, table: caller.call_void(f.name, table, declare=False)

    def _shared(self, chunks: Function) -> Callable[[Function, V], None]:
        """Let threads share the chunks: each runs some of them, the one that calls the first."""
        self._finished(chunks)
        if self.threads > 1:
            self._thread(chunks.name)
        cuts = [CHUNKS * part // self.threads for part in range(self.threads + 1)]
        (_, own), *others = [(i64(a), i64(b)) for a, b in pairwise(cuts) if a != b]

        def call(f: Function, table: V) -> None:
            threads = []
            for first, last in others:
                thread, given = f.space(1), f.space(4)
                for place, value in enumerate((table, first, last)):
                    f.store(value, f.add(given, 8 * place))
                begin = f.address_of(f"{chunks.name}_thread", [I64], I64)
                status = f.call("pthread_create", I32, thread, i64(0), begin, given)
                runs = f.compare("icmp eq", status, literal(0, I32))
                threads.append((thread, given, runs))
            f.call_void(chunks.name, table, i64(0), own, declare=False)
            for (first, last), (thread, given, runs) in zip(others, threads, strict=True):
                with f.when(runs):
                    f.call("pthread_join", I32, f.load(thread, I64), i64(0))
                    f.call("feraiseexcept", I32, f.load(f.add(given, 24), I32))
                with f.when(f.negation(runs)):  # there is no thread to be had
                    f.call_void(chunks.name, table, first, last, declare=False)

        return call

    def _thread(self, name: str) -> None:
        """Write the function that a thread begins with; its state of errors is its own."""
        f = Function(self._module, f"{name}_thread", [I64], str(I64))
        (given,) = f.parameters
        raised = literal(_RAISED, I32)
        f.call("feclearexcept", I32, raised)
        table, first, last = (f.load(f.add(given, 8 * place), I64) for place in range(3))
        f.call_void(name, table, first, last, declare=False)
        f.store(f.call("fetestexcept", I32, raised), f.add(given, 24))
        f.back(i64(0))
        self._module.add(f)

    def _entry(self, calls: list[Callable[[Function, V], None]]) -> None:
        """Write the function that Python calls: ``kernel(self, args, n)`` returns the status."""
        f = Function(self._module, self.name, [I64, I64, I64], str(I64), internal=False)
        arguments, inputs = f.parameters[1], len(self.region.inputs)
        table = f.space(len(self._slots) + 1)
        for n, value in enumerate(self.arguments):
            there = f.add(f.load(f.add(arguments, 8 * n), I64), _OBJECT_HEAD)
            is_array = n >= inputs or value.kind is np.ndarray
            is_array = is_array or value.number in {*self.region.constants, *self.loose}
            f.store(f.load(there, I64) if is_array else there, f.add(table, 8 * n))
        scratch = f.add(f.load(f.add(arguments, 8 * self._scratch), I64), _OBJECT_HEAD)
        f.store(f.load(scratch, I64), f.add(table, 8 * self._scratch))
        numbers = [f.space(1) for _ in self.numbers]
        for place, value in zip(numbers, self.numbers, strict=True):
            f.store(place, f.add(table, 8 * self._slots[value.number]))
        work = sum(prod(nest.shape) for nest in self.schedule.nests)
        state = f.call("PyEval_SaveThread", I64) if work > _LONG else None
        f.call("feclearexcept", I32, literal(_RAISED, I32))
        for call in calls:
            call(f, table)
        raised = f.call("fetestexcept", I32, literal(_RAISED, I32))
        if state is not None:
            f.call_void("PyEval_RestoreThread", state)
        warns = f.compare("icmp ne", raised, literal(0, I32))
        status = f.select(warns, i64(WARNS), i64(0))
        bases = _Bases(self, f, table)
        for number, (guard, array) in reversed(list(enumerate(self.region.guards))):
            found = f.load(f.add(bases.root(array.root), array.offset), BYTE)
            fails = f.compare("icmp eq" if guard.expected else "icmp ne", found, literal(0, BYTE))
            status = f.select(fails, i64(WARNS + 1 + number), status)
        found = f.call("PyLong_FromSsize_t", I64, status)
        f.back(self._with_numbers(f, numbers, found) if numbers else found)
        self._module.add(f)

    def _with_numbers(self, f: Function, places: list[V], status: V) -> V:
        """Return a tuple of numbers, and the status."""
        double = Type("double")
        made = f.call("PyTuple_New", I64, i64(len(places) + 1))
        for n, place in enumerate(places):
            number = f.call("PyFloat_FromDouble", I64, f.load(place, double))
            f.call("PyTuple_SetItem", I32, made, i64(n), number)
        f.call("PyTuple_SetItem", I32, made, i64(len(places)), status)
        return made


class _Bases(Bases):
    """Addresses from the table that a function gets as its first argument; each is read once."""

    def __init__(self, code: Code, f: Function, table: V | None = None) -> None:
        self._code, self._f = code, f
        self._table = f.parameters[0] if table is None else table
        self._slots: dict[int, V] = {}

    def _slot(self, number: int) -> V:
        if number not in self._slots:
            self._slots[number] = self._f.load(self._f.add(self._table, 8 * number), I64)
        return self._slots[number]

    def root(self, value: Value) -> V:
        slots = self._code._slots
        if value.number in slots:
            return self._slot(slots[value.number])
        return self.scratch(self._code._offsets[value.number])

    def scratch(self, offset: int) -> V:
        return self._f.add(self._slot(self._code._scratch), offset)


def _roots(region: Region, wanted: list[Value]) -> list[Value]:
    found = {}
    for value in wanted:
        root = region.arrays[value.number].root
        found[root.number] = root
    return list(found.values())


def _is_number(value: Value) -> bool:
    """Return whether a result is one float64: without axes, so that it has no layout."""
    return not value.shape and (value.kind is float or value.dtype == np.float64)


def _itemsize(value: Value) -> int:
    return 8 if value.dtype is None else int(value.dtype.itemsize)


def _rounded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


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
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p],
    )
    return make(ctypes.addressof(method), (method, owner), None)


@cache
def can_be_entered() -> str:
    """Return why arrays cannot be entered as objects in this interpreter; "" if they can."""
    if sys.implementation.name != "cpython":
        return f"only CPython can call machine code, and this is {sys.implementation.name}"
    array, number, scalar = np.arange(3.0), 2.5, np.float64(3.5)
    locks = getattr(sys, "_is_gil_enabled", lambda: True)()
    if not locks or sys.maxsize < 2**32:
        return _ANOTHER_FORM
    pointer = ctypes.c_int64.from_address(id(array) + _OBJECT_HEAD).value
    double = ctypes.c_double.from_address
    numbers = [double(id(x) + _OBJECT_HEAD).value for x in (number, scalar)]
    if pointer != array.ctypes.data or numbers != [2.5, 3.5]:
        return _ANOTHER_FORM
    return ""
