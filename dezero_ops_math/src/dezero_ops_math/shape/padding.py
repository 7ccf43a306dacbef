"""pad: arrays with a border."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Variable, VariableTypeError
from dezero_core.extend import Array, Operand, is_lazy, placed

from ..declaring import Call, Draw, LinearMap, applying
from .joining import concatenate
from .picking import take
from .positions import added_at, between

_STATISTICS: dict[str, Any] = {
    "maximum": np.max,
    "minimum": np.min,
    "mean": np.mean,
    "median": np.median,
}

#: Mode -> which of `n` elements there are at positions outside of them.
_REPEATING: dict[str, Any] = {
    "edge": lambda at, n: np.clip(at, 0, n - 1),
    "wrap": lambda at, n: at % n,
    "symmetric": lambda at, n: np.minimum(at % (2 * n), 2 * n - 1 - at % (2 * n)),
    "reflect": lambda at, n: abs((at + n - 1) % max(2 * n - 2, 1) - (n - 1)),
}


class Pad(LinearMap):
    """The gradient of the border is added to the elements the border was made of."""

    linear = False

    def __init__(self, pad_width: Any, mode: Any, kwargs: dict[str, Any]) -> None:
        self.pad_width, self.mode, self.kwargs = pad_width, mode, kwargs

    def forward(self, array: Array) -> Array:
        y = np.pad(array, self.pad_width, self.mode, **self.kwargs)
        self.widths = _pairs(self.pad_width, np.ndim(array))
        return y

    def backward(self, gy: Array) -> Array:
        if self.mode in ("constant", "empty"):
            lengths = zip(gy.shape, self.widths, strict=True)
            return gy[tuple(slice(before, n - after) for n, (before, after) in lengths)]
        # Of the border nothing is constant but what it ends with.
        kwargs = {name: self.kwargs[name] for name in self.kwargs if name != "end_values"}
        for axis, width in enumerate(self.widths):
            if any(width):
                gy = _Unpad(axis, width, self.mode, kwargs).of(gy)
        return gy


class _Unpad(LinearMap):
    """Adds the border on one axis to the elements it was made of: the transpose of `Pad`."""

    def __init__(self, axis: int, width: list[int], mode: Any, kwargs: dict[str, Any]) -> None:
        self.axis, self.width, self.mode, self.kwargs = axis, width, mode, kwargs

    def forward(self, y: Array) -> Array:
        y = np.moveaxis(y, self.axis, 0)
        n = len(y) - sum(self.width)
        inside = slice(self.width[0], self.width[0] + n)
        x, border = np.copy(y[inside], "C"), np.delete(y, inside, axis=0)
        if is_lazy(y) and self.mode in _REPEATING and self.kwargs.get("reflect_type") != "odd":
            at = np.concatenate([np.arange(-self.width[0], 0), np.arange(n, n + self.width[1])])
            sources = _REPEATING[self.mode](at, n)
            return np.moveaxis(x + placed(border, x.shape, (sources,)), 0, self.axis)
        # Every element of a border is a sum of multiples of the first, of the last, and of one
        # other element at most. Which, and how much, np.pad says of lines of zeros and ones.
        numbers = np.arange(n)
        others = np.delete(np.pad(numbers, self.width, self.mode), inside)
        for line, sources in (
            (numbers == 0, np.zeros_like(others)),
            ((numbers == n - 1) & (numbers > 0), np.full_like(others, n - 1)),
            ((numbers > 0) & (numbers < n - 1), others),
        ):
            padded = np.pad(line.astype(y.real.dtype), self.width, self.mode, **self.kwargs)
            weights = np.delete(padded, inside).reshape(-1, *[1] * (y.ndim - 1))
            used = np.flatnonzero(weights)
            x = added_at(x, sources[used], weights[used] * border[used], once=False)
        return np.moveaxis(x, 0, self.axis)

    def backward(self, gx: Array) -> Array:
        widths = [[0, 0]] * gx.ndim
        widths[self.axis] = self.width
        return Pad(widths, self.mode, self.kwargs).of(gx)


_A, _B, _LINE, _ONE = Draw((3, 4)), Draw((2, 1, 3)), Draw((5,)), Draw((1,))
_UNEVEN = ((1, 0), (2, 3))
_MODES = "edge", "wrap", "reflect", "symmetric", "linear_ramp", *_STATISTICS


def _in_mode(mode: str) -> list[Any]:
    calls = [Call(_LINE, (2, 13), mode), Call(_A, _UNEVEN, mode), Call(_B, 2, mode=mode)]
    return [*calls, Call(_ONE, (1, 2), mode)]


def _odd(mode: str) -> list[Any]:
    odd = {"mode": mode, "reflect_type": "odd"}
    return [Call(_LINE, (2, 13), **odd), Call(_A, _UNEVEN, **odd), Call(_ONE, 2, **odd)]


def _of_some(mode: str) -> list[Any]:
    return [Call(_A, 2, mode, stat_length=2), Call(_LINE, 1, mode, stat_length=(3, 4))]


@applying(
    Pad,
    *(Call(_LINE, 2), Call(_LINE, (0, 3), "constant", constant_values=(1.5, -2))),
    *(Call(_A, _UNEVEN, constant_values=((1, 2), (3, 4))), Call(_B, ((0, 0), (1, 1), (0, 2)))),
    *(Call(Draw(), 3), Call(Draw((0, 2)), 1), Call(_A, 1, "linear_ramp", end_values=(2.0, -1.0))),
    *(Call(_LINE, 0, "edge"), Call(Draw((0, 2)), ((0, 0), (1, 1)), "edge")),
    *(call for mode in _MODES for call in _in_mode(mode)),
    *(call for mode in ("reflect", "symmetric") for call in _odd(mode)),
    *(call for mode in _STATISTICS for call in _of_some(mode)),
    apart=between,
)
def pad(array: Operand, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Variable:
    """An array with a border: ``np.pad``.

    pad_width (int, pair of int, or such a pair for each axis): how much is added before and after;
        a dict from axis to width, too, where NumPy takes one.
    mode (str): what the border is made of: ``"constant"``, ``"edge"``, ``"linear_ramp"``,
        ``"reflect"``, ``"symmetric"``, ``"wrap"``, ``"maximum"``, ``"minimum"``, ``"mean"``,
        ``"median"``, or ``"empty"``, of whatever is there. No function: that would write into the
        array.
    kwargs (options of the mode): ``constant_values`` and ``end_values``, which are constants,
        ``stat_length`` and ``reflect_type``.
    Returns: dtype of `array`.
    Derivative: 1 for every element, and what the border is made of.
    Raises ValueError: if the mode or its options are none, a width is negative, or the border would
        be made of nothing.
    Raises TypeError: if a width is no integer, or `mode` a function.

    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> y = pad(x, (2, 1), mode="reflect")
    >>> y.backward()
    >>> y, x.grad
    (variable([3. 2. 1. 2. 3. 2.]), array([1., 3., 2.]))
    """
    if callable(mode):
        raise VariableTypeError(
            "np.pad with a Variable takes no function as mode: it would write into an ndarray, "
            "which cannot hold the graph. Join the borders to it by np.concatenate.",
            got="mode",
        )
    if mode in _STATISTICS and isinstance(array, Variable) and array.dtype.kind in "fc":
        # Whatever is wrong with the options is so for an array of one element, or none.
        Pad(pad_width, mode, kwargs)(np.zeros([min(n, 1) for n in array.shape]))
        widths = _pairs(pad_width, array.ndim)
        if np.any(widths):
            return _pad_by(_STATISTICS[mode], array, widths, **kwargs)
    return Pad(pad_width, mode, kwargs)(array)


def _pad_by(statistic: Any, x: Variable, widths: Any, stat_length: Any = None) -> Variable:
    for axis, (width, lengths) in enumerate(zip(widths, _pairs(stat_length, x.ndim), strict=True)):
        if not any(width):
            continue
        n = x.shape[axis]
        first, last = (n if length is None else min(round(length), n) for length in lengths)
        ends = np.arange(first), np.arange(n - last, n)
        before, after = (
            [take(statistic(take(x, end, axis), axis=axis, keepdims=True), [0] * times, axis)]
            if times
            else []
            for end, times in zip(ends, width, strict=True)
        )
        x = concatenate([*before, x, *after], axis)
    return x


def _pairs(value: Any, ndim: int) -> list[Any]:
    """Return a pair for each axis, as NumPy reads `pad_width` and `stat_length`."""
    if isinstance(value, dict):
        pairs = [[0, 0]] * ndim
        for axis, width in value.items():
            pairs[axis] = np.broadcast_to(width, 2).tolist()
        return pairs
    return np.broadcast_to(np.asarray(value), (ndim, 2)).tolist()
