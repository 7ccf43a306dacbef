"""``numeric_op``: any function of arrays as an operation, differentiated by finite differences."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from dezero_core.errors import VariableTypeError
from dezero_core.function import Function
from dezero_core.provenance import warn_of_approximation
from dezero_core.slots import home_of
from dezero_core.variable import INEXACT, Array

#: Order of the error -> weights of f(x + kh) - f(x - kh), for k = 1, 2, …; and those of the order
#: below, from the same values.
_WEIGHTS = {
    2: ((1 / 2, 1 / 2),),
    4: ((2 / 3, 1 / 2), (-1 / 12, 0.0)),
    6: ((3 / 4, 2 / 3), (-3 / 20, -1 / 12), (1 / 60, 0.0)),
}
_PRECISION = np.finfo(np.float64).eps


class Numeric(Function):
    """Base class of what `numeric_op` makes: a function of arrays, and how to differentiate it."""

    function: Callable[..., Any]
    elementwise: bool
    order: int
    #: Relative error of `function`.
    precision: float
    #: Input -> the class that computes the gradient by it.
    pullbacks: dict[int, type[Numeric]]

    def __init__(self, **constants: Any) -> None:
        self.constants = constants

    def forward(self, *xs: Array) -> Array:
        y = _called(type(self), xs, self.constants)
        if isinstance(y, (tuple, list)):
            raise VariableTypeError(
                f"{type(self).__name__} returns {len(y)} results, and numeric_op differentiates "
                "functions of one. Wrap a function that returns one of them.",
                got=type(y),
            )
        if isinstance(y, np.ndarray) and type(y) is not np.ndarray:
            return y  # as a masked array, which is refused
        return np.array(y)  # a copy, since the function may keep its own

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        xs = [x.data for x in self.inputs]
        return tuple(
            type(self).pullback(index)(**self.constants).of(gy, *xs) if needed else None
            for index, needed in enumerate(self.needs_grad)
        )

    @classmethod
    def pullback(cls, index: int) -> type[Numeric]:
        """Return the class that computes the gradient by one input, from ``gy, *xs``."""
        if index not in cls.pullbacks:
            name = f"{cls.__name__}_gradient_{index}"
            gradient = functools.partial(_gradient, cls, index)
            precision = cls.precision ** (cls.order / (cls.order + 1))
            made = _numeric_class(name, gradient, cls.elementwise, cls.order, precision)
            made.__module__ = cls.__module__
            cls.pullbacks[index] = made
        return cls.pullbacks[index]


def numeric_op(
    function: Callable[..., Any],
    *,
    order: int = 4,
    elementwise: bool | None = None,
    name: str | None = None,
) -> Callable[..., Any]:
    """Return an operation that does what `function` does, with gradients by central differences.

    For functions of NumPy, SciPy or anybody, for which no plugin has a derivative. Gradients are
    approximate, and say so: `ApproximateGradientWarning`, pictures, ``dezero ops``.

    Parameters
    ----------
    function : callable
        Takes arrays and numbers, and returns one. Keyword arguments are constants to it.
    order : int
        Order of the error, 2, 4 or 6: that many calls of `function` for each derivative.
    elementwise : bool, optional
        Whether each element of the result depends on the elements at its place alone: then one
        derivative is enough for all. By default, whether `function` is a ufunc. Otherwise there
        is a derivative for each element of the inputs; so it is for small ones.
    name : str, optional
        Of the operation, in messages and pictures; by default that of `function`.

    Returns
    -------
    callable
        It takes Variables, arrays and numbers. Its Function class, for a registration, is its
        attribute ``function_class``.

    Raises
    ------
    ValueError
        If `order` is none of these.
    TypeError
        If `function` cannot be called.
    VariableTypeError (TypeError)
        When it is called: if `function` returns several results, or a Variable or ``out=`` is
        given by keyword.

    Notes
    -----
    The step is ``eps ** (1 / (order + 1))``, where `eps` is the precision of double, in which all
    of it is computed; for elements larger than 1, times the square root of their size. Near 1, and
    where `function` changes on the scale of 1, the relative error of a gradient is about
    ``eps ** (order / (order + 1))``: 3e-13 for order 4. It can be differentiated again, and each
    time that power of the error is left: 1e-10, 1e-8. Of the sine, whose scale stays 1, order 4
    has 10 digits at 100, 6 at 10,000 and none at a million. Within a few steps of the end of where
    `function` is defined, gradients are not a number, or wrong. Where the differences of this
    order and of the one below (of 4 and 6) are not the same to three digits, or the values differ
    by rounding alone, it warns; without need perhaps where derivative and value are both near
    zero, as in the minimum of a sum of squares, and not at all at a kink that a large constant is
    added to.
    Source: B. Fornberg, Generation of finite difference formulas on arbitrarily spaced grids
    (1988), table 1.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore", ApproximateGradientWarning)
    >>> bessel = numeric_op(np.i0)
    >>> x = Variable(np.array(1.0))
    >>> y = bessel(x)
    >>> y.backward()
    >>> round(float(x.grad), 10)  # I1(1)
    0.565159104
    """
    if order not in _WEIGHTS:
        raise ValueError(f"the order of numeric_op is one of {tuple(_WEIGHTS)}, got {order!r}.")
    if not callable(function):
        raise TypeError(f"numeric_op takes a function, got {function!r}.")
    if elementwise is None:
        elementwise = isinstance(function, np.ufunc) and function.signature is None
    cls = _numeric_class(
        str(name or getattr(function, "__name__", "numeric")),
        *(function, elementwise, order, _PRECISION),
    )

    def operation(*xs: Any, **constants: Any) -> Any:
        if "out" in constants:
            raise VariableTypeError(
                f"{cls.__name__} of numeric_op takes no out=: an ndarray cannot hold the graph.",
                got="out",
            )
        return cls(**constants)(*xs)

    functools.update_wrapper(operation, function, assigned=("__doc__",), updated=())
    operation.__name__ = operation.__qualname__ = cls.__name__
    operation.function_class = cls  # type: ignore[attr-defined]
    return operation


def _numeric_class(
    name: str, function: Callable[..., Any], elementwise: bool, order: int, precision: float
) -> type[Numeric]:
    attributes: dict[str, Any] = {
        "function": staticmethod(function),
        "elementwise": elementwise,
        "order": order,
        "precision": precision,
        "pullbacks": {},
        "approximate": f"central differences of order {order}",
        "__doc__": function.__doc__,
        "__module__": home_of(function),
    }
    return type(name, (Numeric,), attributes)


def _gradient(cls: type[Numeric], index: int, gy: Array, *xs: Array, **constants: Any) -> Array:
    """Return the gradient by one input of ``cls.function``."""
    gy, xs = _double(gy), tuple(map(_double, xs))
    x = xs[index]
    steps = _steps(x, cls)

    def difference(step: Array) -> Any:
        """Return the derivative along `step` times its size, by both orders; and of the values.

        These are how far they are apart, and how large they are.
        """
        moved = list(xs)
        sums: list[Any] = [0.0, 0.0]
        values = []
        for k, weights in enumerate(_WEIGHTS[cls.order], 1):
            for sign in (1, -1):
                moved[index] = x + sign * k * step
                values.append(_called(cls, moved, constants))
                for n, weight in enumerate(weights):
                    sums[n] = sums[n] + sign * weight * values[-1]
        spread = functools.reduce(np.maximum, [np.abs(y - values[0]) for y in values])
        return *sums, spread, np.abs(values[0])

    def along(unit: complex) -> Array:
        """Return the derivative of ``Re(sum(gy * function))`` by each element, times `unit`."""
        if cls.elementwise:
            better, worse, spread, size = difference(unit * steps)
            found, weight = gy * better / steps, np.abs(gy)
            _doubt(cls, found, gy * worse / steps, weight * spread / steps, weight * size / steps)
            return found
        found = np.zeros(x.shape, np.result_type(gy, x))
        for at in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[at] = unit * steps[at]
            better, worse, *sizes = difference(step)
            found[at] = np.sum(gy * better) / steps[at]
            spread, size = (np.sum(np.abs(gy) * each) / steps[at] for each in sizes)
            _doubt(cls, found[at], np.sum(gy * worse) / steps[at], spread, size)
        return found

    if x.dtype.kind != "c":
        return along(1.0)
    # dL = Re(g dz), for dz = 1 and for dz = 1j.
    return along(1.0).real - 1j * along(1j).real


def _doubt(cls: type[Numeric], found: Array, other: Array, spread: Array, size: Array) -> None:
    """Warn of a derivative that may have less than three digits.

    So it is if one of a lower order is not the same; or if values that are as large as `size` are
    only `spread` apart, and that is mostly rounding. Both are in parts of the step.
    """
    step = cls.precision ** (1 / (cls.order + 1))
    nothing = np.minimum(1e-3 * step * size, 0.2 * spread)  # beside which both may be zero
    doubtful = np.abs(found - other) > 1e-3 * np.abs(found) + nothing
    if np.any(doubtful | ((spread > 0.0) & (spread < 1e3 * cls.precision * size))):
        how = (
            "its differences are not the same to three digits by another order, or rounding takes "
            "that many: as near a jump, or of a function that changes much within a step, or hardly"
        )
        warn_of_approximation(cls, how)


def _called(cls: type[Numeric], xs: Sequence[Array], constants: dict[str, Any]) -> Any:
    """Return what the function gives for copies of arrays, since it may write into them."""
    return cls.function(*(x.copy() if isinstance(x, np.ndarray) else x for x in xs), **constants)


def _double(x: Array) -> Array:
    """Return an array in double; integers may be indices, exponents or masks, and stay."""
    kind = getattr(x, "dtype", np.dtype(int)).kind
    return np.asarray(x, np.result_type(x, np.float64)) if kind in INEXACT else x


def _steps(x: Array, cls: type[Numeric]) -> Array:
    # Between functions that change on the scale of x, and those that do so on that of 1.
    size: Any = np.sqrt(np.maximum(np.abs(x), 1.0))
    step = size * cls.precision ** (1 / (cls.order + 1))
    step = np.maximum(step, np.abs(x) * 2.0**-30)  # and so that x + step is not x
    # A power of two is what is really added, but for the last digits of x.
    return np.exp2(np.round(np.log2(step)))
