"""Functions of recurrent layers: what an LSTM does with a whole sequence."""

# ruff: noqa: N803 - weights are Wx and Wh, as in the book

from __future__ import annotations

from typing import Any

import numpy as np
from dezero_ops_math.declaring import Call, Draw, applying
from dezero_ops_math.products.affine import Linear

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand


class Lstm(Function):
    """dz = slope(a) da for the gates ``a``, from the last step back to the first.

    Cells and gates are outputs of their own: so `backward` has them without computing them again,
    and leads a derivative of the gradient through them. The four gates are four blocks, each
    contiguous: NumPy computes with those in half the time that slices of rows take.
    """

    saves = ("inputs", "outputs")
    materialize_grads = False
    arrays = "numpy: each step is written into arrays of all steps"
    #: Of the rows in x, h and c, and in hs, cs and the gates; weights and b are for all rows.
    batch_axes = (1, None, None, None, 0, 0), (1, 1, 2)

    def forward(
        self, x: Array, wx: Array, wh: Array, b: Array, *start: Array
    ) -> tuple[Array, Array, Array]:
        _check(x, wx, wh, b, start)
        (steps, rows), size = x.shape[:2], len(wh)
        of_x = Linear().of(x, wx, b).reshape((steps, rows, 4, size)).swapaxes(1, 2)
        wh = wh.reshape((size, 4, size)).swapaxes(0, 1)
        dtype = np.result_type(of_x, wh, *start, 0.5)
        hs, cs = (np.empty((steps, rows, size), dtype) for _ in range(2))
        gates = np.empty((steps, 4, rows, size), dtype)
        h, c = start or (None, None)
        for t in range(steps):
            if h is None:
                gates[t] = of_x[t]
            else:
                np.matmul(h, wh, out=gates[t])
                gates[t] += of_x[t]
            _activate(gates[t])
            i, f, g, o = gates[t]
            np.multiply(i, g, out=cs[t])
            if c is not None:
                cs[t] += f * c
            c = cs[t]
            h = np.multiply(o, np.tanh(c), out=hs[t])
        return hs, cs, gates

    def backward(
        self, ghs: Array | None, gcs: Array | None, ggates: Array | None
    ) -> tuple[Array | None, ...]:
        x, wx, wh, _, *start = (each.data for each in self.inputs)
        hs, cs, gates = (each().data for each in self.outputs)
        steps, rows, size = cs.shape
        if ggates is None and _is_constant(gates):
            given = [g for g in (ghs, gcs) if g is not None]
            back = _BackInPlace(ghs is not None, gcs is not None)
            dz, dh, dc = back.of(*given, wh, cs, gates, *start)
        else:
            dz, dh, dc = _back(ghs, gcs, ggates, wh, cs, gates, start)
        gwh = start[0].T @ dz[0] if start else None
        if steps > 1 or gwh is None:
            later = dz[1:].reshape(((steps - 1) * rows, 4 * size))
            of_later = hs[:-1].reshape(((steps - 1) * rows, size)).T @ later
            gwh = of_later if gwh is None else gwh + of_later
        all_rows = dz.reshape((steps * rows, 4 * size))
        gx = (all_rows @ wx.T).reshape(x.shape) if self.needs_grad[0] else None
        gwx = x.reshape((steps * rows, len(wx))).T @ all_rows
        return gx, gwx, gwh, all_rows.sum(axis=0), *([dh, dc] if start else [])


def _activate(a: Array) -> None:
    """Apply sigmoid and tanh to four blocks, by ``sigmoid(z) = tanh(z / 2) / 2 + 1 / 2``."""
    sigmoids = a[:2], a[3]
    for block in sigmoids:
        block *= 0.5
    np.tanh(a, out=a)
    for block in sigmoids:
        block *= 0.5
        block += 0.5


def _back(
    ghs: Array | None,
    gcs: Array | None,
    ggates: Array | None,
    wh: Array,
    cs: Array,
    gates: Array,
    start: list[Array],
) -> tuple[Array, Array, Array]:
    """Return dz of all steps, and the gradients of the hidden state and of the cells at the start.

    It computes with operators, so that Variables can be differentiated through it.
    """
    first = start[1] if start else np.zeros(cs.shape[1:], cs.dtype)
    dh: Any = 0.0
    dc: Any = 0.0
    dzs: list[Any] = []
    for t in range(len(cs) - 1, -1, -1):
        i, f, g, o = (gates[t, k] for k in range(4))
        tanh_c = np.tanh(cs[t])
        dh = dh + _at(ghs, t)
        dc = dc + _at(gcs, t) + dh * o * (1.0 - tanh_c * tanh_c)
        das = [dc * g, dc * (cs[t - 1] if t else first), dc * i, dh * tanh_c]
        if ggates is not None:
            das = [da + ggates[t, k] for k, da in enumerate(das)]
        slopes = i * (1.0 - i), f * (1.0 - f), 1.0 - g * g, o * (1.0 - o)
        dz = np.concatenate([da * slope for da, slope in zip(das, slopes, strict=True)], axis=-1)
        dzs.append(dz)
        dc = dc * f
        if t or start:
            dh = _before(wh, dz)
    return np.stack(dzs[::-1]), dh, dc


class _BackInPlace(Function):
    """Does what `_back` does, in less time, where nobody differentiates it: it writes into arrays.

    Factors that are known before the loop are computed for all steps at once.
    """

    arrays = Lstm.arrays

    def __init__(self, *has_gradients: bool) -> None:
        self.has_gradients = has_gradients
        of_gradients = (1,) * sum(has_gradients)
        self.batch_axes = (*of_gradients, None, 1, 2, 0, 0), (1, 0, 0)

    def forward(self, *xs: Array) -> tuple[Array, Array, Array]:
        given = iter(xs)
        ghs, gcs = (next(given) if has else None for has in self.has_gradients)
        wh, cs, gates, *start = given
        steps, rows, size = cs.shape
        i, f, g, o = gates.swapaxes(0, 1)
        tanh_c = np.tanh(cs)
        of_dh = o * (1.0 - tanh_c * tanh_c)
        of_dz = 1.0 - gates
        of_dz *= gates
        of_dz[:, 0] *= g
        of_dz[0, 1] *= start[1] if start else 0.0
        of_dz[1:, 1] *= cs[:-1]
        np.multiply(i, 1.0 - g * g, out=of_dz[:, 2])
        of_dz[:, 3] *= tanh_c
        dtype = np.result_type(of_dz, *xs)
        dz = np.empty((steps, rows, 4 * size), dtype)
        blocks = dz.reshape((steps, rows, 4, size)).swapaxes(1, 2)
        dh = dc = np.zeros((rows, size), dtype)
        for t in range(steps - 1, -1, -1):
            dh = dh + _at(ghs, t)
            dc = dc + dh * of_dh[t]
            if gcs is not None:
                dc = dc + gcs[t]
            np.multiply(dc, of_dz[t, :3], out=blocks[t, :3])
            np.multiply(dh, of_dz[t, 3], out=blocks[t, 3])
            dc = dc * f[t]
            if t or start:
                dh = _before(wh, dz[t])
        return dz, dh, dc


def _is_constant(x: Array) -> bool:
    """Return whether an array of numbers is no Variable that a Function has computed."""
    return isinstance(x, np.ndarray) or (isinstance(x, Variable) and x.creator is None)


def _before(wh: Array, dz: Array) -> Array:
    """Return ``dz @ wh.T`` in two thirds of its time."""
    return (wh @ dz.T).T


def _at(g: Array | None, t: int) -> Array:
    return 0.0 if g is None else g[t]


def _check(x: Array, wx: Array, wh: Array, b: Array, start: tuple[Array, ...]) -> None:
    if np.ndim(x) != 3 or not len(x):
        raise ValueError(
            f"lstm takes x of shape (steps, rows, in), with a step at least, got {np.shape(x)}."
        )
    size = np.shape(wh)[0] if np.ndim(wh) == 2 else 0
    wanted = {"Wx": (x.shape[2], 4 * size), "Wh": (size, 4 * size), "b": (4 * size,)}
    wanted |= {"h": (x.shape[1], size), "c": (x.shape[1], size)} if start else {}
    for (name, shape), array in zip(wanted.items(), (wx, wh, b, *start), strict=True):
        if np.shape(array) != shape:
            raise ValueError(
                f"lstm: {name} must be of shape {shape} for x of shape {x.shape} and Wh of shape "
                f"{np.shape(wh)}, and is of shape {np.shape(array)}."
            )


def _by_steps(x: Any, wx: Any, wh: Any, b: Any, h: Any = 0.0, c: Any = 0.0) -> tuple[Any, Any]:
    """Compute as `lstm` does, as the formulas are written."""
    hs, cs = [], []
    for each in x:
        recurrent = np.matmul(h, wh) + 0.0 if np.ndim(h) else 0.0
        i, f, g, o = np.split(recurrent + (np.matmul(each, wx) + b), 4, axis=-1)
        i, f, o = (1.0 / (1.0 + np.exp(-z)) for z in (i, f, o))
        c = f * c + i * np.tanh(g)
        h = o * np.tanh(c)
        hs.append(h)
        cs.append(c)
    return np.stack(hs), np.stack(cs)


def _operands(*shape: int) -> list[Any]:
    steps, rows, inputs, size = shape
    shapes = (steps, rows, inputs), (inputs, 4 * size), (size, 4 * size), (4 * size,)
    return [Draw(each, (-1.0, 1.0)) for each in shapes]


_STATES = [Draw((2, 2), (-1.0, 1.0))] * 2


@applying(
    Lstm,
    *(Call(*_operands(3, 2, 2, 1)), Call(*_operands(1, 2, 3, 2), *_STATES)),
    *(Call(*_operands(3, 2, 1, 2), *_STATES), Call(*_operands(2, 1, 2, 1))),
    Call(*_operands(2, 0, 2, 1)),
    reference=_by_steps,
    ulps=16.0,
)
def lstm(
    x: Operand,
    Wx: Operand,
    Wh: Operand,
    b: Operand,
    h: Operand | None = None,
    c: Operand | None = None,
) -> tuple[Variable, Variable]:
    """Long short-term memory: a recurrent layer, over all steps of a sequence.

    x (Variable or array_like, shape (steps, rows, in)): the sequence, real or complex; at least one
        step.
    Wx (Variable or array_like, shape (in, 4 * size)):
    Wh (Variable or array_like, shape (size, 4 * size)):
    b (Variable or array_like, shape (4 * size,)):
    h, c (Variable or array_like, shape (rows, size), optional): the hidden state and the cells
        before the first step; both or neither. By default 0.
    Returns ((Variable, Variable), shape (steps, rows, size)): `hs` and `cs`, the hidden state and
        the cells after each step, of the dtype of the operands.
    Derivative: backpropagation through time, from the last step to the first, by ``y (1 - y)`` of a
        sigmoid and ``1 - y ** 2`` of a tanh, which are exact to the precision of ``y``. Weights get
        the sum over all steps, by one matrix product.
    Raises ValueError: if shapes do not fit, if there is no step, or if only one of `h` and `c` is
        given.
    Note: each step computes four gates of the input and of the hidden state before it, in blocks of
        columns in the order i, f, g, o, as PyTorch:
        ``i, f, g, o = split(x[t] @ Wx + h @ Wh + b, 4)``, then
        ``c = sigmoid(f) * c + sigmoid(i) * tanh(g)``, and ``h = sigmoid(o) * tanh(c)``.
    Source: Hochreiter and Schmidhuber 1997; Gers, Schmidhuber and Cummins 2000; the book's step 60,
        which computes one step at a time.

    >>> x, Wx, Wh = np.ones((5, 2, 3)), np.zeros((3, 16)), np.zeros((4, 16))
    >>> hs, cs = lstm(x, Wx, Wh, np.ones(16))
    >>> hs.shape, cs.shape
    ((5, 2, 4), (5, 2, 4))
    """
    if (h is None) != (c is None):
        raise ValueError("lstm takes both h and c, or neither, and got one of them.")
    hs, cs, _ = Lstm()(x, Wx, Wh, b) if h is None else Lstm()(x, Wx, Wh, b, h, c)
    return hs, cs
