"""Elementary, error and integral functions of elements take what SciPy's ufuncs take.

Any shape, dtype and number of operands; their gradients have the dtype of the operand.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.special

from dezero_core import Variable, grad
from dezero_ops_scipy import special

from .oracles import slopes

OF_ONE = (
    *("dawsn", "entr", "erf", "erfc", "erfcinv", "erfcx", "erfinv", "exp1", "expi", "expit"),
    *("log_expit", "log_ndtr", "logit", "ndtr", "ndtri", "spence"),
)
OF_TWO = (
    *("boxcox", "huber", "inv_boxcox", "kl_div", "pseudo_huber", "rel_entr", "xlog1py", "xlogy"),
)
PAIRED = ("fresnel", "shichi", "sici")
COMPLEX = ("dawsn", "erf", "erfc", "erfcx", "exp1", "expi", "ndtr", "spence", "wofz", *PAIRED)
NUMBERS = [0.3, 0.6]


def each_of(name: str) -> list[Any]:
    """Return the function, or one for each of its two results."""
    function = getattr(special, name)
    return [lambda *x, n=n: function(*x)[n] for n in (0, 1)] if name in PAIRED else [function]


def operands_of(name: str, x: Any) -> list[Any]:
    return [x, np.asarray(x) + np.asarray(0.25, np.asarray(x).dtype)] if name in OF_TWO else [x]


@pytest.mark.parametrize("name", [*OF_ONE, *OF_TWO, *PAIRED, "wofz"])
def test_scipys_own_ufunc_is_differentiable_and_gives_our_gradient(name: str) -> None:
    xs = [Variable(x) for x in operands_of(name, np.array(NUMBERS))]
    ys = getattr(scipy.special, name)(*xs)
    y = ys[0] + ys[1] if name in PAIRED else ys
    assert type(y) is Variable
    np.testing.assert_array_equal(ys[0].data if name in PAIRED else y.data, _values(name, xs))
    y.real.backward()
    ours = [Variable(x.data) for x in xs]
    found = getattr(special, name)(*ours)
    (found[0] + found[1] if name in PAIRED else found).real.backward()
    for x, other in zip(xs, ours, strict=True):
        np.testing.assert_array_equal(x.grad, other.grad)


def _values(name: str, xs: list[Variable]) -> Any:
    """Return SciPy's own result for arrays, or the first of two."""
    y = getattr(scipy.special, name)(*(x.data for x in xs))
    return y[0] if name in PAIRED else y


@pytest.mark.parametrize("name", [*OF_ONE, *OF_TWO, *PAIRED])
def test_functions_of_elements_keep_float32_to_the_second_derivative(name: str) -> None:
    for function in each_of(name):
        xs = [Variable(x) for x in operands_of(name, np.array(NUMBERS, np.float32))]
        y = function(*xs)
        ones = Variable(np.ones(2, np.float32))
        firsts = grad(y, xs, create_graph=True, grad_outputs=ones)
        exact = slopes(function, *(x.data for x in xs))
        for first, expected in zip(firsts, exact, strict=True):
            assert (y.dtype, first.dtype) == (np.float32, np.float32)
            np.testing.assert_allclose(first.data, expected, rtol=2e-5, atol=1e-6)
            if first.creator is not None:
                seconds = grad(first, xs, grad_outputs=ones)
                assert {second.dtype for second in seconds} == {np.dtype(np.float32)}


@pytest.mark.parametrize("name", COMPLEX)
def test_functions_of_elements_keep_complex64_in_their_gradients(name: str) -> None:
    for function in each_of(name):
        z = Variable(np.array([0.3 + 0.2j, 0.5 - 0.4j], np.complex64))
        y = function(z)
        y.real.backward()
        wide = Variable(z.data.astype(complex))
        function(wide).real.backward()
        assert (y.dtype, z.grad.dtype) == (np.complex64, np.complex64)
        np.testing.assert_allclose(z.grad, wide.grad, rtol=1e-5)


def test_expn_of_an_integer_and_float32_is_float32() -> None:
    x = Variable(np.array(NUMBERS, np.float32))
    y = special.expn(2, x)
    first = grad(y, x, create_graph=True, grad_outputs=Variable(np.ones(2, np.float32)))
    assert (y.dtype, first.dtype) == (np.float32, np.float32)
    np.testing.assert_allclose(first.data, -scipy.special.exp1(x.data), rtol=1e-6)


@pytest.mark.parametrize("name", [*OF_ONE, *OF_TWO, *PAIRED, "wofz"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 1, 2)])
def test_gradients_of_functions_of_elements_have_the_shape_of_the_operand(
    name: str, shape: tuple[int, ...]
) -> None:
    for function in each_of(name):
        xs = operands_of(name, np.full(shape, 0.4))
        found = slopes(lambda *x, f=function: f(*x).real, *xs)
        alone = slopes(lambda *x, f=function: f(*x).real, *operands_of(name, 0.4))
        for gradient, single in zip(found, alone, strict=True):
            np.testing.assert_array_equal(gradient, np.full(shape, single))


@pytest.mark.parametrize("name", OF_TWO)
def test_operands_broadcast_and_their_gradients_are_summed(name: str) -> None:
    function = getattr(special, name)
    column, row = np.array([[0.3], [0.6]]), np.array([0.4, 0.9, 1.3])
    by_column, by_row = slopes(function, column, row)
    pairs = np.broadcast_arrays(column, row)
    each_column, each_row = slopes(function, *pairs)
    np.testing.assert_allclose(by_column, each_column.sum(axis=1, keepdims=True), rtol=1e-14)
    np.testing.assert_allclose(by_row, each_row.sum(axis=0), rtol=1e-14)


@pytest.mark.parametrize("name", OF_TWO)
@pytest.mark.parametrize("constant", [1, np.array(1, np.int8), np.array(1, np.uint8), 1.0, True])
def test_the_other_operand_may_be_a_constant_of_another_dtype(name: str, constant: Any) -> None:
    function = getattr(special, name)
    expected, _ = slopes(function, NUMBERS, [1.0, 1.0])
    x = Variable(np.array(NUMBERS))
    function(x, constant).backward()
    np.testing.assert_allclose(x.grad, expected, rtol=1e-15)
    x = Variable(np.array(NUMBERS))
    function(constant, x).backward()
    np.testing.assert_allclose(x.grad, slopes(function, [1.0, 1.0], NUMBERS)[1], rtol=1e-15)


@pytest.mark.parametrize("name", [*OF_ONE, *PAIRED, "wofz"])
def test_functions_of_integers_are_constants(name: str) -> None:
    for function in each_of(name):
        assert function(Variable(np.array([1, 2]))).creator is None


@pytest.mark.parametrize("name", [*OF_ONE, *OF_TWO, *PAIRED])
def test_gradients_at_nan_are_nan(name: str) -> None:
    for function in each_of(name):
        for gradient in slopes(function, *([np.nan, np.nan] for _ in operands_of(name, 0.3))):
            assert np.isnan(gradient).all()


@pytest.mark.parametrize(("name", "order"), [("wofz", None), ("expn", 2), ("lambertw", None)])
def test_gradients_of_complex_and_ordered_functions_at_nan_are_nan(name: str, order: Any) -> None:
    function = getattr(special, name)
    function = function if order is None else partial(function, order)
    assert np.isnan(slopes(lambda x: function(x).real, [np.nan])[0]).all()


@pytest.mark.parametrize("name", OF_TWO)
def test_one_operand_that_is_nan_makes_no_gradient_a_number(name: str) -> None:
    """But for those that do not depend on it: of xlogy by `y`, the gradient by `x`."""
    of_x, of_y = slopes(getattr(special, name), [np.nan, 0.5], [0.7, np.nan])
    assert np.isnan(of_y).all()
    assert np.isnan(of_x[1])
