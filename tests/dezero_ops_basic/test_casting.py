"""``x.astype(dtype)``: a gradient comes back in the dtype the input had.

Promise: docs/reference/operators.rst
"""

import numpy as np
import pytest

from dezero_core import GraphError, Variable


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble, "float32", float])
def test_astype_gives_the_gradient_the_dtype_of_the_input(dtype):
    x = Variable(np.array([1.5, -0.1]))
    y = x.astype(dtype)
    assert y.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(y.data, x.data.astype(dtype))
    (y * 3.0).backward()
    assert x.grad.dtype == np.float64
    np.testing.assert_array_equal(x.grad, [3.0, 3.0])


def test_astype_to_higher_precision_and_back_has_gradient_one():
    x = Variable(np.array([1.5, 2.5], dtype=np.float32))
    y = x.astype(np.float64) * x
    assert y.dtype == np.float64
    y.backward()
    assert x.grad.dtype == np.float32
    np.testing.assert_array_equal(x.grad, [3.0, 5.0])


@pytest.mark.parametrize("dtype", [int, bool, np.uint8])
def test_astype_to_an_integer_or_boolean_dtype_gives_a_constant(dtype):
    x = Variable(np.array([1.5, 0.0]))
    y = x.astype(dtype)
    assert (y.dtype, y.creator) == (np.dtype(dtype), None)
    with pytest.raises(GraphError, match="constant"):
        y.backward()


def test_astype_from_integers_gives_a_new_input():
    n = Variable(np.array([1, 2]))
    x = n.astype(float)
    (x * x).backward()
    np.testing.assert_array_equal(x.grad, [2.0, 4.0])
    assert n.grad is None


@pytest.mark.parametrize("dtype", [object, str, "datetime64[s]"])
def test_astype_to_a_dtype_that_holds_no_numbers_is_a_type_error(dtype):
    with pytest.raises(TypeError):
        Variable(np.array([1.0])).astype(dtype)


def test_astype_to_a_word_that_is_no_dtype_is_numpys_error():
    with pytest.raises(TypeError, match="not understood"):
        Variable(np.array([1.0])).astype("flaot32")
