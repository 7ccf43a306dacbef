"""The look of an array, which needs no operation: shape, repr, float and the like.

Promise: docs/tutorial/variable.md
"""

import numpy as np
import pytest

from dezero_core import Variable


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3)])
def test_a_variable_has_shape_ndim_size_and_dtype_of_its_data(shape):
    x = Variable(np.zeros(shape, np.float32))
    assert (x.shape, x.ndim, x.size) == (shape, len(shape), int(np.prod(shape)))
    assert x.dtype == np.float32


def test_the_len_of_a_variable_is_that_of_the_first_axis():
    assert len(Variable(np.zeros((2, 3)))) == 2


def test_a_variable_without_dimensions_has_no_len():
    with pytest.raises(TypeError, match="unsized"):
        len(Variable(np.array(1.0)))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (np.array([1, 2, 3]), "variable([1 2 3])"),
        (np.array([[1, 2, 3], [4, 5, 6]]), "variable([[1 2 3]\n          [4 5 6]])"),
        (np.array(2.0), "variable(2.0)"),
        (np.array([[[1], [2]]]), "variable([[[1]\n           [2]]])"),
        (None, "variable(None)"),
    ],
)
def test_repr_and_str_of_a_variable_are_those_of_the_book(data, text):
    assert repr(Variable(data)) == text
    assert str(Variable(data)) == text


def test_float_int_bool_and_item_of_a_variable_give_python_numbers():
    x = Variable(np.array(2.5, np.float32))
    assert [type(v) for v in (float(x), int(x), bool(x), x.item())] == [float, int, bool, float]
    assert (float(x), int(x), bool(x), x.item()) == (2.5, 2, True, 2.5)


@pytest.mark.parametrize(("value", "truth"), [(0.0, False), (0, False), (-1.5, True)])
def test_the_bool_of_a_variable_is_that_of_the_single_element(value, truth):
    assert bool(Variable(np.array([value]))) is truth


@pytest.mark.parametrize("convert", [bool, float, int, Variable.item])
def test_a_variable_of_several_elements_is_not_converted_to_a_number(convert):
    with pytest.raises((ValueError, TypeError)):
        convert(Variable(np.array([1.0, 2.0])))


def test_a_format_specification_is_applied_to_the_number_of_a_variable():
    x = Variable(np.array(1.23456))
    assert f"{x:.2f}|{x:>8.1f}|{x}" == "1.23|     1.2|variable(1.23456)"


@pytest.mark.parametrize("name", ["shape", "ndim", "size", "dtype"])
@pytest.mark.parametrize(("data", "what"), [(None, "None"), ([1.0], "a list")])
def test_a_variable_whose_data_are_no_array_has_no_shape(name, data, what):
    x = Variable(None)
    x.data = data
    with pytest.raises(AttributeError, match=f"no '{name}': .data of this Variable is {what}"):
        getattr(x, name)
