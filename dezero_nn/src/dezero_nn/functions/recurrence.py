"""Functions of recurrent layers: what an LSTM does with a whole sequence."""

from __future__ import annotations

from typing import Any

import numpy as np
from dezero_ops_math.products.affine import Linear

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
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
        first = start[1] if start else np.zeros((rows, size), cs.dtype)
        before = np.concatenate([first[np.newaxis], cs[:-1]])
        i, f, g, o = (gates[:, k] for k in range(4))
        tanh_c = np.tanh(cs)
        # All that dh and dc do not change is computed for all steps at once.
        slopes = i * (1.0 - i), f * (1.0 - f), 1.0 - g * g, o * (1.0 - o)
        by_dc = np.stack([g * slopes[0], before * slopes[1], i * slopes[2]], axis=1)
        by_dh = tanh_c * slopes[3]
        dc_by_dh = o * (1.0 - tanh_c * tanh_c)
        of_gates = None if ggates is None else ggates * np.stack(slopes, axis=1)
        dh: Any = 0.0
        dc: Any = 0.0
        dzs: list[Any] = []
        for t in range(steps - 1, -1, -1):
            if ghs is not None:
                dh = dh + ghs[t]
            if gcs is not None:
                dc = dc + gcs[t]
            dc = dc + dh * dc_by_dh[t]
            ifg = dc * by_dc[t]
            blocks = [ifg[0], ifg[1], ifg[2], dh * by_dh[t]]
            if of_gates is not None:
                blocks = [block + of_gates[t, k] for k, block in enumerate(blocks)]
            dz = np.concatenate(blocks, axis=-1)
            dzs.append(dz)
            dc = dc * f[t]
            if t or start:
                dh = (wh @ dz.T).T  # as dz @ wh.T, in two thirds of the time
        dz = np.stack(dzs[::-1])
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


def lstm(
    x: Operand,
    Wx: Operand,  # noqa: N803
    Wh: Operand,  # noqa: N803
    b: Operand,
    h: Operand | None = None,
    c: Operand | None = None,
) -> tuple[Variable, Variable]:
    """Long short-term memory: a recurrent layer, over all steps of a sequence.

    Each step computes four gates of the input and of the hidden state before it, in blocks of
    columns in the order i, f, g, o, as PyTorch::

        i, f, g, o = split(x[t] @ Wx + h @ Wh + b, 4)
        c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        h = sigmoid(o) * tanh(c)

    Parameters
    ----------
    x : Variable or array_like, shape (steps, rows, in)
        The sequence, real or complex; at least one step.
    Wx : Variable or array_like, shape (in, 4 * size)
    Wh : Variable or array_like, shape (size, 4 * size)
    b : Variable or array_like, shape (4 * size,)
    h, c : Variable or array_like, shape (rows, size), optional
        The hidden state and the cells before the first step; both or neither. By default 0.

    Returns
    -------
    hs, cs : Variable, shape (steps, rows, size)
        The hidden state and the cells after each step, of the dtype of the operands.

        Derivative: backpropagation through time, from the last step to the first, by
        ``y (1 - y)`` of a sigmoid and ``1 - y ** 2`` of a tanh, which are exact to the precision of
        ``y``. Weights get the sum over all steps, by one matrix product.

    Raises
    ------
    ValueError
        If shapes do not fit, if there is no step, or if only one of `h` and `c` is given.

    Notes
    -----
    Source: Hochreiter and Schmidhuber 1997; Gers, Schmidhuber and Cummins 2000; the book's step
    60, which computes one step at a time.

    Examples
    --------
    >>> x, Wx, Wh = np.ones((5, 2, 3)), np.zeros((3, 16)), np.zeros((4, 16))
    >>> hs, cs = lstm(x, Wx, Wh, np.ones(16))
    >>> hs.shape, cs.shape
    ((5, 2, 4), (5, 2, 4))
    """
    if (h is None) != (c is None):
        raise ValueError("lstm takes both h and c, or neither, and got one of them.")
    hs, cs, _ = Lstm()(x, Wx, Wh, b) if h is None else Lstm()(x, Wx, Wh, b, h, c)
    return hs, cs


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""

    def operands(*shape: int) -> list[Draw]:
        steps, rows, inputs, size = shape
        shapes = (steps, rows, inputs), (inputs, 4 * size), (size, 4 * size), (4 * size,)
        return [Draw(each, (-1.0, 1.0)) for each in shapes]

    states = [Draw((2, 2), (-1.0, 1.0))] * 2
    calls = (
        Call(*operands(3, 2, 2, 1)),
        Call(*operands(1, 2, 3, 2), *states),
        Call(*operands(3, 2, 1, 2), *states),
        Call(*operands(2, 1, 2, 1)),
        Call(*operands(2, 0, 2, 1)),
    )
    sample = Sample(calls, reference=_by_steps, complex=True, ulps=16.0)
    register("lstm", lstm, Lstm, sample=sample)


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
