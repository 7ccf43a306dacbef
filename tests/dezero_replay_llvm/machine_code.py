"""Functions as machine code, which is run without NumPy behind it: its bits, and its status."""

import numpy as np
from dezero_replay_llvm.compiler import Linked, object_code
from dezero_replay_llvm.kernel import Code, builtin
from dezero_replay_llvm.machine import Machine, this_machine
from dezero_replay_llvm.partition import Part, Partition

from ..lowering import graph_of

MACHINES = [Machine(n) for n in (64, 32, 16) if n <= this_machine().bytes_of_vector]
FLOATS = [np.dtype(np.float64), np.dtype(np.float32)]


def width(machine):
    """Return how the name of a test says which vectors it is about."""
    return f"{machine.bytes_of_vector} bytes"


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
        reasons = [(str(each), why) for each, why in partition.reasons]
        (self.part,) = partition.parts
        assert isinstance(self.part, Part), reasons
        assert not self.part.views, "a result is a view"
        self.code = Code(self.part.region, self.part.wanted)
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
    """Return where two arrays differ in their bits, all nan being one; as a string, "" if nowhere."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"{found.dtype} {found.shape} in place of {expected.dtype} {expected.shape}"
    found, expected = np.ravel(found), np.ravel(expected)
    whole = np.dtype(f"u{found.dtype.itemsize}")
    differ = found.view(whole) != expected.view(whole)
    if found.dtype.kind == "f":
        differ &= ~(np.isnan(found) & np.isnan(expected))
    (places,) = np.nonzero(differ)
    if not places.size:
        return ""
    first = [f"[{n}]: {found[n]!r} in place of {expected[n]!r}" for n in places[:3]]
    return f"{places.size} of {found.size}: {'; '.join(first)}"


def ulps(found, exact, dtype):
    """Return how far numbers are from exact ones, in units of the last place of a dtype.

    `exact` has more digits than the dtype; what is too large for the dtype is infinite.
    """
    found = np.asarray(found)
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype)
        unit = np.spacing(np.abs(rounded)).astype(exact.dtype)
        error = np.abs(found.astype(exact.dtype) - exact) / unit
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    # Beside the largest number, infinity is one step further.
    largest = np.finfo(dtype).max
    beside = np.isinf(rounded) != np.isinf(found)
    near = (np.abs(found) >= largest) & (np.abs(rounded) >= largest) & (found * rounded > 0)
    return np.where(same, 0.0, np.where(beside, np.where(near, 1.0, np.inf), error))
