"""broadcast_arrays and meshgrid: each array for itself."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import broadcast_arrays, meshgrid

BOTH = [broadcast_arrays, meshgrid]


def pair():
    return Variable(np.array([1.0, 2.0, 3.0])), Variable(np.array([[4.0], [5.0]]))


@pytest.mark.parametrize("function", BOTH)
def test_broadcast_arrays_and_meshgrid_give_a_tuple_of_variables(function):
    assert function() == ()
    for arrays in (pair(), pair()[:1], (pair()[0], 2.0, np.ones((2, 1)))):
        found = function(*arrays)
        values = [x.data if isinstance(x, Variable) else x for x in arrays]
        expected = getattr(np, function.__name__)(*values)
        assert type(found) is tuple
        for y, truth in zip(found, expected, strict=True):
            assert type(y) is Variable
            np.testing.assert_array_equal(y.data, truth, strict=True)


@pytest.mark.parametrize("function", BOTH)
def test_an_array_whose_grid_is_unused_has_no_gradient(function):
    x, y = pair()
    function(x, y)[0].backward()
    np.testing.assert_array_equal(x.grad, [2.0, 2.0, 2.0])
    assert y.grad is None


@pytest.mark.parametrize("function", BOTH)
def test_plain_arrays_in_broadcast_arrays_and_meshgrid_are_constants(function):
    x, _ = pair()
    _, constant = function(x, np.ones((2, 1)))
    assert constant.creator is None


@pytest.mark.parametrize("function", BOTH)
@pytest.mark.parametrize("number", [2.0, np.array(2.0)], ids=repr)
def test_a_number_beside_a_variable_of_shape_nothing_comes_back_as_a_variable(function, number):
    _, constant = function(Variable(np.array(1.0)), number)
    assert (type(constant), constant.item()) == (Variable, 2.0)


def test_broadcast_arrays_and_meshgrid_without_copy_give_views():
    x, y = pair()
    for function in (broadcast_arrays, lambda *xs: meshgrid(*xs, copy=False)):
        for view, whole in zip(function(x, y), (x, y), strict=True):
            assert np.shares_memory(view.data, whole.data)
    for sparse in (True, False):
        copies = meshgrid(x, y, sparse=sparse)
        for own, whole in zip(copies, (x, y), strict=True):
            assert not np.shares_memory(own.data, whole.data)
        copies[0].data[...] = 0.0  # can be written to


def test_a_function_on_a_meshgrid_has_the_right_derivative():
    """Of the sum of x**2 * y over the grid: 2 x sum(y), and sum(x**2)."""
    for indexing in ("xy", "ij"):
        for sparse in (True, False):
            x, y = pair()
            a, b = np.meshgrid(x, y, indexing=indexing, sparse=sparse)
            np.sum(a * a * b).backward()
            np.testing.assert_array_equal(x.grad, [18.0, 36.0, 54.0])
            np.testing.assert_array_equal(y.grad, [[14.0], [14.0]])


def test_broadcast_arrays_of_wrong_shapes_is_numpys_error_with_a_note():
    x, _ = pair()
    with pytest.raises(ValueError, match=r"arg 0 with shape \(3,\) and arg 1 with") as caught:
        np.broadcast_arrays(x, np.ones(2))
    assert "BroadcastTogether" in caught.value.__notes__[0]
    assert x.grad is None


def test_an_unknown_indexing_of_meshgrid_is_numpys_error_with_a_note():
    with pytest.raises(ValueError, match="'xy' and 'ij'") as caught:
        np.meshgrid(*pair(), indexing="yx")
    assert "GridAxis" in caught.value.__notes__[0]


@pytest.mark.parametrize("function", BOTH)
def test_broadcast_arrays_and_meshgrid_refuse_an_operand_that_is_no_array(function):
    with pytest.raises(TypeError, match="is not supported"):
        function(pair()[0], ["1", "2", "3"])
