"""Functions as machine code: run with NumPy behind it, and without, for its bits and its status."""

import numpy as np
from dezero_replay.executors.executors import NumPyExecutor
from dezero_replay_llvm.compiler import Linked, object_code
from dezero_replay_llvm.kernel import Code, builtin
from dezero_replay_llvm.machine import Machine, this_machine
from dezero_replay_llvm.native import Native
from dezero_replay_llvm.partition import Part, Partition

from ..lowering import graph_of

MACHINES = [Machine(n) for n in (64, 32, 16) if n <= this_machine().bytes_of_vector]
FLOATS = [np.dtype(np.float64), np.dtype(np.float32)]


def width(machine):
    """Return how the name of a test says which vectors it is about."""
    return f"{machine.bytes_of_vector} bytes"


def native(function, *arrays, machine):
    """Return a function as an executor runs it: by machine code, and by NumPy what has none."""
    with np.errstate(all="ignore"):
        return lowered(graph_of(function, *arrays), machine)


def lowered(graph, machine):
    """Return a graph as an executor runs it, compiled already."""
    program = Native(graph, NumPyExecutor().lower(graph), lambda: machine)
    program.compile()
    (first, *_) = program.report()
    assert "LLVM cannot compile it" not in first, first
    return program


class Kernel:
    """A function whose calls have all become one piece of machine code.

    Attributes
    ----------
    status : int
        Of the last run: not 0 if NumPy would run the whole again.
    """

    def __init__(self, function, arrays, machine):
        with np.errstate(all="ignore"):
            graph = graph_of(function, *arrays)
        partition = Partition(graph, machine, {})
        assert partition.is_whole(), [(str(each), why) for each, why in partition.reasons]
        part: Part = partition.parts[0]
        self.code = Code(part.region, part.wanted)
        linked = Linked(object_code(self.code.text, machine), machine, self.code.name)
        self._native = builtin(linked.address, linked)
        self._inputs = [value.number for value in graph.inputs]
        self._wanted = [value.number for value in graph.wanted]
        self.status = 0

    def __call__(self, *arrays):
        """Return the results in a list, whatever the status is."""
        code, known = self.code, dict(zip(self._inputs, arrays, strict=True))
        for value in code.results:
            shape, strides = value.shape or (), value.strides or ()
            known[value.number] = np.ndarray(shape, value.dtype, None, 0, strides)
        scratch = np.empty(code.scratch_bytes + 64, np.uint8)
        scratch = scratch[-scratch.ctypes.data % 64 :]
        self.status = self._native(*(known[value.number] for value in code.arguments), scratch)
        return [known[number] for number in self._wanted]


def kernel(function, *arrays, machine):
    """Return a function as machine code: it gives a list of arrays."""
    return Kernel(function, arrays, machine)


def differing(found, expected):
    """Return where two arrays differ in their bits, all nan being one; "" if nowhere."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"{found.dtype} {found.shape} in place of {expected.dtype} {expected.shape}"
    found, expected = found.ravel(), expected.ravel()
    whole = np.dtype(f"u{found.dtype.itemsize}")
    differ = found.view(whole) != expected.view(whole)
    if found.dtype.kind == "f":
        differ &= ~(np.isnan(found) & np.isnan(expected))
    (places,) = np.nonzero(differ)
    first = [f"[{n}]: {found[n]!r} in place of {expected[n]!r}" for n in places[:3]]
    return f"{places.size} of {found.size}: {'; '.join(first)}" if first else ""


def ulps(found, exact, terms=()):
    """Return how far numbers are from exact ones of more digits, in units of the last place.

    It is the place of the largest of the exact one and the `terms`, arrays of which it is the sum.
    """
    with np.errstate(all="ignore"):
        right = exact.astype(found.dtype)
        size = np.abs(right)
        for term in terms:
            size = np.maximum(size, np.abs(term))
        error = np.abs(found.astype(exact.dtype) - exact) / np.spacing(size)
        limits = np.finfo(found.dtype)
        # Infinity stands for the number after the largest one.
        beside = np.isinf(right) ^ np.isinf(found)
        near = (np.abs(right) >= limits.max) & (np.abs(found) >= limits.max) & (found * right > 0)
    error = np.where(beside, np.where(near, 1.0, np.inf), error)
    return np.where((found == right) | (np.isnan(found) & np.isnan(right)), 0.0, error)
