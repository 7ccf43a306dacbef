"""``dot``, ``inner``, ``tensordot``, ``outer``, ``kron`` and ``matvec`` at their edges."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import dot, inner, kron, outer, tensordot


def test_gradients_of_dot_agree_with_those_by_hand():
    x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    w = Variable(np.array([[5.0], [6.0]]))
    y = x.dot(w)
    y.grad = np.array([[1.0], [10.0]])
    y.backward()
    np.testing.assert_array_equal(y.data, [[17.0], [39.0]])
    np.testing.assert_array_equal(x.grad, [[5.0, 6.0], [50.0, 60.0]])
    np.testing.assert_array_equal(w.grad, [[31.0], [42.0]])


@pytest.mark.parametrize("function", [dot, inner])
def test_product_functions_multiply_by_a_number(function):
    x, number = Variable(np.array([[1.0, 2.0]])), Variable(np.array(3.0))
    function(x, number).backward()
    np.testing.assert_array_equal(x.grad, [[3.0, 3.0]])
    np.testing.assert_array_equal(number.grad, 3.0)


@pytest.mark.parametrize("function", [dot, inner, outer, kron], ids=lambda f: f.__name__)
@pytest.mark.parametrize("which", [0, 1])
def test_products_do_not_compute_the_gradient_of_a_constant(function, which):
    operands = [np.eye(2), np.eye(2)]
    operands[which] = Variable(operands[which])
    y = function(*operands)
    gradients = y.creator.backward(np.ones(y.shape))
    assert [gradient is not None for gradient in gradients] == [which == 0, which == 1]


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (dot, ((2, 3), (2, 3))),
        (inner, ((2, 3), (3, 2))),
        (tensordot, ((2, 3), (3, 2))),
    ],
)
def test_wrong_shapes_in_products_are_numpys_error_with_a_note(function, shapes):
    x0, x1 = (Variable(np.ones(shape)) for shape in shapes)
    with pytest.raises(ValueError, match=r"not aligned|shape-mismatch") as caught:
        function(x0, x1)
    assert type(caught.value) is ValueError
    (note,) = caught.value.__notes__
    assert f"float64{list(shapes[0])}, float64{list(shapes[1])}" in note


@pytest.mark.parametrize("function", [np.dot, np.outer])
def test_products_refuse_out_by_name(function):
    x = Variable(np.ones(2))
    with pytest.raises(TypeError, match=rf"{function.__name__}.* takes no out="):
        function(x, x, out=np.ones((2, 2)))


def test_lists_of_axes_changed_after_tensordot_change_no_gradient():
    x, axes = Variable(np.ones((2, 3))), [[0], [0]]
    y = tensordot(x, np.array([1.0, 2.0]), axes)
    axes[0] = [1]
    y.backward()
    np.testing.assert_array_equal(x.grad, [[1.0] * 3, [2.0] * 3])


def test_tensordot_refuses_a_variable_as_axes():
    x = Variable(np.ones(2))
    with pytest.raises(TypeError, match="'axes'"):
        tensordot(x, x, Variable(np.array(1)))


def test_tensordot_refuses_an_axis_given_twice():
    with pytest.raises(ValueError, match=r"duplicate|repeated|mismatch"):
        tensordot(Variable(np.ones((2, 2))), np.ones((2, 2)), ([0, 0], [0, 1]))


def test_gradients_of_a_kronecker_product_agree_with_those_by_hand():
    """y = [a0 b0, a0 b1, a1 b0, a1 b1]."""
    a, b = Variable(np.array([1.0, 2.0])), Variable(np.array([3.0, 4.0]))
    y = np.kron(a, b)
    y.grad = np.array([1.0, 10.0, 100.0, 1000.0])
    y.backward()
    np.testing.assert_array_equal(a.grad, [43.0, 4300.0])
    np.testing.assert_array_equal(b.grad, [201.0, 2010.0])


def test_a_nan_in_the_gradient_of_dot_stays_in_its_row():
    x, w = Variable(np.ones((2, 2))), Variable(np.array([1.0, 2.0]))
    y = np.dot(x, w)
    y.grad = np.array([np.nan, 1.0])
    y.backward()
    np.testing.assert_array_equal(x.grad, [[np.nan, np.nan], [1.0, 2.0]])


def test_vecmat_conjugates_the_vector_and_matvec_does_not():
    v, a = np.array([1.0j]), np.array([[1.0 + 0.0j]])
    for y, value in (
        (np.vecmat(Variable(v), a), -1.0j),
        (np.vecmat(v, Variable(a)), -1.0j),
        (np.matvec(a, Variable(v)), 1.0j),
        (np.matvec(Variable(a), v), 1.0j),
    ):
        assert y.data == [value]
        gradients = y.creator.backward(np.ones(1))
        assert [gradient is None for gradient in gradients].count(True) == 1
