"""True derivatives of any order, by mpmath from values alone, and those of dezero."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

from dezero_core import Variable, grad
from dezero_core.extend import data_of

Function = Callable[..., Any]


def digits(count: int) -> Any:
    """Return a fixture that lets mpmath compute with so many digits in each test of a module."""

    @pytest.fixture(autouse=True)
    def fixture() -> Iterator[None]:
        with mp.workdps(count):
            yield

    return fixture


def derivatives(function: Function, x: Any, order: int) -> list[Any]:
    """Return those of orders 0 to `order` of a function of each element, as arrays."""
    x = Variable(np.asarray(x))
    y, found = function(x), []
    for n in range(order + 1):
        found.append(y.data)
        if n < order:
            ones = Variable(np.ones(y.shape, y.dtype))
            y = grad(y, x, create_graph=True, grad_outputs=ones)
            y = np.conj(y) if x.dtype.kind == "c" else y  # gradients are conjugates
    return found


def slopes(function: Function, *xs: Any) -> list[Any]:
    """Return the gradient of the sum of the results by each operand."""
    variables = [Variable(np.asarray(x, dtype=float)) for x in xs]
    function(*variables).backward()
    return [x.grad for x in variables]


def derivative(function: Function, order: int, x: Any) -> Any:
    """Return a derivative of a function of mpmath, from its Taylor series around x.

    The coefficients are those of a discrete Fourier transform over a small circle: differences
    on the real axis would lose more digits.
    """
    z = mpmath.mpmathify(x)
    if order == 0:
        return function(z)
    radius, count = (abs(z) or 1) / mpf(10) ** 10, order + 6
    with mp.workdps(mp.dps + order * (10 + max(0, -int(mp.log10(radius))))):
        points = [mp.expjpi(mpf(2) * k / count) for k in range(count)]
        values = [function(z + radius * point) for point in points]
        total = sum(v * mp.conj(point) ** order for v, point in zip(values, points, strict=True))
        found = total / count / radius**order * mp.factorial(order)
    return found if isinstance(x, complex) else mp.re(found)


def ulps(got: Any, truth: Any) -> float:
    """Return how many units in the last place `got` is away, of complex numbers, of the larger."""
    number = complex(truth)
    size = max(abs(number.real), abs(number.imag))
    if math.isinf(size):
        return 0.0 if got == truth else math.inf
    return float(abs(mpmath.mpmathify(got) - truth)) / math.ulp(size)


def assert_exact(
    function: Function,
    truth: Function,
    numbers: Sequence[Any],
    limits: Sequence[float] = (8.0, 16.0, 32.0),
) -> None:
    """Compare the first derivatives with ``truth(order, x)``, each up to a number of ulps."""
    found = derivatives(function, numbers, len(limits))
    for order, limit in enumerate(limits, 1):
        for x, got in zip(numbers, found[order].tolist(), strict=True):
            expected = truth(order, x)
            assert ulps(got, expected) <= limit, (order, x, got, expected)


def partials(function: Function, x: Any, y: Any) -> dict[tuple[int, int], Any]:
    """Return all derivatives of orders 1 and 2 of a function of two operands, as arrays.

    The key is the order by `x` and that by `y`. The mixed one is that of the slope by `x`.
    """
    x, y = Variable(np.asarray(x, dtype=float)), Variable(np.asarray(y, dtype=float))
    found: dict[tuple[int, int], Any] = {}
    z = function(x, y)
    ones = Variable(np.ones(z.shape))
    found[1, 0], found[0, 1] = grad(z, [x, y], create_graph=True, grad_outputs=ones)
    found[2, 0], found[1, 1] = grad(found[1, 0], [x, y], create_graph=True, grad_outputs=ones)
    other, found[0, 2] = grad(found[0, 1], [x, y], create_graph=True, grad_outputs=ones)
    np.testing.assert_allclose(data_of(other), data_of(found[1, 1]), rtol=1e-12, atol=1e-300)
    return {orders: data_of(each) for orders, each in found.items()}


def assert_exact_partials(
    function: Function,
    of_mpmath: Function,
    pairs: Sequence[tuple[float, float]],
    limits: tuple[float, float] = (8.0, 16.0),
) -> None:
    """Compare those with the derivatives of a function of mpmath, each up to a number of ulps."""
    found = partials(function, *zip(*pairs, strict=True))
    for (by_x, by_y), array in found.items():
        for (x, y), got in zip(pairs, array.tolist(), strict=True):
            with mp.workdps(mp.dps + 10):
                expected = _partial(of_mpmath, by_x, by_y, x, y)
            limit = limits[by_x + by_y - 1]
            assert ulps(got, expected) <= limit, ((by_x, by_y), (x, y), got, expected)


def _partial(function: Function, by_x: int, by_y: int, x: float, y: float) -> Any:
    def inner(t: Any) -> Any:
        return derivative(lambda u: function(t, u), by_y, complex(y))

    found = mp.re(derivative(inner, by_x, complex(x)))
    return found if abs(found) > mpf(10) ** (10 - mp.dps) else mpf(0)
