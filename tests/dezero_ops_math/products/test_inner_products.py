"""``vdot``, ``vecdot`` and ``cross`` at their edges."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import cross, vdot, vecdot


@pytest.mark.parametrize("function", [np.vdot, np.vecdot])
def test_the_gradient_of_a_complex_vector_product_with_itself_is_twice_the_vector(function):
    """d|z|^2 is 2 z: by the real part 2 x, by the imaginary part 2 y."""
    z = Variable(np.array([3.0 + 4.0j, 1.0j]))
    y = function(z, z)
    y.grad = np.array(1.0 + 0.0j)
    y.backward()
    assert y.data == 26.0
    np.testing.assert_array_equal(z.grad, 2.0 * z.data)


def test_a_real_vector_gets_a_real_gradient_from_a_complex_inner_product():
    x = Variable(np.array([1.0, 2.0]))
    y = vdot(x, np.array([1.0j, 1.0]))
    y.grad = np.array(1.0 + 0.0j)
    y.backward()
    np.testing.assert_array_equal(x.grad, [0.0, 1.0])


def test_vdot_ignores_the_shapes_of_operands_and_gradients_keep_the_shapes():
    a, b = Variable(np.arange(6.0).reshape(2, 3)), Variable(np.ones((3, 2)))
    vdot(a, b).backward()
    np.testing.assert_array_equal(a.grad, np.ones((2, 3)))
    np.testing.assert_array_equal(b.grad, [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])


def test_vdot_of_different_numbers_of_elements_is_numpys_error():
    with pytest.raises(ValueError, match="array of size 3") as caught:
        vdot(Variable(np.ones(2)), np.ones(3))
    assert "VDot.forward" in caught.value.__notes__[0]


def test_vecdot_takes_vectors_along_the_given_axis():
    a, b = Variable(np.arange(6.0).reshape(3, 2)), Variable(np.array([1.0, 10.0, 100.0]))
    y = vecdot(a, b, axis=0)
    y.grad = np.array([1.0, 2.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [420.0, 531.0])
    np.testing.assert_array_equal(a.grad, [[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]])
    np.testing.assert_array_equal(b.grad, [2.0, 8.0, 14.0])


def test_vecdot_refuses_vectors_of_different_length_also_of_length_1():
    with pytest.raises(ValueError, match="mismatch"):
        vecdot(Variable(np.ones(3)), np.ones(1))


def test_inner_products_do_not_compute_the_gradient_of_a_constant():
    for function in (vdot, vecdot, cross):
        for which in (0, 1):
            operands = [np.ones(3), np.ones(3)]
            operands[which] = Variable(operands[which])
            y = function(*operands)
            gradients = y.creator.backward(np.ones(y.shape))
            assert [g is not None for g in gradients] == [which == 0, which == 1]


FLAT = [((2,), (2,)), ((2,), (3,)), ((3,), (2,)), ((4, 2), (2,)), ((3,), (4, 2))]


@pytest.mark.parametrize("shapes", FLAT, ids=str)
def test_cross_takes_vectors_of_two_components_with_a_third_component_of_0(shapes):
    """NumPy warns of them; so it is what the same vectors in space give."""
    rng = np.random.default_rng(0)
    flat = [rng.normal(size=shape) for shape in shapes]
    in_space = [np.append(x, np.zeros((*x.shape[:-1], 3 - x.shape[-1])), -1) for x in flat]
    of_flat, of_space = [[Variable(x) for x in xs] for xs in (flat, in_space)]
    with pytest.warns(DeprecationWarning, match="2-dimensional vectors"):
        y = cross(*of_flat)
    whole = cross(*of_space)
    if shapes[0][-1] == shapes[1][-1] == 2:
        np.testing.assert_array_equal(y.data, whole.data[..., 2])
        gy = rng.normal(size=y.shape)
        y.grad, whole.grad = gy, np.stack([0.0 * gy, 0.0 * gy, gy], axis=-1)
    else:
        np.testing.assert_array_equal(y.data, whole.data)
        y.grad = whole.grad = rng.normal(size=y.shape)
    y.backward()
    whole.backward()
    for x, z in zip(of_flat, of_space, strict=True):
        np.testing.assert_allclose(x.grad, z.grad[..., : x.shape[-1]], rtol=1e-14)


def test_cross_of_two_components_has_second_derivatives():
    """y = a0 b1 - a1 b0."""
    a, b = Variable(np.array([1.0, 2.0])), Variable(np.array([3.0, 4.0]))
    with pytest.warns(DeprecationWarning, match="2-dimensional vectors"):
        y = cross(a, b)
    y.backward(create_graph=True)
    ga = a.grad
    b.cleargrad()
    ga.grad = np.array([1.0, 10.0])
    ga.backward()
    np.testing.assert_array_equal(ga.data, [4.0, -3.0])
    np.testing.assert_array_equal(b.grad, [-10.0, 1.0])


def test_the_argument_axis_of_cross_overrides_the_other_three_axes():
    a, b = np.random.default_rng(0).normal(size=(2, 3, 4))
    np.testing.assert_array_equal(
        cross(Variable(a), b, axisa=1, axisb=1, axisc=1, axis=0).data, np.cross(a.T, b.T).T
    )


def test_cross_of_vectors_of_four_components_is_numpys_error():
    with pytest.raises(ValueError, match="must be 2 or 3") as caught:
        cross(Variable(np.ones(4)), np.ones(4))
    assert "Cross.forward" in caught.value.__notes__[0]
