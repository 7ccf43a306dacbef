"""Memory of a program: how long each array is needed, and which ones may share a buffer.

An arena is the memory of one run: buffers, and views of them that are made once. A program has one
arena for each thread that runs it at the same time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .aliasing import UNKNOWN, VIEW, is_write, relation
from .graph import Graph
from .tape import Guard, Instruction, Of, Value, has_any

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
    #: The instruction that makes it, and the last one that reads it, or a view of it.
    first: int
    last: float
    #: Whether somebody else may have an array that shares it: the caller, or a body.
    kept: bool
    #: Whether it is a buffer of the arena, and as which array of that.
    planned: bool = False
    slot: str = ""


class Plan:
    """Where each Value of a graph lives, by the number of the Value."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.roots: dict[int, Value] = {}
        #: The index of the last instruction that reads it.
        self.last: dict[int, float] = {}
        #: The Value whose memory it takes over.
        self.in_place: dict[int, Value] = {}
        #: The name of the array in the arena that holds it.
        self.slots: dict[int, str] = {}
        #: Its slot, for views that are made once, with the arena.
        self.views: dict[int, str] = {}
        #: The bytes of one arena.
        self.planned_bytes = 0
        self._recipes: list[Callable[[list[Any], list[Any]], Any]] = []
        self._names: list[str] = []
        self._sizes: list[int] = []
        self._known: dict[Any, str] = {}
        self._storages: dict[int, Storage] = {}
        self._relations = [relation(each) for each in graph.instructions]
        shared = self._read()
        for value in graph.wanted:
            self.last[value.number] = self.last[self._root(value)] = math.inf
            shared.add(self._root(value))
        self._place(shared)
        self._assign()

    def _root(self, value: Value) -> int:
        root = self.roots.get(value.number)
        return value.number if root is None else root.number

    def _read(self) -> set[int]:
        """Note the last read of each Value; return the ones that others may keep."""
        shared: set[int] = set()
        last, roots = self.last, self.roots
        for index, each in enumerate(self.graph.instructions):
            how = self._relations[index]
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
        for index, each in enumerate(self.graph.instructions):
            if len(each.outputs) != 1 or each.outputs[0].number in self.roots:
                continue
            y = each.outputs[0]
            if y.kind is not np.ndarray:
                continue
            last, kept = self.last[y.number], y.number in shared
            if self._relations[index] == UNKNOWN:
                storages[y.number] = Storage(y, index, last, True)
                continue
            x = self._dying(each, index, shared)
            if x is None:
                storages[y.number] = Storage(y, index, last, kept)
                storages[y.number].planned = _has_buffer(each)
            else:
                storage = storages[y.number] = storages[x.number]
                storage.last, storage.kept = last, storage.kept or kept
                self.in_place[y.number] = x

    def _dying(self, each: Instruction, index: int, shared: set[int]) -> Value | None:
        """Return an operand in whose memory the result may be written."""
        y = each.outputs[0]
        if is_write(each):
            candidates = [each.args[0]]
        elif is_elementwise(each) and math.prod(y.shape) >= LEAST:
            candidates = list(each.args)
        else:
            return None
        for x in candidates:
            if (
                type(x) is Value
                and x.number in self._storages
                and x.number not in shared
                and self.last[x.number] == index
                and (x.shape, x.dtype, x.strides) == (y.shape, y.dtype, y.strides)
                and not any(
                    other is not x and self._root(other) == x.number for other in each.reads()
                )
                and (not is_write(each) or sum(other is x for other in each.reads()) == 1)
            ):
                return x
        return None

    def _assign(self) -> None:
        """Give buffers to storages; a storage that is dead leaves its buffer to one of its size."""
        ends: dict[int, list[Storage]] = {}
        free: dict[int, list[int]] = {}
        buffers: dict[int, int] = {}
        for index, each in enumerate(self.graph.instructions):
            for y in each.outputs:
                storage = self._storages.get(y.number)
                if storage is None or storage.kept or not storage.planned:
                    continue
                if storage.first == index:
                    size = _bytes(storage.value)
                    stack = free.setdefault(size, [])
                    raw = stack.pop() if stack else self._raw(size)
                    buffers[id(storage)] = raw
                    storage.slot = self._array(raw, storage.value)
                    ends.setdefault(int(storage.last), []).append(storage)
                self.slots[y.number] = storage.slot
            if self._relations[index] == VIEW:
                self._view(each)
            for storage in ends.pop(index, ()):
                free[_bytes(storage.value)].append(buffers.pop(id(storage)))

    def _raw(self, size: int) -> int:
        self._sizes.append(size)
        self.planned_bytes += size
        return len(self._sizes) - 1

    def _array(self, raw: int, value: Value) -> str:
        """Return the slot of the array that a buffer holds; make the slot at the first request."""
        shape, dtype, strides = value.shape, value.dtype, value.strides
        key = raw, shape, dtype, strides
        if key not in self._known:

            def make(made: list[Any], raws: list[Any]) -> Any:
                return np.ndarray(shape, dtype, raws[raw], 0, strides)

            self._known[key] = self._slot("b", make)
        return self._known[key]

    def _view(self, each: Instruction) -> None:
        """Make a view of a buffer once, if it is the same one in each run."""
        x, y = each.args[0], each.outputs[0]
        source = self.slots.get(x.number)
        if source is None or has_any(each.args[1:], Value) or has_any(each.kwargs, Value):
            return
        call, args, kwargs = each.call, each.args[1:], each.kwargs
        position = int(source[1:])

        def make(made: list[Any], raws: list[Any]) -> Any:
            return call(made[position], *args, **kwargs)

        self.slots[y.number] = self.views[y.number] = self._slot("t", make)

    def _slot(self, letter: str, make: Any) -> str:
        name = f"{letter}{len(self._names)}"
        self._names.append(name)
        self._recipes.append(make)
        return name

    @property
    def names(self) -> list[str]:
        """The names of the arrays of an arena."""
        return self._names

    def arena(self) -> tuple[Any, ...]:
        """Return new memory for a run."""
        raws = [aligned(size) for size in self._sizes]
        made: list[Any] = []
        for recipe in self._recipes:
            made.append(recipe(made, raws))
        return tuple(made)


def is_elementwise(each: Instruction) -> bool:
    """Return whether a call is an elementwise ufunc of one result, without keyword arguments."""
    call = each.call
    return bool(
        type(call) is np.ufunc
        and call.nout == 1
        and call.signature is None
        and not each.kwargs
        and len(each.args) == call.nin
    )


def takes_out(each: Instruction) -> bool:
    """Return whether a call can write its result into an array that is given to it."""
    if is_elementwise(each) or (each.call is np.matmul and not each.kwargs):
        return len(each.args) == each.call.nin
    return is_reduction(each)


def is_reduction(each: Instruction) -> bool:
    """Return whether a call is ``ufunc.reduce`` in the form that `forms.reduction` writes."""
    is_reduce = type(each.call) is Of and each.call.name == "reduce" and len(each.args) == 1
    names = each.kwargs.keys()
    return is_reduce and names >= _TOLD and names <= {*_TOLD, "initial"}


def _has_buffer(each: Instruction) -> bool:
    y = each.outputs[0]
    if math.prod(y.shape) < LEAST or y.dtype.kind not in _PLAIN or not _is_dense(y):
        return False
    return takes_out(each) or is_write(each)


def _is_dense(value: Value) -> bool:
    """Return whether the elements lie one beside the other, in some order of the axes."""
    expected = value.dtype.itemsize
    pairs = sorted(zip(value.strides, value.shape, strict=True))
    for stride, n in pairs:
        if n != 1:
            if stride != expected:
                return False
            expected *= n
    return True


def _bytes(value: Value) -> int:
    return int(math.prod(value.shape)) * int(value.dtype.itemsize)


def aligned(size: int) -> Any:
    """Return new memory that begins with a line of the processor's cache."""
    raw = np.empty(size + _ALIGNED, np.uint8)
    offset = -raw.ctypes.data % _ALIGNED
    return raw[offset : offset + size]
