"""Powers, chains, and the products as ``numpy.linalg`` has them."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import linalg

X = np.array([[1.0, 2.0], [0.5, 3.0]])


@pytest.mark.parametrize("n", range(-5, 9))
def test_matrix_power_has_the_gradient_of_repeated_products(n):
    weights = np.array([[1.0, -2.0], [3.0, 0.5]])
    x, same = Variable(X), Variable(X)
    y = linalg.matrix_power(x, n)
    product = Variable(np.eye(2))
    for _ in range(abs(n)):
        product = product @ (same if n > 0 else np.linalg.inv(same))
    y.grad = product.grad = weights
    y.backward()
    if n:
        product.backward()
    np.testing.assert_allclose(x.grad, 0.0 * X if n == 0 else same.grad, rtol=1e-12)


def test_matrix_power_of_a_singular_matrix_takes_0_and_no_negative_exponent():
    x = Variable(np.ones((2, 2)))
    linalg.matrix_power(x, 0).backward()
    np.testing.assert_array_equal(x.grad, np.zeros((2, 2)))
    with pytest.raises(np.linalg.LinAlgError, match="Singular") as caught:
        linalg.matrix_power(x, -1)
    assert "MatrixPower.forward" in caught.value.__notes__[0]


def test_matrix_power_of_a_nilpotent_matrix_has_the_right_gradient():
    """d(A^2) = A dA + dA A."""
    x = Variable(np.array([[0.0, 1.0], [0.0, 0.0]]))
    y = linalg.matrix_power(x, 2)
    y.backward()
    np.testing.assert_array_equal(y.data, np.zeros((2, 2)))
    np.testing.assert_array_equal(x.grad, [[1.0, 0.0], [2.0, 1.0]])


@pytest.mark.parametrize("n", [1.5, "2", None], ids=repr)
def test_a_matrix_power_that_is_no_integer_is_numpys_error(n):
    with pytest.raises(TypeError, match="exponent must be an integer"):
        linalg.matrix_power(Variable(X), n)


def test_matrix_power_refuses_a_variable_as_exponent():
    with pytest.raises(TypeError, match="'n'"):
        linalg.matrix_power(Variable(X), Variable(np.array(2)))


def test_multi_dot_has_the_gradients_of_the_single_products():
    rng = np.random.default_rng(0)
    data = [rng.normal(size=shape) for shape in ((3,), (3, 2), (2, 4), (4,))]
    chain, single = ([Variable(x) for x in data] for _ in range(2))
    linalg.multi_dot(chain).backward()
    (single[0] @ single[1] @ single[2] @ single[3]).backward()
    for x, z in zip(chain, single, strict=True):
        np.testing.assert_allclose(x.grad, z.grad, rtol=1e-12)


def test_multi_dot_does_not_compute_gradients_of_constants():
    y = linalg.multi_dot([X, Variable(X), X])
    gradients = y.creator.backward(np.ones((2, 2)))
    assert [gradient is not None for gradient in gradients] == [False, True, False]


@pytest.mark.parametrize(
    ("shapes", "error"),
    [
        ([(2, 2)], ValueError),
        ([], ValueError),
        ([(2, 3), (2, 3)], ValueError),
        ([(2, 3), (3, 2), (3, 2)], ValueError),
        ([(2, 2), (2,), (2, 2)], np.linalg.LinAlgError),
    ],
    ids=str,
)
def test_multi_dot_of_wrong_shapes_is_numpys_error_with_a_note(shapes, error):
    with pytest.raises(error) as numpys:
        np.linalg.multi_dot([np.ones(shape) for shape in shapes])
    with pytest.raises(error) as caught:
        linalg.multi_dot([Variable(np.ones(shape)) for shape in shapes])
    assert caught.type is numpys.type
    assert str(caught.value) == str(numpys.value)
    assert ".forward of plugin 'math'" in caught.value.__notes__[0]


@pytest.mark.parametrize("count", [2, 3])
def test_multi_dot_refuses_out_by_name(count):
    with pytest.raises(TypeError, match=r"linalg\.multi_dot .* takes no out="):
        np.linalg.multi_dot([Variable(X)] * count, out=np.ones((2, 2)))


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("outer", ((2, 2), (2,))),
        ("cross", ((2,), (2,))),
        ("matmul", ((2, 3), (2, 3))),
        ("matmul", ((), (2,))),
        ("vecdot", ((2,), (3,))),
        ("tensordot", ((2, 3), (3, 2))),
    ],
)
def test_wrong_shapes_in_products_of_linalg_are_numpys_error_with_a_note(name, shapes):
    data = [np.ones(shape) for shape in shapes]
    with pytest.raises(ValueError) as numpys:  # noqa: PT011
        getattr(np.linalg, name)(*data)
    x = Variable(data[0])
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        getattr(np.linalg, name)(x, data[1])
    assert caught.type is numpys.type
    assert str(caught.value) == str(numpys.value)
    assert ".forward of plugin 'math'" in caught.value.__notes__[0]
    assert (x.creator, x.generation, x.grad) == (None, 0, None)


@pytest.mark.parametrize("which", [0, 1])
def test_products_of_linalg_do_not_compute_the_gradient_of_a_constant(which):
    operands = [X, X]
    operands[which] = Variable(X)
    gradients = linalg.matmul(*operands).creator.backward(np.ones((2, 2)))
    assert [gradient is not None for gradient in gradients] == [which == 0, which == 1]
