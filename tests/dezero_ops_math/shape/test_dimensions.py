"""squeeze, expand_dims, atleast_nd: which axes, and the form of what is returned."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import atleast_1d, atleast_2d, atleast_3d, expand_dims, squeeze


@pytest.mark.parametrize("function", [atleast_1d, atleast_2d, atleast_3d])
def test_atleast_functions_give_a_variable_for_one_argument_and_a_tuple_for_several(function):
    x = Variable(np.array(1.0))
    assert type(function(x)) is Variable
    assert function() == ()
    y, z = function(x, np.ones(3))
    assert type(y) is type(z) is Variable
    assert z.creator is None


def test_atleast_functions_differentiate_each_argument_separately():
    """One that nobody used has no gradient, not one of zeros."""
    x, y = Variable(np.array(1.0)), Variable(np.array(2.0))
    atleast_2d(x, y)[0].backward()
    np.testing.assert_array_equal(x.grad, np.array(1.0), strict=True)
    assert y.grad is None


def test_squeeze_of_an_axis_longer_than_1_is_numpys_error_with_a_note():
    x = Variable(np.ones((1, 3)))
    with pytest.raises(ValueError, match="size not equal to one") as caught:
        x.squeeze(1)
    assert "Squeeze" in caught.value.__notes__[0]
    with pytest.raises(np.exceptions.AxisError) as caught:
        squeeze(x, 2)
    assert "Squeeze" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("axis", "error"),
    [(3, np.exceptions.AxisError), ((0, 0), ValueError), (None, TypeError), (1.0, TypeError)],
    ids=repr,
)
def test_expand_dims_of_an_axis_that_cannot_be_is_numpys_error_with_a_note(axis, error):
    with pytest.raises(error) as caught:
        expand_dims(Variable(np.ones(2)), axis)
    assert type(caught.value) is error
    assert "ExpandDims" in caught.value.__notes__[0]


@pytest.mark.parametrize("function", [squeeze, expand_dims])
def test_squeeze_and_expand_dims_refuse_a_variable_as_axis(function):
    with pytest.raises(TypeError, match="'axis'"):
        function(Variable(np.ones((1, 1))), Variable(np.array(0)))
