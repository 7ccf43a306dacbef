"""Memory of a program: how long each array is needed, and which ones may share a buffer.

An arena is the memory of one run: buffers, and views of them that are made once. A program has one
arena for each thread that runs it at the same time.
"""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..tape.instructions import Guard, Instruction, Of, Value, written
from ..tape.nested import has_any
from .aliasing import FRESH, UNKNOWN, VIEW, is_packed, is_write, relation
from .graph import Graph, hashable
from .rolls import parts_of_roll
from .rounds import Linear, Loop

LEAST = 64
"""Arrays of fewer elements get no buffer: for these ``out=`` costs more than it saves."""

_LONGEST = 2**24
"""A list of more bytes gets no buffer: a program would hold them between calls."""

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
    #: Whether what makes it can write its result into memory that is given to it.
    takes: bool = False
    #: The buffer, and the name of the array in the arena.
    buffer: int = -1
    slot: str = ""


class Plan:
    """Where each Value of a graph lives, by the number of the Value.

    The body of a loop has a plan of its own, with buffers in the same arena. A list of what its
    rounds make is one buffer, into whose rows the rounds write.
    """

    def __init__(self, graph: Graph, around: Plan | None = None, carried: int = 0) -> None:
        self.roots: dict[int, Value] = {}
        #: The index of the last instruction that reads it.
        self.last: dict[int, float] = {}
        #: The Value whose memory it takes over.
        self.in_place: dict[int, Value] = {}
        #: The name of the array in the arena that holds it.
        self.slots: dict[int, str] = {}
        #: Writes that are made before, by the call that computes what is written: their results.
        self.made: set[int] = set()
        #: Its slot, for views that are made once, with the arena.
        self.views: dict[int, str] = {}
        #: The Values of a body whose slot is a list, with an array for each round.
        self.rows: set[int] = set()
        #: Number of a Value -> the call ``x[i]`` of which it is the result, a view.
        self._parts: dict[int, Instruction] = {}
        #: The names of the arrays of an arena, and how each is made.
        self.names: list[str] = around.names if around else []
        self._recipes: list[Callable[[list[Any], list[Any]], Any]]
        self._recipes = around._recipes if around else []
        self._sizes: list[int] = around._sizes if around else []
        #: The plans of the bodies of loops.
        self.bodies: dict[Loop, Plan] = {}
        self._known: dict[Any, str] = {}
        self._storages: dict[int, Storage] = {}
        self._related = [(each, relation(each)) for each in graph.instructions]
        #: Numbers of Values whose memory the caller, or a body, may keep.
        self._shared = shared = self._read()
        #: Numbers of new arrays that nobody keeps but for what is wanted.
        self._new = {
            y.number for each, how in self._related for y in each.outputs if how == FRESH
        } - shared
        self._own_carried(graph, carried, shared)
        for value in graph.wanted:
            self.last[value.number] = self.last[self._root(value)] = math.inf
            shared.add(self._root(value))
        self._place(shared)
        if around is None:
            self._assign(defaultdict(list))
        #: The bytes of one arena.
        self.planned_bytes = sum(self._sizes)

    def _root(self, value: Value) -> int:
        return self.roots.get(value.number, value).number

    def _read(self) -> set[int]:
        """Note the last read of each Value; return the ones that others may keep."""
        shared: set[int] = set()
        last, roots = self.last, self.roots
        for index, (each, how) in enumerate(self._related):
            is_loop = type(each.call) is Loop
            for x in each.reads():
                last[x.number] = last[self._root(x)] = index
                if how == UNKNOWN and type(each) is not Guard and not is_loop:
                    shared.add(self._root(x))
            for y in each.outputs:
                last[y.number] = index
                if how == UNKNOWN and not is_loop:
                    shared.add(y.number)
            if is_loop:
                self._read_loop(each, shared)
            if how == VIEW:
                x = each.args[0]
                roots[each.outputs[0].number] = roots.get(x.number, x)
                if each.call is operator.getitem:
                    self._parts[each.outputs[0].number] = each
        return shared

    def _read_loop(self, each: Instruction, shared: set[int]) -> None:
        """Find out whose memory a loop keeps, and which of its results share memory."""
        loop: Loop = each.call
        plan = self.bodies[loop] = Plan(loop.body, self, loop.carried)
        for x, param in zip(each.args, loop.body.inputs, strict=True):
            if plan._root(param) in plan._shared:
                shared.add(self._root(x))
        pairs = [*zip(loop.body.wanted, each.outputs, strict=True)]
        #: Number of an array of the body -> the list with that of each round.
        lists = {pairs[n][0].number: pairs[n][1] for n in loop.collected}
        roots = [plan._root(value) for value, _ in pairs]
        for root, (_, y) in zip(roots, pairs, strict=True):
            if root not in plan._new or (root not in lists and roots.count(root) > 1):
                shared.add(y.number)
            elif lists.get(root, y) is not y:
                self.roots[y.number] = lists[root]

    def _own_carried(self, graph: Graph, carried: int, shared: set[int]) -> None:
        """Let carried arrays of which nobody else has the memory be written into.

        In the next round, such an array is one that was made in this round.
        """
        roots = [self._root(value) for value in graph.wanted]
        for n, param in enumerate(graph.inputs[:carried]):
            is_own = roots[n] in self._new and roots.count(roots[n]) == 1
            if is_own and param.number not in shared and param.number not in roots:
                last = self.last.get(param.number, -1)
                self._storages[param.number] = Storage(param, last, False)

    def takes_over(self, param: Value) -> bool:
        """Return whether something is written into the memory of a carried value."""
        return any(x is param for x in self.in_place.values())

    def _place(self, shared: set[int]) -> None:
        """Find the Storage of each Value: that of an operand that dies, or one of its own."""
        storages = self._storages
        for index, (each, _) in enumerate(self._related):
            if type(each.call) is Loop:
                self._place_results(each, shared)
                continue
            y = each.outputs[0] if len(each.outputs) == 1 else None
            if y is None or y.kind is not np.ndarray or y.number in self.roots:
                continue
            if (view := self._written_next(index, shared)) is not None:
                self.in_place[y.number] = view
                self.made.add(self._related[index + 1][0].outputs[0].number)
                continue
            last, is_own = self.last[y.number], y.number not in shared
            x = self._dying(each, index, shared)
            if x is None:
                takes = _has_buffer(each)
                storages[y.number] = Storage(y, last, is_own and takes, takes)
            else:
                storage = storages[y.number] = storages[x.number]
                storage.last, storage.planned = last, storage.planned and is_own
                self.in_place[y.number] = x

    def _place_results(self, each: Instruction, shared: set[int]) -> None:
        """Plan memory for results of a loop into which its rounds can write."""
        loop: Loop = each.call
        for value, y in zip(
            loop.body.wanted[loop.carried :], each.outputs[loop.carried :], strict=True
        ):
            storage = self.bodies[loop]._storages.get(value.number)
            if storage is None or not storage.takes:
                continue
            is_own = y.number not in shared and y.number not in self.roots
            if is_own and (y.kind is not list or _bytes(y) <= _LONGEST):
                self._storages[y.number] = Storage(y, self.last[y.number], True)

    def _written_next(self, index: int, shared: set[int]) -> Value | None:
        """Return an operand ``x[i]`` of a call if its result is written there next, and dies."""
        if index + 1 == len(self._related):
            return None
        (each, _), (write, _) = self._related[index : index + 2]
        if write.call is not written or write.args[2] is not each.outputs[0]:
            return None
        x, place, y = write.args
        for view in each.args:
            maker = self._parts.get(view.number) if type(view) is Value else None
            if (
                maker is not None
                and maker.args[0] is x
                and hashable(maker.args[1]) == hashable(place)
                and self.last[view.number] == index
                and self.last[y.number] == index + 1
                and is_elementwise(each)
                and (view.shape, view.dtype) == (y.shape, y.dtype)
                and self._dying(write, index + 1, shared) is x
            ):
                return view
        return None

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

    def _assign(self, free: dict[int, list[int]]) -> None:
        """Give buffers to storages; a storage that is dead leaves its buffer to one of its size.

        `free` has buffers by their size. A body gets those that are free while its loop runs.
        """
        ends: dict[float, list[Storage]] = defaultdict(list)
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
            if type(each.call) is Loop:
                self.bodies[each.call]._assign_body(each, self.slots, free)
            for storage in ends.pop(index, ()):
                free[_bytes(storage.value)].append(storage.buffer)

    def _assign_body(
        self, each: Instruction, slots: dict[int, str], free: dict[int, list[int]]
    ) -> None:
        """Give buffers to what a loop's body makes: for its results, those that they have."""
        for n, (value, y) in enumerate(zip(each.call.body.wanted, each.outputs, strict=True)):
            if y.number in slots:
                storage = self._storages[value.number]
                storage.planned, storage.slot = True, slots[y.number]
                if n in each.call.collected:
                    self.rows.update(k for k, x in self._storages.items() if x is storage)
        self._assign(free)

    def _array(self, buffer: int, y: Value) -> str:
        """Return the slot of the array that a buffer holds; make the slot at the first request."""
        key = buffer, y.kind, y.shape, y.dtype, y.strides
        if key not in self._known:
            letter, form = ("l", list) if y.kind is list else ("b", np.asarray)
            self._known[key] = self._slot(
                letter,
                lambda made, raw: form(np.ndarray(y.shape, y.dtype, raw[buffer], 0, y.strides)),
            )
        return self._known[key]

    def _view(self, each: Instruction) -> None:
        """Make a view of a buffer once, if it is the same one in each run."""
        call, (x, *args), kwargs, (y,) = each.call, each.args, each.kwargs, each.outputs
        source = self.slots.get(x.number) if x.number not in self.rows else None
        is_one = not has_any((args, kwargs), Value) and not has_any((args, kwargs), Linear)
        if source is not None and is_one:
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


def is_roll(each: Instruction) -> bool:
    """Return whether a call is ``np.roll``, of an array, by numbers that are known."""
    if each.call is not np.roll or each.kwargs or type(each.args[0]) is not Value:
        return False
    is_array = each.args[0].kind is np.ndarray and bool(each.args[0].shape)
    return is_array and parts_of_roll(*each.args) is not None


def _has_buffer(each: Instruction) -> bool:
    y = each.outputs[0]
    if math.prod(y.shape) < LEAST or y.dtype.kind not in _PLAIN or not is_packed(y, sorted):
        return False
    return takes_out(each) or is_write(each) or is_roll(each)


def _bytes(value: Value) -> int:
    return int(math.prod(value.shape)) * int(value.dtype.itemsize)


def aligned(size: int) -> Any:
    """Return new memory that begins with a line of the processor's cache."""
    raw = np.empty(size + _ALIGNED, np.uint8)
    offset = -raw.ctypes.data % _ALIGNED
    return raw[offset : offset + size]
