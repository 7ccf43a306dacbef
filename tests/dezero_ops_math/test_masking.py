"""Gradients of which only a part goes on, of few elements and of many."""

import numpy as np
import pytest
from dezero_tools.testing.strict import STRICT, StrictArray

from dezero_core import Variable, grad
from dezero_ops_math import clip, maximum, nansum, relu, where

SIZES = pytest.mark.parametrize("size", [6, 6000])
RNG = np.random.default_rng(0)


def data(size):
    return RNG.uniform(-3.0, 3.0, size)


@SIZES
@pytest.mark.parametrize("bad", [1.0, np.inf, np.nan])
def test_where_gives_each_operand_the_gradient_where_the_operand_was_chosen(size, bad):
    mask, gy = data(size) > 0.0, data(size)
    gy[:2] = bad
    x, y = Variable(data(size)), Variable(data(size))
    gx, gy_of_y = grad(where(mask, x, y), [x, y], grad_outputs=gy)
    np.testing.assert_array_equal(gx, np.where(mask, gy, 0.0))
    np.testing.assert_array_equal(gy_of_y, np.where(mask, 0.0, gy))
    first = x.data > y.data
    gx, gy_of_y = grad(maximum(x, y), [x, y], grad_outputs=gy)
    np.testing.assert_array_equal(gx, np.where(first, gy, 0.0))
    np.testing.assert_array_equal(gy_of_y, np.where(first, 0.0, gy))


@SIZES
@pytest.mark.parametrize("function", [relu, lambda x: clip(x, 0.0, None)])
def test_the_gradient_of_where_can_be_differentiated(size, function):
    x = Variable(data(size))
    first = grad((function(x) * x).sum(), x, create_graph=True)
    np.testing.assert_allclose(first.data, np.where(x.data > 0.0, 2.0 * x.data, 0.0))
    np.testing.assert_array_equal(grad(first, x), np.where(x.data > 0.0, 2.0, 0.0))


@SIZES
def test_elements_that_a_masked_nansum_leaves_out_get_gradient_0(size):
    x, mask = data(size), data(size) > 0.0
    x[0] = np.nan
    variable = Variable(x)
    nansum(variable, where=mask).backward()
    np.testing.assert_array_equal(variable.grad, mask & ~np.isnan(x))


@pytest.mark.usefixtures("strict_arrays")
@SIZES
@pytest.mark.parametrize("bad", [1.0, np.inf, np.nan])
def test_where_gives_the_same_gradients_over_arrays_without_values(size, bad):
    mask, gy, values = data(size) > 0.0, data(size), data(size)
    gy[:2] = bad
    x = Variable(StrictArray(values))
    gx = grad(where(mask, x, 0.0), x, grad_outputs=StrictArray(gy))
    np.testing.assert_array_equal(STRICT.to_numpy(gx), np.where(mask, gy, 0.0))
