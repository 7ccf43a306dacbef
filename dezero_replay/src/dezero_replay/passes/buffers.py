"""Memory of a program: how long each array is needed, and which ones may share a buffer.

An arena is the memory of one run: buffers, and views of them that are made once. A program has one
arena for each thread that runs it at the same time.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..tape.instructions import Guard, Instruction, Of, Value
from ..tape.nested import has_any
from .aliasing import UNKNOWN, VIEW, is_packed, is_write, relation
from .graph import Graph

LEAST = 64
"""Arrays of fewer elements get no buffer: for these ``out=`` costs more than it saves."""

_PLAIN = "biufcmM"
"""Kinds of dtypes whose arrays may get buffers: booleans, numbers and times."""

_TOLD = {"axis", "dtype", "keepdims"}

_ALIGNED = 64
"""Bytes of a line of the processor's cache."""


@dataclass(eq=False, slots=True)
class Storage:
    """Memory that holds one Value after another."""

    #: The first one. All have its shape, dtype and strides.
    value: Value
    #: The last instruction that reads it, or a view of it.
    last: float
    #: Whether it gets a buffer: not if the caller, or a body, may keep an array that shares it.
    planned: bool
    #: The buffer, and the name of the array in the arena.
    buffer: int = -1
    slot: str = ""


class Plan:
    """Where each Value of a graph lives, by the number of the Value."""

    def __init__(self, graph: Graph) -> None:
        self.roots: dict[int, Value] = {}
        #: The index of the last instruction that reads it.
        self.last: dict[int, float] = {}
        #: The Value whose memory it takes over.
        self.in_place: dict[int, Value] = {}
        #: The name of the array in the arena that holds it.
        self.slots: dict[int, str] = {}
        #: Its slot, for views that are made once, with the arena.
        self.views: dict[int, str] = {}
        #: The names of the arrays of an arena, and how each is made.
        self.names: list[str] = []
        self._recipes: list[Callable[[list[Any], list[Any]], Any]] = []
        self._sizes: list[int] = []
        self._known: dict[Any, str] = {}
        self._storages: dict[int, Storage] = {}
        self._related = [(each, relation(each)) for each in graph.instructions]
        shared = self._read()
        for value in graph.wanted:
            self.last[value.number] = self.last[self._root(value)] = math.inf
            shared.add(self._root(value))
        self._place(shared)
        self._assign()
        #: The bytes of one arena.
        self.planned_bytes = sum(self._sizes)

    def _root(self, value: Value) -> int:
        return self.roots.get(value.number, value).number

    def _read(self) -> set[int]:
        """Note the last read of each Value; return the ones that others may keep."""
        shared: set[int] = set()
        last, roots = self.last, self.roots
        for index, (each, how) in enumerate(self._related):
            for x in each.reads():
                last[x.number] = last[self._root(x)] = index
                if how == UNKNOWN and type(each) is not Guard:
                    shared.add(self._root(x))
            for y in each.outputs:
                last[y.number] = index
                if how == UNKNOWN:
                    shared.add(y.number)
            if how == VIEW:
                x = each.args[0]
                roots[each.outputs[0].number] = roots.get(x.number, x)
        return shared

    def _place(self, shared: set[int]) -> None:
        """Find the Storage of each Value: that of an operand that dies, or one of its own."""
        storages = self._storages
        for index, (each, _) in enumerate(self._related):
            y = each.outputs[0] if len(each.outputs) == 1 else None
            if y is None or y.kind is not np.ndarray or y.number in self.roots:
                continue
            last, is_own = self.last[y.number], y.number not in shared
            x = self._dying(each, index, shared)
            if x is None:
                storages[y.number] = Storage(y, last, is_own and _has_buffer(each))
            else:
                storage = storages[y.number] = storages[x.number]
                storage.last, storage.planned = last, storage.planned and is_own
                self.in_place[y.number] = x

    def _dying(self, each: Instruction, index: int, shared: set[int]) -> Value | None:
        """Return an operand in whose memory the result may be written."""
        y = each.outputs[0]
        reads = each.reads()
        if is_write(each):
            candidates = each.args[:1]
        elif is_elementwise(each) and math.prod(y.shape) >= LEAST:
            candidates = each.args
        else:
            return None
        for x in candidates:
            if (
                type(x) is Value
                and x.number in self._storages
                and x.number not in shared
                and self.last[x.number] == index
                and (x.shape, x.dtype, x.strides) == (y.shape, y.dtype, y.strides)
                and not any(other is not x and self._root(other) == x.number for other in reads)
                and not (is_write(each) and reads.count(x) > 1)
            ):
                return x
        return None

    def _assign(self) -> None:
        """Give buffers to storages; a storage that is dead leaves its buffer to one of its size."""
        ends: dict[float, list[Storage]] = defaultdict(list)
        free: dict[int, list[int]] = defaultdict(list)
        for index, (each, how) in enumerate(self._related):
            for y in each.outputs:
                storage = self._storages.get(y.number)
                if storage is None or not storage.planned:
                    continue
                if not storage.slot:
                    size = _bytes(y)
                    if not free[size]:
                        free[size].append(len(self._sizes))
                        self._sizes.append(size)
                    storage.buffer = free[size].pop()
                    storage.slot = self._array(storage.buffer, y)
                    ends[storage.last].append(storage)
                self.slots[y.number] = storage.slot
            if how == VIEW:
                self._view(each)
            for storage in ends.pop(index, ()):
                free[_bytes(storage.value)].append(storage.buffer)

    def _array(self, buffer: int, y: Value) -> str:
        """Return the slot of the array that a buffer holds; make the slot at the first request."""
        key = buffer, y.shape, y.dtype, y.strides
        if key not in self._known:
            self._known[key] = self._slot(
                "b", lambda made, raw: np.ndarray(y.shape, y.dtype, raw[buffer], 0, y.strides)
            )
        return self._known[key]

    def _view(self, each: Instruction) -> None:
        """Make a view of a buffer once, if it is the same one in each run."""
        call, (x, *args), kwargs, (y,) = each.call, each.args, each.kwargs, each.outputs
        source = self.slots.get(x.number)
        if source is not None and not has_any((args, kwargs), Value):
            position = int(source[1:])
            slot = self._slot("t", lambda made, raw: call(made[position], *args, **kwargs))
            self.slots[y.number] = self.views[y.number] = slot

    def _slot(self, letter: str, make: Callable[[list[Any], list[Any]], Any]) -> str:
        self.names.append(f"{letter}{len(self.names)}")
        self._recipes.append(make)
        return self.names[-1]

    def arena(self) -> tuple[Any, ...]:
        """Return new memory for a run."""
        buffers = [aligned(size) for size in self._sizes]
        made: list[Any] = []
        for recipe in self._recipes:
            made.append(recipe(made, buffers))
        return tuple(made)


def is_elementwise(each: Instruction) -> bool:
    """Return whether a call is an elementwise ufunc of one result, without keyword arguments."""
    return _is_plain(each) and each.call.nout == 1 and each.call.signature is None


def takes_out(each: Instruction) -> bool:
    """Return whether a call can write its result into an array that is given to it."""
    is_matmul = each.call is np.matmul and _is_plain(each)
    return is_matmul or is_elementwise(each) or is_reduction(each)


def _is_plain(each: Instruction) -> bool:
    call = each.call
    return type(call) is np.ufunc and not each.kwargs and len(each.args) == call.nin


def is_reduction(each: Instruction) -> bool:
    """Return whether a call is ``ufunc.reduce`` in the form that `forms.reduction` writes."""
    is_reduce = type(each.call) is Of and each.call.name == "reduce" and len(each.args) == 1
    names = each.kwargs.keys()
    return is_reduce and names >= _TOLD and names <= {*_TOLD, "initial"}


def _has_buffer(each: Instruction) -> bool:
    y = each.outputs[0]
    if math.prod(y.shape) < LEAST or y.dtype.kind not in _PLAIN or not is_packed(y, sorted):
        return False
    return takes_out(each) or is_write(each)


def _bytes(value: Value) -> int:
    return int(math.prod(value.shape)) * int(value.dtype.itemsize)


def aligned(size: int) -> Any:
    """Return new memory that begins with a line of the processor's cache."""
    raw = np.empty(size + _ALIGNED, np.uint8)
    offset = -raw.ctypes.data % _ALIGNED
    return raw[offset : offset + size]
