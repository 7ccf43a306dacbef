"""sum and mean: axes that are not there, arguments they do not take, and nothing at all."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import mean, sum


def variable(*numbers):
    return Variable(np.array(numbers))


def test_sum_gives_every_element_the_gradient_of_its_sum():
    x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    y = sum(x, axis=0)
    y.grad = np.array([10.0, 20.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [4.0, 6.0])
    np.testing.assert_array_equal(x.grad, [[10.0, 20.0], [10.0, 20.0]])


def test_mean_divides_by_the_number_of_elements():
    x = Variable(np.arange(6.0).reshape(2, 3))
    y = mean(x, axis=1, keepdims=True)
    y.backward()
    np.testing.assert_array_equal(y.data, [[1.0], [4.0]])
    np.testing.assert_allclose(x.grad, np.full((2, 3), 1.0 / 3.0), rtol=1e-15)


def test_mean_of_nothing_is_nan_with_numpys_warning():
    x = Variable(np.zeros(0))
    with pytest.warns(RuntimeWarning) as caught:
        y = mean(x)
    assert "Mean of empty slice" in str(caught[0].message)
    y.backward()
    assert np.isnan(y.data)
    assert (x.grad.shape, x.grad.dtype) == ((0,), np.float64)


def test_mean_over_an_empty_axis_is_nan_with_numpys_warning():
    x = Variable(np.zeros((0, 2)))
    with pytest.warns(RuntimeWarning, match="invalid value|Mean of empty slice"):
        y = mean(x, axis=0)
    y.backward()
    np.testing.assert_array_equal(y.data, [np.nan, np.nan])
    assert x.grad.shape == (0, 2)


def test_sum_of_nothing_is_zero():
    x = Variable(np.zeros((0, 2)))
    y = sum(x)
    y.backward()
    assert y.item() == 0.0
    assert x.grad.shape == (0, 2)


@pytest.mark.parametrize("function", [sum, mean])
@pytest.mark.parametrize("axis", [2, -3, (0, 2)], ids=repr)
def test_an_axis_that_is_not_there_is_numpys_error_with_a_note(function, axis):
    with pytest.raises(np.exceptions.AxisError) as caught:
        function(Variable(np.ones((2, 3))), axis=axis)
    (note,) = caught.value.__notes__
    assert function.__name__.title() in note
    assert "float64[2, 3]" in note
    assert "test_reductions.py" in note


@pytest.mark.parametrize("function", [sum, mean])
def test_an_axis_that_is_given_twice_is_numpys_error(function):
    with pytest.raises(ValueError, match="duplicate"):
        function(Variable(np.ones((2, 3))), axis=(0, -2))


@pytest.mark.parametrize("function", [np.sum, np.mean])
@pytest.mark.parametrize(
    ("name", "value"), [("out", np.zeros(())), ("dtype", np.float32), ("where", True)]
)
def test_what_they_do_not_take_is_refused_by_name(function, name, value):
    with pytest.raises(TypeError, match=rf"{function.__name__}.*'{name}'"):
        function(variable(1.0, 2.0), **{name: value})


def test_out_that_is_refused_is_not_written_to():
    out = np.array(7.0)
    with pytest.raises(TypeError, match="out"):
        variable(1.0, 2.0).sum(out=out)
    assert out == 7.0


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64])
def test_the_sum_of_integers_is_a_constant_in_numpys_dtype(dtype):
    data = np.array([1, 0, 1], dtype=dtype)
    y = sum(Variable(data))
    assert (y.item(), y.dtype, y.creator) == (2, np.sum(data).dtype, None)


@pytest.mark.parametrize("function", [sum, mean])
@pytest.mark.parametrize("operand", [None, "1", [1.0, 2.0]], ids=repr)
def test_an_operand_that_is_no_array_is_a_type_error(function, operand):
    with pytest.raises(TypeError, match="is not supported"):
        function(operand)


@pytest.mark.parametrize("name", ["cumsum", "prod", "argmax", "median", "linalg.norm"])
def test_a_numpy_function_that_nobody_provides_is_named(name):
    namespace, _, function = f"numpy.{name}".rpartition(".")
    module = np.linalg if namespace == "numpy.linalg" else np
    with pytest.raises(TypeError, match=rf"np\.{name}"):
        getattr(module, function)(variable(1.0, 2.0))
