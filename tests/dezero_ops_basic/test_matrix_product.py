"""``@`` at its edges; the contract has every pair of shapes.

Promise: docs/reference/operators.rst
"""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_basic import matmul


def test_gradients_of_the_operator_matmul_agree_with_gradients_by_hand():
    """y = x w: gy w^T and x^T gy."""
    x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    w = Variable(np.array([[5.0], [6.0]]))
    y = x @ w
    y.grad = np.array([[1.0], [10.0]])
    y.backward()
    np.testing.assert_array_equal(y.data, [[17.0], [39.0]])
    np.testing.assert_array_equal(x.grad, [[5.0, 6.0], [50.0, 60.0]])
    np.testing.assert_array_equal(w.grad, [[31.0], [42.0]])


def test_a_matrix_times_itself_gets_the_sum_of_both_gradients():
    """d(x x) = dx x + x dx."""
    x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    (x @ x).backward()
    np.testing.assert_array_equal(x.grad, [[7.0, 11.0], [9.0, 13.0]])


@pytest.mark.parametrize("which", [0, 1])
def test_the_operator_matmul_does_not_compute_the_gradient_of_a_constant(which):
    operands = [np.eye(2), np.eye(2)]
    operands[which] = Variable(operands[which])
    gradients = matmul(*operands).creator.backward(np.ones((2, 2)))
    assert [gradient is not None for gradient in gradients] == [which == 0, which == 1]


@pytest.mark.parametrize(
    "shapes",
    [((2, 3), (2, 3)), ((3,), (2,)), ((2, 2, 3), (3, 3, 2)), ((2, 3), ()), ((), (2,))],
    ids=str,
)
def test_the_operator_matmul_on_wrong_shapes_is_numpys_error_with_a_note(shapes):
    x0, x1 = (Variable(np.ones(shape)) for shape in shapes)
    with pytest.raises(ValueError, match=r"matmul|broadcast") as caught:
        x0 @ x1
    assert type(caught.value) is ValueError
    (note,) = caught.value.__notes__
    assert "MatMul" in note
    assert f"float64{list(shapes[0])}, float64{list(shapes[1])}" in note
    assert "test_matrix_product.py" in note


@pytest.mark.parametrize("number", [2.0, 2, np.float64(2.0)], ids=repr)
def test_the_operator_matmul_refuses_a_number(number):
    x = Variable(np.ones((2, 2)))
    with pytest.raises(ValueError, match="matmul"):
        x @ number
    with pytest.raises(ValueError, match="matmul"):
        number @ x


def test_in_place_matmul_makes_a_new_variable():
    x = before = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    x @= x
    assert x is not before
    np.testing.assert_array_equal(before.data, [[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(x.data, [[7.0, 10.0], [15.0, 22.0]])


def test_in_place_matmul_on_an_ndarray_refuses_a_variable():
    a = np.eye(2)
    with pytest.raises(TypeError, match="takes no out="):
        a @= Variable(np.ones((2, 2)))
    np.testing.assert_array_equal(a, np.eye(2))


@pytest.mark.parametrize("other", [[["a"], ["b"]], None, "ab"], ids=repr)
def test_the_operator_matmul_refuses_an_operand_that_is_no_array(other):
    x = Variable(np.ones((2, 2)))
    with pytest.raises(TypeError, match="is not supported"):
        x @ other
    with pytest.raises(TypeError, match="is not supported"):
        other @ x
