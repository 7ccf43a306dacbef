"""Numbers between two ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample
from dezero_core.extend import Array, Operand

from ..broadcasting import summed_to
from ..docstrings import sharing

documented = sharing(
    """
    num: how many.
    endpoint: whether `stop` is the last of them.
    dtype (data-type, optional): integers are constants.
    axis: along which axis of the result they run.
    Raises AxisError (ValueError, IndexError): if the result has no such axis.
    """
)


class Linspace(Function):
    """Element i is (1 - t) start + t stop, with t = i / (num - 1)."""

    saves = ()

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


class LinspaceStep(Function):
    """(stop - start) / (num - 1)."""

    saves = ()

    def __init__(self, num: int, endpoint: bool) -> None:
        self.num, self.endpoint = num, endpoint

    def forward(self, start: Array, stop: Array) -> Array:
        return np.linspace(start, stop, self.num, self.endpoint, retstep=True)[1]

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        steps = self.num - 1 if self.endpoint else self.num
        # Of fewer than one step NumPy says that it is nan, whatever the ends are.
        return (-gy / steps, gy / steps) if steps > 0 else (None, None)


@documented
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
    Derivative by `start`: from 1 down to 0; by `stop`: from 0 up to 1, or to what comes before it
        without the end.
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


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    point, row, column = Draw(), Draw((3,)), Draw((2, 1))
    calls: tuple[Call, ...] = Call(point, point), Call(point, row, 4), Call(row, column, 5, axis=1)
    calls += Call(0.0, point, 3), Call(point, point, 4, endpoint=False)
    calls += Call(row, row, 3, retstep=True, axis=-1), Call(point, point, 1), Call(point, row, 0)
    calls += Call(row, point, 1, False, True), Call(row, 1.0, 2, dtype=complex), Call(point, 1, 2)
    calls += Call(Draw((0,)), point, 3), Call(row, np.ones((2, 1)), num=3, device="cpu")
    calls += (Call(point, column, 5, False, True, complex, -2),)
    register("linspace", linspace, Linspace, numpy=np.linspace, sample=Sample(calls, complex=True))
