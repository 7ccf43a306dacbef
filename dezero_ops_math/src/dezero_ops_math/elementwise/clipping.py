"""Elements kept within bounds, and numbers in place of nan and infinities.

In the closed interval the gradient is that of `a` itself, bounds included. To share it there
with a bound, as `maximum` does, would halve it each time the same is clipped again, and
elements that were clipped lie on a bound. (PyTorch and TensorFlow choose likewise.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Variable, VariableTypeError
from dezero_core.extend import Array, Operand, certain

from ..arguments import refuse_out
from ..declaring import Call, Draw, Elementwise, applying
from ..gradients import kept, kept_each

_A, _ROW, _COLUMN = Draw((2, 3)), Draw((3,)), Draw((2, 1))


def _apart(a: Array, *bounds: Array) -> Array:
    # The bounds are drawn, or else the numbers -1 and 1.
    distances = [a - bound for bound in bounds] or [a - 1.0, a + 1.0]
    if len(bounds) == 2:
        distances.append(bounds[0] - bounds[1])
    return np.concatenate([np.ravel(np.abs(distance)) for distance in distances])


_NOT_GIVEN: Any = np._NoValue


class Clip(Elementwise):
    """The gradient goes to `a` in the closed interval, beyond it to the bound that was crossed."""

    def __init__(self, lower: bool, upper: bool) -> None:
        self.lower, self.upper = lower, upper

    def forward(self, a: Array, *bounds: Array) -> Array:
        return np.clip(a, *self._both(bounds))

    def _both(self, bounds: Any) -> tuple[Array, Array]:
        return bounds[0] if self.lower else None, bounds[-1] if self.upper else None

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        a, *bounds = (x.data for x in self.inputs)
        lower, upper = self._both(bounds)
        crossed = [np.less(a, lower)] if self.lower else []
        crossed += [np.greater(a, upper)] if self.upper else []
        if bounds and not certain(np.less_equal(bounds[0], bounds[-1]).all()):
            crossed = self._overruled(a, lower, upper, crossed)
        inside = ~(crossed[0] | crossed[-1]) if crossed else np.True_
        return kept_each(gy, (inside, *crossed), self.needs_grad)

    def _overruled(self, a: Array, lower: Array, upper: Array, crossed: list[Array]) -> list[Array]:
        """Return where bounds are crossed that are nan, or in the wrong order."""
        below = above = np.False_
        if self.lower:
            below = crossed[0] | np.not_equal(lower, lower)  # nan wins, as in NumPy
        if self.upper:
            above = crossed[-1] | np.not_equal(upper, upper)
        if self.lower and self.upper:
            # The lower bound comes first: the upper one overrules it, unless it is nan.
            above = (above | np.greater(lower, upper)) & np.equal(lower, lower)
            below = below & ~above
        number = np.equal(a, a)
        return [below & number] * self.lower + [above & number] * self.upper


def _method(
    a: Operand,
    min: Operand | None = None,  # noqa: A002
    max: Operand | None = None,  # noqa: A002
    out: None = None,
) -> Variable:
    """Keep elements within bounds, as ndarray's method; see `clip`."""
    return clip(a, min, max, out)


@applying(
    Clip,
    *(Call(_A, -1.0, 1.0), Call(_A, 1.0, -1.0), Call(_A, -1.0, None), Call(_A, None, 1.0)),
    *(Call(_A, None, None), Call(_A, min=-1.0, max=1.0), Call(_A, max=1.0), Call(_A, _A, _A)),
    *(Call(_A, _ROW, _COLUMN), Call(_ROW, _A, Draw()), Call(_A, _ROW, None)),
    *(Call(_A, None, _COLUMN), Call(_A, min=_ROW), Call(Draw(), -1.0, 1.0)),
    *(Call(Draw(), Draw(), Draw()), Call(Draw((1,)), _A, _COLUMN), Call(Draw((0, 3)), _ROW, 1.0)),
    apart=_apart,
    methods={"clip": _method},
)
def clip(
    a: Operand,
    a_min: Operand | None = _NOT_GIVEN,
    a_max: Operand | None = _NOT_GIVEN,
    out: None = None,
    *,
    min: Operand | None = _NOT_GIVEN,  # noqa: A002
    max: Operand | None = _NOT_GIVEN,  # noqa: A002
) -> Variable:
    """Keep elements within bounds: ``np.clip``, ``a.clip(min, max)``.

    a: any shape. nan stays nan.
    a_min, a_max: the bounds, of shapes that broadcast, or None. Where they cross, `a_max` wins.
    min, max: other names of the bounds; one that is left out is None.
    Derivative: 1 for `a` where it is in the closed interval, also on a bound, and 0 for the bounds;
        beyond, 1 for the bound and 0 for `a`.
    Raises TypeError: if one of `a_min` and `a_max` is left out, as in NumPy.
    Raises ValueError: if a bound is given by both names, or the shapes do not broadcast.

    >>> x = Variable(np.array([-1.0, 0.0, 0.5, 7.0]))
    >>> y = clip(x, 0.0, 1.0)
    >>> y.backward()
    >>> y, x.grad
    (variable([0.  0.  0.5 1. ]), array([0., 1., 1., 0.]))
    """
    if a_min is _NOT_GIVEN and a_max is _NOT_GIVEN:
        a_min = None if min is _NOT_GIVEN else min
        a_max = None if max is _NOT_GIVEN else max
    elif a_min is _NOT_GIVEN or a_max is _NOT_GIVEN:
        missing = "a_min" if a_min is _NOT_GIVEN else "a_max"
        raise TypeError(f"clip() missing 1 required positional argument: '{missing}'")
    elif min is not _NOT_GIVEN or max is not _NOT_GIVEN:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is "
            "forbidden."
        )
    refuse_out("clip", out)
    bounds = [bound for bound in (a_min, a_max) if bound is not None]
    return Clip(a_min is not None, a_max is not None)(a, *bounds)


class NanToNum(Elementwise):
    """The gradient of elements that stay; of complex numbers, of each part by itself."""

    def __init__(self, nan: Any, posinf: Any, neginf: Any) -> None:
        self.nan, self.posinf, self.neginf = nan, posinf, neginf

    def forward(self, x: Array) -> Array:
        return np.nan_to_num(x, nan=self.nan, posinf=self.posinf, neginf=self.neginf)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        finite = np.isfinite(x)
        if x.dtype.kind != "c" or certain(np.all(finite)):
            return kept(gy, finite)
        real = kept(np.real(gy), np.isfinite(np.real(x)))
        return real + 1j * kept(np.imag(gy), np.isfinite(np.imag(x)))


class NanToArrays(NanToNum):
    """`NanToNum` with arrays in place of nan or infinities: slices of `x` do not fit to these."""

    elementwise = False


@applying(
    NanToNum,
    *(Call(_A), Call(_A, True, 1.0, 2.0, -2.0), Call(_A, nan=np.array([1.0, 2.0, 3.0]), posinf=7)),
    *(Call(Draw()), Call(Draw((1, 1))), Call(Draw((0, 3)))),
)
def nan_to_num(
    x: Operand, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Variable:
    """Put numbers in place of nan and infinities: ``np.nan_to_num``.

    x: any shape; of complex numbers each part is looked at by itself.
    copy: must be true: others see the data of `x`, too.
    nan (number or array_like): in place of nan.
    posinf, neginf (number, array_like or None): for inf and -inf; by default the dtype's extremes.
    Returns: shape and dtype of `x`.
    Derivative: 1 where `x` is finite, 0 where it was replaced, also if the gradient there is nan.
    Raises VariableTypeError (TypeError): if `copy` is false, or a replacement is a Variable.

    >>> x = Variable(np.array([1.0, np.nan, np.inf]))
    >>> y = nan_to_num(x, posinf=9.0)
    >>> y.backward()
    >>> y, x.grad
    (variable([1. 0. 9.]), array([1., 0., 0.]))
    """
    if not copy:
        raise VariableTypeError(
            "np.nan_to_num with a Variable takes no copy=False: it would write into data that "
            "other Variables and the graph may hold. Use what it returns.",
            got="copy",
        )
    numbers = all(np.ndim(each) == 0 for each in (nan, posinf, neginf))
    return (NanToNum if numbers else NanToArrays)(nan, posinf, neginf)(x)
