"""Normalization by means and variances: those of a batch, or of each example."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from dezero_ops_math.declaring import Call, Draw, applying

from dezero_core import Config, Function, Variable
from dezero_core.extend import Array, Operand
from dezero_core.extend import sum_to as sum_array_to
from dezero_ops_basic import sum_to

Shape = tuple[int, ...]


class Moments(Function):
    """Mean and variance: dmean = sum(dx) / n, and dvar = 2 sum((x - mean) dx) / n."""

    saves = ("inputs", "outputs")

    def __init__(self, shape: Shape) -> None:
        #: Of the results: 1 in place of each axis that they are taken along.
        self.shape = shape

    def forward(self, x: Array) -> tuple[Array, Array]:
        n, dtype = self._count(x), x.dtype
        if dtype == np.float16:  # in which a sum of many may be too large
            x = x.astype(np.float32)
        mean = sum_array_to(x, self.shape) / n
        deviations = x - mean
        squares = np.multiply(deviations, deviations, out=_own(deviations))
        var = sum_array_to(squares, self.shape) / n
        if dtype == np.float16:
            return mean.astype(dtype), var.astype(dtype)
        return mean, var

    def backward(self, gmean: Array, gvar: Array) -> Array:
        x, mean = self.inputs[0].data, self.outputs[0]().data
        n = self._count(x)
        return (x - mean) * (gvar * (2.0 / n)) + gmean * (1.0 / n)

    def _count(self, x: Array) -> int:
        pairs = zip(x.shape, self.shape, strict=True)
        return math.prod(length for length, of_results in pairs if of_results == 1)


class Normalize(Function):
    """y = (x - mean) / s gamma + beta, with s = sqrt(var + eps), so dx gets gamma / s dy."""

    def __init__(self, eps: float) -> None:
        self.eps = float(eps)  # one of np.float64 would make results of float32 wider

    def forward(self, x: Array, mean: Array, var: Array, gamma: Array, beta: Array) -> Array:
        if np.result_type(x, gamma, beta).kind == "c":
            raise TypeError("x, gamma and beta must be real, and one is complex.")
        y, s = x - mean, np.sqrt(var + self.eps)
        if gamma.shape == s.shape:
            y = _changed(np.multiply, y, gamma / s)
        else:
            y = _changed(np.multiply, _changed(np.divide, y, s), gamma)
        return _changed(np.add, y, beta)

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        x, mean, var, gamma, beta = (x.data for x in self.inputs)
        of_x, of_mean, of_var, of_gamma, of_beta = self.needs_grad
        s = np.sqrt(var + self.eps)
        gx = gmean = gvar = ggamma = gbeta = None
        if of_var or of_gamma:
            along = gy * ((x - mean) / s)
            ggamma = sum_to(along, gamma.shape)
        if of_var:
            same = gamma.shape == var.shape  # as those of a batch: then one sum is enough
            g = ggamma * gamma if same else sum_to(along * gamma, var.shape)
            gvar = g * (-0.5 / (s * s))
        if of_x or of_mean:
            gx = gy * (gamma / s)
        if of_mean:
            gmean = -sum_to(gx, mean.shape)
        if of_beta:
            gbeta = sum_to(gy, beta.shape)
        return gx, gmean, gvar, ggamma, gbeta


def _changed(ufunc: np.ufunc, y: Array, other: Array) -> Array:
    """Return ``ufunc(y, other)``, in the memory of `y` where it fits there."""
    fits = isinstance(other, np.ndarray) and np.result_type(y, other) == y.dtype
    return ufunc(y, other, out=_own(y) if fits else None)


def _own(y: Array) -> Array | None:
    return y if isinstance(y, np.ndarray) else None


def _normalized(x: Array, gamma: Array, beta: Array, axes: Any, eps: float) -> Array:
    dtype = np.result_type(x, gamma, beta, np.float16)
    wide = np.result_type(x, float)
    mean, var = np.mean(x, axes, wide, keepdims=True), np.var(x, axes, wide, keepdims=True)
    return ((x - mean) / np.sqrt(var + eps) * gamma + beta).astype(dtype)


def _of_batch(
    x: Array, gamma: Array, beta: Array, *running: Array, decay: float = 0.9, eps: float = 2e-5
) -> Array:
    axes = 0, *range(2, np.ndim(x))
    shape = (1, -1, *(1,) * (np.ndim(x) - 2))
    return _normalized(x, np.reshape(gamma, shape), np.reshape(beta, shape), axes, eps)


def _of_each(x: Array, gamma: Array, beta: Array, eps: float = 1e-5) -> Array:
    return _normalized(x, gamma, beta, tuple(range(-np.ndim(gamma), 0)), eps)


def _call(*shape: int, **options: Any) -> Any:
    channels = shape[1:2]
    running = [np.zeros(channels), np.ones(channels)]
    return Call(Draw(shape), Draw(channels), Draw(channels), *running, **options)


@applying(
    Normalize,
    *(_call(4, 3), _call(3, 2, 2, 3), _call(2, 3, 2, eps=0.1), _call(1, 2, 3, 1), _call(3, 1)),
    _call(3, 2, decay=0.5),
    reference=_of_batch,
    complex=False,
    ulps=64,
    integers=False,
)
def batch_norm(
    x: Operand,
    gamma: Operand,
    beta: Operand,
    mean: Any,
    var: Any,
    decay: float = 0.9,
    eps: float = 2e-5,
) -> Variable:
    """Normalize each channel of a batch to mean 0 and variance 1; then scale and shift it.

    x (Variable or ndarray): of shape ``(n, channels)`` or ``(n, channels, ...)``, usually
        ``(n, channels, h, w)``.
    gamma, beta (Variable or ndarray): scale and shift, of shape ``(channels,)``.
    mean, var (State, Variable or ndarray): the running ones, floating-point, of shape
        ``(channels,)``. In training they are changed to
        ``decay * mean + (1 - decay) * mean_of_batch``: Variables get new `data`, arrays are changed
        in place. A compiled function of dezero-replay needs Variables. They get no gradient.
    eps: added to the variance, below the root.
    Returns: ``gamma * (x - mean) / sqrt(var + eps) + beta``, of the shape of `x`. A batch of one
        number in each channel gives `beta`, as that has the variance 0.
    Derivative: goes through the mean and the variance of the batch, too.
    Raises ValueError: if the shapes do not fit, or in training the batch is empty.
    Raises TypeError: if `mean` or `var` is not floating-point, or neither a Variable nor an array,
        or another operand is complex.
    Note: in training the mean and the variance are those of the batch, and the running ones come
        closer to them. Under ``test_mode()``, where ``Config.train`` is False, the running ones are
        used. The running variance is led to the estimate without bias, ``n / max(n - 1, 1)`` times
        that of the batch. A change under ``no_grad()`` is a change, too.
    Source: DeZero's function of that name; Ioffe and Szegedy 2015.

    >>> mean, var = np.zeros(1), np.ones(1)
    >>> x = Variable(np.array([[1.0], [3.0]]))
    >>> batch_norm(x, np.ones(1), np.zeros(1), mean, var, eps=0.0)
    variable([[-1.]
              [ 1.]])
    >>> mean, var
    (array([0.2]), array([1.1]))
    """
    x, gamma, beta = (_array(each) for each in (x, gamma, beta))
    if x.ndim < 2:
        raise ValueError(f"batch_norm: x must have axes (n, channels, ...), and has {x.ndim}.")
    channels = x.shape[1]
    for name, each in {"gamma": gamma, "beta": beta, "mean": mean, "var": var}.items():
        if np.shape(each) != (channels,):
            raise ValueError(
                f"batch_norm: {name} must be of shape ({channels},), as x has {channels} channels, "
                f"and is of shape {np.shape(each)}."
            )
    for name, each in {"mean": mean, "var": var}.items():
        if not isinstance(each, (Variable, np.ndarray)) or each.dtype.kind != "f":
            raise TypeError(
                f"batch_norm: {name} must be a Variable or an array of floating-point numbers, "
                f"which can be changed, and is of {getattr(each, 'dtype', type(each))}."
            )
    shape = (1, channels, *(1,) * (x.ndim - 2))
    gamma, beta = gamma.reshape(shape), beta.reshape(shape)
    if not Config.train:
        dtype = np.result_type(x.dtype, np.float16)  # as in training: that of the batch's own
        running = [_data(each).astype(dtype, copy=False).reshape(shape) for each in (mean, var)]
        return Normalize(eps)(x, *running, gamma, beta)
    n = len(x) * math.prod(x.shape[2:])
    if n == 0:
        raise ValueError(f"batch_norm: a batch in training must not be empty, as of {x.shape}.")
    of_batch = Moments(shape)(x)
    y = Normalize(eps)(x, *of_batch, gamma, beta)
    _follow(mean, _data(of_batch[0]), decay)
    _follow(var, _data(of_batch[1]) * (n / max(n - 1, 1)), decay)
    return y


def _array(x: Operand) -> Operand:
    return x if hasattr(x, "shape") else np.asarray(x)


def _data(x: Any) -> Array:
    return x.data if isinstance(x, Variable) else x


def _follow(running: Any, new: Array, decay: float) -> None:
    """Move running numbers towards those of a batch."""
    old = _data(running)
    moved = decay * old + (1.0 - decay) * new.reshape(old.shape)
    if isinstance(running, Variable):
        running.data = moved.astype(old.dtype, copy=False)  # a graph may still hold the old ones
    else:
        running[...] = moved


_ROW, _MATRIX = Draw((3,)), Draw((2, 3))


@applying(
    Normalize,
    *(Call(Draw((4, 3)), _ROW, _ROW), Call(Draw((2, 2, 3)), _MATRIX, _MATRIX, 0.1)),
    *(Call(_ROW, _ROW, _ROW, eps=1e-3), Call(Draw((0, 3)), _ROW, _ROW)),
    reference=_of_each,
    complex=False,
    ulps=64,
    integers=False,
)
def layer_norm(x: Operand, gamma: Operand, beta: Operand, eps: float = 1e-5) -> Variable:
    """Normalize each example to mean 0 and variance 1 over its last axes; then scale and shift it.

    x (Variable or ndarray): of shape ``(..., *gamma.shape)``, usually ``(n, features)``.
    gamma, beta (Variable or ndarray): scale and shift, both of the shape of the last axes of `x`,
        one or more.
    eps: added to the variance, below the root.
    Returns: ``gamma * (x - mean) / sqrt(var + eps) + beta``, of the shape of `x`.
    Derivative: goes through the mean and the variance, too.
    Raises ValueError: if the shapes do not fit, or the last axes are empty.
    Raises TypeError: if an operand is complex.
    Source: Ba, Kiros and Hinton 2016; PyTorch's function of that name.

    >>> x = Variable(np.array([[1.0, 3.0], [10.0, 30.0]]))
    >>> layer_norm(x, np.ones(2), np.zeros(2), eps=0.0)
    variable([[-1.  1.]
              [-1.  1.]])
    """
    x, gamma, beta = (_array(each) for each in (x, gamma, beta))
    shape = gamma.shape
    if not shape or x.shape[-len(shape) :] != shape or beta.shape != shape:
        raise ValueError(
            f"layer_norm: gamma and beta must be of the shape of the last axes of x, {x.shape}, "
            f"and are of the shapes {shape} and {beta.shape}."
        )
    if 0 in shape:
        raise ValueError(f"layer_norm: the last axes of x, {shape}, must not be empty.")
    moments = Moments((*x.shape[: -len(shape)], *(1,) * len(shape)))(x)
    return Normalize(eps)(x, *moments, gamma, beta)
