"""The steps that calls become: maps, reductions and products, over arrays in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np
from dezero_replay.passes.rounds import Counter, Loop
from dezero_replay.tape.instructions import Value

from .functions import ELEMENTS

Box = tuple[tuple[int, int], ...]
"""A part of an array: its beginning and end along each axis."""


class NotNative(Exception):  # noqa: N818 - no error: NumPy makes the call
    """Why a call stays with NumPy."""


class Array(NamedTuple):
    """An array, or number, in memory: where it begins, and how it is addressed."""

    #: The array in whose memory it is.
    root: Value
    #: Bytes from the beginning of the root.
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    #: Counters of loops, and how many bytes further each of their rounds is.
    moves: tuple[tuple[Counter, int], ...] = ()

    def is_whole(self) -> bool:
        """Return whether it is the root itself, element by element."""
        return self == whole(self.root)

    def broadcast(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the strides of this array, broadcast to a shape."""
        lead = len(shape) - len(self.shape)
        own = zip(self.shape, shape[lead:], self.strides, strict=True)
        return (*[0] * lead, *[0 if n == 1 and m != 1 else stride for n, m, stride in own])


@dataclass(eq=False)
class Step:
    """The work of a call on arrays in memory."""

    #: A key of `FUNCTIONS`, of which None is a conversion; or the function of a reduction.
    function: Any
    #: Each is an `Array`, or a scalar of NumPy's.
    operands: list[Any]
    #: The dtype to which each operand is converted.
    dtypes: tuple[Any, ...]
    #: The result: a whole root, or a part of one.
    out: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the loop."""
        return self.out.shape

    @property
    def outs(self) -> list[Array]:
        """All results."""
        return [self.out]

    @property
    def work(self) -> int:
        """About how many elements are computed."""
        return prod(self.shape)


class Map(Step):
    """One elementwise function."""


class Copy(Map):
    """A copy of a whole array, of which a part is written next."""


@dataclass(eq=False)
class Patch(Map):
    """One elementwise function, whose result is a box of an array.

    No other step writes into the box: so the patches of an array need no order among each other.
    """

    box: Box


@dataclass(eq=False)
class Reduction(Step):
    """A ufunc that joins the elements along some axes: in the result, these have length 1."""

    axes: tuple[int, ...]
    initial: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the operand."""
        return tuple(self.operands[0].shape)


class Whole(Step):
    """A step that has loops of its own, since it needs its operands as wholes."""


class Factorization(Whole):
    """A call of LAPACK's for one matrix; its `function` is the name."""


class Sort(Whole):
    """Rows along the last axis, whose elements are sorted."""


@dataclass(eq=False)
class Indexed(Whole):
    """Elements at positions, which are read ("take"), written ("put") or added to ("add").

    The operands are the array, or what is written, and the positions, of the shape of the `loops`.
    `strides` are those of the array, along these loops. For each of the positions, `extents` has
    how many there are, and how many bytes apart.
    """

    loops: tuple[int, ...]
    strides: tuple[int, ...]
    extents: tuple[tuple[int, int], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the loops."""
        return self.loops


class Product(Whole):
    """A product of two matrices, or of matrices in two stacks, which have the axes before."""

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the result, and the length that is summed."""
        return (*self.out.shape, self.operands[0].shape[-1])


@dataclass(eq=False)
class Rounds(Whole):
    """A loop in the program: machine code of its body runs in rounds.

    The operands are what the `inputs` of the body are: of those that are carried, in the first
    round. The results are the `wanted` values of the body: those of the last round, or those of all
    rounds one beside the other; and then the booleans of its guards.
    """

    others: list[Array]
    #: A region.
    body: Any
    inputs: list[Value]
    wanted: list[Value]
    loop: Loop

    @property
    def shape(self) -> tuple[int, ...]:
        """No elements are gone through here."""
        return ()

    @property
    def outs(self) -> list[Array]:
        """All results."""
        return [self.out, *self.others]

    @property
    def work(self) -> int:
        """About how many elements are computed."""
        return self.loop.rounds * sum(step.work for step in self.body.steps)


def dtype_of_value(x: Value) -> np.dtype[Any]:
    """Return the dtype of a Value, if there is machine code for it; that of a float is float64."""
    dtype = np.dtype(float) if x.kind is float else x.dtype
    if dtype is None or dtype not in ELEMENTS or not dtype.isnative:
        raise NotNative(f"it has values of {dtype or x.kind.__name__}")
    return dtype


def whole(x: Value) -> Array:
    """Return a Value as the root of an Array."""
    return Array(x, 0, x.shape or (), x.strides or (), dtype_of_value(x))


def text_of(step: Step, operand: Callable[[Any], str]) -> str:
    """Return all that the code of a step depends on; `operand` gives that of an operand."""
    what = [type(step).__name__, getattr(step.function, "__name__", str(step.function))]
    what += [*map(operand, (step.out, *step.operands)), *(x.str for x in step.dtypes)]
    if isinstance(step, Reduction):
        initial = "" if step.initial is None else digits(np.asarray(step.initial)[()])
        what += [str(step.axes), initial]
    if isinstance(step, Indexed):
        what.append(f"{step.loops} {step.strides} {step.extents}")
    return " ".join(what)


def digits(x: Any) -> str:
    """Return a scalar of NumPy's to the bit."""
    return f"{x.dtype.str}{x.tobytes().hex()}"
