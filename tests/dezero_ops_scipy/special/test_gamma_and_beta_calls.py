"""Gamma and beta functions take what SciPy's take: any shape, dtype and broadcast operands.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

import doctest
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import scipy.special

from dezero_core import Variable, grad
from dezero_ops_scipy import special

from .oracles import slopes

#: By name, numbers in the domain of each operand, two of each.
OPERANDS: dict[str, tuple[list[float], ...]] = {
    **dict.fromkeys(("gamma", "gammaln", "loggamma", "rgamma", "psi"), ([0.3, 2.6],)),
    **dict.fromkeys(("poch", "beta", "betaln"), ([0.3, 2.6], [1.7, 0.4])),
    **dict.fromkeys(("gammainc", "gammaincc"), ([0.3, 2.6], [1.7, 0.4])),
    **dict.fromkeys(("gammaincinv", "gammainccinv"), ([0.3, 2.6], [0.2, 0.7])),
    **dict.fromkeys(
        ("betainc", "betaincc", "betaincinv", "betainccinv"), ([0.3, 2.6], [1.7, 0.4], [0.2, 0.7])
    ),
}
SEVERAL = [name for name, operands in OPERANDS.items() if len(operands) > 1]
OTHERS: dict[str, Any] = {
    "polygamma": partial(special.polygamma, 1),
    "zeta": partial(special.zeta, 2.5),
    "multigammaln": lambda a: special.multigammaln(a, 1),
}


def call_of(name: str) -> tuple[Any, list[list[float]]]:
    if name in OTHERS:
        return OTHERS[name], [[0.3, 2.6]]
    return getattr(special, name), list(OPERANDS[name])


@pytest.mark.parametrize("name", OPERANDS)
def test_scipys_own_gamma_and_beta_ufuncs_are_differentiable(name: str) -> None:
    function, operands = call_of(name)
    xs = [Variable(np.array(x)) for x in operands]
    y = getattr(scipy.special, name)(*xs)
    assert type(y) is Variable
    np.testing.assert_array_equal(y.data, getattr(scipy.special, name)(*operands))
    y.backward()
    for x, gradient in zip(xs, slopes(function, *operands), strict=True):
        np.testing.assert_array_equal(x.grad, gradient)


@pytest.mark.parametrize("name", [*OPERANDS, *OTHERS])
def test_gamma_and_beta_functions_keep_float32_to_the_second_derivative(name: str) -> None:
    function, operands = call_of(name)
    xs = [Variable(np.array(x, np.float32)) for x in operands]
    y, ones = function(*xs), Variable(np.ones(2, np.float32))
    firsts = grad(y, xs, create_graph=True, grad_outputs=ones)
    exact = slopes(function, *(x.data for x in xs))
    for x, first, expected in zip(xs, firsts, exact, strict=True):
        second = grad(first, x, grad_outputs=ones)
        assert {y.dtype, first.dtype, second.dtype} == {np.dtype(np.float32)}
        np.testing.assert_allclose(first.data, expected, rtol=1e-4)


@pytest.mark.parametrize("name", ["gamma", "loggamma", "rgamma", "psi"])
def test_gamma_functions_keep_complex64_in_their_gradients(name: str) -> None:
    numbers = np.array([0.3 + 0.2j, -1.5 - 0.4j])
    narrow, wide = (Variable(numbers.astype(dtype)) for dtype in (np.complex64, np.complex128))
    for z in (narrow, wide):
        y = getattr(special, name)(z)
        y.real.backward()
        assert (y.dtype, z.grad.dtype) == (z.dtype, z.dtype)
    np.testing.assert_allclose(narrow.grad, wide.grad, rtol=1e-5)


@pytest.mark.parametrize("name", ["gammaln", *SEVERAL])
def test_gamma_and_beta_functions_refuse_complex_numbers_where_scipy_does(name: str) -> None:
    function, operands = call_of(name)
    with pytest.raises(TypeError, match="not supported for the input types"):
        function(*(Variable(np.array(x, complex)) for x in operands))


@pytest.mark.parametrize("name", [*OPERANDS, *OTHERS])
def test_gradients_of_gamma_and_beta_functions_have_the_shape_of_the_operand(name: str) -> None:
    function, operands = call_of(name)
    numbers = [x[0] for x in operands]
    alone = slopes(function, *numbers)
    for shape in ((0, 3), (2, 1, 2)):
        found = slopes(function, *(np.full(shape, number) for number in numbers))
        for gradient, single in zip(found, alone, strict=True):
            np.testing.assert_allclose(gradient, np.full(shape, single), rtol=1e-15, strict=True)


@pytest.mark.parametrize("name", SEVERAL)
def test_operands_of_gamma_and_beta_functions_broadcast(name: str) -> None:
    function, (first, *others) = call_of(name)
    columns = [np.array(first)[:, None], *(np.array([x[0], x[1], x[0]]) for x in others)]
    full = slopes(function, *np.broadcast_arrays(*columns))
    found = slopes(function, *columns)
    np.testing.assert_allclose(found[0], full[0].sum(axis=1, keepdims=True), rtol=1e-14)
    for gradient, whole in zip(found[1:], full[1:], strict=True):
        np.testing.assert_allclose(gradient, whole.sum(axis=0), rtol=1e-14)


@pytest.mark.parametrize("name", SEVERAL)
def test_the_first_operand_may_be_a_constant_of_any_dtype(name: str) -> None:
    function, (_, *others) = call_of(name)
    expected = slopes(function, np.full(2, 2.0), *others)
    for constant in (2, np.array(2, np.int8), np.uint8(2), 2.0):
        xs = [Variable(np.array(x)) for x in others]
        function(constant, *xs).backward()
        for x, gradient in zip(xs, expected[1:], strict=True):
            np.testing.assert_allclose(x.grad, gradient, rtol=1e-15)


@pytest.mark.parametrize("name", [*OPERANDS, *OTHERS])
def test_gamma_and_beta_functions_of_integers_are_constants_with_scipys_values(name: str) -> None:
    function, operands = call_of(name)
    integers = [Variable(np.array([1, 1])) for _ in operands]
    y = function(*integers)
    assert y.creator is None
    np.testing.assert_array_equal(y.data, function(*(np.ones(2) for _ in operands)))


@pytest.mark.parametrize("name", [*OPERANDS, *OTHERS])
def test_gradients_of_gamma_and_beta_functions_at_nan_are_nan(name: str) -> None:
    function, operands = call_of(name)
    for position in range(len(operands)):
        numbers = [[np.nan, x[1]] if n == position else x for n, x in enumerate(operands)]
        for gradient in slopes(function, *numbers):
            assert np.isnan(gradient[0])
            assert np.isfinite(gradient[1])


@pytest.mark.parametrize(
    "family", ["beta", "gamma", "polygamma", "incomplete_beta", "incomplete_gamma"]
)
def test_the_examples_of_gamma_and_beta_functions_run(family: str) -> None:
    name = family if family.startswith("incomplete") else f"{family}_functions"
    module = import_module(f"dezero_ops_scipy.special.{name}")
    found = doctest.testmod(module, extraglobs={"np": np, "Variable": Variable})
    assert found.attempted > 5
    assert found.failed == 0


#: By name, usual numbers and others that need more care, of each operand.
MIXED: dict[str, tuple[list[float], ...]] = {
    "gamma": ([0.3, -2.4, 40.0],),
    "gammaln": ([0.3, -2.4, 40.0],),
    "rgamma": ([0.3, -2.1, 40.0, 0.0],),
    "beta": ([0.3, 9.0, 50.0, -0.4, 600.0], [1.2, 8.0, 1e-3, 2.0, 500.0]),
    "betaln": ([0.3, 9.0, 50.0, -0.4, 1e308], [1.2, 8.0, 1e-3, 2.0, 1e308]),
    "gammainc": ([2.0, 0.2, 150.0, 2.0], [0.7, 0.3, 140.0, 0.0]),
    "betainc": ([2.0, 0.2, 400.0, 2.0], [3.0, 0.4, 300.0, 3.0], [0.7, 0.3, 0.6, 1.0]),
}


@pytest.mark.parametrize("name", MIXED)
def test_each_element_has_the_derivative_that_it_has_alone(name: str) -> None:
    """Elements of one array are computed by several formulas, each by that which fits it."""
    function, columns = getattr(special, name), MIXED[name]
    together = slopes(function, *columns)
    for i, row in enumerate(zip(*columns, strict=True)):
        for of_all, alone in zip(together, slopes(function, *row), strict=True):
            np.testing.assert_allclose(of_all[i], alone, rtol=4e-16)
            assert not np.isnan(alone)
