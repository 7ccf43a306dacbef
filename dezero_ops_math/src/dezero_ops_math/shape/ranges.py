"""Numbers between two ends, at equal distances or by equal factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand

from ..declaring import Call, Draw, LinearMap, applying, operation
from ..docstrings import sharing
from ..gradients import summed_to

documented = sharing(
    """
    num: how many.
    endpoint: whether `stop` is the last of them.
    dtype (data-type, optional): integers are constants.
    axis: along which axis of the result they run.
    Raises AxisError (ValueError, IndexError): if the result has no such axis.
    """
)

_POINT, _ROW, _COLUMN = Draw(), Draw((3,)), Draw((2, 1))
_SMALL, _ABOVE = (-1.0, 1.5), (0.5, 3.0)
_POINT2, _ROW2, _COLUMN2 = Draw((), _SMALL), Draw((3,), _SMALL), Draw((2, 1), _SMALL)
_BASE, _BASES = Draw((), _ABOVE), Draw((3,), _ABOVE)
_COLUMN3 = Draw((2, 1), _ABOVE)
_MINUS = Draw((), (-3.0, -0.5))


class Linspace(LinearMap):
    """Element i is (1 - t) start + t stop, with t = i / (num - 1)."""

    def __init__(
        self, num: int, endpoint: bool, dtype: Any = None, axis: int = 0, device: Any = None
    ) -> None:
        self.num, self.endpoint, self.dtype = num, endpoint, dtype
        self.axis, self.device = axis, device

    def forward(self, start: Array, stop: Array) -> Array:
        self.shapes = np.shape(start), np.shape(stop)
        return np.linspace(
            start,
            stop,
            self.num,
            self.endpoint,
            dtype=self.dtype,
            axis=self.axis,
            device=self.device,
        )

    def backward(self, gy: Array) -> tuple[Array, Array]:
        gy = np.moveaxis(gy, self.axis, 0)
        of_start, of_stop = weights(gy, self.endpoint)
        return summed_to(gy * of_start, self.shapes[0]), summed_to(gy * of_stop, self.shapes[1])


class LinspaceStep(LinearMap):
    """(stop - start) / (num - 1)."""

    def __init__(self, num: int, endpoint: bool) -> None:
        self.num, self.endpoint = num, endpoint

    def forward(self, start: Array, stop: Array) -> Array:
        return np.linspace(start, stop, self.num, self.endpoint, retstep=True)[1]

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        steps = self.num - 1 if self.endpoint else self.num
        # Of fewer than one step NumPy says that it is nan, whatever the ends are.
        return (-gy / steps, gy / steps) if steps > 0 else (None, None)


@applying(
    Linspace,
    *(Call(_POINT, _POINT), Call(_POINT, _ROW, 4), Call(_ROW, _COLUMN, 5, axis=1)),
    *(Call(0.0, _POINT, 3), Call(_POINT, _POINT, 4, endpoint=False)),
    *(Call(_ROW, _ROW, 3, retstep=True, axis=-1), Call(_POINT, _POINT, 1), Call(_POINT, _ROW, 0)),
    *(Call(_ROW, _POINT, 1, False, True), Call(_ROW, 1.0, 2, dtype=complex), Call(_POINT, 1, 2)),
    *(Call(Draw((0,)), _POINT, 3), Call(_ROW, np.ones((2, 1)), num=3, device="cpu")),
    Call(_POINT, _COLUMN, 5, False, True, complex, -2),
)
def linspace(
    start: Operand,
    stop: Operand,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """Numbers at equal distances between two ends: ``np.linspace``.

    retstep: return the distance, too.
    device ({"cpu"}, optional): as in NumPy.
    Returns (Variable, or tuple of two Variables): the numbers; with `retstep`, their distance too.
    Derivative by `start`: from 1 down to 0; by `stop`: from 0 up to 1, or to less without the end.
    Raises ValueError: if `num` is negative, or the shapes do not broadcast.

    >>> stop = Variable(np.array(2.0))
    >>> y = linspace(0.0, stop, 5)
    >>> y.backward()
    >>> y, stop.grad
    (variable([0.  0.5 1.  1.5 2. ]), array(2.5))
    """
    y = Linspace(num, endpoint, dtype, axis, device)(start, stop)
    return (y, LinspaceStep(num, endpoint)(start, stop)) if retstep else y


def weights(gy: Array, endpoint: bool) -> tuple[Array, Array]:
    """Return 1 - t and t of each element, which run along the first axis of `gy`."""
    num, real = len(gy), np.finfo(gy.dtype).dtype
    last = max(num - bool(endpoint), 1)
    # float16 cannot count beyond 2048, nor float32 beyond 2 ** 24.
    i = np.arange(num).astype(np.result_type(real, np.float64))
    i = i.reshape(num, *(1,) * (gy.ndim - 1))
    return ((last - i) / last).astype(real), (i / last).astype(real)


class Logspace(Function):
    """d base**e = base**e log(base) de + e base**(e - 1) dbase, with e as by `Linspace`."""

    saves = ("inputs", "outputs")

    def __init__(self, num: int, endpoint: bool, dtype: Any, axis: int) -> None:
        self.num, self.endpoint, self.dtype, self.axis = num, endpoint, dtype, axis

    def forward(self, start: Array, stop: Array, base: Array) -> Array:
        return np.logspace(start, stop, self.num, self.endpoint, base, self.dtype, self.axis)

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        gy, y = (np.moveaxis(a, self.axis, 0) for a in (gy, self.outputs[0]().data))
        start, stop, base = (x.data for x in self.inputs)
        by_start, by_stop, by_base = self.needs_grad
        gradients: list[Array | None] = [None, None, None]
        if by_start or by_stop:
            # Base 0 does not change with its exponent, as of the operator **.
            log = np.log(base + np.equal(base, 0))
            slope = gy * y * (float(log) if type(base) in (int, float) else log)
            of_start, of_stop = weights(gy, self.endpoint)
            gradients[0] = summed_to(slope * of_start, np.shape(start))
            gradients[1] = summed_to(slope * of_stop, np.shape(stop))
        if by_base:
            e = Linspace(self.num, self.endpoint).of(start, stop)
            e = e.reshape((len(e), *(1,) * (gy.ndim - e.ndim), *e.shape[1:]))
            # 0 ** 0 does not change with its base, either.
            power = e - 1.0 + (np.equal(e, 0) & np.equal(base, 0))
            gradients[2] = summed_to(gy * e * base**power, np.shape(base))
        return tuple(gradients)


@applying(
    Logspace,
    *(Call(_POINT2, _POINT2), Call(_POINT2, _ROW2, 4), Call(_ROW2, _COLUMN2, 3, axis=1)),
    *(Call(_POINT2, _POINT2, 4, endpoint=False), Call(0.0, _POINT2, 3, base=2.0)),
    *(Call(_POINT2, _ROW2, 3, base=_BASE), Call(_POINT2, _POINT2, 3, True, _BASES, None, -1)),
    *(Call(_COLUMN2, 1.0, 3, base=_BASES), Call(0, 2, 3, base=_BASES), Call(_POINT2, _ROW2, 0)),
    *(Call(_POINT2, _POINT2, 1), Call(_ROW2, 1.0, 2, dtype=complex), Call(_POINT2, 1, 2, base=3)),
)
def logspace(
    start: Operand,
    stop: Operand,
    num: int = 50,
    endpoint: bool = True,
    base: Operand = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Variable:
    """Powers with exponents at equal distances: ``np.logspace``.

    start, stop: the first and the last exponent.
    base: the base of the powers. All three are of shapes that broadcast.
    Derivative by the exponent e: ``base**e * log(base)``, of which `start` and `stop` have the
        parts that they have in `linspace`; by `base`: ``e * base**(e - 1)``.
    Raises ValueError: if `num` is negative, or the shapes do not broadcast.

    >>> logspace(Variable(np.array(0.0)), 2.0, 3)
    variable([  1.  10. 100.])
    """
    return Logspace(num, endpoint, dtype, axis)(start, stop, base)


class Geomspace(Function):
    """Numbers between two ends, with the same factor between them: ``np.geomspace``.

    start, stop: of shapes that broadcast, neither of them 0.
    Derivative of the element y at t, from 0 to 1: ``(1 - t) * y / start`` by `start`,
        ``t * y / stop`` by `stop`.
    Raises ValueError: if an end is 0, `num` is negative, or the shapes do not broadcast.

    >>> geomspace(Variable(np.array(1.0)), 4.0, 3)
    variable([1. 2. 4.])
    """

    saves = ("inputs", "outputs")

    def __init__(
        self, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
    ) -> None:
        self.num, self.endpoint, self.dtype, self.axis = num, endpoint, dtype, axis

    def forward(self, start: Operand, stop: Operand) -> Array:
        return np.geomspace(start, stop, self.num, self.endpoint, self.dtype, self.axis)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        # Element i is start**(1 - t) stop**t, with t = i / (num - 1).
        gy, y = (np.moveaxis(a, self.axis, 0) for a in (gy, self.outputs[0]().data))
        start, stop = (x.data for x in self.inputs)
        of_start, of_stop = weights(gy, self.endpoint)
        by_start, by_stop = self.needs_grad
        return (
            summed_to(gy * of_start * y / start, np.shape(start)) if by_start else None,
            summed_to(gy * of_stop * y / stop, np.shape(stop)) if by_stop else None,
        )


geomspace = operation(
    Geomspace,
    *(Call(_BASE, _BASE), Call(_BASE, _BASES, 4), Call(_BASES, _COLUMN3, 3, axis=1)),
    *(Call(_BASE, _BASE, 4, endpoint=False), Call(1.0, _BASE, 3), Call(_MINUS, _MINUS, 4)),
    *(Call(_BASE, _BASE, 1), Call(_BASE, _BASES, 0), Call(_BASES, _COLUMN3, 3, True, None, -1)),
    *(Call(_BASES, 1.0, 2, dtype=complex), Call(_BASE, 4, 3)),
)
