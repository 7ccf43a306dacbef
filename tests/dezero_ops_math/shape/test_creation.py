"""zeros_like and its kin are constants; a copy is part of the graph."""

import copy as python_copy

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import copy, empty_like, full_like, ones_like, zeros_like

EMPTY = {zeros_like: np.zeros_like, ones_like: np.ones_like, empty_like: np.empty_like}


@pytest.mark.parametrize("function", EMPTY)
@pytest.mark.parametrize(
    "operand", [np.ones((2, 3), "f4"), np.asfortranarray(np.ones((2, 3))), 1.0]
)
def test_functions_named_like_return_numpys_array(function, operand):
    x = Variable(operand) if isinstance(operand, np.ndarray) else operand
    for options in ({}, {"dtype": int}, {"shape": (3,)}, {"order": "F"}, {"subok": False}):
        expected = EMPTY[function](operand, **options)
        for got in (function(x, **options), EMPTY[function](x, **options)):
            assert type(got) is np.ndarray
            assert (got.shape, got.dtype, got.strides) == (
                expected.shape,
                expected.dtype,
                expected.strides,
            )


def test_functions_named_like_fill_the_array():
    x = Variable(np.ones((2, 3)))
    np.testing.assert_array_equal(np.zeros_like(x), np.zeros((2, 3)), strict=True)
    np.testing.assert_array_equal(np.ones_like(x, int), np.ones((2, 3), int), strict=True)
    filled = np.full_like(x, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(filled, [[1.0, 2.0, 3.0]] * 2, strict=True)


@pytest.mark.parametrize("kind", [float, int])
def test_full_like_refuses_a_variable_as_fill_value_with_the_alternative(kind):
    x, value = Variable(np.ones(3)), Variable(np.array(2, kind))
    for function in (full_like, np.full_like):
        with pytest.raises(
            TypeError, match=r"'fill_value'.*np\.broadcast_to\(fill_value, a\.shape"
        ):
            function(x, value)
    with pytest.raises(TypeError):
        np.full_like(x, [1.0, 2.0, Variable(np.array(3.0))])


@pytest.mark.parametrize("way", [copy, np.copy, lambda x: x.copy(), lambda x: x.copy("F")])
def test_a_copy_by_numpy_is_a_new_variable_in_the_graph(way):
    x = Variable(np.array([[1.0, 2.0]], np.float32))
    y = way(x)
    assert not np.shares_memory(x.data, y.data)
    first = grad(y**3.0, x, create_graph=True)
    np.testing.assert_array_equal(first.data, np.array([[3.0, 12.0]], np.float32), strict=True)
    np.testing.assert_array_equal(grad(first, x), [[6.0, 12.0]])


def test_a_copy_by_numpy_has_the_memory_order_of_a_copied_array():
    x = Variable(np.asfortranarray(np.ones((2, 3))))
    for order in ("C", "F", "A", "K"):
        for a, b in (
            (np.copy(x, order).data, np.copy(x.data, order)),
            (x.copy(order).data, x.data.copy(order)),
        ):
            assert a.strides == b.strides
    assert x.copy().data.strides == x.data.copy().strides
    with pytest.raises(ValueError, match="order") as caught:
        x.copy("Z")
    assert "Copy" in caught.value.__notes__[0]


def test_copies_by_the_module_copy_have_no_creator():
    x = Variable(np.ones(2), name="x")
    for function in (python_copy.copy, python_copy.deepcopy):
        y = function(x)
        assert y.name == "x"
        assert y.creator is None
