"""``numeric_op``: turns a function of arrays into an operation, by finite differences."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dezero_core import Function, Variable, VariableTypeError
from dezero_core.extend import INEXACT, Array, home_of, warn_of_approximation

#: Order of the error -> a pair of weights of f(x + kh) - f(x - kh) for each k = 1, 2, …: the weight
#: in the formula of this order, and the weight in the formula of the next lower order, which uses
#: the same values of f. Order 2 is the lowest: both weights are the same.
_WEIGHTS = {
    2: ((1 / 2, 1 / 2),),
    4: ((2 / 3, 1 / 2), (-1 / 12, 0.0)),
    6: ((3 / 4, 2 / 3), (-3 / 20, -1 / 12), (1 / 60, 0.0)),
}
_PRECISION = np.finfo(np.float64).eps


class Numeric(Function):
    """Base class of the operations of `numeric_op`: a function of arrays, and its differences."""

    arrays = "numpy: the function that was wrapped is called with ndarrays"

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
                f"{type(self).__name__} returns {len(y)} results, but numeric_op differentiates "
                "functions with one result. Wrap a function that returns one of them.",
                got=type(y),
            )
        if isinstance(y, np.ndarray) and type(y) is not np.ndarray:
            return y  # such as a masked array: the core refuses it
        return np.array(y)  # a copy, since the function may keep its result and change it later

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        xs = [x.data for x in self.inputs]
        return tuple(
            type(self).pullback(index)(**self.constants).of(gy, *xs) if needed else None
            for index, needed in enumerate(self.needs_grad)
        )

    @classmethod
    def pullback(cls, index: int) -> type[Numeric]:
        """Return the operation that computes the gradient by one input, from ``gy, *xs``."""
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
    """Return an operation that calls `function`, with gradients by central differences.

    Use it for a function of NumPy, SciPy or another library for which no plugin has a derivative.
    The gradients are approximate: `ApproximateGradientWarning`, pictures and ``dezero ops`` say so.

    Parameters
    ----------
    function : callable
        Takes arrays and numbers, and returns one array or number. Keyword arguments are constants.
    order : int
        Order of the error: 2, 4 or 6. A derivative takes as many calls of `function`.
    elementwise : bool, optional
        Whether each element of the result depends only on the elements at the same place. Then one
        derivative serves all elements. Otherwise each element of the inputs needs a derivative of
        its own, so keep the inputs small. By default True if `function` is a ufunc.
    name : str, optional
        The name of the operation in messages and pictures. By default the name of `function`.

    Returns
    -------
    callable
        Takes Variables, arrays and numbers. Its attribute ``function_class`` is the Function
        class, for a registration.

    Raises
    ------
    ValueError, TypeError
        If `order` is not 2, 4 or 6. If `function` cannot be called.
    VariableTypeError (TypeError)
        When the operation is called: if `function` returns several results, or if a Variable or
        ``out=`` is given by keyword.

    Notes
    -----
    Step: in double precision, of precision `eps`, it is ``eps ** (1 / (order + 1))``, times the
    square root of the size of an element that is larger than 1.

    Error: for elements near 1 and a function that changes on the scale of 1, the relative error of
    a gradient is about ``eps ** (order / (order + 1))``: 3e-13 for order 4. Each time that the
    gradient is differentiated again, it is raised to that power: 1e-10, 1e-8. The sine changes on
    the scale of 1 everywhere, so order 4 gives 10 digits at 100, 6 at 10,000 and none at a million.
    Within a few steps of the end of the domain of `function`, gradients are nan or wrong.

    Warning: the operation warns where the differences of this order (4 or 6) and of the next lower
    one agree in fewer than three digits, or the values differ by rounding alone: needlessly where
    derivative and value are both near zero, as in the minimum of a sum of squares, and not at a
    kink of a function to which a large constant is added.

    Source: Fornberg 1988, Generation of finite difference formulas on arbitrarily spaced grids.

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
    title = str(name or getattr(function, "__name__", "numeric"))
    cls = _numeric_class(title, function, elementwise, order, _PRECISION)

    def operation(*xs: Any, **constants: Any) -> Any:
        if "out" in constants:
            raise VariableTypeError(
                f"{cls.__name__} of numeric_op takes no out=: an ndarray cannot hold the graph.",
                got="out",
            )
        for keyword, value in constants.items():
            if isinstance(value, Variable):
                raise VariableTypeError(
                    f"{cls.__name__} of numeric_op has gradients by position alone, and {keyword}= "
                    "is a Variable. Write a function that has it as a positional parameter.",
                    got=type(value),
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
        """Return four numbers for each element, from values of the function around `x`.

        The derivative along `step` times its size, by both orders; the spread; and the magnitude.
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
        """Return the derivative of ``sum(gy * function)`` by each element, along `unit`."""
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
    # dL = Re(g dz): dz = 1 gives the real part of g, and dz = 1j the negative imaginary part.
    return along(1.0).real - 1j * along(1j).real


def _doubt(cls: type[Numeric], found: Array, other: Array, spread: Array, size: Array) -> None:
    """Warn if a derivative may have fewer than three correct digits.

    So if `other`, that by another order, differs in the third digit, or if `spread`, the largest
    distance of values of magnitude `size`, is mostly rounding: both are divided by the step.
    """
    step = cls.precision ** (1 / (cls.order + 1))
    # A difference of the two orders that is smaller than this counts as none.
    nothing = np.minimum(1e-3 * step * size, 0.2 * spread)
    doubtful = np.abs(found - other) > 1e-3 * np.abs(found) + nothing
    if np.any(doubtful | ((spread > 0.0) & (spread < 1e3 * cls.precision * size))):
        warn_of_approximation(
            cls,
            "fewer than three digits are reliable, since its differences of two orders do not "
            "agree, or are mostly rounding. This happens near a jump, or where the function "
            "changes much or hardly within a step",
        )


def _called(cls: type[Numeric], xs: Sequence[Array], constants: dict[str, Any]) -> Any:
    """Return the result of the function for copies of the arrays: it may write into them."""
    return cls.function(*(x.copy() if isinstance(x, np.ndarray) else x for x in xs), **constants)


def _double(x: Array) -> Array:
    """Return an array in double precision; integers (indices, exponents, masks) stay integers."""
    kind = getattr(x, "dtype", np.dtype(int)).kind
    return np.asarray(x, np.result_type(x, np.float64)) if kind in INEXACT else x


def _steps(x: Array, cls: type[Numeric]) -> Array:
    # The square root is a compromise between functions that change on the scale of x, such as log,
    # and functions that change on the scale of 1, such as sin.
    size: Any = np.sqrt(np.maximum(np.abs(x), 1.0))
    step = size * cls.precision ** (1 / (cls.order + 1))
    step = np.maximum(step, np.abs(x) * 2.0**-30)  # otherwise x + step could be x
    # A power of two: then (x + step) - x is step, or differs from it only by the last digits of x.
    return np.exp2(np.round(np.log2(step)))
