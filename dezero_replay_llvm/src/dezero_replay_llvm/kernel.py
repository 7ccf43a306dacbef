"""A region as a function that Python calls: its code, its memory, and how it is entered.

It is a C function as CPython calls built-in ones, made of machine code: it takes arrays as objects,
and finds their memory in them. So a call costs no more than that of a function of NumPy's.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from functools import cache, cached_property
from math import prod
from typing import Any

import numpy as np
from dezero_replay.tape import Value

from .ir import BYTE, I64, Function, Module, V, literal, whole
from .keys import described
from .loops import Loops
from .machine import Machine
from .nests import Nest, Schedule
from .products import write_product
from .region import Product, Reduction, Region

WARNS = 1
"""Status of a run in which NumPy would have warned: an overflow, a division by zero, a nan."""

_OBJECT_HEAD = 16
"""Bytes of an object of CPython before its content: a pointer to the memory of an array, or a
number."""

_ALIGNED = 64
_LONG = 20_000
"""Elements of loops for which the interpreter's lock is given back."""

#: Bits of the state of floating point: an invalid operation, a division by zero, an overflow.
_RAISED = 1 | 4 | 8 if platform.machine() in ("x86_64", "AMD64", "i686") else 1 | 2 | 4


class Code:
    """A region as a function: how it is called, and its text.

    Attributes
    ----------
    arguments : list of Value
        What the function takes, in this order: inputs, and then results.
    results : list of Value
        Arrays that it writes: those of the arguments that the caller makes.
    scratch_bytes : int
        Of the memory that it takes as the last argument; known when the text is.
    """

    name = "kernel"

    def __init__(self, region: Region, wanted: list[Value]) -> None:
        self.region, self.wanted, self.machine = region, wanted, region.machine
        self.schedule = Schedule(region, wanted)
        self.results = _roots(region, wanted)
        self.arguments = [*region.inputs, *self.results]
        self._slots = {value.number: n for n, value in enumerate(self.arguments)}
        self._scratch = len(self.arguments)
        self._offsets: dict[int, int] = {}
        self.scratch_bytes = 0

    @cached_property
    def text(self) -> str:
        """For LLVM."""
        self._place()
        self._module = Module(self.machine.opaque)
        self._entry([self._nest(n, nest) for n, nest in enumerate(self.schedule.nests)])
        return str(self._module)

    @cached_property
    def key(self) -> str:
        """The text that it would have, in short: two regions with one key have one code."""
        return described(self.region, self.results)

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

    def _base(self, f: Function, table: V) -> Any:
        """Return a function that gives the address of a root, read once."""
        slots: dict[int, V] = {}

        def base(root: Value) -> V:
            slot = self._slots.get(root.number, self._scratch)
            if slot not in slots:
                slots[slot] = f.load(f.add(table, 8 * slot), I64)
            return f.add(slots[slot], self._offsets[root.number] if slot == self._scratch else 0)

        return base

    def _nest(self, number: int, nest: Nest) -> str:
        """Write a nest as a function of its own, which takes the table of addresses."""
        name = f"{self.name}_{number}"
        f = Function(self._module, name, [I64])
        base = self._base(f, f.parameters[0])
        if isinstance(step := nest.steps[0], Product):
            write_product(f, self.machine, step, base)
        else:
            loops: Loops

            def pairs(each: Reduction) -> V:
                place = self.scratch_bytes
                self.scratch_bytes += _rounded(loops.total_bytes(each))
                return f.add(f.load(f.add(f.parameters[0], 8 * self._scratch), I64), place)

            loops = Loops(f, nest, self.machine, base, self.schedule.stored, pairs)
            loops.write()
        f.back()
        self._module.add(f)
        return name

    def _entry(self, nests: list[str]) -> None:
        """Write the function that Python calls: ``kernel(self, args, n)`` returns the status."""
        module = self._module
        f = Function(module, self.name, [I64, I64, I64], "i64", internal=False)
        arguments = f.parameters[1]
        table = f.space(len(self.arguments) + 1)
        for n, value in enumerate(self.arguments):
            there = f.add(f.load(f.add(arguments, 8 * n), I64), _OBJECT_HEAD)
            is_array = value.kind is np.ndarray or n >= len(self.region.inputs)
            is_array = is_array or value.number in self.region.constants
            f.store(f.load(there, I64) if is_array else there, f.add(table, 8 * n))
        scratch = f.add(f.load(f.add(arguments, 8 * self._scratch), I64), _OBJECT_HEAD)
        f.store(f.load(scratch, I64), f.add(table, 8 * self._scratch))
        work = sum(prod(nest.shape) for nest in self.schedule.nests)
        state = f.call("PyEval_SaveThread", I64) if work > _LONG else None
        kind = I64.of("i32")
        f.call("feclearexcept", kind, literal(_RAISED, kind))
        for name in nests:
            f.call_void(name, table, declare=False)
        raised = f.call("fetestexcept", kind, literal(_RAISED, kind))
        if state is not None:
            f.call_void("PyEval_RestoreThread", state)
        zero = literal(0, kind)
        status = f.select(f.compare("icmp ne", raised, zero), whole(WARNS), whole(0))
        base = self._base(f, table)
        for number, (guard, array) in reversed(list(enumerate(self.region.guards))):
            found = f.load(f.add(base(array.root), array.offset), BYTE)
            fails = f.compare("icmp eq" if guard.expected else "icmp ne", found, literal(0, BYTE))
            status = f.select(fails, whole(WARNS + 1 + number), status)
        f.back(f.call("PyLong_FromSsize_t", I64, status))
        module.add(f)


def _roots(region: Region, wanted: list[Value]) -> list[Value]:
    found = {}
    for value in wanted:
        root = region.arrays[value.number].root
        found[root.number] = root
    return list(found.values())


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

    Parameters
    ----------
    address : int
    owner : object
        Is kept as long as the function.
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
        return f"this is {sys.implementation.name}, and no CPython"
    array, number, scalar = np.arange(3.0), 2.5, np.float64(3.5)
    locks = getattr(sys, "_is_gil_enabled", lambda: True)()
    if not locks or sys.maxsize < 2**32:
        return "this interpreter has objects of another form"
    pointer = ctypes.c_int64.from_address(id(array) + _OBJECT_HEAD).value
    double = ctypes.c_double.from_address
    numbers = [double(id(x) + _OBJECT_HEAD).value for x in (number, scalar)]
    if pointer != array.ctypes.data or numbers != [2.5, 3.5]:
        return "this interpreter has objects of another form"
    return ""


__all__ = ["Code", "Machine", "builtin", "can_be_entered"]
