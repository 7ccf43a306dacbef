"""``numeric_op``: any function of arrays as an operation, differentiated by finite differences."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import VariableTypeError
from .function import Function
from .variable import Array

#: Order of the error -> weights of f(x + kh) - f(x - kh), for k = 1, 2, …
_WEIGHTS = {2: (1 / 2,), 4: (2 / 3, -1 / 12), 6: (3 / 4, -3 / 20, 1 / 60)}
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
        y = type(self).function(*xs, **self.constants)
        if isinstance(y, (tuple, list)):
            raise VariableTypeError(
                f"{type(self).__name__} returns {len(y)} results, and numeric_op differentiates "
                "functions of one. Wrap a function that returns one of them.",
                got=type(y),
            )
        return np.asarray(y)

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
    VariableTypeError (TypeError)
        When it is called: if `function` returns several results, or a Variable is given by
        keyword.

    Notes
    -----
    The step is ``eps ** (1 / (order + 1))``, where `eps` is the precision of double, in which all
    of it is computed; of elements above 1, times their square root. Where `function` changes on
    the scale of 1, the relative error of a gradient is about ``eps ** (order / (order + 1))``:
    3e-13 for order 4. It can be differentiated again, and each time that power of the error is
    left: 1e-10, 1e-8. Within a few steps of where `function` ends to be defined, gradients are nan.
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
        "__module__": getattr(function, "__module__", None) or __name__,
    }
    return type(name, (Numeric,), attributes)


def _gradient(cls: type[Numeric], index: int, gy: Array, *xs: Array, **constants: Any) -> Array:
    """Return the gradient by one input of ``cls.function``."""
    gy, xs = _double(gy), tuple(map(_double, xs))
    x = xs[index]
    steps = _steps(x, cls)

    def difference(step: Array) -> Array:
        """Return the derivative along `step`, times its size."""
        moved = list(xs)
        total: Any = 0.0
        for k, weight in enumerate(_WEIGHTS[cls.order], 1):
            for sign in (1, -1):
                moved[index] = x + sign * k * step
                total = total + sign * weight * cls.function(*moved, **constants)
        return total

    def along(unit: complex) -> Array:
        """Return the derivative of ``Re(sum(gy * function))`` by each element, times `unit`."""
        if cls.elementwise:
            return gy * difference(unit * steps) / steps
        found = np.zeros(x.shape, np.result_type(gy, x))
        for at in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[at] = unit * steps[at]
            found[at] = np.sum(gy * difference(step)) / steps[at]
        return found

    if x.dtype.kind != "c":
        return along(1.0)
    # dL = Re(g dz), for dz = 1 and for dz = 1j.
    return along(1.0).real - 1j * along(1j).real


def _double(x: Array) -> Array:
    x = np.asarray(x)
    return x.astype(np.result_type(x, np.float64))


def _steps(x: Array, cls: type[Numeric]) -> Array:
    # Between functions that change on the scale of x, and those that do so on that of 1.
    size: Any = np.sqrt(np.maximum(np.abs(x), 1.0))
    step = size * cls.precision ** (1 / (cls.order + 1))
    # A power of two is what is really added, but for the last digits of x.
    return np.exp2(np.round(np.log2(step)))
